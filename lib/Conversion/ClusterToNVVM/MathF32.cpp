//===- MathF32.cpp - Mathematical functions of f32 ------------------------===//
//
// Largest errors in ulps, measured on an H200: exp 2.9, exp2 1.9, expm1 1.5,
// log 0.9, log2 1.6, log10 2.4, log1p 1.5, rsqrt 1.5, tanh 2.5. exp and exp2
// flush results below 2^-126 to zero. With fastmath<afn>, exp and log are one
// multiplication and one instruction; so is exp of the result of an addition, a
// subtraction, a multiplication or a division: 0.7 |x| ulps more.
//
//===----------------------------------------------------------------------===//

#include "MathSupport.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace cascade::cluster;

/// Minimax, error 1.4e-9.
static constexpr double kExpTail[] = {0.000198909908247, 0.00139336499963,
                                      0.00833331092548,  0.0416664649253,
                                      0.166666666816,    0.500000001347};

/// Minimax, error 2.9e-8: below 4e-9 of the logarithm.
static constexpr double kLogTail[] = {
    0.113311374616,  -0.124227621337, 0.109155684733,
    -0.122886284001, 0.142918711551,  -0.166733205437,
    0.199999483075,  -0.24999944139,  0.333333333333};

static constexpr double kLog10Of2 = 0.30102999566398119521;
/// Few enough bits that a product with any exponent is exact.
static constexpr double kLn2High = 0x1.62e4p-1;
static constexpr double kLog10Of2High = 0x1.344p-2;

const FloatConstants &cascade::cluster::getF32Constants() {
  static const FloatConstants constants = {/*width=*/32,
                                           /*mantissaBits=*/23,
                                           kExpTail,
                                           kLogTail,
                                           kLn2High,
                                           /*ln2Low=*/M_LN2 - kLn2High,
                                           kLog10Of2High,
                                           /*log10Of2Low=*/kLog10Of2 -
                                               kLog10Of2High,
                                           /*expMax=*/89.0,
                                           /*expMin=*/-104.0,
                                           /*twoThirds=*/0x3f2aaaab};
  return constants;
}

/// 2^x in one instruction.
static Value buildEx2(OpBuilder &builder, Location loc, Value x) {
  return math::Exp2Op::create(builder, loc, x, arith::FastMathFlags::afn);
}

/// Whether `x` is the rounded result of an operation. Its exact value may be
/// half a unit in the last place away, by which e^x moves as much as by the
/// rounding of x log2(e).
static bool isRounded(Value x) {
  Operation *op = x.getDefiningOp();
  return op &&
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op);
}

static Value expandExp(FloatMath &math, OpBuilder &builder, Location loc,
                       Value x, bool isApprox) {
  // x log2(e) = high + low, and 2^(high + low) = 2^high (1 + low ln(2)). The
  // clamp keeps infinities out of low, where they would cancel.
  constexpr float kLog2E = M_LOG2E;
  constexpr double kLog2ELow = M_LOG2E - kLog2E;
  Value log2E = math.constant(kLog2E);
  if (isApprox || isRounded(x))
    return buildEx2(builder, loc, math.mul(x, log2E));
  const FloatConstants &constants = getF32Constants();
  x = math.clamp(x, constants.expMin, constants.expMax);
  Value high = math.mul(x, log2E);
  Value minusHigh = arith::NegFOp::create(builder, loc, high);
  Value low = math.fma(x, log2E, minusHigh);
  low = math.fma(x, math.constant(kLog2ELow), low);
  Value correction = math.fma(low, math.constant(M_LN2), math.constant(1));
  return math.mul(buildEx2(builder, loc, high), correction);
}

static Value expandExp2(FloatMath &, OpBuilder &builder, Location loc, Value x,
                        bool isApprox) {
  return isApprox ? Value() : buildEx2(builder, loc, x);
}

static Value expandLog(FloatMath &math, OpBuilder &builder, Location loc,
                       Value x, bool isApprox) {
  if (!isApprox)
    return math.log(x);
  Value log2 = math::Log2Op::create(builder, loc, x, arith::FastMathFlags::afn);
  return math.mul(log2, math.constant(M_LN2));
}

static Value expandLog2(FloatMath &math, OpBuilder &, Location, Value x,
                        bool isApprox) {
  return isApprox ? Value() : math.log2(x);
}

static Value expandRsqrt(FloatMath &, OpBuilder &builder, Location loc, Value x,
                         bool isApprox) {
  if (isApprox)
    return {};
  return math::RsqrtOp::create(builder, loc, x, arith::FastMathFlags::afn);
}

const UnaryTable &cascade::cluster::getF32Table() {
  static const UnaryTable table = {expandExp,
                                   expandExp2,
                                   expandShared<&FloatMath::expm1>,
                                   expandLog,
                                   expandLog2,
                                   expandShared<&FloatMath::log10>,
                                   expandShared<&FloatMath::log1p>,
                                   expandRsqrt,
                                   expandShared<&FloatMath::tanh>};
  return table;
}
