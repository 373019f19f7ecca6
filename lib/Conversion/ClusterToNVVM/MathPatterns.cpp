//===- MathPatterns.cpp - Where math functions are expanded ---------------===//

#include "MathSupport.h"
#include "cascade/Conversion/ClusterToNVVM/ClusterToNVVM.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace cascade::cluster;

namespace {
/// Functions of f32 and f64 by their formulas.
template <typename OpT>
struct ExpandFunction : OpRewritePattern<OpT> {
  ExpandFunction(MLIRContext *context, UnaryExpansion UnaryTable::*entry)
      : OpRewritePattern<OpT>(context), entry(entry) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    bool isWide = type.isF64();
    FloatMath math(rewriter, op.getLoc(),
                   isWide ? getF64Constants() : getF32Constants());
    bool isApprox =
        bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    UnaryExpansion expand = (isWide ? getF64Table() : getF32Table()).*entry;
    Value result =
        expand(math, rewriter, op.getLoc(), op.getOperand(), isApprox);
    if (!result)
      return rewriter.notifyMatchFailure(op, "one instruction already");
    rewriter.replaceOp(op, result);
    return success();
  }

  UnaryExpansion UnaryTable::*entry;
};

/// Functions of f16 and bf16 in f32, rounded at the end.
template <typename OpT>
struct ComputeInF32 : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF16() && !type.isBF16())
      return rewriter.notifyMatchFailure(op, "not a 16-bit float");
    Location loc = op.getLoc();
    Value x = arith::ExtFOp::create(rewriter, loc, rewriter.getF32Type(),
                                    op.getOperand());
    Value y = OpT::create(rewriter, loc, x, op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, y);
    return success();
  }
};

/// Functions of vectors element by element.
template <typename OpT>
struct Unroll : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.isScalable())
      return rewriter.notifyMatchFailure(op, "not a fixed vector");
    Location loc = op.getLoc();
    auto elements =
        vector::ToElementsOp::create(rewriter, loc, op.getOperand());
    SmallVector<Value> results;
    for (Value element : elements.getResults())
      results.push_back(OpT::create(rewriter, loc, element, op.getFastmath()));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, results);
    return success();
  }
};
} // namespace

template <typename OpT>
static void addExpansion(RewritePatternSet &patterns,
                         UnaryExpansion UnaryTable::*entry) {
  patterns.add<ComputeInF32<OpT>, Unroll<OpT>>(patterns.getContext());
  patterns.add<ExpandFunction<OpT>>(patterns.getContext(), entry);
}

void cascade::cluster::populateMathExpansionPatterns(
    RewritePatternSet &patterns) {
  addExpansion<math::ExpOp>(patterns, &UnaryTable::exp);
  addExpansion<math::Exp2Op>(patterns, &UnaryTable::exp2);
  addExpansion<math::ExpM1Op>(patterns, &UnaryTable::expm1);
  addExpansion<math::LogOp>(patterns, &UnaryTable::log);
  addExpansion<math::Log2Op>(patterns, &UnaryTable::log2);
  addExpansion<math::Log10Op>(patterns, &UnaryTable::log10);
  addExpansion<math::Log1pOp>(patterns, &UnaryTable::log1p);
  addExpansion<math::RsqrtOp>(patterns, &UnaryTable::rsqrt);
  addExpansion<math::TanhOp>(patterns, &UnaryTable::tanh);
  patterns.add<ComputeInF32<math::SqrtOp>>(patterns.getContext());
}
