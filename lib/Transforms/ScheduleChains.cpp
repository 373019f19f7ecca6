//===- ScheduleChains.cpp - A mapping for every chain ---------------------===//
//
// Row chains: several rows a block, a warp or less each; or a row to a block or
// to a cluster. Its elements stay in registers where they fit, or pass through
// in a loop. Of all these the one with the least estimate (RowCost.h) is taken.
//
//===----------------------------------------------------------------------===//

#include "cascade/Transforms/ScheduleChains.h"
#include "InnerAxes.h"
#include "InterleaveBlocks.h"
#include "RowCost.h"
#include "cascade/Analysis/GridSplit.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "cascade/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace cascade {
#define GEN_PASS_DEF_SCHEDULECHAINSPASS
#include "cascade/Transforms/Passes.h.inc"
} // namespace cascade

using namespace mlir;
using namespace cascade;

namespace {
/// Builds the digits of one axis.
class DigitList {
public:
  explicit DigitList(MLIRContext *context) : context(context) {}
  DigitList &add(Level level, int64_t size = 0) {
    if (size != 1)
      digits.push_back(DigitAttr::get(context, level, size, 0, false));
    return *this;
  }
  DigitList &add(DigitAttr digit) {
    digits.push_back(digit);
    return *this;
  }
  /// The digits of a grid whose clusters go from row to row, or of a plain one.
  DigitList &addGrid(bool isResident) {
    if (!isResident)
      return add(Level::Grid);
    add(Level::Loop);
    digits.push_back(DigitAttr::get(context, Level::Grid, 0, 0, true));
    return *this;
  }
  AxisMappingAttr get(StringRef name) {
    if (digits.empty())
      digits.push_back(DigitAttr::get(context, Level::Loop, 1, 0, false));
    return AxisMappingAttr::get(context, StringAttr::get(context, name),
                                digits);
  }

private:
  MLIRContext *context;
  SmallVector<DigitAttr> digits;
};
} // namespace

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Accesses of a thread of a block that has one row, or of a row with lists.
/// More, which a warp that has a row may do, were never faster than another
/// mapping.
static constexpr int64_t mostAccessesOfBlock = 8;

/// Adds `mapping` with loops over the row, of tiles that are smaller than it. A
/// row that is kept leaves the collectives their part of `sharedBytes` a block.
static void addLoops(const RowShape &shape, RowMapping mapping,
                     ArrayRef<int64_t> sizes, int64_t sharedBytes,
                     SmallVectorImpl<RowMapping> &out) {
  int64_t mostAccesses = shape.mostElements / shape.vector;
  int64_t threads = mapping.cluster * mapping.warps * mapping.lanes;
  mapping.loops = true;
  int64_t last = 0;
  for (int64_t size : sizes) {
    mapping.accesses = std::min(size, mostAccesses);
    if (mapping.accesses == last)
      continue;
    last = mapping.accesses;
    if (ShapedType::isDynamic(shape.length)) {
      out.push_back(mapping);
      continue;
    }
    int64_t accesses = llvm::divideCeil(shape.length, shape.vector);
    int64_t tiles = llvm::divideCeil(accesses, threads * mapping.accesses);
    int64_t kept = tiles * threads / mapping.cluster * mapping.accesses *
                   MappingPlan::accessBytes * int64_t(shape.keepable.size());
    // Every warp and, twice, every block leaves its state for the others, at
    // most 16 bytes a word or an entry of a list; the reductions of several
    // passes do so in turn.
    int64_t exchanged = (mapping.warps + 2 * mapping.cluster) *
                        (int64_t(shape.state) + shape.listed) *
                        MappingPlan::accessBytes;
    if (tiles > 1 &&
        !(mapping.keeps &&
          kept + exchanged > sharedBytes - MappingPlan::collectiveBytes))
      out.push_back(mapping);
  }
}

/// Adds `mapping` with several clusters of the grid to a row, where without
/// them multiprocessors have no work: as many as find some. What a thread then
/// has of a row it holds, or passes by as before.
static void addSplits(const RowShape &shape, RowMapping mapping,
                      const cluster::TargetConstants &gpu,
                      SmallVectorImpl<RowMapping> &out) {
  constexpr int64_t mostSplits = 64;
  if (!shape.splits || ShapedType::isDynamic(shape.length) ||
      ShapedType::isDynamic(shape.rows))
    return;
  int64_t accesses = llvm::divideCeil(shape.length, shape.vector);
  int64_t mostAccesses =
      std::min(shape.mostElements / shape.vector, mostAccessesOfBlock);
  int64_t blocks = shape.rows * mapping.cluster;
  for (mapping.split = 2;
       mapping.split <= mostSplits && blocks * mapping.split / 2 < gpu.sms;
       mapping.split *= 2) {
    int64_t threads =
        mapping.blocksOfRow() * mapping.warps * MappingPlan::warpSize;
    // Each has something to do.
    if (accesses < threads)
      return;
    int64_t each = llvm::divideCeil(accesses, threads);
    mapping.loops = each > mostAccesses;
    mapping.accesses = std::min(each, mostAccesses);
    out.push_back(mapping);
  }
}

/// The mappings of whole warps to one row that the estimate chooses from. A row
/// that is used again stays in registers where it fits, or else possibly in
/// shared memory or in the L2 cache; one that is used once may also pass by in
/// small tiles, which take fewer registers.
static void addBlocks(const RowShape &shape, const ScheduleOptions &options,
                      const cluster::TargetConstants &gpu,
                      SmallVectorImpl<RowMapping> &out) {
  int64_t accesses = llvm::divideCeil(shape.length, shape.vector);
  bool isKnown = !ShapedType::isDynamic(shape.length);
  int64_t mostAccesses = shape.mostElements / shape.vector;
  for (int64_t cluster = 1; cluster <= gpu.maxCluster; cluster *= 2) {
    // A given size need not be a power of two.
    int64_t blocks = options.cluster ? options.cluster : cluster;
    for (int64_t warps : {2, 4, 8, 16, 32}) {
      RowMapping mapping;
      mapping.cluster = blocks;
      mapping.warps = warps;
      int64_t threads = blocks * warps * MappingPlan::warpSize;
      int64_t each = isKnown ? llvm::divideCeil(accesses, threads) : 0;
      bool fits =
          isKnown && each <= std::min(mostAccesses, mostAccessesOfBlock);
      // A block of 32 warps is alone on its multiprocessor: with nothing to do
      // while its threads exchange, it is for rows that fit no other way.
      bool isLone = warps == 32 && cluster < gpu.maxCluster && !options.cluster;
      if (fits && !isLone) {
        mapping.accesses = each;
        out.push_back(mapping);
      }
      if (!fits || !shape.reuses)
        addLoops(shape, mapping, {2, 4, 8}, gpu.sharedPerBlock, out);
      addSplits(shape, mapping, gpu, out);
      if (!fits && !shape.cacheable.empty()) {
        mapping.caches = true;
        addLoops(shape, mapping, {4, 8}, gpu.sharedPerBlock, out);
        mapping.caches = false;
      }
      if (!shape.keepable.empty()) {
        mapping.keeps = true;
        addLoops(shape, mapping, {4, 8}, gpu.sharedPerBlock, out);
      }
    }
    if (options.cluster)
      break;
  }
}

/// More are more mbarriers, and no faster.
static constexpr int64_t mostStages = 16;
/// Blocks of the smallest clusters that gain from bulk loads into rows that
/// they hold in registers.
static constexpr int64_t leastStagedCluster = 4;

/// Blocks that stay and go from row to row, while bulk copies load the next
/// one. Two kinds were measured to gain. Rows of one tile in clusters of 4
/// blocks and more, two blocks a multiprocessor, which keep the inputs that are
/// the same for all rows; the stage is free when the row is in registers. And
/// rows that only the largest cluster holds, one block a multiprocessor, whose
/// tiles stay in as many stages as there is room for. Elsewhere several blocks
/// a multiprocessor, each with a row, hide as much with less to do.
static void addResident(const RowShape &shape, const ScheduleOptions &options,
                        const cluster::TargetConstants &gpu,
                        SmallVectorImpl<RowMapping> &out) {
  int64_t maxCluster = gpu.maxCluster;
  if (shape.keepable.empty())
    return;
  int64_t accesses = llvm::divideCeil(shape.length, shape.vector);
  int64_t mostAccesses =
      std::min(shape.mostElements / shape.vector, mostAccessesOfBlock);
  bool hasInvariants = !shape.invariants.empty();
  RowMapping mapping;
  auto blockAccesses = [&](int64_t cluster) {
    return llvm::divideCeil(accesses,
                            cluster * mapping.warps * MappingPlan::warpSize);
  };
  mapping.warps = 8;
  for (int64_t cluster = leastStagedCluster;
       cluster <= maxCluster && hasInvariants; cluster *= 2) {
    if (options.cluster && options.cluster != cluster)
      continue;
    mapping.cluster = cluster;
    mapping.accesses = blockAccesses(cluster);
    if (mapping.accesses > mostAccesses)
      continue;
    for (mapping.stages = 1; mapping.stages <= 2; ++mapping.stages)
      if (2 * getStagedBytes(shape, mapping) <= gpu.sharedPerBlock)
        out.push_back(mapping);
  }
  if (hasInvariants || (options.cluster && options.cluster != maxCluster))
    return;
  mapping.cluster = maxCluster;
  mapping.keeps = mapping.loops = true;
  for (int64_t warps : {16, 32}) {
    mapping.warps = warps;
    for (int64_t size : {2, 4, 8}) {
      mapping.accesses = std::min(size, mostAccesses);
      mapping.stages = 1;
      int64_t room = gpu.sharedPerBlock / getStagedBytes(shape, mapping);
      mapping.stages = std::min(mostStages, room);
      int64_t tiles =
          llvm::divideCeil(blockAccesses(maxCluster), mapping.accesses);
      // More than half of the room, or a smaller cluster would do; and a stage
      // for what comes next.
      if (2 * tiles > room && tiles < mapping.stages)
        out.push_back(mapping);
    }
  }
}

/// Several rows a block, a warp or less each. A warp with several rows puts the
/// elements of all of them into their lists at once.
static void addShortRows(const RowShape &shape,
                         const cluster::TargetConstants &gpu,
                         SmallVectorImpl<RowMapping> &out) {
  int64_t mostAccesses = shape.mostElements / shape.vector;
  if (shape.listed > 0)
    mostAccesses = std::min(mostAccesses, mostAccessesOfBlock);
  bool isKnown = !ShapedType::isDynamic(shape.length);
  int64_t accesses =
      std::max<int64_t>(1, llvm::divideCeil(shape.length, shape.vector));
  SmallVector<int64_t> lanes{MappingPlan::warpSize};
  if (isKnown)
    lanes = {
        std::min<int64_t>(MappingPlan::warpSize, llvm::PowerOf2Ceil(accesses))};
  constexpr int64_t fewestLanes = 8;
  while (shape.listed > 0 && isKnown && lanes.back() > fewestLanes)
    lanes.push_back(lanes.back() / 2);
  for (int64_t ofRow : lanes)
    for (int64_t warps : {4, 8, 16}) {
      RowMapping mapping;
      mapping.lanes = ofRow;
      if (isKnown)
        mapping.accesses = llvm::divideCeil(accesses, ofRow);
      mapping.rowsOfBlock = warps * (MappingPlan::warpSize / ofRow);
      bool fits = isKnown && mapping.accesses <= mostAccesses;
      if (fits)
        out.push_back(mapping);
      // The tiles of a loop were never faster with fewer lanes.
      if (ofRow == lanes.front() && (!fits || !shape.reuses))
        addLoops(shape, mapping, {2, 4, 8}, gpu.sharedPerBlock, out);
    }
}

/// `mapping` as an attribute.
static MappingAttr toAttribute(ChainOp chain, const RowShape &shape,
                               const RowMapping &mapping, int64_t innermost) {
  MLIRContext *context = chain.getContext();
  DigitList row(context), last(context);
  bool sharesBlock = mapping.rowsOfBlock > 1;
  row.add(Level::Grid, mapping.split).add(Level::Cluster, mapping.cluster);
  if (mapping.loops)
    row.add(Level::Loop);
  // What a warp stages of a tile is one range.
  bool isStaged = mapping.stages > 0;
  if (isStaged)
    row.add(Level::Warp, mapping.warps).add(Level::Reg, mapping.accesses);
  else
    row.add(Level::Reg, mapping.accesses).add(Level::Warp, mapping.warps);
  row.add(Level::Lane, mapping.lanes).add(Level::Vector, shape.vector);
  last.addGrid(isStaged);
  if (sharesBlock) {
    int64_t rowsOfWarp = MappingPlan::warpSize / mapping.lanes;
    last.add(Level::Warp, mapping.rowsOfBlock / rowsOfWarp)
        .add(Level::Lane, rowsOfWarp);
  }
  AxisSet lists = getListAxes(chain);
  SmallVector<AxisMappingAttr> axes;
  // Parallel axes first: lanes and warps of the row are the consecutive ones.
  for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
    if (axis != shape.rowAxis && !lists.test(axis))
      axes.push_back((int64_t(axis) == innermost
                          ? last
                          : DigitList(context).addGrid(isStaged))
                         .get(chain.getAxisName(axis)));
  axes.push_back(row.get(chain.getAxisName(shape.rowAxis)));
  SmallVector<int64_t> extents = chain.getStaticExtents();
  for (unsigned axis : lists.set_bits())
    axes.push_back(
        DigitList(context)
            .add(DigitAttr::get(context, Level::Reg, extents[axis], 0, false))
            .get(chain.getAxisName(axis)));
  SmallVector<PolicyAttr> load, keep, merge;
  auto policy = [&](unsigned input, StringRef word, int64_t amount) {
    return PolicyAttr::get(
        context, IntegerAttr::get(IntegerType::get(context, 64), input),
        StringAttr::get(context, word), amount);
  };
  if (isStaged)
    for (unsigned input : shape.keepable)
      load.push_back(policy(input, "bulk", mapping.stages));
  if (mapping.keeps)
    for (unsigned input : shape.keepable)
      keep.push_back(policy(input, "shared", 0));
  if (mapping.caches)
    for (unsigned input : shape.cacheable)
      keep.push_back(policy(input, "l2", 0));
  // A row of several tiles leaves no room for them.
  if (isStaged && !mapping.loops)
    for (unsigned input : shape.invariants)
      keep.push_back(policy(input, "shared", 0));
  if (mapping.split > 1)
    merge.push_back(getMergeByLast(chain, shape.rowAxis));
  return MappingAttr::get(context, axes, load, keep, merge, {});
}

FailureOr<cluster::TargetAttr>
cascade::getTarget(Operation *op, const ScheduleOptions &options) {
  if (auto target = cluster::TargetAttr::lookup(op))
    return target;
  op->getContext()->getOrLoadDialect<cluster::ClusterDialect>();
  if (auto target =
          cluster::TargetAttr::getPreset(op->getContext(), options.target))
    return target;
  return op->emitOpError() << "is scheduled for an unknown target '"
                           << options.target << "'; use "
                           << cluster::describeTargetPresets();
}

/// The candidates for a chain without axes inside the row, the best first.
static SmallVector<RankedMapping> rankPlainRows(ChainOp chain, unsigned rowAxis,
                                                const ScheduleOptions &options,
                                                cluster::TargetAttr target) {
  RowShape shape = describeRow(chain, rowAxis, options.vectorise);
  AxisSet lists = getListAxes(chain);
  int64_t innermost = -1;
  for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
    if (axis != rowAxis && !lists.test(axis))
      innermost = axis;
  SmallVector<RowMapping> candidates;
  if (options.reference) {
    RowMapping mapping;
    mapping.warps = 8;
    mapping.loops = true;
    candidates.push_back(mapping);
  } else {
    if (options.cluster == 0 && innermost >= 0)
      addShortRows(shape, target.getConstants(), candidates);
    addBlocks(shape, options, target.getConstants(), candidates);
    if (innermost >= 0)
      addResident(shape, options, target.getConstants(), candidates);
  }
  SmallVector<RankedMapping> ranked;
  for (const RowMapping &mapping : candidates)
    ranked.push_back({toAttribute(chain, shape, mapping, innermost),
                      estimateRow(shape, mapping, target),
                      mapping.keeps    ? Residency::Shared
                      : mapping.caches ? Residency::Cache
                      : mapping.loops  ? Residency::Streams
                                       : Residency::Registers});
  llvm::stable_sort(ranked, [](const auto &a, const auto &b) {
    return a.microseconds < b.microseconds;
  });
  // Those that do not fit are no candidates, unless none does.
  size_t fitting = llvm::count_if(ranked, [](const RankedMapping &mapping) {
    return std::isfinite(mapping.microseconds);
  });
  ranked.truncate(std::max<size_t>(fitting, 1));
  return ranked;
}

FailureOr<SmallVector<RankedMapping>>
cascade::rankRowMappings(ChainOp chain, const ScheduleOptions &options) {
  if (options.cluster < 0 || options.cluster > 16)
    return chain.emitOpError()
           << "cannot run in clusters of " << options.cluster
           << " blocks; a cluster has 1 to 16";
  FailureOr<unsigned> rowAxis = getRowAxis(chain);
  if (failed(rowAxis))
    return failure();
  FailureOr<cluster::TargetAttr> target = getTarget(chain, options);
  if (failed(target))
    return failure();
  FailureOr<SmallVector<RankedMapping>> ranked =
      hasInnerAxes(chain, *rowAxis)
          ? rankInnerMappings(chain, *rowAxis, options, target->getConstants())
          : rankPlainRows(chain, *rowAxis, options, *target);
  if (failed(ranked))
    return failure();
  interleaveBlocks(chain, *rowAxis, *ranked);
  if (!options.reference)
    remarkLoops(chain, *rowAxis, ranked->front().mapping);
  return ranked;
}

FailureOr<MappingAttr>
cascade::scheduleRowChain(ChainOp chain, const ScheduleOptions &options) {
  FailureOr<SmallVector<RankedMapping>> ranked =
      rankRowMappings(chain, options);
  if (failed(ranked))
    return failure();
  return ranked->front().mapping;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

bool cascade::needsAlignment(ChainOp chain) {
  for (AxisMappingAttr axis : chain.getMapping()->getAxes())
    for (DigitAttr digit : axis.getDigits())
      if (digit.getLevel() == Level::Vector && digit.getSize() > 1)
        return true;
  return false;
}

MappingAttr cascade::withoutVectors(ChainOp chain) {
  MappingAttr mapping = *chain.getMapping();
  MLIRContext *context = mapping.getContext();
  FailureOr<unsigned> rowAxis = getRowAxis(chain);
  SmallVector<AxisMappingAttr> axes;
  for (AxisMappingAttr axis : mapping.getAxes()) {
    bool isVector = llvm::any_of(axis.getDigits(), [](DigitAttr digit) {
      return digit.getLevel() == Level::Vector;
    });
    DigitList digits(context);
    auto copy = [&](ArrayRef<Level> levels) {
      for (DigitAttr digit : axis.getDigits())
        if (llvm::is_contained(levels, digit.getLevel()))
          digits.add(digit);
    };
    StringRef name = axis.getName().getValue();
    if (!isVector) {
      axes.push_back(axis);
    } else if (succeeded(rowAxis) &&
               chain.getAxisNumber(name) == int64_t(*rowAxis)) {
      // The threads stay where they are and loop over single elements.
      bool loops = false;
      for (DigitAttr digit : axis.getDigits()) {
        if (!isOutsideBlock(digit.getLevel()))
          continue;
        if (digit.getLevel() == Level::Loop)
          digits.add(Level::Loop);
        else
          digits.add(digit);
        loops |= digit.getLevel() == Level::Loop;
      }
      if (!loops)
        digits.add(Level::Loop);
      digits.add(Level::Reg, 4);
      copy({Level::Warp, Level::Lane});
      axes.push_back(digits.get(name));
    } else {
      // The same elements, one by one.
      for (DigitAttr digit : axis.getDigits())
        if (digit.getLevel() == Level::Vector)
          digits.add(Level::Reg, digit.getSize());
        else
          digits.add(digit);
      axes.push_back(digits.get(name));
    }
  }
  // What is kept on chip, or copied there in bulk, takes whole accesses.
  return MappingAttr::get(context, axes, /*load=*/{}, /*keep=*/{},
                          mapping.getMerge(), mapping.getContract());
}

LogicalResult cascade::scheduleFunction(func::FuncOp function,
                                        const ScheduleOptions &options,
                                        MappingAttr given) {
  LogicalResult status = success();
  bool aligned = false;
  function.walk([&](ChainOp chain) {
    if (failed(status))
      return;
    if (!chain.getMapping()) {
      FailureOr<MappingAttr> mapping = given ? FailureOr<MappingAttr>(given)
                                             : scheduleRowChain(chain, options);
      if (failed(mapping)) {
        status = failure();
        return;
      }
      chain.setMappingAttr(*mapping);
    }
    status = MappingPlan::get(chain);
    if (succeeded(status))
      aligned |= needsAlignment(chain);
  });
  if (failed(status) || !aligned || function->hasAttr(fallbackAttrName))
    return status;
  OpBuilder b(function);
  b.setInsertionPointAfter(function);
  auto fallback = cast<func::FuncOp>(b.clone(*function));
  fallback.setName((function.getName() + "_unaligned").str());
  fallback->setAttr(fallbackOfAttrName,
                    FlatSymbolRefAttr::get(function.getNameAttr()));
  function->setAttr(fallbackAttrName,
                    FlatSymbolRefAttr::get(fallback.getNameAttr()));
  fallback.walk(
      [](ChainOp chain) { chain.setMappingAttr(withoutVectors(chain)); });
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ScheduleChains : cascade::impl::ScheduleChainsPassBase<ScheduleChains> {
  using ScheduleChainsPassBase::ScheduleChainsPassBase;

  void runOnOperation() override {
    MappingAttr given;
    if (!mapping.empty()) {
      given =
          dyn_cast_or_null<MappingAttr>(parseAttribute(mapping, &getContext()));
      if (!given) {
        getOperation()->emitError()
            << "'" << mapping << "' is not a #cascade.mapping<...> attribute";
        return signalPassFailure();
      }
    }
    ScheduleOptions options;
    options.cluster = cluster;
    options.target = target;
    SmallVector<func::FuncOp> functions;
    getOperation()->walk(
        [&](func::FuncOp function) { functions.push_back(function); });
    for (func::FuncOp function : functions)
      if (failed(scheduleFunction(function, options, given)))
        return signalPassFailure();
  }
};
} // namespace
