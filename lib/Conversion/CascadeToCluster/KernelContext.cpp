//===- KernelContext.cpp - The prologue of a kernel -----------------------===//

#include "KernelContext.h"
#include "CacheHints.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cascade;

namespace {

/// Emits the prologue step by step.
class Prologue {
public:
  Prologue(OpBuilder &b, KernelContext &context, gpu::GPUFuncOp kernel)
      : b(b), context(context), kernel(kernel), ints(b, context.loc) {}

  void run() {
    bindArguments();
    readIds();
    placeOffsets();
    placeThread();
    context.firsts = context.firstsBut(b, AxisSet(context.axes.size()));
    placeKept();
  }

private:
  void bindArguments();
  void readIds();
  void placeOffsets();
  void placeThread();
  void placeKept();
  Int indexStrideOf(const DigitPlan &digit) const {
    Int stride = ints.constant(digit.indexStride);
    return digit.strideIsDynamic ? ints.mul(stride, context.numTiles) : stride;
  }

  OpBuilder &b;
  KernelContext &context;
  gpu::GPUFuncOp kernel;
  IntBuilder ints;
};

} // namespace

/// Arguments come in the order of the chain's inputs, its results, and then one
/// i32 for every dynamic dimension of a tensor, in the same order.
void Prologue::bindArguments() {
  ChainOp chain = context.chain;
  unsigned next = 0;
  SmallVector<BufferArgument *> buffers;
  context.inputs.resize(chain.getInputs().size());
  context.outputs.resize(chain.getNumResults());
  context.scalars.resize(chain.getInputs().size());
  auto bind = [&](BufferArgument &buffer, Type type, AffineMap map) {
    buffer.pointer = kernel.getArgument(next++);
    buffer.elementType = cast<RankedTensorType>(type).getElementType();
    buffer.map = map;
    buffers.push_back(&buffer);
  };
  for (unsigned i = 0; i < chain.getInputs().size(); ++i) {
    Type type = chain.getInputs()[i].getType();
    if (isa<RankedTensorType>(type))
      bind(context.inputs[i], type, chain.getInputMap(i));
    else
      context.scalars[i] = kernel.getArgument(next++);
  }
  for (unsigned i = 0; i < chain.getNumResults(); ++i)
    bind(context.outputs[i], chain.getResult(i).getType(),
         chain.getOutputMap(i));
  auto bindShape = [&](BufferArgument &buffer, Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return;
    for (int64_t size : tensor.getShape())
      buffer.shape.push_back(ShapedType::isDynamic(size)
                                 ? ints.wrap(kernel.getArgument(next++))
                                 : ints.constant(size));
  };
  for (unsigned i = 0; i < chain.getInputs().size(); ++i)
    bindShape(context.inputs[i], chain.getInputs()[i].getType());
  for (unsigned i = 0; i < chain.getNumResults(); ++i)
    bindShape(context.outputs[i], chain.getResult(i).getType());

  SmallVector<int64_t> extents = chain.getStaticExtents();
  for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis) {
    if (!ShapedType::isDynamic(extents[axis])) {
      context.extents.push_back(ints.constant(extents[axis]));
      continue;
    }
    auto [input, dim] = chain.getExtentSource(axis);
    context.extents.push_back(context.inputs[input].shape[dim]);
  }
}

void Prologue::readIds() {
  Location loc = context.loc;
  auto id = [&](Value index) {
    return ints.wrap(
        arith::IndexCastUIOp::create(b, loc, b.getI32Type(), index));
  };
  Int thread = id(gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x));
  Int block = id(gpu::BlockIdOp::create(b, loc, gpu::Dimension::x));
  ThreadIds &ids = context.ids;
  ids.lane = ints.remUI(thread, ints.constant(MappingPlan::warpSize));
  ids.warp = context.plan.warps == 1
                 ? ints.constant(0)
                 : ints.divUI(thread, ints.constant(MappingPlan::warpSize));
  ids.rank = context.plan.blocks == 1
                 ? ints.constant(0)
                 : ints.wrap(cluster::RankOp::create(b, loc, b.getI32Type()));
  ids.cluster = ints.divUI(block, ints.constant(context.plan.blocks));
}

/// The offsets of a thread's positions on every axis: the product of its reg
/// and vector digits.
void Prologue::placeOffsets() {
  context.axes.resize(context.plan.axes.size());
  for (const AxisPlan &axis : context.plan.axes) {
    SmallVector<int64_t> offsets{0};
    for (const DigitPlan &digit : axis.digits) {
      if (digit.level != Level::Reg && digit.level != Level::Vector)
        continue;
      SmallVector<int64_t> next;
      for (int64_t offset : offsets)
        for (int64_t position = 0; position < digit.size; ++position)
          next.push_back(offset + position * digit.indexStride);
      offsets = std::move(next);
    }
    context.axes[axis.axis].offsets = std::move(offsets);
  }
  context.vectorSize = context.row().sizeAt(Level::Vector);
  // Elements that enter a list are read again.
  context.streams = !usesElementsAgain(context.chain, context.rowAxis) &&
                    getListAxes(context.chain).none();
}

/// Where this thread and its block start on the row axis.
void Prologue::placeThread() {
  const AxisPlan &row = context.row();
  Int extent = context.extents[context.rowAxis];
  const DigitPlan *loop = row.at(Level::Loop);
  int64_t sized = row.sizedProduct();
  if (loop && loop->size == 0)
    context.numTiles = ints.ceilDiv(extent, ints.constant(sized));
  else
    context.numTiles = ints.constant(loop ? loop->size : 1);
  context.tileStep = loop ? indexStrideOf(*loop) : ints.constant(0);

  bool inner = false; // Past the grid, cluster and loop digits.
  context.blockBase = ints.constant(0);
  Int thread = ints.constant(0), warp = ints.constant(0);
  for (const DigitPlan &digit : row.digits) {
    if (isOutsideBlock(digit.level)) {
      context.tileIsContiguous &= !inner;
    } else {
      inner = true;
      context.tileSpan *= digit.size;
    }
    bool isOfBlock =
        digit.level == Level::Grid || digit.level == Level::Cluster;
    if (!isOfBlock && digit.level != Level::Warp && digit.level != Level::Lane)
      continue;
    Int position = context.ids.positionOn(ints, digit);
    Int offset = ints.mul(position, indexStrideOf(digit));
    if (isOfBlock)
      context.blockBase = ints.add(context.blockBase, offset);
    else
      thread = ints.add(thread, offset);
    if (digit.level == Level::Warp)
      warp = offset;
  }
  context.threadBase = ints.add(context.blockBase, thread);
  context.warpBase = ints.add(context.blockBase, warp);
}

/// The bits of the lane number that `digit` has.
static unsigned laneBitsOf(const DigitPlan &digit) {
  return digit.level == Level::Lane
             ? unsigned((digit.size - 1) * digit.idStride)
             : 0;
}

/// Shared memory for the inputs that the mapping keeps there, of which every
/// thread stores and loads its own elements, and for staged ones; and cache
/// policies. The cold path, of single elements, has none of them.
void Prologue::placeKept() {
  if (context.plan.isCold)
    return;
  context.cachedInputs = getInputsKeptInCache(context.chain);
  if (!context.cachedInputs.empty()) {
    context.keepInCache = createCachePolicy(b, context.loc, "evict_last");
    context.releaseFromCache = createCachePolicy(b, context.loc, "evict_first");
  }
  context.keptInputs = getInputsKeptShared(context.chain);
  context.staged = getStagedInputs(context.chain);
  int64_t bytes = getSharedBytes(context.chain, context.plan, context.rowAxis);
  if (bytes == 0)
    return;
  int64_t accesses = bytes / MappingPlan::accessBytes;
  context.firstStaged =
      getKeptBytes(context.chain, context.plan, context.rowAxis) /
      MappingPlan::accessBytes;
  if (!context.keptInputs.empty())
    context.accessesOfBlock =
        context.firstStaged / int64_t(context.keptInputs.size());
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto access = VectorType::get({MappingPlan::accessBytes / 4}, b.getI32Type());
  context.kept = kernel.addWorkgroupAttribution(
      MemRefType::get({accesses}, access, MemRefLayoutAttrInterface(), space),
      context.loc);
  kernel.setWorkgroupAttributionAttr(kernel.getNumWorkgroupAttributions() - 1,
                                     cluster::kThreadPrivateAttrName,
                                     b.getUnitAttr());
}

SmallVector<Value> KernelContext::firstsBut(OpBuilder &b,
                                            const AxisSet &axesInParts) const {
  IntBuilder ints(b, loc);
  SmallVector<Value> result;
  for (const BufferArgument &output : outputs) {
    unsigned lanes = 0; // Those at which it varies.
    for (const AxisPlan &axis : plan.axes)
      if (output.map.isFunctionOfDim(axis.axis))
        for (const DigitPlan &digit : axis.digits)
          lanes |= laneBitsOf(digit);
    Value isFirst;
    for (const AxisPlan &axis : plan.axes) {
      if (output.map.isFunctionOfDim(axis.axis))
        continue;
      for (const DigitPlan &digit : axis.digits) {
        bool isOutside =
            digit.level == Level::Cluster || digit.level == Level::Warp;
        if (!(isOutside && !axesInParts.test(axis.axis)) &&
            digit.level != Level::Lane)
          continue;
        unsigned bits = laneBitsOf(digit);
        if (bits != 0 && (bits & ~lanes) == 0)
          continue;
        Int position =
            (bits & lanes) == 0
                ? ids.positionOn(ints, digit)
                : ints.wrap(arith::AndIOp::create(
                      b, loc, ids.lane.value,
                      ints.materialise(ints.constant(bits & ~lanes))));
        lanes |= bits; // Axes at the same lanes ask once.
        if (!position.constant)
          isFirst = ints.both(isFirst, arith::CmpIOp::create(
                                           b, loc, arith::CmpIPredicate::eq,
                                           position.value,
                                           ints.materialise(ints.constant(0))));
      }
    }
    result.push_back(isFirst);
  }
  return result;
}

KernelContext KernelContext::create(OpBuilder &b, ChainOp chain,
                                    const MappingPlan &plan, unsigned rowAxis,
                                    gpu::GPUFuncOp kernel) {
  KernelContext context(chain, plan, rowAxis);
  Prologue(b, context, kernel).run();
  return context;
}

gpu::GPUFuncOp cascade::getKernel(OpBuilder &b) {
  Operation *parent = b.getInsertionBlock()->getParentOp();
  auto kernel = dyn_cast<gpu::GPUFuncOp>(parent);
  return kernel ? kernel : parent->getParentOfType<gpu::GPUFuncOp>();
}

Value cascade::addSharedBuffer(OpBuilder &b, Location loc, int64_t count,
                               Type type) {
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  return getKernel(b).addWorkgroupAttribution(
      MemRefType::get({count}, type, MemRefLayoutAttrInterface(), space), loc);
}

void cascade::markUniform(OpBuilder &b) {
  for (Operation *parent = b.getInsertionBlock()->getParentOp();
       !isa<gpu::GPUFuncOp>(parent); parent = parent->getParentOp())
    parent->setDiscardableAttr(cluster::kUniformAttrName, b.getUnitAttr());
}
