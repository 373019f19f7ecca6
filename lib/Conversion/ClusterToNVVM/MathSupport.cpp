//===- MathSupport.cpp - Formulas shared by f32 and f64 -------------------===//

#include "MathSupport.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace cascade::cluster;

FloatMath::FloatMath(OpBuilder &builder, Location loc,
                     const FloatConstants &constants)
    : builder(builder), loc(loc), constants(constants),
      type(constants.width == 64 ? FloatType(builder.getF64Type())
                                 : FloatType(builder.getF32Type())),
      bitsType(builder.getIntegerType(constants.width)) {}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value FloatMath::constant(double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

Value FloatMath::infinity(bool isNegative) {
  double value = std::numeric_limits<double>::infinity();
  return constant(isNegative ? -value : value);
}

Value FloatMath::notANumber() {
  return constant(std::numeric_limits<double>::quiet_NaN());
}

Value FloatMath::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs);
}

Value FloatMath::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, loc, lhs, rhs);
}

Value FloatMath::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, loc, lhs, rhs);
}

Value FloatMath::div(Value lhs, Value rhs) {
  return arith::DivFOp::create(builder, loc, lhs, rhs);
}

Value FloatMath::fma(Value a, Value b, Value c) {
  return math::FmaOp::create(builder, loc, a, b, c);
}

Value FloatMath::clamp(Value x, double low, double high) {
  x = arith::MaximumFOp::create(builder, loc, x, constant(low));
  return arith::MinimumFOp::create(builder, loc, x, constant(high));
}

Value FloatMath::less(Value lhs, Value rhs) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, lhs,
                               rhs);
}

Value FloatMath::equal(Value lhs, Value rhs) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, lhs,
                               rhs);
}

Value FloatMath::select(Value condition, Value ifTrue, Value ifFalse) {
  return arith::SelectOp::create(builder, loc, condition, ifTrue, ifFalse);
}

Value FloatMath::absolute(Value x) {
  return math::AbsFOp::create(builder, loc, x);
}

Value FloatMath::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(builder, loc, magnitude, sign);
}

Value FloatMath::integer(int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(bitsType, value));
}

Value FloatMath::toBits(Value x) {
  return arith::BitcastOp::create(builder, loc, bitsType, x);
}

Value FloatMath::fromBits(Value bits) {
  return arith::BitcastOp::create(builder, loc, type, bits);
}

Value FloatMath::powerOfTwo(Value n) {
  int64_t bias =
      (int64_t(1) << (constants.width - constants.mantissaBits - 2)) - 1;
  Value exponent = arith::AddIOp::create(builder, loc, n, integer(bias));
  return fromBits(arith::ShLIOp::create(builder, loc, exponent,
                                        integer(constants.mantissaBits)));
}

Value FloatMath::polynomial(ArrayRef<double> coefficients, Value x) {
  Value sum = constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = fma(sum, x, constant(coefficient));
  return sum;
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

FloatMath::Reduced FloatMath::reduce(Value x) {
  // Adding 1.5 * 2^mantissaBits rounds to an integer, which is then the low
  // bits; unlike a conversion, this is defined for NaN.
  double shift = std::ldexp(1.5, constants.mantissaBits);
  Value shifted = fma(x, constant(1 / M_LN2), constant(shift));
  Reduced reduced;
  reduced.n = sub(shifted, constant(shift));
  Value bits = toBits(constant(shift));
  reduced.integerN = arith::SubIOp::create(builder, loc, toBits(shifted), bits);
  Value r = fma(reduced.n, constant(-constants.ln2High), x);
  reduced.r = fma(reduced.n, constant(-constants.ln2Low), r);
  return reduced;
}

Value FloatMath::expm1Reduced(Value r) {
  Value tail = polynomial(constants.expTail, r);
  return fma(mul(r, r), tail, r);
}

Value FloatMath::scaleExp(Value p, Value n) {
  // Two factors, as 2^n itself may be out of range. The first product is
  // exact: only the second can be subnormal or infinite.
  Value one = integer(1);
  Value half = arith::ShRSIOp::create(builder, loc, n, one);
  Value rest = arith::SubIOp::create(builder, loc, n, half);
  Value value = add(p, constant(1));
  return mul(mul(value, powerOfTwo(half)), powerOfTwo(rest));
}

Value FloatMath::expm1(Value x) {
  // 2^n (1 + p) - 1 = 2 (2^(n-1) p + (2^(n-1) - 1/2)): for n = 0 it is p.
  // Below -mantissa bits the result is -1.
  double low = -M_LN2 * (constants.mantissaBits + 3);
  Reduced reduced = reduce(clamp(x, low, constants.expMax));
  Value scale = powerOfTwo(
      arith::SubIOp::create(builder, loc, reduced.integerN, integer(1)));
  Value shift = sub(scale, constant(0.5));
  Value half = fma(scale, expm1Reduced(reduced.r), shift);
  return add(half, half);
}

Value FloatMath::tanh(Value x) {
  // With t = exp(2|x|) - 1: tanh|x| = t / (t + 2). Where it rounds to 1, t
  // is still finite.
  Value magnitude = absolute(x);
  Value doubled = add(magnitude, magnitude);
  Value t = expm1(clamp(doubled, 0, M_LN2 * (constants.mantissaBits + 4)));
  return copySign(div(t, add(t, constant(2))), x);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

FloatMath::Split FloatMath::split(Value x) {
  // A subnormal x is scaled into the normal range first.
  int64_t bits = constants.mantissaBits;
  int64_t bias = (int64_t(1) << (constants.width - bits - 2)) - 1;
  Value smallest = constant(std::ldexp(1.0, 1 - bias));
  Value isSmall = less(x, smallest);
  double shift = bits + 1;
  x = select(isSmall, mul(x, constant(std::ldexp(1.0, bits + 1))), x);
  Value start = select(isSmall, constant(-shift), constant(0));

  Value exponentMask = integer(-(int64_t(1) << bits));
  Value offset = arith::SubIOp::create(builder, loc, toBits(x),
                                       integer(constants.twoThirds));
  Value exponent = arith::AndIOp::create(builder, loc, offset, exponentMask);
  Split result;
  Value mantissa =
      fromBits(arith::SubIOp::create(builder, loc, toBits(x), exponent));
  Value number = arith::ShRSIOp::create(builder, loc, exponent, integer(bits));
  result.e = add(arith::SIToFPOp::create(builder, loc, type, number), start);
  result.f = sub(mantissa, constant(1));
  return result;
}

Value FloatMath::log1pReduced(Value f) {
  Value tail = polynomial(constants.logTail, f);
  return fma(mul(f, f), fma(tail, f, constant(-0.5)), f);
}

Value FloatMath::fixLog(Value x, Value result) {
  // Also NaN -> NaN and inf -> inf.
  result = select(less(x, infinity(false)), result, x);
  result = select(less(x, constant(0)), notANumber(), result);
  return select(equal(x, constant(0)), infinity(true), result);
}

Value FloatMath::log(Value x) {
  Split parts = split(x);
  Value low = fma(parts.e, constant(constants.ln2Low), log1pReduced(parts.f));
  return fixLog(x, fma(parts.e, constant(constants.ln2High), low));
}

Value FloatMath::log2(Value x) {
  Split parts = split(x);
  return fixLog(x, fma(log1pReduced(parts.f), constant(1 / M_LN2), parts.e));
}

Value FloatMath::log10(Value x) {
  Split parts = split(x);
  Value low = mul(log1pReduced(parts.f), constant(1 / M_LN10));
  low = fma(parts.e, constant(constants.log10Of2Low), low);
  return fixLog(x, fma(parts.e, constant(constants.log10Of2High), low));
}

Value FloatMath::log1p(Value x) {
  // With u = 1 + x rounded: log(1 + x) = log(u) + (x - (u - 1)) / u.
  Value one = constant(1);
  Value u = add(x, one);
  Value correction = div(sub(x, sub(u, one)), u);
  Value result = add(log(u), correction);
  // Where u is 0 or infinite the correction is NaN.
  Value isFinite = arith::AndIOp::create(builder, loc, less(x, infinity(false)),
                                         less(constant(-1), x));
  result = select(isFinite, result, log(u));
  return select(equal(u, one), x, result);
}
