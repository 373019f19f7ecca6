//===- MathF64.cpp - Mathematical functions of f64 ------------------------===//
//
// Without libdevice: polynomials only. Largest errors in ulps, measured over
// random arguments: exp 1.0, exp2 1.1, expm1 2, log 1.1, log2 1.6, log10 4,
// log1p 1.6, rsqrt 1.5, tanh 3. Subnormal results are rounded once.
//
//===----------------------------------------------------------------------===//

#include "MathSupport.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace cascade::cluster;

/// Minimax, error 1.8e-20.
static constexpr double kExpTail[] = {
    1.6086627956780368844e-10, 2.0918137737642736429e-9,
    2.5052071094293546753e-8,  2.7557263279088496905e-7,
    2.7557319247218730776e-6,  0.000024801587336442237861,
    0.00019841269841263299129, 0.0013888888888879073994,
    0.008333333333333334007,   0.041666666666666676774,
    0.16666666666666666667,    0.49999999999999999998};

/// Minimax, error 9.8e-18: below 1.1e-18 of the logarithm.
static constexpr double kLogTail[] = {
    0.076102426141523702789, -0.079401452283760961984,
    0.038598807062537993333, -0.040616738246670260214,
    0.053957468794010272794, -0.056934614705579509581,
    0.058706438596307000952, -0.062378223661646581966,
    0.066673129127844929769, -0.071435292139427551842,
    0.076922854715570983837, -0.083333102254281041142,
    0.090909095483627454772, -0.10000000475705781234,
    0.11111111105949351815,  -0.12499999994632375924,
    0.14285714285740933064,  -0.16666666666694376518,
    0.1999999999999995956,   -0.24999999999999957948,
    0.33333333333333333333};

const FloatConstants &cascade::cluster::getF64Constants() {
  static const FloatConstants constants = {
      /*width=*/64,
      /*mantissaBits=*/52,
      kExpTail,
      kLogTail,
      /*ln2High=*/6.93147180369123816490e-01,
      /*ln2Low=*/1.90821492927058770002e-10,
      /*log10Of2High=*/3.01029995663611771306e-01,
      /*log10Of2Low=*/3.69423907715893078616e-13,
      /*expMax=*/710.0,
      /*expMin=*/-746.0,
      /*twoThirds=*/0x3fe5555555555555};
  return constants;
}

static Value expandExp(FloatMath &math, OpBuilder &, Location, Value x, bool) {
  const FloatConstants &constants = getF64Constants();
  FloatMath::Reduced reduced =
      math.reduce(math.clamp(x, constants.expMin, constants.expMax));
  return math.scaleExp(math.expm1Reduced(reduced.r), reduced.integerN);
}

static Value expandExp2(FloatMath &math, OpBuilder &builder, Location loc,
                        Value x, bool) {
  // x = n + r, exactly; 2^r = exp(r ln(2)).
  x = math.clamp(x, -1080.0, 1030.0);
  Value shift = math.constant(0x1.8p52);
  Value shifted = math.add(x, shift);
  Value r = math.sub(x, math.sub(shifted, shift));
  Value n = arith::SubIOp::create(builder, loc, math.toBits(shifted),
                                  math.toBits(shift));
  Value p = math.expm1Reduced(math.mul(r, math.constant(M_LN2)));
  return math.scaleExp(p, n);
}

static Value expandRsqrt(FloatMath &math, OpBuilder &builder, Location loc,
                         Value x, bool) {
  return math.div(math.constant(1), math::SqrtOp::create(builder, loc, x));
}

const UnaryTable &cascade::cluster::getF64Table() {
  static const UnaryTable table = {expandExp,
                                   expandExp2,
                                   expandShared<&FloatMath::expm1>,
                                   expandShared<&FloatMath::log>,
                                   expandShared<&FloatMath::log2>,
                                   expandShared<&FloatMath::log10>,
                                   expandShared<&FloatMath::log1p>,
                                   expandRsqrt,
                                   expandShared<&FloatMath::tanh>};
  return table;
}
