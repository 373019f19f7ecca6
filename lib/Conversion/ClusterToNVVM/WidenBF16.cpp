//===- WidenBF16.cpp - bf16 to f32 from the word that holds two -----------===//
//
// A bf16 is the upper half of an f32. The conversion of PTX takes a register of
// 16 bits, which has to be cut out of its word first: three instructions a
// pair. From the word itself a shift gives the lower element, and a mask the
// upper.
//
//===----------------------------------------------------------------------===//

#include "cascade/Conversion/ClusterToNVVM/ClusterToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace {
struct WidenElementOfWord : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto extract = op.getIn().getDefiningOp<vector::ExtractOp>();
    if (!extract || !op.getIn().getType().isBF16() || !op.getType().isF32() ||
        extract.getNumIndices() != 1 || extract.hasDynamicPosition())
      return failure();
    VectorType type = extract.getSourceVectorType();
    if (type.getRank() != 1 || type.isScalable() || type.getDimSize(0) % 2 != 0)
      return failure();
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    int64_t element = extract.getStaticPosition()[0];
    Value words = vector::BitCastOp::create(
        rewriter, loc, VectorType::get({type.getDimSize(0) / 2}, i32),
        extract.getSource());
    Value word = vector::ExtractOp::create(rewriter, loc, words, element / 2);
    auto constant = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getI32IntegerAttr(value));
    };
    constexpr int32_t upperHalf = int32_t(0xFFFF0000);
    Value bits =
        element % 2 == 0
            ? Value(arith::ShLIOp::create(rewriter, loc, word, constant(16)))
            : Value(arith::AndIOp::create(rewriter, loc, word,
                                          constant(upperHalf)));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), bits);
    return success();
  }
};
} // namespace

void cascade::cluster::populateWidenBF16Patterns(RewritePatternSet &patterns) {
  patterns.add<WidenElementOfWord>(patterns.getContext());
}
