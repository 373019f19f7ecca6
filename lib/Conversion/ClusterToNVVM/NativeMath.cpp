//===- NativeMath.cpp - Functions that PTX has instructions for -----------===//

#include "cascade/Conversion/ClusterToNVVM/ClusterToNVVM.h"
#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace cascade::cluster;

/// Above the calls of libdevice and the generic lowering of math.
static constexpr unsigned kBenefit = 10;

/// `instruction` $0, $1 on one f32.
static Value buildApprox(OpBuilder &builder, Location loc,
                         StringRef instruction, Value x) {
  std::string text = (instruction + " $0, $1;").str();
  return LLVM::InlineAsmOp::create(
             builder, loc, builder.getF32Type(), x, text, "=f,f",
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr::get(builder.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             /*operand_attrs=*/ArrayAttr())
      .getRes();
}

namespace {
/// One instruction for `fastmath<afn>` on f32.
template <typename OpT>
struct LowerApprox : ConvertOpToLLVMPattern<OpT> {
  LowerApprox(const LLVMTypeConverter &converter, StringRef instruction)
      : ConvertOpToLLVMPattern<OpT>(converter, kBenefit),
        instruction(instruction) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool isApprox =
        bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    if (!op.getType().isF32() || !isApprox)
      return rewriter.notifyMatchFailure(op, "not an approximation in f32");
    rewriter.replaceOp(op, buildApprox(rewriter, op.getLoc(), instruction,
                                       adaptor.getOperand()));
    return success();
  }

  StringRef instruction;
};

template <typename OpT, typename LLVMOpT>
using Native =
    VectorConvertToLLVMPattern<OpT, LLVMOpT, arith::AttrConvertFastMathToLLVM>;
} // namespace

void cascade::cluster::populateNativeMathPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<
      Native<math::AbsFOp, LLVM::FAbsOp>, Native<math::CeilOp, LLVM::FCeilOp>,
      Native<math::FloorOp, LLVM::FFloorOp>,
      Native<math::TruncOp, LLVM::FTruncOp>,
      Native<math::RoundEvenOp, LLVM::RoundEvenOp>,
      Native<math::RoundOp, LLVM::RoundOp>, Native<math::SqrtOp, LLVM::SqrtOp>,
      Native<math::FmaOp, LLVM::FMAOp>,
      Native<math::CopySignOp, LLVM::CopySignOp>,
      Native<arith::MaxNumFOp, LLVM::MaxNumOp>,
      Native<arith::MinNumFOp, LLVM::MinNumOp>>(converter, kBenefit);
  patterns.add<LowerApprox<math::Exp2Op>>(converter, "ex2.approx.ftz.f32");
  patterns.add<LowerApprox<math::Log2Op>>(converter, "lg2.approx.ftz.f32");
  patterns.add<LowerApprox<math::RsqrtOp>>(converter, "rsqrt.approx.f32");
}
