//===- ScheduleChains.cpp - A mapping for every chain ---------------------===//
//
// Row chains: short rows share a block, a warp or less each. Rows whose
// elements are used once stream through as few warps as fill the machine; rows
// whose elements are used again stay in the registers of a block where they
// fit. Too few rows to fill the machine get a cluster each. The numbers come
// from docs/Performance.md.
//
//===----------------------------------------------------------------------===//

#include "cascade/Transforms/ScheduleChains.h"
#include "cascade/Analysis/MappingPlan.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "cascade/Transforms/Passes.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/Support/MathExtras.h"

namespace cascade {
#define GEN_PASS_DEF_SCHEDULECHAINSPASS
#include "cascade/Transforms/Passes.h.inc"
} // namespace cascade

using namespace mlir;
using namespace cascade;

namespace {
/// Bytes of one access.
constexpr int64_t accessBytes = 16;
/// Accesses of a thread that are in flight at once.
constexpr int64_t accessesInFlight = 4;
/// Warps of a block whose rows take a warp or less.
constexpr int64_t shortRowWarps = 8;
/// Bytes of the elements of a row that a thread keeps in registers, as f32 or
/// wider.
constexpr int64_t residentBytes = 256;
/// Entries of lists that are compared with the elements of a tile of a thread,
/// which bounds the code of a topk.
constexpr int64_t comparisonsOfTile = 128;
/// Warps that fill an H200: about 32 on each of its 132 multiprocessors.
constexpr int64_t warpsOfMachine = 4096;

/// What the schedule depends on.
struct RowShape {
  unsigned rowAxis;
  int64_t length;           ///< static extent or kDynamic
  int64_t rows;             ///< product of the parallel extents or kDynamic
  int64_t vector;           ///< elements of one access
  bool reuses;              ///< whether elements are used after the first pass
  int64_t residentElements; ///< that a thread can keep in registers
  int64_t inFlight;         ///< accesses of a thread that are in flight at once
};

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

/// The widest access that every unit-stride buffer of the row axis allows.
static int64_t vectorWidth(ChainOp chain, unsigned rowAxis, int64_t length) {
  AffineExpr rowExpr = getAffineDimExpr(rowAxis, chain.getContext());
  int64_t widest = 1;
  bool any = false;
  auto note = [&](Type type, AffineMap map) {
    if (!isa<RankedTensorType>(type) || map.getNumResults() == 0 ||
        map.getResults().back() != rowExpr)
      return;
    Type element = getElementTypeOrSelf(type);
    int64_t bytes =
        element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
    int64_t width = accessBytes / bytes;
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

/// The number of elements of the lists that an element of the row may enter.
static int64_t listedEntries(ChainOp chain) {
  int64_t entries = 0;
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>())
    if (reduce.getInto())
      entries += reduce.getNumEntries();
  return entries;
}

static RowShape describe(ChainOp chain, unsigned rowAxis, bool vectorise) {
  SmallVector<int64_t> extents = chain.getStaticExtents();
  AxisSet lists = getListAxes(chain);
  RowShape shape{rowAxis, extents[rowAxis], 1, 1, false, 0, accessesInFlight};
  for (auto [axis, extent] : llvm::enumerate(extents)) {
    if (axis == rowAxis || lists.test(axis) ||
        ShapedType::isDynamic(shape.rows))
      continue;
    shape.rows = ShapedType::isDynamic(extent) ? extent : shape.rows * extent;
  }
  if (vectorise)
    shape.vector = vectorWidth(chain, rowAxis, shape.length);
  shape.reuses = usesElementsAgain(chain, rowAxis);
  // Elements are held in the type that they are computed in.
  int64_t widest = 4;
  for (Value input : chain.getInputs())
    if (getElementTypeOrSelf(input.getType()).isF64())
      widest = 8;
  shape.residentElements = residentBytes / widest;
  if (int64_t entries = listedEntries(chain)) {
    shape.residentElements =
        std::clamp(comparisonsOfTile / entries, shape.vector,
                   std::max(shape.residentElements, shape.vector));
    shape.inFlight = std::clamp<int64_t>(shape.residentElements / shape.vector,
                                         1, accessesInFlight);
  }
  return shape;
}

/// Several rows a block, a warp or less each: `lanes` lanes with `regs`
/// accesses in registers, looped over the row where `loops`. Fills `last`, the
/// digits of the innermost parallel axis, too.
static void mapRowsOfBlock(int64_t lanes, int64_t regs, bool loops,
                           int64_t warps, DigitList &row, DigitList &last) {
  if (loops)
    row.add(Level::Loop);
  row.add(Level::Reg, regs).add(Level::Lane, lanes);
  last.add(Level::Grid)
      .add(Level::Warp, warps)
      .add(Level::Lane, MappingPlan::warpSize / lanes);
}

/// A row of at most a warp's elements in registers.
static void mapShortRow(const RowShape &shape, DigitList &row,
                        DigitList &last) {
  int64_t accesses =
      std::max<int64_t>(1, llvm::divideCeil(shape.length, shape.vector));
  int64_t lanes =
      std::min<int64_t>(MappingPlan::warpSize, llvm::PowerOf2Ceil(accesses));
  mapRowsOfBlock(lanes, llvm::divideCeil(accesses, lanes), /*loops=*/false,
                 shortRowWarps, row, last);
}

/// Warps that a row gets so that all rows together fill the machine.
static int64_t warpsWanted(const RowShape &shape) {
  if (ShapedType::isDynamic(shape.rows))
    return 1;
  return llvm::PowerOf2Ceil(
      llvm::divideCeil(warpsOfMachine, std::max<int64_t>(1, shape.rows)));
}

/// A row whose elements are used once goes through a loop. The merge of states
/// costs a warp as much as some 40 elements a lane, so rows get as few warps as
/// fill the machine.
static void mapStreamedRow(const RowShape &shape, int64_t cluster,
                           DigitList &row, DigitList &last) {
  constexpr int64_t warpsOfBlock = 8;
  int64_t wanted = warpsWanted(shape);
  if (ShapedType::isDynamic(shape.length) || ShapedType::isDynamic(shape.rows))
    wanted = warpsOfBlock;
  if (cluster == 0 && wanted == 1) {
    mapRowsOfBlock(MappingPlan::warpSize, shape.inFlight, /*loops=*/true,
                   /*warps=*/4, row, last);
    return;
  }
  if (cluster == 0)
    cluster = std::clamp<int64_t>(wanted / warpsOfBlock, 1,
                                  MappingPlan::maxPortableCluster);
  row.add(Level::Cluster, cluster)
      .add(Level::Loop)
      .add(Level::Reg, shape.inFlight)
      .add(Level::Warp, std::clamp<int64_t>(wanted / cluster, 2, warpsOfBlock))
      .add(Level::Lane, MappingPlan::warpSize);
  last.add(Level::Grid);
}

/// A row whose elements are used again stays in the registers of one block
/// where it fits; a longer one is read again, from L2.
static void mapReusedRow(const RowShape &shape, int64_t cluster, DigitList &row,
                         DigitList &last) {
  constexpr int64_t fewestWarps = 4, mostResidentWarps = 8, loopWarps = 16;
  last.add(Level::Grid);
  if (!ShapedType::isDynamic(shape.length)) {
    int64_t perBlock =
        llvm::divideCeil(shape.length, std::max<int64_t>(1, cluster));
    int64_t warps = std::clamp<int64_t>(
        llvm::PowerOf2Ceil(llvm::divideCeil(
            perBlock, MappingPlan::warpSize * (shape.residentElements / 2))),
        fewestWarps, mostResidentWarps);
    int64_t regs = llvm::divideCeil(perBlock, warps * MappingPlan::warpSize *
                                                  shape.vector);
    if (regs * shape.vector <= shape.residentElements) {
      row.add(Level::Cluster, std::max<int64_t>(1, cluster))
          .add(Level::Reg, regs)
          .add(Level::Warp, warps)
          .add(Level::Lane, MappingPlan::warpSize);
      return;
    }
  }
  bool dynamic =
      ShapedType::isDynamic(shape.length) || ShapedType::isDynamic(shape.rows);
  if (cluster == 0)
    cluster = std::clamp<int64_t>(warpsWanted(shape) / (loopWarps / 2), 1,
                                  MappingPlan::maxPortableCluster);
  row.add(Level::Cluster, cluster)
      .add(Level::Loop)
      .add(Level::Reg, shape.inFlight)
      .add(Level::Warp, dynamic ? loopWarps / 2 : loopWarps)
      .add(Level::Lane, MappingPlan::warpSize);
}

FailureOr<MappingAttr>
cascade::scheduleRowChain(ChainOp chain, const ScheduleOptions &options) {
  if (options.cluster < 0 || options.cluster > 16)
    return chain.emitOpError()
           << "cannot run in clusters of " << options.cluster
           << " blocks; a cluster has 1 to 16";
  FailureOr<unsigned> rowAxis = getRowAxis(chain);
  if (failed(rowAxis))
    return failure();
  RowShape shape = describe(chain, *rowAxis, options.vectorise);
  MLIRContext *context = chain.getContext();
  DigitList row(context), last(context);
  int64_t accesses = ShapedType::isDynamic(shape.length)
                         ? ShapedType::kDynamic
                         : llvm::divideCeil(shape.length, shape.vector);
  AxisSet lists = getListAxes(chain);
  int64_t innermost = -1;
  for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
    if (axis != *rowAxis && !lists.test(axis))
      innermost = axis;
  bool isShort = !options.reference && options.cluster == 0 &&
                 !ShapedType::isDynamic(shape.length) &&
                 accesses <= MappingPlan::warpSize * shape.inFlight &&
                 innermost >= 0;
  if (options.reference) {
    row.add(Level::Loop).add(Level::Warp, 8).add(Level::Lane, 32);
    last.add(Level::Grid);
  } else if (isShort) {
    mapShortRow(shape, row, last);
  } else if (shape.reuses) {
    mapReusedRow(shape, options.cluster, row, last);
  } else {
    mapStreamedRow(shape, options.cluster, row, last);
  }
  row.add(Level::Vector, shape.vector);

  SmallVector<AxisMappingAttr> axes;
  // Parallel axes first: lanes and warps of the row are the consecutive ones.
  for (unsigned axis = 0; axis < chain.getNumAxes(); ++axis)
    if (axis != *rowAxis && !lists.test(axis))
      axes.push_back((int64_t(axis) == innermost
                          ? last
                          : DigitList(context).add(Level::Grid))
                         .get(chain.getAxisName(axis)));
  axes.push_back(row.get(chain.getAxisName(*rowAxis)));
  SmallVector<int64_t> extents = chain.getStaticExtents();
  for (unsigned axis : lists.set_bits())
    axes.push_back(
        DigitList(context)
            .add(DigitAttr::get(context, Level::Reg, extents[axis], 0, false))
            .get(chain.getAxisName(axis)));
  return MappingAttr::get(context, axes, {}, {}, {});
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

MappingAttr cascade::withoutVectors(MappingAttr mapping) {
  MLIRContext *context = mapping.getContext();
  SmallVector<AxisMappingAttr> axes;
  for (AxisMappingAttr axis : mapping.getAxes()) {
    bool isVector = llvm::any_of(axis.getDigits(), [](DigitAttr digit) {
      return digit.getLevel() == Level::Vector;
    });
    if (!isVector) {
      axes.push_back(axis);
      continue;
    }
    // The threads stay where they are and loop over single elements.
    DigitList digits(context);
    auto copy = [&](ArrayRef<Level> levels) {
      for (DigitAttr digit : axis.getDigits())
        if (llvm::is_contained(levels, digit.getLevel()))
          digits.add(digit);
    };
    copy({Level::Cluster});
    digits.add(Level::Loop).add(Level::Reg, accessesInFlight);
    copy({Level::Warp, Level::Lane});
    axes.push_back(digits.get(axis.getName().getValue()));
  }
  return MappingAttr::get(context, axes, mapping.getLoad(), mapping.getKeep(),
                          mapping.getMerge());
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
  fallback.walk([](ChainOp chain) {
    chain.setMappingAttr(withoutVectors(*chain.getMapping()));
  });
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
    SmallVector<func::FuncOp> functions;
    getOperation()->walk(
        [&](func::FuncOp function) { functions.push_back(function); });
    for (func::FuncOp function : functions)
      if (failed(scheduleFunction(function, {cluster}, given)))
        return signalPassFailure();
  }
};
} // namespace
