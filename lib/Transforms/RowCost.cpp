//===- RowCost.cpp - How long a mapping of a row chain takes --------------===//
//
// Two times bound a kernel. Throughput: bytes over bandwidth, instructions over
// issue slots, blocks over their launch rate. Latency: waves of the blocks that
// really fit, times the life of one block, of which loads, the merge of states
// and the stores follow each other. The kernel takes a little more than the
// larger of them.
//
// The constants are a fit to 248 kernels on an H200 (softmax and log-sum-exp in
// bf16 at ten shapes, docs/Performance.md); they say how mappings compare
// rather than how long one takes.
//
//===----------------------------------------------------------------------===//

#include "RowCost.h"
#include "cascade/Analysis/MappingPlan.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

namespace {
/// Bytes of one access.
constexpr int64_t accessBytes = 16;
/// Registers of the elements that a thread may hold, of 255.
constexpr double elementRegisters = 150;
/// Entries of lists that are compared with the elements of a tile of a thread,
/// which bounds the code of a topk.
constexpr int64_t comparisonsOfTile = 128;

// Of a thread.
constexpr double baseRegisters = 20;
constexpr double workRegisters = 0.08; ///< an element, besides its own bits
/// An element at most, for each accumulator beyond the second: values of
/// several reductions exist side by side.
constexpr double stateRegisters = 0.2;
// In microseconds.
constexpr double emptyKernel = 3.3;
constexpr double launchOfBlock = 0.0023;
constexpr double loadLatency = 0.63;
constexpr double mergeOfLanes = 0.27, mergeOfWarps = 0.32, mergeOfWarp = 0.042;
constexpr double mergeOfBlocks = 0.084, mergeOfBlock = 0.04;
constexpr double storeLatency = 0.24;
// In cycles.
constexpr double serialIssue = 1.42;  ///< an instruction of one warp alone
constexpr double sharedIssue = 0.049; ///< for each warp of its scheduler
// Pure numbers.
constexpr double loopOverhead = 1.2;  ///< of the throughput of a loop
constexpr double tileExponent = 0.89; ///< of the number of tiles in a row
constexpr double secondLoop = 1.6;    ///< latency of two loops over one
constexpr double partialWave = 0.87;  ///< of what a last wave lacks
constexpr double readAgain = 0.38;    ///< of the bytes, from the L2 cache
constexpr double usableL2 = 0.6;      ///< of it, for rows in flight
constexpr double burst = 1.55;     ///< of a block's bandwidth, over its share
constexpr double smoothness = 7.8; ///< of the maximum of both times
} // namespace

//===----------------------------------------------------------------------===//
// The chain
//===----------------------------------------------------------------------===//

/// Bytes of an element of `type`.
static int64_t bytesOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
}

/// The widest access that every unit-stride buffer of the row axis allows.
static int64_t vectorWidth(ChainOp chain, unsigned rowAxis, int64_t length) {
  AffineExpr rowExpr = getAffineDimExpr(rowAxis, chain.getContext());
  int64_t widest = 1;
  bool any = false;
  auto note = [&](Type type, AffineMap map) {
    if (!isa<RankedTensorType>(type) || map.getNumResults() == 0 ||
        map.getResults().back() != rowExpr)
      return;
    int64_t width = accessBytes / bytesOf(type);
    widest = any ? std::min(widest, width) : width;
    any = true;
  };
  for (unsigned i = 0; i < chain.getInputs().size(); ++i)
    note(chain.getInputs()[i].getType(), chain.getInputMap(i));
  for (unsigned i = 0; i < chain.getNumResults(); ++i)
    note(chain.getResult(i).getType(), chain.getOutputMap(i));
  // Rows are whole numbers of accesses.
  while (widest > 1 && !ShapedType::isDynamic(length) && length % widest != 0)
    widest /= 2;
  return widest;
}

/// Instructions that `op` takes for one element.
static double instructionsOf(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return 0;
  if (isa<math::ExpOp, math::Exp2Op, math::RsqrtOp>(op))
    return 3;
  if (isa<math::LogOp, math::Log2Op, math::TanhOp, math::PowFOp>(op))
    return 15;
  if (isa<arith::DivFOp, math::SqrtOp>(op))
    return 9;
  return op->getNumResults() > 0 && op->getResult(0).getType().isF64() ? 4 : 1;
}

/// Instructions an element of everything along the row that `roots` need; the
/// operands among it go to `operands`.
static double instructionsOf(ValueRange roots, const AxisAnalysis &axes,
                             unsigned rowAxis,
                             llvm::DenseSet<Value> *operands = nullptr) {
  SmallVector<Value> worklist(roots);
  llvm::DenseSet<Operation *> seen;
  double count = 0;
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op && operands && axes.of(value).test(rowAxis))
      operands->insert(value);
    if (!op || isa<ReduceOp>(op) || !axes.of(value).test(rowAxis) ||
        !seen.insert(op).second)
      continue;
    count += instructionsOf(op);
    llvm::append_range(worklist, op->getOperands());
  }
  return count;
}

/// The number of elements of the lists that an element of the row may enter.
static int64_t listedEntries(ChainOp chain) {
  int64_t entries = 0;
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>())
    if (reduce.getInto())
      entries += reduce.getNumEntries();
  return entries;
}

RowShape cascade::describeRow(ChainOp chain, unsigned rowAxis, bool vectorise) {
  SmallVector<int64_t> extents = chain.getStaticExtents();
  AxisSet lists = getListAxes(chain);
  RowShape shape{};
  shape.rowAxis = rowAxis;
  shape.length = extents[rowAxis];
  shape.rows = 1;
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    if (axis == rowAxis || lists.test(axis) ||
        ShapedType::isDynamic(shape.rows))
      continue;
    shape.rows = ShapedType::isDynamic(extent) ? extent : shape.rows * extent;
  }
  shape.vector =
      vectorise ? vectorWidth(chain, rowAxis, shape.length) : int64_t(1);
  shape.reuses = usesElementsAgain(chain, rowAxis);

  // A tensor that is the same for all rows stays in the cache.
  auto isOfRow = [&](AffineMap map) {
    return map.isFunctionOfDim(rowAxis) && map.getNumResults() > 1;
  };
  shape.registers = workRegisters;
  for (unsigned i = 0; i < chain.getInputs().size(); ++i) {
    if (isOfRow(chain.getInputMap(i)))
      shape.bytesRead += double(bytesOf(chain.getInputs()[i].getType()));
  }
  for (unsigned i = 0; i < chain.getNumResults(); ++i)
    if (isOfRow(chain.getOutputMap(i)))
      shape.bytesWritten += double(bytesOf(chain.getResult(i).getType()));

  ReductionPasses passes(chain, chain.getBody(), /*together=*/chain.isFused());
  bool isFirst = true;
  llvm::DenseSet<Value> reduced;
  for (const ReductionPass &pass : passes.getPasses()) {
    if (!pass.axes.test(rowAxis))
      continue;
    SmallVector<Value> values;
    for (ReduceOp reduce : pass.reduces) {
      llvm::append_range(values, reduce.getValues());
      shape.state += reduce.getNumResults() * reduce.getNumEntries();
    }
    double count = instructionsOf(values, passes.getAxes(), rowAxis, &reduced);
    for (ReduceOp reduce : pass.reduces)
      count += double(reduce.getNumResults() * reduce.getNumEntries());
    (isFirst ? shape.firstPass : shape.laterPasses) += count;
    isFirst = false;
  }
  // What only results need is not held.
  for (Value operand : reduced)
    shape.registers += double(bytesOf(operand.getType())) / 4;
  auto yield = cast<YieldOp>(chain.getBodyBlock()->getTerminator());
  shape.laterPasses +=
      instructionsOf(yield.getValues(), passes.getAxes(), rowAxis);

  shape.mostElements =
      llvm::bit_floor(uint64_t(elementRegisters / shape.registers));
  if (int64_t entries = listedEntries(chain))
    shape.mostElements = std::min(
        shape.mostElements,
        int64_t(llvm::bit_floor(uint64_t(comparisonsOfTile / entries))));
  shape.mostElements = std::max(shape.mostElements, shape.vector);
  return shape;
}

//===----------------------------------------------------------------------===//
// The mapping
//===----------------------------------------------------------------------===//

double cascade::estimateRow(const RowShape &shape, const RowMapping &mapping,
                            cluster::TargetAttr target) {
  constexpr double never = std::numeric_limits<double>::infinity();
  constexpr int64_t commonLength = 8192, commonRows = 4096;
  constexpr double schedulers = 4; // of a multiprocessor
  double length =
      ShapedType::isDynamic(shape.length) ? commonLength : double(shape.length);
  double rows =
      ShapedType::isDynamic(shape.rows) ? commonRows : double(shape.rows);
  int64_t elements = mapping.accesses * shape.vector;
  int64_t threads = mapping.rowsOfBlock > 1
                        ? mapping.rowsOfBlock * mapping.lanes
                        : mapping.warps * MappingPlan::warpSize;
  double held = std::ceil((baseRegisters + shape.registers * elements) / 8) * 8;

  // A block that needs more registers than there are spills.
  double most =
      held + stateRegisters * std::max(0.0, shape.state - 2) * double(elements);
  if (most * double(threads) > double(target.getRegistersPerSm()))
    return never;

  // Blocks that are on the device at once.
  int64_t fit = std::min<int64_t>(
      {target.getThreadsPerSm() / threads,
       int64_t(target.getRegistersPerSm() / (held * threads)), 32});
  if (fit == 0)
    return never;
  unsigned step = llvm::Log2_64_Ceil(mapping.cluster);
  double resident = double(fit * target.getResidency()[step] / mapping.cluster *
                           mapping.cluster);
  double blocks = std::ceil(rows / mapping.rowsOfBlock) * mapping.cluster;

  // Throughput. Threads beyond the end of the row issue, too.
  double perMicrosecond = target.getHbmGbps() * 1e3;
  double bytes = rows * length * (shape.bytesRead + shape.bytesWritten);
  // What is read again comes from the L2 cache if the rows in flight fit there.
  double again =
      mapping.loops && shape.reuses ? rows * length * shape.bytesRead : 0;
  double inFlight =
      std::min(rows, resident / mapping.cluster * double(mapping.rowsOfBlock)) *
      length * shape.bytesRead;
  if (inFlight < usableL2 * target.getL2Bytes())
    again *= readAgain;
  double tile = double(elements * mapping.lanes * mapping.warps) *
                double(mapping.cluster);
  double tiles = std::max(1.0, std::ceil(length / tile));
  double instructions = shape.firstPass + shape.laterPasses;
  double issue = rows * tiles * tile * instructions /
                 (target.getSms() * schedulers * MappingPlan::warpSize *
                  target.getClockKhz() / 1e3);
  double throughput = std::max(
      {(bytes + again) / perMicrosecond, blocks * launchOfBlock, issue});
  if (mapping.loops)
    throughput *= loopOverhead;

  // Latency.
  double life = loadLatency * std::pow(tiles, tileExponent) *
                (mapping.loops && shape.reuses ? secondLoop : 1);
  double together = std::min(double(fit), std::ceil(blocks / target.getSms()));
  double warpsOfScheduler =
      together * double(threads) / MappingPlan::warpSize / schedulers;
  life += double(elements) * tiles * instructions *
          std::max(serialIssue, sharedIssue * warpsOfScheduler) /
          (target.getClockKhz() / 1e3);
  double merges = std::max(1.0, shape.state / 2);
  if (mapping.lanes > 1)
    life += mergeOfLanes * merges;
  if (mapping.warps > 1)
    life += (mergeOfWarps + mergeOfWarp * mapping.warps) * merges;
  if (mapping.cluster > 1)
    life += (mergeOfBlocks + mergeOfBlock * mapping.cluster) * merges;
  if (shape.bytesWritten > 0)
    life += storeLatency;
  life +=
      together * (bytes / blocks) / (burst * perMicrosecond / target.getSms());
  double waves = blocks / resident;
  waves = waves > 1 ? waves + (std::ceil(waves) - waves) * partialWave : 1;
  double latency = waves * life;

  return emptyKernel + std::pow(std::pow(throughput, smoothness) +
                                    std::pow(latency, smoothness),
                                1 / smoothness);
}
