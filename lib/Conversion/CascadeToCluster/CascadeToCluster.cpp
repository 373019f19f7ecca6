//===- CascadeToCluster.cpp - Mapped chains to kernels --------------------===//

#include "cascade/Conversion/CascadeToCluster/CascadeToCluster.h"
#include "KernelBuilder.h"
#include "KernelContext.h"
#include "StagedLoads.h"
#include "ThreadLayout.h"
#include "cascade/Analysis/GridSplit.h"
#include "cascade/Conversion/Passes.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace cascade {
#define GEN_PASS_DEF_CASCADETOCLUSTERPASS
#include "cascade/Conversion/Passes.h.inc"
} // namespace cascade

using namespace mlir;
using namespace cascade;

FailureOr<ChainOp> cascade::getKernelChain(func::FuncOp function) {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError() << "must be one block to become a kernel";
  ChainOp chain;
  for (Operation &op : function.getBody().front().without_terminator()) {
    auto next = dyn_cast<ChainOp>(op);
    if (!next)
      return op.emitOpError() << "cannot become part of a kernel; a function "
                                 "for the GPU holds one cascade.chain";
    if (chain)
      return (next.emitOpError()
              << "is the second chain of its function; put it into a function "
                 "of its own")
                 .attachNote(chain.getLoc())
             << "the first chain is here";
    chain = next;
  }
  if (!chain)
    return function.emitOpError() << "holds no cascade.chain";
  for (auto [index, input] : llvm::enumerate(chain.getInputs()))
    if (!isa<BlockArgument>(input))
      return chain.emitOpError()
             << "operand " << index
             << " is not an argument of the function; a kernel reads arguments";
  Operation *terminator = function.getBody().front().getTerminator();
  if (terminator->getOperands() != chain.getResults())
    return terminator->emitOpError()
           << "must return the results of the chain, all of them, in order";
  return chain;
}

/// Whether memory can hold values of `type` and kernels can compute with them.
static bool isKernelType(Type type) {
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType,
          Float8E5M2Type>(type) ||
      type.isIndex())
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && llvm::is_contained({1, 8, 16, 32, 64}, integer.getWidth());
}

static LogicalResult checkElementTypes(ChainOp chain) {
  auto check = [&](Type type, const Twine &what) -> LogicalResult {
    Type element = getElementTypeOrSelf(type);
    if (isKernelType(element))
      return success();
    return chain.emitOpError()
           << what << " has elements of type " << element
           << ", which GPU kernels do not take; use f64, f32, f16, bf16, "
              "f8E4M3FN, f8E5M2, index or i1 to i64";
  };
  for (auto [index, input] : llvm::enumerate(chain.getInputs()))
    if (failed(check(input.getType(), "operand " + Twine(index))))
      return failure();
  for (auto [index, result] : llvm::enumerate(chain.getResults()))
    if (failed(check(result.getType(), "result " + Twine(index))))
      return failure();
  for (Operation &op : *chain.getBodyBlock())
    for (Type type : op.getResultTypes())
      if (!isKernelType(type))
        return op.emitOpError()
               << "computes a value of type " << type
               << ", which GPU kernels do not take; use f64, f32, f16, bf16, "
                  "f8E4M3FN, f8E5M2, index or i1 to i64";
  return success();
}

/// A resident grid numbers the rows of all parallel axes together, and its
/// clusters loop over those numbers: such an axis is `loop x grid(resident)`,
/// outside of its other digits, and so are all that are spread over the grid.
static LogicalResult checkResident(ChainOp chain, const MappingPlan &plan,
                                   unsigned rowAxis) {
  if (!plan.isResident)
    return success();
  for (const AxisPlan &axis : plan.axes) {
    if (axis.axis == rowAxis || axis.isList || !axis.at(Level::Grid))
      continue;
    ArrayRef<DigitPlan> digits = axis.digits;
    if (digits.size() >= 2 && digits[0].level == Level::Loop &&
        digits[0].size == 0 && digits[1].isResident)
      continue;
    return chain.emitOpError()
           << "axis '" << chain.getAxisName(axis.axis)
           << "' of a resident grid begins with loop x grid(resident), as all "
              "parallel axes on the grid do";
  }
  SmallVector<unsigned> held = getInvariantInputs(chain, rowAxis, "regs");
  if (held.empty() || !plan.axes[rowAxis].at(Level::Loop))
    return success();
  return chain.emitOpError()
         << "the mapping keeps input " << held.front()
         << " in registers from row to row, which takes rows without a loop; "
            "keep it in shared memory";
}

/// The L2 cache keeps inputs that are read 16 bytes at a time and then again:
/// by the same row, or by others.
static LogicalResult checkKeptInCache(ChainOp chain, const MappingPlan &plan,
                                      unsigned rowAxis) {
  SmallVector<SmallVector<unsigned>> runs =
      getKernelPasses(chain, rowAxis).getInputsOfRuns(rowAxis);
  const AxisPlan &row = plan.axes[rowAxis];
  bool isOneTile =
      !ShapedType::isDynamic(row.extent) && row.tilesOfBlock() == 1;
  for (unsigned input : getInputsKeptInCache(chain)) {
    auto refuse = [&]() {
      return chain.emitOpError()
             << "the mapping keeps input " << input << " in l2";
    };
    if (llvm::is_contained(getStagedInputs(chain).inputs, input))
      return refuse() << " and loads it by bulk copies, which leave it in "
                         "shared memory; leave one of the two out";
    if (!isWholeAccess(chain, plan, rowAxis, input))
      return refuse() << ", which takes rows in memory order and a vector "
                         "digit of "
                      << MappingPlan::accessBytes << " bytes";
    if (isSharedByRows(chain, plan, rowAxis, input))
      continue;
    int64_t loads = llvm::count_if(runs, [&](ArrayRef<unsigned> run) {
      return llvm::is_contained(run, input);
    });
    if (loads < 2)
      return refuse() << ", but its elements are read once; leave it out";
    if (isOneTile)
      return refuse() << ", but threads hold the whole row and read it once; "
                         "leave it out";
  }
  return success();
}

/// Shared memory keeps whole rows of inputs that are read 16 bytes at a time.
static LogicalResult checkKept(ChainOp chain, const MappingPlan &plan,
                               unsigned rowAxis) {
  for (PolicyAttr policy : chain.getMapping()->getKeep()) {
    auto number = dyn_cast<IntegerAttr>(policy.getSubject());
    if (!number || number.getInt() < 0 ||
        number.getInt() >= int64_t(chain.getInputs().size()))
      return chain.emitOpError()
             << "the mapping keeps " << policy.getSubject()
             << ", which is not the number of an input; the chain has "
             << chain.getInputs().size();
  }
  if (failed(checkKeptInCache(chain, plan, rowAxis)))
    return failure();
  const AxisPlan &row = plan.axes[rowAxis];
  SmallVector<unsigned> kept = getInputsKeptShared(chain);
  if (kept.empty())
    return success();
  if (ShapedType::isDynamic(row.extent))
    return chain.emitOpError()
           << "the mapping keeps input " << kept.front()
           << " in shared memory, but the extent of axis '"
           << chain.getAxisName(rowAxis) << "' is known only at run time";
  bool inner = false;
  for (const DigitPlan &digit : row.digits) {
    bool isOuter = isOutsideBlock(digit.level);
    if (inner && isOuter)
      return chain.emitOpError()
             << "the mapping keeps input " << kept.front()
             << " in shared memory; write the cluster and loop digits of axis '"
             << chain.getAxisName(rowAxis) << "' before its others";
    inner |= !isOuter;
  }
  for (unsigned input : kept)
    if (!isWholeAccess(chain, plan, rowAxis, input))
      return chain.emitOpError()
             << "the mapping keeps input " << input
             << " in shared memory, which takes rows in memory order and a "
                "vector digit of "
             << MappingPlan::accessBytes << " bytes";
  int64_t bytes = getKeptBytes(chain, plan, rowAxis);
  if (plan.warps != row.sizeAt(Level::Warp) ||
      row.sizeAt(Level::Lane) != MappingPlan::warpSize)
    return chain.emitOpError()
           << "the mapping keeps input " << kept.front()
           << " in shared memory, which takes one row a block";
  if (bytes > MappingPlan::maxSharedBytes)
    return chain.emitOpError()
           << "the mapping keeps " << bytes
           << " bytes in the shared memory of a block; at most "
           << MappingPlan::maxSharedBytes << " fit";
  return success();
}

/// The levels that an axis may have digits at.
static SmallVector<Level> levelsFor(const AxisPlan &axis, unsigned rowAxis,
                                    bool isResident) {
  if (axis.isList) // MappingPlan spreads it over the lanes of its row.
    return {Level::Reg, Level::Lane};
  if (axis.axis == rowAxis)
    return {Level::Grid, Level::Cluster, Level::Loop,  Level::Reg,
            Level::Warp, Level::Lane,    Level::Vector};
  if (axis.reduced)
    return {Level::Loop, Level::Reg, Level::Lane, Level::Vector};
  SmallVector<Level> levels{Level::Grid, Level::Reg, Level::Warp, Level::Lane,
                            Level::Vector};
  if (isResident) // checkResident says where.
    levels.push_back(Level::Loop);
  return levels;
}

static StringRef describeLevels(const AxisPlan &axis, unsigned rowAxis) {
  if (axis.isList)
    return "the axis of a topk takes reg";
  if (axis.axis == rowAxis)
    return "the axis that a kernel streams takes grid, cluster, loop, reg, "
           "warp, lane and vector";
  if (axis.reduced)
    return "a reduced axis inside another takes loop, reg, lane and vector";
  return "a parallel axis takes grid, reg, warp, lane and vector";
}

/// What kernels ask of a mapping.
static LogicalResult checkMapping(ChainOp chain, const MappingPlan &plan,
                                  unsigned rowAxis) {
  unsigned lanes = 0;
  int64_t rowWarpStride = 1;
  for (const AxisPlan &axis : plan.axes) {
    bool isRow = axis.axis == rowAxis;
    StringRef name = chain.getAxisName(axis.axis);
    if (axis.extent > MappingPlan::maxRowLength)
      return chain.emitOpError()
             << "axis '" << name << "' has " << axis.extent
             << " iterations; a kernel counts them in 32 bits, up to "
             << MappingPlan::maxRowLength;
    SmallVector<Level> levels = levelsFor(axis, rowAxis, plan.isResident);
    for (const DigitPlan &digit : axis.digits) {
      bool isNothing = digit.level == Level::Loop && digit.size == 1;
      if (!isNothing && !llvm::is_contained(levels, digit.level))
        return chain.emitOpError() << "axis '" << name << "' is mapped to "
                                   << stringifyLevel(digit.level) << "; "
                                   << describeLevels(axis, rowAxis);
      if (digit.level == Level::Lane) {
        unsigned bits = (digit.size - 1) * digit.idStride;
        lanes |= bits;
      }
      if (isRow && digit.level == Level::Warp)
        rowWarpStride = digit.idStride;
      // What a thread holds of the streamed axis lies at constant offsets.
      bool isHeld = digit.level == Level::Reg || digit.level == Level::Vector;
      if (isRow && isHeld && digit.strideIsDynamic)
        return chain.emitOpError()
               << "axis '" << name << "' has a " << stringifyLevel(digit.level)
               << " digit before its loop without a size; write the loop "
                  "before it or give it a size";
    }
    for (Level level : {Level::Lane, Level::Warp, Level::Cluster, Level::Loop,
                        Level::Grid, Level::Vector})
      if (llvm::count_if(axis.digits, [&](const DigitPlan &digit) {
            return digit.level == level;
          }) > 1)
        return chain.emitOpError()
               << "axis '" << name << "' has two digits at level "
               << stringifyLevel(level) << "; a kernel takes one";
  }
  if (lanes != MappingPlan::warpSize - 1)
    return chain.emitOpError()
           << "the mapping uses " << lanes + 1 << " lanes; a kernel uses all "
           << MappingPlan::warpSize;
  if (rowWarpStride != 1)
    return chain.emitOpError()
           << "the warps of axis '" << chain.getAxisName(rowAxis)
           << "' must be consecutive: name it last in the chain or give the "
              "others a stride";
  return success();
}

/// The kernel's signature; see KernelContext for the order.
static FunctionType kernelType(ChainOp chain) {
  MLIRContext *context = chain.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context, /*addressSpace=*/1);
  Type i32 = IntegerType::get(context, 32);
  SmallVector<Type> types, dims;
  auto add = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    types.push_back(tensor ? pointer : type);
    if (tensor)
      dims.append(tensor.getNumDynamicDims(), i32);
  };
  for (Value input : chain.getInputs())
    add(input.getType());
  for (Value result : chain.getResults())
    add(result.getType());
  llvm::append_range(types, dims);
  return FunctionType::get(context, types, {});
}

/// The GPU of kernels that name none.
static constexpr llvm::StringLiteral defaultTarget = "h200";

/// Blocks of a resident grid that should share a multiprocessor: as many as the
/// shared memory that they keep leaves room for, while a thread has registers
/// for its elements of a tile, as they wait in pairs, and for what is computed
/// from them. 0 where nothing bounds their number but what the compiler takes.
static int64_t getBlocksAtOnce(ChainOp chain, const MappingPlan &plan,
                               unsigned rowAxis,
                               const cluster::TargetConstants &gpu) {
  constexpr double baseRegisters = 40, registersOfWord = 1.5;
  int64_t bytes = getSharedBytes(chain, plan, rowAxis);
  if (!plan.isResident || bytes == 0)
    return 0;
  int64_t elements = 1;
  for (const DigitPlan &digit : plan.axes[rowAxis].digits)
    if (digit.level == Level::Reg || digit.level == Level::Vector)
      elements *= digit.size;
  double bits = 0;
  for (unsigned input = 0; input < chain.getInputs().size(); ++input) {
    AffineMap map = chain.getInputMap(input);
    Type element = getElementTypeOrSelf(chain.getInputs()[input].getType());
    bool isHeld =
        map.getNumResults() > 1 || chain.getMapping()->keepOf(input) == "regs";
    if (isHeld && map.isFunctionOfDim(rowAxis))
      bits += element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  }
  double needed =
      baseRegisters + registersOfWord * bits * double(elements) / 32;
  int64_t blocks =
      std::min({gpu.sharedPerSm / (bytes + gpu.sharedReserved), gpu.blocksPerSm,
                gpu.threadsPerSm / plan.threads()});
  while (blocks > 1 &&
         double(gpu.registersPerSm / (blocks * plan.threads())) < needed)
    --blocks;
  return blocks > 1 ? blocks : 0;
}

static LogicalResult convertFunction(func::FuncOp function, OpBuilder &b) {
  FailureOr<ChainOp> found = getKernelChain(function);
  if (failed(found))
    return failure();
  ChainOp chain = *found;
  FailureOr<unsigned> rowAxis = getRowAxis(chain);
  if (failed(rowAxis) || failed(checkElementTypes(chain)))
    return failure();
  FailureOr<MappingPlan> plan = MappingPlan::get(chain);
  if (failed(plan) || failed(checkGridSplit(chain, *plan, *rowAxis)) ||
      failed(checkResident(chain, *plan, *rowAxis)) ||
      failed(checkMapping(chain, *plan, *rowAxis)) ||
      failed(checkKept(chain, *plan, *rowAxis)) ||
      failed(checkStagedLoads(chain, *plan, *rowAxis)))
    return failure();
  FailureOr<Contractions> contractions =
      Contractions::get(chain, *plan, *rowAxis);
  if (failed(contractions) ||
      failed(checkLayout(chain, *plan, *rowAxis, *contractions)))
    return failure();

  auto kernel = gpu::GPUFuncOp::create(b, chain.getLoc(), function.getName(),
                                       kernelType(chain));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel->setAttr(cluster::kDynamicBytesAttrName, b.getI64IntegerAttr(0));
  if (Attribute target = function->getAttr(cluster::kTargetAttrName))
    kernel->setAttr(cluster::kTargetAttrName, target);
  int32_t threads = plan->threads(), blocks = plan->blocks;
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({threads, 1, 1}));
  if (blocks > 1)
    kernel.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr({blocks, 1, 1}));
  auto gpu = cluster::TargetAttr::lookup(function);
  if (!gpu)
    gpu = cluster::TargetAttr::getPreset(b.getContext(), defaultTarget);
  if (int64_t atOnce =
          getBlocksAtOnce(chain, *plan, *rowAxis, gpu.getConstants()))
    kernel->setAttr(cluster::kBlocksAtOnceAttrName,
                    b.getI32IntegerAttr(atOnce));
  unsigned numInputs = chain.getInputs().size();
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    if (!isa<LLVM::LLVMPointerType>(kernel.getArgument(i).getType()))
      continue;
    kernel.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
    if (i < numInputs)
      kernel.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                        b.getUnitAttr());
  }

  OpBuilder body = OpBuilder::atBlockBegin(&kernel.getBody().front());
  KernelContext context =
      KernelContext::create(body, chain, *plan, *rowAxis, kernel);
  if (!contractions->empty())
    context.contractions = &*contractions;
  buildKernelBody(body, context, kernel);
  gpu::ReturnOp::create(body, chain.getLoc());
  function.erase();
  return success();
}

/// Makes the blocks of clusters exchange by `algorithm`, where their
/// collectives have it: all of them, or reductions alone.
static void setAlgorithm(gpu::GPUModuleOp kernels,
                         cluster::Algorithm algorithm) {
  bool isOfAll = algorithm == cluster::Algorithm::Mailbox ||
                 algorithm == cluster::Algorithm::Global;
  kernels.walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<cluster::AllReduceOp, cluster::AllGatherOp, cluster::GatherOp>(
            [&](auto exchange) {
              if (exchange.getScope() == cluster::Scope::Cluster &&
                  (isOfAll || isa<cluster::AllReduceOp>(op)))
                exchange.setAlgorithm(algorithm);
            });
  });
  if (algorithm != cluster::Algorithm::Global)
    return;
  // The expansion asks for as much as it takes.
  for (auto kernel : kernels.getOps<gpu::GPUFuncOp>())
    if (!kernel->hasAttr(cluster::kWorkspaceBytesAttrName))
      kernel->setAttr(cluster::kWorkspaceBytesAttrName,
                      DenseI64ArrayAttr::get(kernels.getContext(), {}));
}

LogicalResult cascade::convertCascadeToCluster(ModuleOp module,
                                               StringRef algorithmName) {
  auto algorithm = cluster::symbolizeAlgorithm(algorithmName);
  if (!algorithm)
    return module.emitError() << "'" << algorithmName
                              << "' is not an algorithm; use auto, mailbox, "
                                 "tree, ring or global";
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool hasChain = false;
    function.walk([&](ChainOp) { hasChain = true; });
    if (hasChain)
      functions.push_back(function);
  }
  if (functions.empty())
    return success();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), kernelModuleName);
  b.setInsertionPointToStart(kernels.getBody());
  for (func::FuncOp function : functions)
    if (failed(convertFunction(function, b)))
      return failure();
  setAlgorithm(kernels, *algorithm);
  return success();
}

namespace {
struct CascadeToCluster
    : cascade::impl::CascadeToClusterPassBase<CascadeToCluster> {
  using CascadeToClusterPassBase::CascadeToClusterPassBase;

  void runOnOperation() override {
    if (failed(convertCascadeToCluster(getOperation(), algorithm)))
      signalPassFailure();
  }
};
} // namespace
