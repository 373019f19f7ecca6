//===- MathSupport.h - Formulas shared by f32 and f64 ---------*- C++ -*-===//

#ifndef CASCADE_LIB_CONVERSION_CLUSTERTONVVM_MATHSUPPORT_H
#define CASCADE_LIB_CONVERSION_CLUSTERTONVVM_MATHSUPPORT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace cascade::cluster {

/// A binary format and the polynomials for it; coefficients from the highest
/// power down.
struct FloatConstants {
  unsigned width;
  unsigned mantissaBits;
  /// (exp(r) - 1 - r) / r^2 on |r| <= ln(2) / 2.
  llvm::ArrayRef<double> expTail;
  /// (log(1 + f) - f + f^2 / 2) / f^3 on |f| <= 1/3.
  llvm::ArrayRef<double> logTail;
  /// ln(2) = high + low; n * high is exact for every exponent n.
  double ln2High, ln2Low;
  double log10Of2High, log10Of2Low;
  /// exp overflows above, and is zero (in f64) below.
  double expMax, expMin;
  /// The bits of 2/3, where the mantissa's range [2/3, 4/3) begins.
  int64_t twoThirds;
};

/// Builds scalar arithmetic in one format. Nothing is contracted or
/// reassociated: what a formula says is what is computed.
class FloatMath {
public:
  FloatMath(mlir::OpBuilder &builder, mlir::Location loc,
            const FloatConstants &constants);

  using Value = mlir::Value;

  Value constant(double value);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value div(Value lhs, Value rhs);
  Value fma(Value a, Value b, Value c);
  /// NaN propagates.
  Value clamp(Value x, double low, double high);
  Value less(Value lhs, Value rhs);  // false for NaN
  Value equal(Value lhs, Value rhs); // false for NaN
  Value select(Value condition, Value ifTrue, Value ifFalse);
  Value absolute(Value x);
  Value copySign(Value magnitude, Value sign);
  Value infinity(bool isNegative);
  Value notANumber();

  Value integer(int64_t value);
  Value toBits(Value x);
  Value fromBits(Value bits);
  /// 2^n for an integer n in the normal range.
  Value powerOfTwo(Value n);

  /// Horner's scheme.
  Value polynomial(llvm::ArrayRef<double> coefficients, Value x);

  /// x = n ln(2) + r with |r| <= ln(2) / 2; n as float and as integer. x is
  /// finite and in the range where exp(x) is finite, or NaN.
  struct Reduced {
    Value n, integerN, r;
  };
  Reduced reduce(Value x);

  /// exp(r) - 1 for |r| <= ln(2) / 2.
  Value expm1Reduced(Value r);
  /// 2^n (1 + p), rounded once, subnormal and infinite results too.
  Value scaleExp(Value p, Value n);
  Value expm1(Value x);
  Value tanh(Value x);

  /// x = 2^e (1 + f) with 1 + f in [2/3, 4/3), for positive finite x.
  struct Split {
    Value e, f;
  };
  Split split(Value x);
  Value log1pReduced(Value f);
  /// Puts in what `log(x)` is where x is not positive and finite.
  Value fixLog(Value x, Value result);
  Value log(Value x);
  Value log2(Value x);
  Value log10(Value x);
  Value log1p(Value x);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  const FloatConstants &constants;
  mlir::FloatType type;
  mlir::IntegerType bitsType;
};

/// The functions of one format, by operation; null where the operation stays.
/// `isApprox` is `fastmath<afn>`.
using UnaryExpansion = mlir::Value (*)(FloatMath &math, mlir::OpBuilder &,
                                       mlir::Location, mlir::Value x,
                                       bool isApprox);
/// One of the formulas that f32 and f64 share.
template <mlir::Value (FloatMath::*formula)(mlir::Value)>
mlir::Value expandShared(FloatMath &math, mlir::OpBuilder &, mlir::Location,
                         mlir::Value x, bool) {
  return (math.*formula)(x);
}

struct UnaryTable {
  UnaryExpansion exp, exp2, expm1, log, log2, log10, log1p, rsqrt, tanh;
};

const FloatConstants &getF32Constants();
const UnaryTable &getF32Table();
const FloatConstants &getF64Constants();
const UnaryTable &getF64Table();

} // namespace cascade::cluster

#endif // CASCADE_LIB_CONVERSION_CLUSTERTONVVM_MATHSUPPORT_H
