//===- RowCost.cpp - How long a mapping of a row chain takes --------------===//
//
// Two times bound a kernel. Throughput: bytes over bandwidth, instructions over
// issue slots, blocks over their launch rate. Latency: waves of the blocks that
// really fit, times the life of one block, of which loads, the merge of states
// and the stores follow each other. The kernel takes a little more than the
// larger of them.
//
// The constants are a fit to 834 kernels on an H200 (eleven chains in bf16 at
// the shapes of docs/Performance.md); they say how mappings compare rather than
// how long one takes.
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
/// Registers of the elements that a thread may hold, of 255.
constexpr double elementRegisters = 150;
/// Elements that a thread may hold, whatever their registers: the code grows.
constexpr int64_t mostHeld = 128;
/// Entries of lists that are compared with the elements of a tile of a thread,
/// which bounds the code of a topk.
constexpr int64_t comparisonsOfTile = 128;

// Registers of a thread. Values of several reductions exist side by side, and
// so do those of long expressions.
constexpr double baseRegisters = 21, loopRegisters = 8.5;
constexpr double registersOfState = 0.121;       ///< a word beyond the second
constexpr double registersOfInstruction = 0.143; ///< beyond the seventh
constexpr double registersOfShared = 0.836;      ///< a word
// In microseconds.
constexpr double emptyKernel = 3.3;
constexpr double launchOfBlock = 0.0029;
constexpr double loadLatency = 0.514;
constexpr double mergeOfLanes = 0.055, mergeOfWarps = 0.08;
constexpr double mergeOfWarp = 0.028, mergeOfBlocks = 0.258;
constexpr double mergeOfLoneWarp = 0.004;
constexpr double mergeOfBlock = 0.0158;
constexpr double storeLatency = 0.654;
constexpr double spill = 0.058; ///< a register and tile
// In cycles.
constexpr double serialIssue = 1.163;  ///< an instruction of one warp alone
constexpr double sharedIssue = 0.0036; ///< for each warp of its scheduler
// Pure numbers.
constexpr double issueSlots = 0.198; ///< an instruction
/// An element that is kept, which stands for the latency of its loads, too.
constexpr double keepInstructions = 47.2;
constexpr double loopOverhead = 1.128; ///< of the throughput of a loop
constexpr double keptOverhead = 1.056; ///< the same where the row is kept
constexpr double tileExponent = 0.939; ///< of the number of tiles in a row
constexpr double secondLoop = 1.6;     ///< latency of two loops over one
constexpr double partialWave = 1.108;  ///< of what a last wave lacks
constexpr double readAgain = 0.7565;   ///< of the bytes, from the L2 cache
constexpr double usableL2 = 0.6;       ///< of it, for rows in flight
constexpr double burst = 3.17;      ///< of a block's bandwidth, over its share
constexpr double smoothness = 2.84; ///< of the maximum of both times
// Of resident grids: fitted to 20 kernels, and to how they compare with others.
/// Cycles an instruction of a warp, of one block alone on its multiprocessor
/// and of several.
constexpr double loneIssue = 0.95, sharedBlocksIssue = 0.75;
constexpr double residentTile = 0.1; ///< microseconds a tile
constexpr double oneStage = 1.05;    ///< of the time to move, without a second
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
    int64_t width = MappingPlan::accessBytes / bytesOf(type);
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

/// Registers of a thread an element: the words of the elements that reductions
/// use, and what is computed from them.
static double registersOf(const RowShape &shape,
                          const llvm::DenseSet<Value> &reduced) {
  double words = 0;
  for (Value input : reduced)
    words += double(bytesOf(input.getType())) / 4;
  constexpr double plainState = 2, plainInstructions = 7;
  constexpr double sharedByInputs = 0.2; // Part of an instruction's registers.
  double computed =
      registersOfState * (shape.state - plainState) +
      registersOfInstruction * (shape.firstPass - plainInstructions) -
      sharedByInputs * (double(reduced.size()) - 1);
  return words + std::max(0.0, computed) +
         registersOfShared * shape.sharedWords;
}

/// The inputs along the row that the first pass over it loads, where the chain
/// uses elements again and all of them are rows in memory that are read 16
/// bytes at a time.
static SmallVector<unsigned>
keepableInputs(ChainOp chain, const RowShape &shape,
               const llvm::DenseSet<Value> &first) {
  SmallVector<unsigned> inputs;
  if (!shape.reuses || ShapedType::isDynamic(shape.length))
    return inputs;
  for (unsigned i = 0; i < chain.getInputs().size(); ++i) {
    AffineMap map = chain.getInputMap(i);
    Value argument = chain.getBodyBlock()->getArgument(i);
    if (!first.contains(argument) || map.getNumResults() < 2)
      continue;
    if (!isUnitStride(map, shape.rowAxis) || argument.getType().isIndex() ||
        shape.vector * bytesOf(argument.getType()) != MappingPlan::accessBytes)
      return {};
    inputs.push_back(i);
  }
  return inputs;
}

/// The inputs that are the same for all rows and can stay in shared memory.
static SmallVector<unsigned> invariantInputs(ChainOp chain,
                                             const RowShape &shape) {
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < chain.getInputs().size(); ++i) {
    AffineMap map = chain.getInputMap(i);
    Type element = getElementTypeOrSelf(chain.getInputs()[i].getType());
    if (map.getNumResults() == 1 && isUnitStride(map, shape.rowAxis) &&
        !element.isIndex() &&
        shape.vector * bytesOf(element) == MappingPlan::accessBytes)
      inputs.push_back(i);
  }
  return inputs;
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
    if (isFirst)
      shape.keepable = keepableInputs(chain, shape, reduced);
    for (ReduceOp reduce : pass.reduces)
      count += double(reduce.getNumResults() * reduce.getNumEntries());
    (isFirst ? shape.firstPass : shape.laterPasses) += count;
    isFirst = false;
  }
  auto yield = cast<YieldOp>(chain.getBodyBlock()->getTerminator());
  llvm::DenseSet<Value> used;
  shape.laterPasses +=
      instructionsOf(yield.getValues(), passes.getAxes(), rowAxis, &used);
  for (Value input : used)
    if (!reduced.contains(input) && passes.getAxes().of(input).count() == 1)
      shape.sharedWords += double(bytesOf(input.getType())) / 4;
  shape.registers = registersOf(shape, reduced);
  shape.invariants = invariantInputs(chain, shape);

  shape.mostElements = std::min<int64_t>(
      mostHeld, llvm::bit_floor(uint64_t(elementRegisters / shape.registers)));
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

int64_t cascade::getStagedBytes(const RowShape &shape,
                                const RowMapping &mapping) {
  int64_t accesses = mapping.accesses * mapping.warps * MappingPlan::warpSize;
  int64_t inputs = int64_t(shape.keepable.size()) * mapping.stages;
  if (!mapping.loops)
    inputs += int64_t(shape.invariants.size());
  // With its mbarriers, and what the collectives of its warps and blocks take.
  constexpr int64_t mbarrier = 8;
  int64_t exchanged = (mapping.warps + 2 * mapping.cluster) *
                      int64_t(shape.state) * MappingPlan::accessBytes;
  return inputs * accesses * MappingPlan::accessBytes +
         mapping.stages * mapping.warps * mbarrier + exchanged;
}

/// Microseconds in which the threads of a row merge their states; `isLone`: in
/// a block that has a multiprocessor for itself.
static double mergeTime(const RowShape &shape, const RowMapping &mapping,
                        bool isLone = false) {
  double merges = std::max(1.0, shape.state / 2), time = 0;
  if (mapping.lanes > 1)
    time += mergeOfLanes;
  if (mapping.warps > 1)
    time += mergeOfWarps +
            (isLone ? mergeOfLoneWarp : mergeOfWarp) * double(mapping.warps);
  if (mapping.cluster > 1)
    time += mergeOfBlocks + mergeOfBlock * double(mapping.cluster);
  return time * merges;
}

/// A resident grid of `clusters`: rounds of rows, each of which takes the
/// longer of moving its bytes and of working on them.
static double estimateResident(const RowShape &shape, const RowMapping &mapping,
                               cluster::TargetAttr target, double rows,
                               double length, double clusters) {
  constexpr double schedulers = 4;
  // With fewer rows a cluster the loads do not get ahead.
  constexpr double fewestRows = 4;
  if (rows < fewestRows * clusters)
    return std::numeric_limits<double>::infinity();
  double elements = double(mapping.accesses * shape.vector);
  double tile = elements * double(mapping.warps * MappingPlan::warpSize);
  double tiles = std::ceil(length / double(mapping.cluster) / tile);
  double blocksOfSm =
      std::ceil(clusters * double(mapping.cluster) / double(target.getSms()));
  double warpsOfScheduler = blocksOfSm * double(mapping.warps) / schedulers;
  double issue = blocksOfSm > 1 ? sharedBlocksIssue : loneIssue;
  double work = issue * tiles * elements *
                (shape.firstPass + shape.laterPasses) * warpsOfScheduler /
                (target.getClockKhz() / 1e3);
  work += tiles * residentTile;
  work += mergeTime(shape, mapping) + storeLatency;
  double bytes = clusters * length * (shape.bytesRead + shape.bytesWritten);
  double move = bytes / (target.getHbmGbps() * 1e3);
  if (mapping.stages == 1)
    move *= oneStage;
  double round = std::pow(
      std::pow(work, smoothness) + std::pow(move, smoothness), 1 / smoothness);
  return emptyKernel + loadLatency + rows / clusters * round;
}

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
  // The compiler spills what a block of this size leaves no registers for.
  double needed = baseRegisters + (mapping.loops ? loopRegisters : 0) +
                  shape.registers * double(elements);
  double most = std::min<double>(
      255, double(target.getRegistersPerSm() / threads / 8 * 8));
  double spilled = std::max(0.0, needed - most);
  double held = std::min(most, std::ceil(needed / 8) * 8);

  // Blocks that are on the device at once.
  int64_t fit = std::min<int64_t>(
      {target.getThreadsPerSm() / threads,
       int64_t(target.getRegistersPerSm() / (held * threads)), 32});
  if (mapping.stages > 0) {
    constexpr int64_t reserved = 1024;
    fit = std::min(fit, (target.getSharedPerBlock() + reserved) /
                            (getStagedBytes(shape, mapping) + reserved));
  } else if (mapping.keeps) {
    constexpr double reserved = 1024, collectives = 256;
    double kept = length / double(mapping.cluster) * shape.bytesRead;
    fit = std::min(fit, int64_t((target.getSharedPerBlock() + reserved) /
                                (kept + reserved + collectives)));
  }
  if (fit == 0 || spilled > needed / 4)
    return never;
  unsigned step = llvm::Log2_64_Ceil(mapping.cluster);
  double resident = double(fit * target.getResidency()[step] / mapping.cluster *
                           mapping.cluster);
  double blocks = std::ceil(rows / mapping.rowsOfBlock) * mapping.cluster;

  if (mapping.stages > 0)
    return estimateResident(shape, mapping, target, rows, length,
                            resident / double(mapping.cluster));

  // Throughput. Threads beyond the end of the row issue, too.
  double perMicrosecond = target.getHbmGbps() * 1e3;
  double bytes = rows * length * (shape.bytesRead + shape.bytesWritten);
  // What is read again comes from the L2 cache if the rows in flight fit there.
  bool loopsAgain = mapping.loops && shape.reuses && !mapping.keeps;
  double again = loopsAgain ? rows * length * shape.bytesRead : 0;
  double inFlight =
      std::min(rows, resident / mapping.cluster * double(mapping.rowsOfBlock)) *
      length * shape.bytesRead;
  if (inFlight < usableL2 * target.getL2Bytes())
    again *= readAgain;
  double tile = double(elements * mapping.lanes * mapping.warps) *
                double(mapping.cluster);
  double tiles = std::max(1.0, std::ceil(length / tile));
  double instructions = shape.firstPass + shape.laterPasses +
                        (mapping.keeps ? keepInstructions : 0);
  double issue = rows * tiles * tile * instructions * issueSlots /
                 (target.getSms() * schedulers * MappingPlan::warpSize *
                  target.getClockKhz() / 1e3);
  double throughput = std::max(
      {(bytes + again) / perMicrosecond, blocks * launchOfBlock, issue});
  if (mapping.loops)
    throughput *= mapping.keeps ? keptOverhead : loopOverhead;

  // Latency.
  double life = 0;
  if (!mapping.keeps)
    life += loadLatency * std::pow(tiles, tileExponent) *
            (loopsAgain ? secondLoop : 1);
  double together = std::min(double(fit), std::ceil(blocks / target.getSms()));
  double warpsOfScheduler =
      together * double(threads) / MappingPlan::warpSize / schedulers;
  life += double(elements) * tiles * instructions *
          std::max(serialIssue, sharedIssue * warpsOfScheduler) /
          (target.getClockKhz() / 1e3);
  bool isLone = mapping.cluster == 1 && blocks <= double(target.getSms());
  life += mergeTime(shape, mapping, isLone);
  if (shape.bytesWritten > 0)
    life += storeLatency;
  life += spill * spilled * tiles;
  life +=
      together * (bytes / blocks) / (burst * perMicrosecond / target.getSms());
  double waves = blocks / resident;
  waves = waves > 1 ? waves + (std::ceil(waves) - waves) * partialWave : 1;
  double latency = waves * life;

  return emptyKernel + std::pow(std::pow(throughput, smoothness) +
                                    std::pow(latency, smoothness),
                                1 / smoothness);
}
