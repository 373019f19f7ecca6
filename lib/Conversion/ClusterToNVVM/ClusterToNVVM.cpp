//===- ClusterToNVVM.cpp - A gpu.module to NVVM ---------------------------===//

#include "cascade/Conversion/ClusterToNVVM/ClusterToNVVM.h"
#include "NarrowFloats.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUCommon/GPUCommonPass.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace cascade::cluster {
#define GEN_PASS_DEF_CLUSTERTONVVMPASS
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "cascade/Conversion/ClusterToNVVM/Passes.h.inc"
} // namespace cascade::cluster

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cascade::cluster;

/// Device code is 64-bit.
static constexpr unsigned kIndexBits = 64;

/// Below the instructions of PTX, above the intrinsics of LLVM.
static constexpr unsigned kLibdeviceBenefit = 5;

/// Collectives are no primitives: they are expanded first.
static LogicalResult checkExpanded(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!isCollective(op))
      return WalkResult::advance();
    op->emitOpError("is a collective: run --cluster-expand-collectives before "
                    "--convert-cluster-to-nvvm");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// What is rewritten within its own dialects: math into arithmetic, and the
/// gpu operations that stand for several.
static LogicalResult expandInPlace(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateMathExpansionPatterns(patterns);
  populateWidenBF16Patterns(patterns);
  populateGpuRewritePatterns(patterns);
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  return applyPatternsGreedily(module, std::move(patterns));
}

static LogicalResult lowerStructuredControlFlow(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*module.getContext());
  target
      .addIllegalOp<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ParallelOp,
                    scf::ExecuteRegionOp, scf::IndexSwitchOp, scf::ForallOp>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  return applyPartialConversion(module, target, std::move(patterns));
}

/// NVVM's number of each gpu address space; a thread's own memory is generic.
static unsigned getNumberOf(gpu::AddressSpace space) {
  switch (space) {
  case gpu::AddressSpace::Global:
    return static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);
  case gpu::AddressSpace::Workgroup:
    return static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  default:
    return 0;
  }
}

static LogicalResult lowerToNVVM(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(kIndexBits);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);
  populateGpuMemorySpaceAttributeConversions(converter, getNumberOf);

  RewritePatternSet patterns(context);
  populateClusterToNVVMPatterns(converter, patterns);
  populateNativeMathPatterns(converter, patterns);
  populateLibDeviceConversionPatterns(converter, patterns, kLibdeviceBenefit);
  populateMathToLLVMConversionPatterns(converter, patterns);
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  index::populateIndexToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  // Vectors are as aligned as their type says: the address of a vector access
  // is a multiple of its size.
  populateVectorToLLVMConversionPatterns(
      converter, patterns, /*reassociateFPReductions=*/false,
      /*force32BitVectorIndices=*/true, /*useVectorAlignment=*/true);
  populateGpuToNVVMConversionPatterns(converter, patterns);
  populateGpuSubgroupReduceOpLoweringPattern(converter, patterns);
  populateGpuWMMAToNVVMConversionPatterns(converter, patterns);

  LLVMConversionTarget target(*context);
  configureGpuToNVVMConversionLegality(target);
  // That list makes illegal what libdevice offers; the native ones are legal.
  target
      .addLegalOp<LLVM::FAbsOp, LLVM::FCeilOp, LLVM::FFloorOp, LLVM::SqrtOp,
                  LLVM::FTruncOp, LLVM::RoundEvenOp, LLVM::RoundOp, LLVM::FMAOp,
                  LLVM::CopySignOp, LLVM::MaxNumOp, LLVM::MinNumOp>();
  target.addIllegalDialect<ClusterDialect>();
  return applyPartialConversion(module, target, std::move(patterns));
}

/// Shared memory whose alignment nobody gives gets that of the widest access.
/// Left open, LLVM assumes more for large arrays than NVPTX then grants.
static void alignSharedMemory(gpu::GPUModuleOp module) {
  constexpr int64_t widestAccess = 16;
  StringRef name = LLVM::LLVMDialect::getAlignAttrName();
  auto alignment =
      IntegerAttr::get(IntegerType::get(module.getContext(), 64), widestAccess);
  module.walk([&](gpu::GPUFuncOp func) {
    for (unsigned i = 0; i < func.getNumWorkgroupAttributions(); ++i)
      if (!func.getWorkgroupAttributionAttr(i, name))
        func.setWorkgroupAttributionAttr(i, name, alignment);
  });
}

/// Erases a workgroup buffer that nothing uses.
static void eraseWorkgroupAttribution(gpu::GPUFuncOp func, unsigned index) {
  Builder b(func.getContext());
  unsigned count = func.getNumWorkgroupAttributions();
  func.getBody().front().eraseArgument(func.getNumArguments() + index);
  if (ArrayAttr attributes = func.getWorkgroupAttribAttrsAttr()) {
    SmallVector<Attribute> left(attributes.getValue());
    if (index < left.size())
      left.erase(left.begin() + index);
    func.setWorkgroupAttribAttrsAttr(b.getArrayAttr(left));
  }
  func->setAttr(func.getNumWorkgroupAttributionsAttrName(),
                b.getI64IntegerAttr(count - 1));
}

/// The dynamic shared memory of a launch is one range, and all its symbols are
/// at the start of that: where `func` has several buffers there, they become
/// views of one.
static void joinDynamicBuffers(gpu::GPUFuncOp func) {
  SmallVector<unsigned> buffers;
  int64_t bytes = 0;
  SmallVector<int64_t> offsets;
  for (auto [index, buffer] :
       llvm::enumerate(func.getWorkgroupAttributions())) {
    if (!isInDynamicShared(func, index))
      continue;
    buffers.push_back(index);
    offsets.push_back(bytes);
    bytes += llvm::alignTo(getBufferBytes(cast<MemRefType>(buffer.getType())),
                           kBulkAlignment);
  }
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  if (func->hasAttr(kDynamicBytesAttrName))
    func->setAttr(kDynamicBytesAttrName, b.getI64IntegerAttr(bytes));
  if (buffers.size() <= 1)
    return;
  Location loc = func.getLoc();
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  Value all = func.addWorkgroupAttribution(
      MemRefType::get({bytes}, b.getI8Type(), MemRefLayoutAttrInterface(),
                      space),
      loc);
  func.setWorkgroupAttributionAttr(func.getNumWorkgroupAttributions() - 1,
                                   kDynamicAttrName, b.getUnitAttr());
  for (auto [index, offset] : llvm::zip_equal(buffers, offsets)) {
    Value buffer = func.getWorkgroupAttributions()[index];
    Value at = arith::ConstantIndexOp::create(b, loc, offset);
    buffer.replaceAllUsesWith(memref::ViewOp::create(
        b, loc, cast<MemRefType>(buffer.getType()), all, at, ValueRange()));
  }
  for (unsigned index : llvm::reverse(buffers))
    eraseWorkgroupAttribution(func, index);
}

/// The symbols of the buffers in dynamic shared memory, as the lowering of
/// gpu.func is going to name them.
static llvm::StringSet<> getDynamicBuffers(gpu::GPUModuleOp module) {
  llvm::StringSet<> names;
  module.walk([&](gpu::GPUFuncOp func) {
    joinDynamicBuffers(func);
    for (unsigned i = 0; i < func.getNumWorkgroupAttributions(); ++i)
      if (isInDynamicShared(func, i))
        names.insert(("__wg_" + func.getName() + "_" + Twine(i)).str());
  });
  return names;
}

/// Makes them symbols of the dynamic shared memory: external, without a size.
static void makeDynamic(gpu::GPUModuleOp module,
                        const llvm::StringSet<> &buffers) {
  module.walk([&](LLVM::GlobalOp global) {
    if (!buffers.contains(global.getSymName()))
      return;
    auto type = cast<LLVM::LLVMArrayType>(global.getGlobalType());
    global.setGlobalType(LLVM::LLVMArrayType::get(type.getElementType(), 0));
    global.setLinkage(LLVM::Linkage::External);
  });
}

/// The launch shape is required, not a maximum: ptxas may rely on it.
static void setLaunchBounds(gpu::GPUModuleOp module) {
  module.walk([](LLVM::LLVMFuncOp func) {
    if (Attribute blocks = func->removeAttr(kBlocksAtOnceAttrName))
      func->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), blocks);
    Attribute size = func->getAttr(NVVM::NVVMDialect::getMaxntidAttrName());
    if (!size || func->hasAttr(NVVM::NVVMDialect::getReqntidAttrName()))
      return;
    func->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), size);
    func->removeAttr(NVVM::NVVMDialect::getMaxntidAttrName());
  });
}

namespace {
struct ClusterToNVVMPass
    : cascade::cluster::impl::ClusterToNVVMPassBase<ClusterToNVVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    llvm::StringSet<> dynamicBuffers = getDynamicBuffers(module);
    alignSharedMemory(module);
    if (failed(checkExpanded(module)) || failed(lowerNarrowFloats(module)) ||
        failed(expandInPlace(module)) ||
        failed(lowerStructuredControlFlow(module)) ||
        failed(lowerToNVVM(module)))
      return signalPassFailure();
    makeDynamic(module, dynamicBuffers);
    setLaunchBounds(module);
  }
};

struct ExpandMathPass
    : cascade::cluster::impl::ExpandMathPassBase<ExpandMathPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathExpansionPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
