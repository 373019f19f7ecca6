//===- ClusterPatterns.cpp - Primitives one by one ------------------------===//
//
// Memory-ordering instructions are inline assembly with a memory clobber:
// `nvvm.inline_ptx` has none, and an intrinsic on one address would let other
// accesses move across it. Shared addresses are passed as 32-bit integers.
//
//===----------------------------------------------------------------------===//

#include "cascade/Conversion/ClusterToNVVM/ClusterToNVVM.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace cascade::cluster;

//===----------------------------------------------------------------------===//
// Shared by the patterns
//===----------------------------------------------------------------------===//

static void emitAsm(OpBuilder &builder, Location loc, StringRef text,
                    StringRef constraints, ValueRange operands) {
  std::string all = constraints.str();
  all += all.empty() ? "~{memory}" : ",~{memory}";
  LLVM::InlineAsmOp::create(
      builder, loc, /*res=*/Type(), operands, text, all,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

/// The address of an element of a memref in shared memory, as an i32.
static Value getAddress(ConversionPatternRewriter &rewriter, Location loc,
                        const LLVMTypeConverter &converter, Value memref,
                        Value descriptor, ValueRange indices) {
  Value pointer = LLVM::getStridedElementPtr(rewriter, loc, converter,
                                             cast<MemRefType>(memref.getType()),
                                             descriptor, indices);
  return LLVM::PtrToIntOp::create(rewriter, loc, rewriter.getI32Type(),
                                  pointer);
}

namespace {

//===----------------------------------------------------------------------===//
// Queries, barriers, fences
//===----------------------------------------------------------------------===//

struct LowerRank : ConvertOpToLLVMPattern<RankOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(RankOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterId>(op, rewriter.getI32Type());
    return success();
  }
};

struct LowerSize : ConvertOpToLLVMPattern<SizeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(SizeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterDim>(op, rewriter.getI32Type());
    return success();
  }
};

template <typename OpT, NVVM::VoteSyncKind kind>
struct LowerVote : ConvertOpToLLVMPattern<OpT> {
  using ConvertOpToLLVMPattern<OpT>::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value allLanes =
        LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(),
                                 rewriter.getI32IntegerAttr(-1));
    rewriter.replaceOpWithNewOp<NVVM::VoteSyncOp>(op, op.getType(), allLanes,
                                                  adaptor.getCondition(), kind);
    return success();
  }
};
using LowerAny = LowerVote<AnyOp, NVVM::VoteSyncKind::any>;
using LowerBallot = LowerVote<BallotOp, NVVM::VoteSyncKind::ballot>;

/// bf16 pairs are 32-bit words to the instruction, f16 pairs vectors.
struct LowerMma : ConvertOpToLLVMPattern<MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    bool isBF16 =
        cast<VectorType>(op.getA0().getType()).getElementType().isBF16();
    auto word = [&](Value pair) -> Value {
      return isBF16 ? Value(LLVM::BitcastOp::create(
                          rewriter, loc, rewriter.getI32Type(), pair))
                    : pair;
    };
    SmallVector<Value> a{word(adaptor.getA0()), word(adaptor.getA1()),
                         word(adaptor.getA2()), word(adaptor.getA3())};
    SmallVector<Value> b{word(adaptor.getB0()), word(adaptor.getB1())};
    SmallVector<Value> c{adaptor.getC0(), adaptor.getC1(), adaptor.getC2(),
                         adaptor.getC3()};
    SmallVector<Type> types(4, rewriter.getF32Type());
    NVVM::MMATypes type = isBF16 ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    Value sums = NVVM::MmaOp::create(
        rewriter, loc,
        LLVM::LLVMStructType::getLiteral(rewriter.getContext(), types), a, b, c,
        ArrayRef<int64_t>{16, 8, 16}, std::nullopt, std::nullopt,
        std::array{type, type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    SmallVector<Value> results;
    for (int64_t i = 0; i < 4; ++i)
      results.push_back(LLVM::ExtractValueOp::create(rewriter, loc, sums, i));
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// NVVM has no operation for it.
struct LowerTranspose : ConvertOpToLLVMPattern<TransposeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    Value word =
        LLVM::BitcastOp::create(rewriter, loc, i32, adaptor.getValue());
    Value moved = LLVM::InlineAsmOp::create(
                      rewriter, loc, i32, word,
                      "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r",
                      /*has_side_effects=*/true, /*is_align_stack=*/false,
                      LLVM::tailcallkind::TailCallKind::None,
                      LLVM::AsmDialectAttr::get(rewriter.getContext(),
                                                LLVM::AsmDialect::AD_ATT),
                      /*operand_attrs=*/ArrayAttr())
                      .getRes();
    rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, op.getType(), moved);
    return success();
  }
};

/// Not `.aligned`: the lanes of a warp may come apart after a branch.
struct LowerBarrier : ConvertOpToLLVMPattern<BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (op.getPhase() != BarrierPhase::Wait) {
      bool isRelaxed = op.getOrdering() == Ordering::Relaxed;
      emitAsm(rewriter, loc,
              isRelaxed ? "barrier.cluster.arrive.relaxed;"
                        : "barrier.cluster.arrive.release;",
              "", {});
    }
    if (op.getPhase() != BarrierPhase::Arrive)
      emitAsm(rewriter, loc, "barrier.cluster.wait.acquire;", "", {});
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerWarpBarrier : ConvertOpToLLVMPattern<WarpBarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(WarpBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value allLanes =
        LLVM::ConstantOp::create(rewriter, op.getLoc(), rewriter.getI32Type(),
                                 rewriter.getI32IntegerAttr(-1));
    rewriter.replaceOpWithNewOp<NVVM::SyncWarpOp>(op, allLanes);
    return success();
  }
};

struct LowerFence : ConvertOpToLLVMPattern<FenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  static StringRef getText(FenceKind kind) {
    switch (kind) {
    case FenceKind::MBarrierInit:
      return "fence.mbarrier_init.release.cluster;";
    case FenceKind::ProxyAsync:
      return "fence.proxy.async;";
    case FenceKind::ProxyAsyncShared:
      return "fence.proxy.async.shared::cta;";
    case FenceKind::AcqRelCluster:
      return "fence.acq_rel.cluster;";
    }
    llvm_unreachable("every fence has an instruction");
  }

  LogicalResult
  matchAndRewrite(FenceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitAsm(rewriter, op.getLoc(), getText(op.getKind()), "", {});
    rewriter.eraseOp(op);
    return success();
  }
};

/// A pointer must be one to global memory.
static LogicalResult checkGlobal(Operation *op, StringRef operand,
                                 Value pointer) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  if (type && type.getAddressSpace() == kGlobalMemorySpace)
    return success();
  return op->emitOpError() << "operand '" << operand << "' of type "
                           << pointer.getType()
                           << " must be in global memory: use !llvm.ptr<1>";
}

/// The barrier before the increment brings what all threads have written to the
/// first one, which releases it with its own; the one after it gives what that
/// thread has acquired, and the answer, to all (PTX ISA, "Memory Consistency
/// Model": causality order holds across barriers). atom.inc wraps to 0.
struct LowerArriveLast : ConvertOpToLLVMPattern<ArriveLastOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  static constexpr llvm::StringLiteral text =
      "{\n"
      ".reg .pred first, last;\n"
      ".reg .b32 thread, other, most, before;\n"
      "mov.u32 thread, %tid.x;\n"
      "mov.u32 other, %tid.y;\n"
      "or.b32 thread, thread, other;\n"
      "mov.u32 other, %tid.z;\n"
      "or.b32 thread, thread, other;\n"
      "setp.eq.u32 first, thread, 0;\n"
      "sub.u32 most, $2, 1;\n"
      "mov.u32 before, $2;\n"
      "barrier.sync 0;\n"
      "@first atom.acq_rel.gpu.global.inc.u32 before, [$1], most;\n"
      "setp.eq.u32 last, before, most;\n"
      "barrier.red.or.pred last, 0, last;\n"
      "selp.u32 $0, 1, 0, last;\n"
      "}";

  LogicalResult
  matchAndRewrite(ArriveLastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(checkGlobal(op, "counter", op.getCounter())))
      return failure();
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    Value last =
        LLVM::InlineAsmOp::create(
            rewriter, loc, i32,
            ValueRange{adaptor.getCounter(), adaptor.getCount()}, text,
            "=r,l,r,~{memory}", /*has_side_effects=*/true,
            /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
            LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
            /*operand_attrs=*/ArrayAttr())
            .getResult(0);
    rewriter.replaceOpWithNewOp<LLVM::TruncOp>(op, rewriter.getI1Type(), last);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Distributed shared memory
//===----------------------------------------------------------------------===//

/// The descriptor with both pointers mapped into the peer's window.
struct LowerMapShared : ConvertOpToLLVMPattern<MapSharedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MapSharedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getResult().getType();
    SmallVector<Value> fields;
    MemRefDescriptor::unpack(rewriter, loc, adaptor.getSource(),
                             op.getSource().getType(), fields);
    Type mapped = LLVM::LLVMPointerType::get(getContext(), kClusterMemorySpace);
    auto map = [&](Value pointer) -> Value {
      return NVVM::MapaOp::create(rewriter, loc, mapped, pointer,
                                  adaptor.getRank());
    };
    bool isOne = fields[0] == fields[1];
    fields[0] = map(fields[0]);
    fields[1] = isOne ? fields[0] : map(fields[1]);
    rewriter.replaceOp(op, MemRefDescriptor::pack(rewriter, loc,
                                                  *getTypeConverter(), type,
                                                  fields));
    return success();
  }
};

struct LowerStoreAsync : ConvertOpToLLVMPattern<StoreAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// The scalars of `value` as i32 or i64.
  static SmallVector<Value> getWords(OpBuilder &builder, Location loc,
                                     Value value) {
    auto vector = dyn_cast<VectorType>(value.getType());
    Type element = getElementTypeOrSelf(value.getType());
    Type word = builder.getIntegerType(element.getIntOrFloatBitWidth());
    int64_t count = vector ? vector.getNumElements() : 1;
    SmallVector<Value> words;
    for (int64_t index = 0; index < count; ++index) {
      Value scalar = value;
      if (vector) {
        Value at = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                            builder.getI32IntegerAttr(index));
        scalar = LLVM::ExtractElementOp::create(builder, loc, value, at);
      }
      if (scalar.getType() != word)
        scalar = LLVM::BitcastOp::create(builder, loc, word, scalar);
      words.push_back(scalar);
    }
    return words;
  }

  LogicalResult
  matchAndRewrite(StoreAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value dest = getAddress(rewriter, loc, *getTypeConverter(), op.getDest(),
                            adaptor.getDest(), adaptor.getIndices());
    Value mbarrier =
        getAddress(rewriter, loc, *getTypeConverter(), op.getMbarrier(),
                   adaptor.getMbarrier(), adaptor.getMbarrierIndices());
    SmallVector<Value> words = getWords(rewriter, loc, adaptor.getValue());
    bool isWide = words.front().getType().isInteger(64);

    // Operands: dest, mbarrier, rank, then the words.
    std::string list, constraints = "r,r,r";
    for (size_t index = 0; index < words.size(); ++index) {
      list += (index == 0 ? "$" : ", $") + std::to_string(index + 3);
      constraints += isWide ? ",l" : ",r";
    }
    std::string vector;
    if (words.size() > 1) {
      vector = ".v" + std::to_string(words.size());
      list = "{" + list + "}";
    }
    std::string text = "{\n"
                       ".reg .b32 dest, mbar;\n"
                       "mapa.shared::cluster.u32 dest, $0, $2;\n"
                       "mapa.shared::cluster.u32 mbar, $1, $2;\n"
                       "st.async.shared::cluster.mbarrier::complete_tx::bytes" +
                       vector + (isWide ? ".b64" : ".b32") + " [dest], " +
                       list + ", [mbar];\n}";
    SmallVector<Value> operands{dest, mbarrier, adaptor.getRank()};
    operands.append(words);
    emitAsm(rewriter, loc, text, constraints, operands);
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerCopyAsync : ConvertOpToLLVMPattern<CopyAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CopyAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    const LLVMTypeConverter &converter = *getTypeConverter();
    Value dest = getAddress(rewriter, loc, converter, op.getDest(),
                            adaptor.getDest(), adaptor.getDestIndices());
    Value source = getAddress(rewriter, loc, converter, op.getSource(),
                              adaptor.getSource(), adaptor.getSourceIndices());
    Value mbarrier =
        getAddress(rewriter, loc, converter, op.getMbarrier(),
                   adaptor.getMbarrier(), adaptor.getMbarrierIndices());
    emitAsm(rewriter, loc,
            "{\n"
            ".reg .b32 dest, mbar;\n"
            "mapa.shared::cluster.u32 dest, $0, $3;\n"
            "mapa.shared::cluster.u32 mbar, $2, $3;\n"
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx"
            "::bytes [dest], [$1], $4, [mbar];\n}",
            "r,r,r,r,r",
            {dest, source, mbarrier, adaptor.getRank(), adaptor.getBytes()});
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerLoadAsync : ConvertOpToLLVMPattern<LoadAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(LoadAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (failed(checkGlobal(op, "source", op.getSource())))
      return failure();
    const LLVMTypeConverter &converter = *getTypeConverter();
    Value dest = getAddress(rewriter, loc, converter, op.getDest(),
                            adaptor.getDest(), adaptor.getIndices());
    Value mbarrier =
        getAddress(rewriter, loc, converter, op.getMbarrier(),
                   adaptor.getMbarrier(), adaptor.getMbarrierIndices());
    // An address of the own block is one of the cluster's, too.
    emitAsm(rewriter, loc,
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            "[$0], [$1], $2, [$3];",
            "r,l,r,r",
            {dest, adaptor.getSource(), adaptor.getBytes(), mbarrier});
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

/// `text` on the mbarrier's address and one more operand.
template <typename OpT>
struct LowerMBarrier : ConvertOpToLLVMPattern<OpT> {
  LowerMBarrier(const LLVMTypeConverter &converter, StringRef text)
      : ConvertOpToLLVMPattern<OpT>(converter), text(text) {}

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value address = getAddress(rewriter, op.getLoc(), *this->getTypeConverter(),
                               op.getMbarrier(), adaptor.getMbarrier(),
                               adaptor.getIndices());
    emitAsm(rewriter, op.getLoc(), text, "r,r",
            {address, adaptor.getOperands().back()});
    rewriter.eraseOp(op);
    return success();
  }

  StringRef text;
};
} // namespace

/// A try_wait may give up before the phase completes: loop. Labels are local
/// to the braces.
static constexpr llvm::StringLiteral kWaitText =
    "{\n"
    ".reg .pred complete;\n"
    "wait:\n"
    "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 complete, [$0], "
    "$1;\n"
    "@!complete bra wait;\n"
    "}";

void cascade::cluster::populateClusterToNVVMPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<LowerRank, LowerSize, LowerAny, LowerBallot, LowerMma,
               LowerTranspose, LowerBarrier, LowerWarpBarrier, LowerFence,
               LowerArriveLast, LowerMapShared, LowerStoreAsync, LowerCopyAsync,
               LowerLoadAsync>(converter);
  patterns.add<LowerMBarrier<MBarrierInitOp>>(
      converter, "mbarrier.init.shared::cta.b64 [$0], $1;");
  patterns.add<LowerMBarrier<MBarrierExpectTxOp>>(
      converter, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;");
  patterns.add<LowerMBarrier<MBarrierWaitOp>>(converter, kWaitText);
}
