//===- RowCost.cpp - How long a mapping of a row chain takes --------------===//
//
// Two times bound a kernel. Throughput: bytes over bandwidth, instructions over
// issue slots, blocks over their launch rate. Latency: waves of the blocks that
// really fit, times the life of one block, of which loads, the merge of states
// and the stores follow each other. The kernel takes a little more than the
// larger of them.
//
// What the machine can do is in #cluster.target. The rest, the table below, is
// what the compiler's code makes of it: how many instructions, registers and
// latencies it takes. These numbers are a fit to 2004 kernels on an H200
// (twelve chains in bf16, five of them in f32, at the shapes of
// docs/Performance.md); they say how mappings compare rather than how long one
// takes. Those of lists are counted in machine code and compared with some 25
// kernels of one chain.
//
//===----------------------------------------------------------------------===//

#include "RowCost.h"
#include "cascade/Analysis/GridSplit.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

/// Of the compiler's code, whatever the machine. Pure numbers unless a comment
/// has a unit.
namespace fit {
// Elements of a thread.
constexpr double elementRegisters = 150; ///< registers for all of them
constexpr int64_t mostHeld = 128;        ///< whatever their registers

// Instructions of an operation on one element.
constexpr double plainInstruction = 1;
constexpr double wideInstruction = 4;     ///< in f64
constexpr double exponential = 3;         ///< exp, exp2, rsqrt
constexpr double transcendental = 15;     ///< log, tanh, pow
constexpr double division = 9;            ///< and a square root
constexpr double keepInstructions = 39.4; ///< to keep it, in vector accesses

// Registers of a thread. Values of several reductions exist side by side, and
// so do those of long expressions.
constexpr double baseRegisters = 23.9, loopRegisters = 8.31, listRegisters = 10;
constexpr double plainState = 2, plainInstructions = 7; ///< words, instructions
constexpr double registersOfState = 0.121;       ///< a word beyond plainState
constexpr double registersOfInstruction = 0.143; ///< beyond plainInstructions
constexpr double sharedByInputs = 0.2; ///< an element that is reduced, less
constexpr double registersOfShared = 0.836; ///< a word
constexpr double mostSpilled = 0.25;        ///< of the registers

// Issue.
constexpr double issueSlots = 0.19928;   ///< an instruction, many warps
constexpr double serialIssue = 2.4989;   ///< cycles an instruction, one warp
constexpr double sharedIssue = 0.003543; ///< the same, a warp of its scheduler

// Of the machine's rates and latencies.
constexpr double emptyKernels = 1.1037;   ///< any kernel takes
constexpr double launches = 4.1757;       ///< a block takes, of empty blocks
constexpr double memoryReached = 0.9998;  ///< of the best read
constexpr double cacheReached = 0.6848;   ///< of reading the L2 cache again
constexpr double smReached = 1.5292;      ///< of the best read of one SM
constexpr double loadLatencies = 1.7151;  ///< of memory: a tile's loads
constexpr double keptLatencies = 2.1096;  ///< the same, of a row that is kept
constexpr double storeLatencies = 1.7507; ///< of memory: the results
constexpr double spillLatencies = 0.3907; ///< of L2: a register and tile

// How these come together.
constexpr double loopOverhead = 1.1504; ///< of the throughput of a loop
constexpr double keptOverhead = 0.8018; ///< the same where the row is kept
constexpr double tileExponent = 1.0496; ///< of the number of tiles in a row
constexpr double secondLoop = 2.0807;   ///< latency of two loops over one
constexpr double partialWave = 0.8583;  ///< of what a last wave lacks
constexpr double notHidden = 0.45;      ///< by loads, of the time of lists
constexpr double smoothness = 3.472;    ///< of the maximum of both times

// Of the compiler, known rather than fitted.
constexpr double registerUnit = 8; ///< registers come in eights
/// Of the L2 cache, what lines that leave it last may take: it was read again
/// at full speed up to 49.5 of its 60 MiB (docs/Calibration.md).
constexpr double cacheKept = 0.825;
constexpr double collectiveBytes = 256;  ///< shared memory of an exchange
constexpr double wordsOfState = 2;       ///< that merge latencies are for
constexpr double loneWarpMerge = 0.1668; ///< of a warp's merge, in a lone block
// In place of extents that are known at run time only.
constexpr int64_t commonLength = 8192, commonRows = 4096;

// Of resident grids: fitted to 20 kernels, and to how they compare with others.
/// Cycles an instruction of a warp, of one block alone on its multiprocessor
/// and of several.
constexpr double loneIssue = 0.7701, sharedBlocksIssue = 0.8011;
constexpr double residentTile = 0.1077;  ///< microseconds a tile
constexpr double residentMoved = 1.1637; ///< of the time to move: loads wait
constexpr double oneStage = 1.0258;      ///< likewise, without a second stage
} // namespace fit

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
    return fit::exponential;
  if (isa<math::LogOp, math::Log2Op, math::TanhOp, math::PowFOp>(op))
    return fit::transcendental;
  if (isa<arith::DivFOp, math::SqrtOp>(op))
    return fit::division;
  bool isWide = op->getNumResults() > 0 && op->getResult(0).getType().isF64();
  return isWide ? fit::wideInstruction : fit::plainInstruction;
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

/// Registers of a thread an element: the words of the elements that reductions
/// use, and what is computed from them.
static double registersOf(const RowShape &shape,
                          const llvm::DenseSet<Value> &reduced) {
  double words = 0;
  for (Value input : reduced)
    words += double(bytesOf(input.getType())) / 4;
  double computed =
      fit::registersOfState * (shape.state - fit::plainState) +
      fit::registersOfInstruction * (shape.firstPass - fit::plainInstructions) -
      fit::sharedByInputs * (double(reduced.size()) - 1);
  return words + std::max(0.0, computed) +
         fit::registersOfShared * shape.sharedWords;
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

/// The inputs along the row that several passes load, where they are rows in
/// memory that are read 16 bytes at a time.
static SmallVector<unsigned> cacheableInputs(ChainOp chain,
                                             const RowShape &shape) {
  SmallVector<SmallVector<unsigned>> runs =
      getKernelPasses(chain, shape.rowAxis).getInputsOfRuns(shape.rowAxis);
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < chain.getInputs().size(); ++i) {
    AffineMap map = chain.getInputMap(i);
    Type element = getElementTypeOrSelf(chain.getInputs()[i].getType());
    int64_t loads = llvm::count_if(runs, [&](ArrayRef<unsigned> run) {
      return llvm::is_contained(run, i);
    });
    if (loads > 1 && map.getNumResults() > 1 &&
        isUnitStride(map, shape.rowAxis) && !element.isIndex() &&
        shape.vector * bytesOf(element) == MappingPlan::accessBytes)
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
      // What an entry of a list is made of is evaluated when it enters.
      if (reduce.getInto()) {
        values.push_back(reduce.getValues()[0]);
        shape.listed += reduce.getNumEntries();
        shape.state +=
            llvm::divideCeil(reduce.getNumEntries(), MappingPlan::warpSize);
        continue;
      }
      llvm::append_range(values, reduce.getValues());
      shape.state += reduce.getNumResults();
    }
    double count = instructionsOf(values, passes.getAxes(), rowAxis, &reduced);
    if (isFirst)
      shape.keepable = keepableInputs(chain, shape, reduced);
    for (ReduceOp reduce : pass.reduces)
      count += reduce.getInto() ? 1 : double(reduce.getNumResults());
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
  shape.cacheable = cacheableInputs(chain, shape);
  shape.invariants = invariantInputs(chain, shape);
  shape.splits = whyAllBlocksGoOn(chain, rowAxis).empty();

  shape.mostElements = std::min<int64_t>(
      fit::mostHeld,
      llvm::bit_floor(uint64_t(fit::elementRegisters / shape.registers)));
  shape.mostElements = std::max(shape.mostElements, shape.vector);
  return shape;
}

//===----------------------------------------------------------------------===//
// Lists
//===----------------------------------------------------------------------===//

namespace {
/// What the lists of a topk cost a warp, over all tiles of its rows.
struct ListCost {
  double cycles = 0;  ///< of its scheduler
  double latency = 0; ///< cycles, where it runs alone
};
} // namespace

/// The most candidates of a lane, where each of the lanes of a warp has `mean`.
static double mostOfLane(double mean) {
  return mean + 2 * std::sqrt(mean) + 0.7;
}

/// Elements enter a list in steps of one a lane. With random elements, and once
/// the best of every lane are in it, some 1.3 K of the first tile of a row
/// reach the bound, and K / t of tile t.
static ListCost costOfLists(const RowShape &shape, const RowMapping &mapping,
                            double tiles) {
  ListCost cost;
  if (shape.listed == 0)
    return cost;
  // Counted in the code for 32 lanes and K of 8; integer instructions take two
  // cycles. Latencies are of shuffles that follow each other.
  constexpr double seedCycles = 140, exchangeCycles = 5, popCycles = 200;
  constexpr double finishCycles = 160;
  constexpr double loadCycles = 300, shuffleLatency = 30;
  constexpr int64_t mostParts = 4;
  double entries = double(shape.listed), lanes = double(mapping.lanes);
  double depth = llvm::Log2_64(mapping.lanes);
  double exchanges = depth * (depth + 1) / 2;
  double rowsOfWarp = MappingPlan::warpSize / lanes;
  double parts = double(std::min<int64_t>(
      {int64_t(llvm::divideCeil(2 * shape.listed, mapping.lanes)),
       mapping.accesses, mostParts}));
  double pops = mostOfLane(1.3 * entries / lanes);
  for (double tile = 2; tile <= std::min(tiles, 1000.0); ++tile) {
    double entering = entries / tile;
    pops += std::min(1.0, entering * rowsOfWarp) * mostOfLane(entering / lanes);
  }
  // The lists of other warps and blocks, one entry a lane at a time.
  double batches = 0;
  for (int64_t members : {mapping.warps, mapping.cluster, mapping.split})
    if (members > 1)
      batches += std::ceil(double(members) * entries / lanes);
  double sorts = parts + batches;
  cost.cycles = parts * seedCycles + sorts * exchanges * exchangeCycles +
                pops * popCycles + finishCycles;
  cost.latency = parts * loadCycles + sorts * exchanges * shuffleLatency +
                 pops * (loadCycles + 3 * shuffleLatency);
  return cost;
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

/// Cycles in which the threads of a row merge their states; `isLone`: in a
/// block that has a multiprocessor for itself.
static double mergeCycles(const RowShape &shape, const RowMapping &mapping,
                          const cluster::TargetConstants &gpu, bool isLone) {
  double cycles = 0;
  if (mapping.lanes > 1)
    cycles += double(gpu.laneMergeCycles);
  if (mapping.warps > 1)
    cycles += double(gpu.warpMergeCycles) +
              (isLone ? fit::loneWarpMerge : 1) *
                  double(gpu.warpMergeSlope * mapping.warps);
  if (mapping.cluster > 1)
    cycles +=
        double(gpu.blockMergeCycles + gpu.blockMergeSlope * mapping.cluster);
  double states = std::max(1.0, shape.state / fit::wordsOfState);
  if (mapping.split > 1)
    cycles += double(gpu.gridMergeSlope * mapping.split);
  return cycles * states +
         (mapping.split > 1 ? double(gpu.gridMergeCycles) : 0.0);
}

/// A resident grid of `clusters`: rounds of rows, each of which takes the
/// longer of moving its bytes and of working on them. Microseconds.
static double estimateResident(const RowShape &shape, const RowMapping &mapping,
                               const cluster::TargetConstants &gpu, double rows,
                               double length, double clusters) {
  // With fewer rows a cluster the loads do not get ahead.
  constexpr double fewestRows = 4;
  if (rows < fewestRows * clusters)
    return std::numeric_limits<double>::infinity();
  double elements = double(mapping.accesses * shape.vector);
  double tile = elements * double(mapping.warps * MappingPlan::warpSize);
  double tiles = std::ceil(length / double(mapping.cluster) / tile);
  double blocksOfSm =
      std::ceil(clusters * double(mapping.cluster) / double(gpu.sms));
  double warpsOfScheduler =
      blocksOfSm * double(mapping.warps) / double(gpu.schedulersPerSm);
  double issue = blocksOfSm > 1 ? fit::sharedBlocksIssue : fit::loneIssue;
  double cycles = issue * tiles * elements *
                  (shape.firstPass + shape.laterPasses) * warpsOfScheduler;
  cycles += mergeCycles(shape, mapping, gpu, /*isLone=*/false);
  cycles += fit::storeLatencies * double(gpu.memoryLatency);
  double work = cycles / gpu.cyclesPerUs() + tiles * fit::residentTile;
  double bytes = clusters * length * (shape.bytesRead + shape.bytesWritten);
  double move = fit::residentMoved * bytes /
                (fit::memoryReached * double(gpu.hbmGbps) * 1e3);
  if (mapping.stages == 1)
    move *= fit::oneStage;
  double round = std::pow(std::pow(work, fit::smoothness) +
                              std::pow(move, fit::smoothness),
                          1 / fit::smoothness);
  double first = fit::loadLatencies * double(gpu.memoryLatency);
  return fit::emptyKernels * double(gpu.emptyKernelNs) / 1e3 +
         first / gpu.cyclesPerUs() + rows / clusters * round;
}

double cascade::estimateRow(const RowShape &shape, const RowMapping &mapping,
                            cluster::TargetAttr target) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const cluster::TargetConstants &gpu = target.getConstants();
  double length = ShapedType::isDynamic(shape.length)
                      ? double(fit::commonLength)
                      : double(shape.length);
  double rows = ShapedType::isDynamic(shape.rows) ? double(fit::commonRows)
                                                  : double(shape.rows);
  int64_t elements = mapping.accesses * shape.vector;
  int64_t threads = mapping.rowsOfBlock > 1
                        ? mapping.rowsOfBlock * mapping.lanes
                        : mapping.warps * MappingPlan::warpSize;
  // The compiler spills what a block of this size leaves no registers for.
  double needed = fit::baseRegisters +
                  (mapping.loops ? fit::loopRegisters : 0) +
                  (shape.listed > 0 ? fit::listRegisters : 0) +
                  shape.registers * double(elements);
  double most = std::min(
      double(gpu.registersPerThread),
      std::floor(double(gpu.registersPerSm / threads) / fit::registerUnit) *
          fit::registerUnit);
  double spilled = std::max(0.0, needed - most);
  double held =
      std::min(most, std::ceil(needed / fit::registerUnit) * fit::registerUnit);

  // Blocks that are on the device at once.
  int64_t perSm = std::min<int64_t>(
      {gpu.threadsPerSm / threads,
       int64_t(double(gpu.registersPerSm) / (held * double(threads))),
       gpu.blocksPerSm});
  if (mapping.stages > 0) {
    perSm = std::min(perSm, gpu.sharedPerSm / (getStagedBytes(shape, mapping) +
                                               gpu.sharedReserved));
  } else if (mapping.keeps) {
    double reserved = double(gpu.sharedReserved);
    double kept = length / double(mapping.cluster) * shape.bytesRead;
    perSm = std::min(perSm, int64_t(double(gpu.sharedPerSm) /
                                    (kept + reserved + fit::collectiveBytes)));
  }
  if (perSm == 0 || spilled > needed * fit::mostSpilled)
    return never;
  int64_t alone = cluster::TargetConstants::at(gpu.residency, mapping.cluster);
  double resident = double(perSm * alone / mapping.cluster * mapping.cluster);
  double blocksOfRow = double(mapping.blocksOfRow());
  double blocks = std::ceil(rows / mapping.rowsOfBlock) * blocksOfRow;

  if (mapping.stages > 0)
    return estimateResident(shape, mapping, gpu, rows, length,
                            resident / double(mapping.cluster));

  // Throughput, in microseconds. A GB/s is 1000 bytes a microsecond. Threads
  // beyond the end of the row issue, too.
  double memoryRate = fit::memoryReached * double(gpu.hbmGbps) * 1e3;
  double cacheRate = fit::cacheReached * double(gpu.l2Gbps) * 1e3;
  double bytes = rows * length * (shape.bytesRead + shape.bytesWritten);
  // What is read again comes from the L2 cache if the rows in flight fit there.
  bool loopsAgain = mapping.loops && shape.reuses && !mapping.keeps;
  double again = loopsAgain ? rows * length * shape.bytesRead : 0;
  double inFlight =
      std::min(rows, resident / blocksOfRow * double(mapping.rowsOfBlock)) *
      length * shape.bytesRead;
  // Lines that are kept there have all of it: others leave first.
  bool isCached =
      inFlight < (mapping.caches ? fit::cacheKept * double(gpu.l2Bytes)
                                 : double(gpu.l2UsableBytes));
  if (mapping.caches && !isCached)
    return never;
  double transfer =
      bytes / memoryRate + again / (isCached ? cacheRate : memoryRate);
  double tile = double(elements * mapping.lanes * mapping.warps) * blocksOfRow;
  double tiles = std::max(1.0, std::ceil(length / tile));
  double instructions = shape.firstPass + shape.laterPasses +
                        (mapping.keeps ? fit::keepInstructions : 0);
  double issue = rows * tiles * tile * instructions * fit::issueSlots /
                 (double(gpu.sms * gpu.schedulersPerSm) *
                  MappingPlan::warpSize * gpu.cyclesPerUs());
  double launch = blocks * fit::launches / double(gpu.blocksPerUs);
  ListCost lists = costOfLists(shape, mapping, tiles);
  double listing = rows * double(mapping.warps * mapping.lanes) * blocksOfRow /
                   MappingPlan::warpSize * lists.cycles /
                   (double(gpu.sms * gpu.schedulersPerSm) * gpu.cyclesPerUs());
  double throughput = std::max({transfer, launch, issue});
  throughput += listing * fit::notHidden;
  if (mapping.loops)
    throughput *= mapping.keeps ? fit::keptOverhead : fit::loopOverhead;

  // The life of a block, in cycles.
  double cycles = 0;
  double latencies = mapping.keeps ? fit::keptLatencies
                     : loopsAgain  ? fit::loadLatencies * fit::secondLoop
                                   : fit::loadLatencies;
  cycles += latencies * double(gpu.memoryLatency) *
            std::pow(tiles, fit::tileExponent);
  double together =
      std::min(double(perSm), std::ceil(blocks / double(gpu.sms)));
  double warpsOfScheduler = together * double(threads) / MappingPlan::warpSize /
                            double(gpu.schedulersPerSm);
  cycles += double(elements) * tiles * instructions *
            std::max(fit::serialIssue, fit::sharedIssue * warpsOfScheduler);
  cycles += lists.latency;
  bool isLone = mapping.cluster == 1 && blocks <= double(gpu.sms);
  cycles += mergeCycles(shape, mapping, gpu, isLone);
  if (shape.bytesWritten > 0)
    cycles += fit::storeLatencies * double(gpu.memoryLatency);
  cycles += fit::spillLatencies * double(gpu.l2Latency) * spilled * tiles;
  // An SM alone is faster than its share of the memory, and has a limit.
  double smRate = fit::smReached * double(gpu.smGbps) * 1e3;
  double life =
      cycles / gpu.cyclesPerUs() + together * (bytes / blocks) / smRate;
  double waves = blocks / resident;
  waves = waves > 1 ? waves + (std::ceil(waves) - waves) * fit::partialWave : 1;
  double latency = waves * life;

  return fit::emptyKernels * double(gpu.emptyKernelNs) / 1e3 +
         std::pow(std::pow(throughput, fit::smoothness) +
                      std::pow(latency, fit::smoothness),
                  1 / fit::smoothness);
}
