//===- InnerAxes.cpp - Mappings of chains with inner axes -----------------===//
//
// Two times bound a kernel, as in RowCost.cpp: that of the memory and of the
// instructions of all blocks, and the life of one block times the waves of
// blocks. The constants are estimates for an H200, which no fit has confirmed.
//
//===----------------------------------------------------------------------===//

#include "InnerAxes.h"
#include "cascade/Analysis/Contraction.h"
#include "cascade/Analysis/GridSplit.h"
#include "cascade/Analysis/MappingPlan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace cascade;

namespace {

/// Elements of one value, or states of one reduction, that a thread may hold.
constexpr int64_t mostHeld = 64;
/// Bytes of shared memory that the merge of states uses in the fused form; that
/// of the replay uses as many, and two blocks should fit.
constexpr double mostExchanged = 48 * 1024;
/// The same where the tensor cores sum: of all states there is one copy a warp,
/// and registers leave few blocks anyway. The kernels take at most 1.5 times as
/// many bytes, of the fused form and the replay.
constexpr double mostContracted = 140 * 1024, sharedOfExchanged = 1.5;
/// Rows of a thread that share what they load.
constexpr int64_t mostShared = 8;
/// The same where the tensor cores have them as columns.
constexpr int64_t mostColumns = 16;
/// Issue slots that one of their instructions takes the time of.
constexpr double slotsOfMma = 4;
/// Extents that are known only at run time, where a choice needs one.
constexpr double commonExtent = 4096, commonRows = 64, commonInner = 32;

// Of the machine's rates and latencies, as in RowCost.cpp.
constexpr double emptyKernels = 1.0855; ///< any kernel takes
constexpr double loadLatencies = 2.668; ///< of memory: a tile's loads
constexpr double launches = 4.8;        ///< a block takes, of empty blocks
constexpr double warpMerges = 4.386;    ///< of a pair of words, without states
constexpr double blockMerges = 2.711;   ///< likewise
constexpr double gridMerges = 18; ///< of a pair of words, from each cluster
/// Of a multiprocessor's issue slots, at best.
constexpr double usableIssue = 0.7;
/// Registers besides the elements that a thread holds.
constexpr double baseRegisters = 32;
constexpr double smoothness = 3;

/// Digits of one inner axis, outermost first: grid or loop, reg, lane, vector.
struct InnerDigits {
  bool grid = false, loop = false;
  int64_t reg = 1, lanes = 1, stride = 1, vector = 1;
  int64_t held() const { return reg * vector; }
};

/// A parallel axis whose neighbours read the same elements of the row.
struct SharingAxis {
  unsigned axis;
  int64_t most; ///< positions that do so, of one thread
};

/// What the estimate and the candidates know of a chain.
class Shape {
public:
  /// Vectors of an inner axis take at most `mostLanes` lanes.
  Shape(ChainOp chain, unsigned rowAxis, bool vectorise, int64_t mostLanes)
      : chain(chain), rowAxis(rowAxis), vectorise(vectorise),
        mostLanes(mostLanes), extents(chain.getStaticExtents()),
        axes(chain, chain.getBody()), lists(getListAxes(chain)) {}

  /// Fails where an inner axis has no place; with a diagnostic if `isRequired`.
  LogicalResult placeInnerAxes(bool isRequired);
  /// Places the axes as the tensor cores take sums of products, all those of
  /// the chain; fails where they cannot, in `misfit` what is in the way where
  /// it is an extent.
  LogicalResult placeContractions();
  std::string misfit;
  /// The axis along which elements of `map` are neighbours, or -1.
  static int64_t unitAxis(AffineMap map);
  bool isInner(unsigned axis) const { return inner.contains(axis); }

  ChainOp chain;
  unsigned rowAxis;
  bool vectorise;
  int64_t mostLanes;
  SmallVector<int64_t> extents;
  AxisAnalysis axes;
  AxisSet lists;
  llvm::DenseMap<unsigned, InnerDigits> inner;
  int64_t rowLanes = 1;  ///< that the inner axes leave
  int64_t rowStride = 1; ///< of these lanes
  int64_t rowVector = 1;
  /// In the order in which a thread takes rows of them.
  SmallVector<SharingAxis> sharing;
  /// What the tensor cores compute.
  SmallVector<Contraction> contracted;
  /// Whether `op` is a reduction or a product of these.
  bool isContracted(Operation *op) const;
  /// Axes that elements are neighbours along or that are summed over.
  SmallVector<unsigned> innerAxes();
  /// Whether all that becomes of values over `axis` is reduced over it inside
  /// the row, so that a tile of it is enough at a time.
  bool canLoop(unsigned axis);
  LogicalResult refuseToHold(unsigned axis);
  LogicalResult checkEmpty(unsigned axis, bool isReduced);
  /// Axes that are looped over.
  AxisSet looped() const;

private:
  int64_t vectorOf(unsigned axis);
  bool meet(unsigned a, unsigned b);
  AxisSet reducedAxes();
  double elementsAtRow(unsigned input);
  bool isRowInMemoryOrder();
  void findSharing(int64_t mostRows);
};

/// The choices that are left; `group` rows of a thread share what they load.
struct Choice {
  int64_t split, cluster, warps, reg, group;
  bool ahead; ///< whether the loads of a tile are made during the one before

  /// Blocks that share a row: of `split` clusters of the grid.
  int64_t blocksOfRow() const { return split * cluster; }
};

} // namespace

static int64_t bytesOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
}

int64_t Shape::unitAxis(AffineMap map) {
  if (map.getNumResults() == 0)
    return -1;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  return last && isUnitStride(map, last.getPosition()) ? last.getPosition()
                                                       : -1;
}

AxisSet Shape::reducedAxes() {
  AxisSet reduced(extents.size());
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>())
    reduced |= axes.reducedBy(reduce);
  return reduced;
}

/// Whether some value varies over both axes.
bool Shape::meet(unsigned a, unsigned b) {
  auto both = [&](const AxisSet &set) { return set.test(a) && set.test(b); };
  for (AffineMap map : chain.getOutputMaps().getAsValueRange<AffineMapAttr>())
    if (map.isFunctionOfDim(a) && map.isFunctionOfDim(b))
      return true;
  for (BlockArgument argument : chain.getBodyBlock()->getArguments())
    if (both(axes.of(argument)))
      return true;
  for (Operation &op : chain.getBodyBlock()->without_terminator()) {
    AxisSet varies(extents.size());
    for (Value operand : op.getOperands())
      varies |= axes.of(operand);
    if (both(varies))
      return true;
  }
  return false;
}

/// The elements of `axis` that one access takes.
int64_t Shape::vectorOf(unsigned axis) {
  if (!vectorise)
    return 1;
  int64_t width = MappingPlan::accessBytes;
  bool any = false;
  auto note = [&](Type type, AffineMap map) {
    if (unitAxis(map) != int64_t(axis) || !isa<RankedTensorType>(type))
      return;
    width = std::min(width, MappingPlan::accessBytes / bytesOf(type));
    any = true;
  };
  for (unsigned i = 0; i < chain.getInputs().size(); ++i)
    note(chain.getInputs()[i].getType(), chain.getInputMap(i));
  for (unsigned i = 0; i < chain.getNumResults(); ++i)
    note(chain.getResult(i).getType(), chain.getOutputMap(i));
  if (!any)
    return 1;
  while (width > 1 && !ShapedType::isDynamic(extents[axis]) &&
         extents[axis] % width != 0)
    width /= 2;
  return width;
}

/// The elements of an input at one position of the row and of the axes outside.
double Shape::elementsAtRow(unsigned input) {
  AffineMap map = chain.getInputMap(input);
  if (!map.isFunctionOfDim(rowAxis))
    return 0;
  double elements = 1;
  for (unsigned axis = 0; axis < extents.size(); ++axis)
    if (map.isFunctionOfDim(axis) && isInner(axis))
      elements *= ShapedType::isDynamic(extents[axis]) ? commonInner
                                                       : double(extents[axis]);
  return elements;
}

/// Whether neighbours in memory are neighbours on the row in the inputs that
/// have the most elements of it.
bool Shape::isRowInMemoryOrder() {
  double ofRow = 0, ofOthers = 0;
  for (unsigned input = 0; input < chain.getInputs().size(); ++input) {
    bool isRow = unitAxis(chain.getInputMap(input)) == int64_t(rowAxis);
    double &most = isRow ? ofRow : ofOthers;
    most = std::max(most, elementsAtRow(input));
  }
  return ofRow > 0 && ofRow >= ofOthers;
}

/// Finds the parallel axes whose neighbours read the same elements of the
/// input with the most of them: its map does not name such an axis, or divides
/// it by a number. The last axes come first: their results are the closest.
void Shape::findSharing(int64_t mostRows) {
  int64_t largest = -1;
  for (unsigned input = 0; input < chain.getInputs().size(); ++input)
    if (elementsAtRow(input) > (largest < 0 ? 0 : elementsAtRow(largest)))
      largest = input;
  if (largest < 0)
    return;
  AffineMap map = chain.getInputMap(largest);
  // How many neighbours on `axis` have the same index everywhere.
  auto runOf = [&](unsigned axis) -> int64_t {
    int64_t run = ShapedType::isDynamic(extents[axis])
                      ? 1
                      : std::max<int64_t>(1, extents[axis]);
    for (AffineExpr expr : map.getResults()) {
      if (!expr.isFunctionOfDim(axis))
        continue;
      auto divided = dyn_cast<AffineBinaryOpExpr>(expr);
      auto divisor = divided ? dyn_cast<AffineConstantExpr>(divided.getRHS())
                             : AffineConstantExpr();
      if (!divisor || divided.getKind() != AffineExprKind::FloorDiv ||
          divided.getLHS() != getAffineDimExpr(axis, map.getContext()))
        return 1;
      run = divisor.getValue();
    }
    return run;
  };
  for (unsigned axis = extents.size(); axis-- > 0;) {
    if (isInner(axis) || axis == rowAxis || lists.test(axis))
      continue;
    int64_t run = runOf(axis), most = 1;
    for (int64_t size = 1; size <= mostRows; ++size)
      if (run % size == 0)
        most = size;
    if (most > 1)
      sharing.push_back({axis, most});
  }
}

bool Shape::canLoop(unsigned axis) {
  for (AffineMap map : chain.getOutputMaps().getAsValueRange<AffineMapAttr>())
    if (map.isFunctionOfDim(axis))
      return false;
  return llvm::none_of(
      chain.getBodyBlock()->getOps<ReduceOp>(), [&](ReduceOp reduce) {
        return axes.reducedBy(reduce).test(rowAxis) &&
               llvm::any_of(reduce->getOperands(), [&](Value operand) {
                 return axes.of(operand).test(axis);
               });
      });
}

/// An axis without iterations leaves no threads, or none of its elements, to
/// the results that do not vary over it, or do.
LogicalResult Shape::checkEmpty(unsigned axis, bool isReduced) {
  if (isReduced && canLoop(axis))
    return success();
  if (!isReduced &&
      llvm::all_of(chain.getOutputMaps().getAsValueRange<AffineMapAttr>(),
                   [&](AffineMap map) { return map.isFunctionOfDim(axis); }))
    return success();
  return chain.emitOpError()
         << "has no iterations of axis '" << chain.getAxisName(axis)
         << "', but results that do not depend on them only; leave the axis "
            "out of the chain";
}

LogicalResult Shape::refuseToHold(unsigned axis) {
  StringRef name = chain.getAxisName(axis), row = chain.getAxisName(rowAxis);
  if (ShapedType::isDynamic(extents[axis]))
    return chain.emitOpError()
           << "reduces axis '" << name << "' inside axis '" << row
           << "', but its extent is known only at run time; a kernel holds "
              "inner axes whole: give it a static extent";
  bool isInResult =
      llvm::any_of(chain.getOutputMaps().getAsValueRange<AffineMapAttr>(),
                   [&](AffineMap map) { return map.isFunctionOfDim(axis); });
  return chain.emitOpError()
         << "reduces " << extents[axis] << " iterations of axis '" << name
         << "' inside axis '" << row
         << "', more than the registers of a warp hold; "
         << (isInResult ? "give the sum an axis of its own, which no result has"
                        : "put the two reductions into two chains");
}

AxisSet Shape::looped() const {
  AxisSet result(extents.size());
  for (auto &[axis, digits] : inner)
    if (digits.loop)
      result.set(axis);
  return result;
}

/// Of `group` rows, how many are along each axis of `shape.sharing`; none where
/// they cannot be so many.
static std::optional<SmallVector<int64_t>> shareOut(const Shape &shape,
                                                    int64_t group) {
  SmallVector<int64_t> sizes;
  for (const SharingAxis &sharing : shape.sharing) {
    sizes.push_back(std::gcd(group, sharing.most));
    group /= sizes.back();
  }
  return group == 1 ? std::optional(sizes) : std::nullopt;
}

namespace {
/// Digits of an axis that rows share loads along: reg, lane, reg.
struct SharedDigits {
  int64_t reg = 1, lanes = 1, stride = 1, pair = 1;
  int64_t held() const { return reg * pair; }
};
} // namespace

/// Of `group` rows, the digits along each axis of `shape.sharing`. Columns of
/// the tensor cores are two of a thread, at four lanes; of the rest a thread
/// has all.
static std::optional<SmallVector<SharedDigits>> digitsOf(const Shape &shape,
                                                         int64_t group) {
  std::optional<SmallVector<int64_t>> sizes = shareOut(shape, group);
  if (!sizes)
    return std::nullopt;
  SmallVector<SharedDigits> digits;
  int64_t stride = 1;
  bool hasPair = shape.contracted.empty();
  for (int64_t size : *sizes) {
    SharedDigits &its = digits.emplace_back();
    if (!shape.contracted.empty()) {
      if (!hasPair && size % 2 == 0) {
        its.pair = 2;
        size /= 2;
        hasPair = true;
      }
      its.lanes = std::gcd(size, 4 / stride);
      its.stride = stride;
      stride *= its.lanes;
      size /= its.lanes;
    }
    its.reg = size;
  }
  return hasPair ? std::optional(digits) : std::nullopt;
}

SmallVector<unsigned> Shape::innerAxes() {
  AxisSet reduced = reducedAxes();
  SmallVector<unsigned> order;
  for (unsigned axis = 0; axis < extents.size(); ++axis) {
    if (axis == rowAxis || lists.test(axis))
      continue;
    bool isUnit = llvm::any_of(
        chain.getInputMaps().getAsValueRange<AffineMapAttr>(),
        [&](AffineMap map) {
          return map.isFunctionOfDim(rowAxis) && unitAxis(map) == int64_t(axis);
        });
    if (reduced.test(axis) || isUnit)
      order.push_back(axis);
  }
  return order;
}

LogicalResult Shape::placeInnerAxes(bool isRequired) {
  AxisSet reduced = reducedAxes();
  SmallVector<unsigned> order = innerAxes();
  for (unsigned axis : order)
    inner[axis];
  bool rowIsUnit = isRowInMemoryOrder();
  inner.clear();
  rowVector = rowIsUnit ? vectorOf(rowAxis) : 1;
  int64_t taken = 1;
  for (unsigned axis : order) {
    InnerDigits digits;
    if (extents[axis] == 0) {
      // Nothing of it is loaded, whatever the mapping says of the others.
      digits.loop = reduced.test(axis);
      digits.grid = !digits.loop;
      if (failed(checkEmpty(axis, digits.loop)))
        return failure();
      inner[axis] = digits;
      continue;
    }
    digits.vector = vectorOf(axis);
    bool isDynamic = ShapedType::isDynamic(extents[axis]);
    for (auto &[other, its] : inner)
      if (meet(axis, other))
        digits.stride = std::max(digits.stride, its.stride * its.lanes);
    // Where the row itself is contiguous, it needs the lanes.
    bool wantsLanes =
        !(rowIsUnit && meet(axis, rowAxis) && !reduced.test(axis)) ||
        digits.vector > 1;
    int64_t accesses = isDynamic
                           ? MappingPlan::warpSize
                           : llvm::divideCeil(extents[axis], digits.vector);
    int64_t room = rowIsUnit ? 1 : MappingPlan::warpSize / digits.stride;
    if (digits.vector > 1)
      room = std::min(room, mostLanes);
    if (wantsLanes)
      digits.lanes =
          std::min<int64_t>(std::max<int64_t>(1, room),
                            llvm::PowerOf2Ceil(std::max<int64_t>(1, accesses)));
    digits.reg = isDynamic ? 1 : llvm::divideCeil(accesses, digits.lanes);
    if (!reduced.test(axis)) {
      // Columns beyond what a thread holds go to other blocks.
      int64_t most = std::max<int64_t>(1, mostHeld / 4 / digits.vector);
      digits.grid = isDynamic || digits.reg > most;
      digits.reg = std::min(digits.reg, most);
    } else if (isDynamic || digits.held() > mostHeld) {
      if (!isRequired)
        return failure();
      if (!canLoop(axis))
        return refuseToHold(axis);
      digits.loop = true;
      digits.reg = std::max<int64_t>(1, mostHeld / 4 / digits.vector);
    }
    taken = std::max(taken, digits.stride * digits.lanes);
    inner[axis] = digits;
  }
  rowStride = taken;
  rowLanes = MappingPlan::warpSize / taken;
  findSharing(mostShared);
  return success();
}

bool Shape::isContracted(Operation *op) const {
  return llvm::any_of(contracted, [&](const Contraction &its) {
    return its.reduce == op || its.product == op;
  });
}

LogicalResult Shape::placeContractions() {
  AxisSet order(extents.size());
  for (unsigned axis : innerAxes()) {
    order.set(axis);
    inner[axis];
  }
  if (isRowInMemoryOrder())
    return failure();
  inner.clear();
  constexpr int64_t ofDepth = 4, ofRows = 8;
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>()) {
    AxisSet varies = axes.reducedBy(reduce);
    bool isInside = !varies.test(rowAxis);
    varies |= axes.of(reduce.getResult(0));
    SmallVector<Contraction> sums = matchContractions(reduce, axes, rowAxis);
    if (sums.empty()) {
      if (varies.anyCommon(order))
        return failure();
      continue;
    }
    // What is summed over, or what results vary over.
    AxisSet placed =
        isInside ? axes.reducedBy(reduce) : axes.of(sums.front().a);
    placed &= order;
    if (placed.count() != 1)
      return failure();
    unsigned axis = placed.find_first();
    int64_t extent = extents[axis], lanes = isInside ? ofDepth : ofRows;
    if (extent == 0)
      return failure();
    auto isMisfit = [&](StringRef needed) {
      findSharing(mostColumns);
      misfit = ("axis '" + chain.getAxisName(axis) + "' " + needed).str();
      return failure();
    };
    if (ShapedType::isDynamic(extent))
      return isMisfit("has an extent that is known only at run time");
    InnerDigits digits;
    digits.lanes = lanes;
    digits.stride = isInside ? 1 : ofDepth;
    digits.vector = vectorOf(axis);
    if (isInside) {
      if (extent % (ofDepth * ofDepth) != 0)
        return isMisfit("is no multiple of 16 long");
      while (extent % (lanes * digits.vector) != 0)
        digits.vector /= 2;
    }
    digits.reg = llvm::divideCeil(extent, lanes * digits.vector);
    if (digits.held() > mostHeld || digits.held() % 2 != 0) {
      if (isInside)
        return isMisfit("is more than four lanes hold");
      digits.reg = std::max<int64_t>(2, mostHeld / 2 / digits.vector);
      digits.grid = digits.reg * lanes * digits.vector < extent;
    }
    inner[axis] = digits;
    contracted.append(sums);
  }
  if (contracted.empty() || inner.size() != order.count())
    return failure();
  rowLanes = ofRows;
  rowStride = ofDepth;
  findSharing(mostColumns);
  return success();
}

bool cascade::hasInnerAxes(ChainOp chain, unsigned rowAxis) {
  AxisSet lists = getListAxes(chain);
  for (auto reduce : chain.getBodyBlock()->getOps<ReduceOp>())
    for (Attribute name : reduce.getOver()) {
      unsigned axis = chain.getAxisNumber(cast<StringAttr>(name).getValue());
      if (axis != rowAxis && !lists.test(axis))
        return true;
    }
  for (AffineMap map : chain.getInputMaps().getAsValueRange<AffineMapAttr>()) {
    int64_t unit = Shape::unitAxis(map);
    if (map.isFunctionOfDim(rowAxis) && unit >= 0 && unit != int64_t(rowAxis))
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// The estimate
//===----------------------------------------------------------------------===//

/// Issue slots of `op`, of one warp.
static double slotsOf(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return 0;
  if (isa<math::ExpOp, math::Exp2Op, math::RsqrtOp>(op))
    return 4;
  if (isa<math::LogOp, math::TanhOp, math::PowFOp>(op))
    return 15;
  if (isa<arith::DivFOp, math::SqrtOp>(op))
    return 9;
  return 1;
}

/// Whether `value` is computed from `argument`.
static bool isUsedBy(Value argument, Value value) {
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (next == argument)
      return true;
    Operation *op = next.getDefiningOp();
    if (op && seen.insert(next).second)
      llvm::append_range(worklist, op->getOperands());
  }
  return false;
}

/// Of one warp a tile, of `rows` positions a thread: `results` and positions on
/// the sum's own axes, `depth`, are a thread's; `elements` those of the first
/// factor.
static double slotsOfContraction(const Contraction &contraction, double rows,
                                 double results, double depth,
                                 double elements) {
  if (!contraction.isOverRow)
    return slotsOfMma * (results / 4) * (depth / 4);
  NarrowForm a = narrowFormOf(contraction.a);
  double products = a.source && a.numParts == 1 ? 3 : a.numParts == 2 ? 5 : 6;
  // Words of two neighbours are put together, numbers of f32 taken apart.
  double words = elements * (a.numParts == 1 ? 1 : 10);
  double weights = rows * results / (elements / rows) * 12;
  return slotsOfMma * products * (results / 4) * (rows / 2) + words + weights;
}

static double estimate(const Shape &shape, const Choice &choice,
                       const cluster::TargetConstants &gpu) {
  constexpr double never = std::numeric_limits<double>::infinity();
  ChainOp chain = shape.chain;
  unsigned numAxes = shape.extents.size();
  SmallVector<int64_t> shared = *shareOut(shape, choice.group);
  SmallVector<SharedDigits> sharedDigits = *digitsOf(shape, choice.group);
  bool contracts = !shape.contracted.empty();
  auto heldOf = [&](unsigned axis) -> double {
    if (axis == shape.rowAxis)
      return double(choice.reg * shape.rowVector);
    for (auto [sharing, its] : llvm::zip_equal(shape.sharing, sharedDigits))
      if (sharing.axis == axis)
        return double(its.held());
    auto it = shape.inner.find(axis);
    if (it != shape.inner.end())
      return double(it->second.held());
    return shape.lists.test(axis) ? double(shape.extents[axis]) : 1;
  };
  auto copies = [&](const AxisSet &axes) {
    double product = 1;
    for (unsigned axis : axes.set_bits())
      product *= heldOf(axis);
    return product;
  };

  // Tiles of the axes that are looped over.
  auto trips = [&](AxisSet axes) {
    double product = 1;
    for (unsigned axis : (axes &= shape.looped()).set_bits()) {
      const InnerDigits &its = shape.inner.find(axis)->second;
      double extent = ShapedType::isDynamic(shape.extents[axis])
                          ? commonInner
                          : double(shape.extents[axis]);
      product *= std::ceil(extent / double(its.held() * its.lanes));
    }
    return std::max(product, 1.0);
  };

  // Registers, bytes and issue slots of a tile of one thread.
  double registers = baseRegisters, tileBytes = 0, slots = 8;
  double totalBytes = 0;
  for (auto [number, argument] :
       llvm::enumerate(chain.getBodyBlock()->getArguments())) {
    AxisSet varies = shape.axes.of(argument);
    AffineMap map = chain.getInputMap(number);
    for (const SharingAxis &sharing : shape.sharing)
      for (AffineExpr expr : map.getResults())
        if (isa<AffineBinaryOpExpr>(expr) && expr.isFunctionOfDim(sharing.axis))
          varies.reset(sharing.axis);
    double elements = copies(varies);
    // Loaded apart: of the row two neighbours, and of each two columns one.
    const auto *its = llvm::find_if(shape.contracted, [&](const auto &each) {
      return isUsedBy(argument, each.apart());
    });
    if (its != shape.contracted.end())
      elements *= its->isOverRow ? 2 : 0.5;
    double bytes = double(bytesOf(argument.getType()));
    registers += elements * bytes / 4;
    if (!varies.test(shape.rowAxis))
      continue;
    if (choice.ahead)
      registers += elements * bytes / 4;
    tileBytes += elements * bytes;
    slots += elements * bytes / 16;
    double size = bytes;
    auto tensor =
        dyn_cast<RankedTensorType>(chain.getInputs()[number].getType());
    if (tensor)
      for (int64_t extent : tensor.getShape())
        size *= ShapedType::isDynamic(extent) ? commonExtent : double(extent);
    totalBytes += size;
  }
  double states = 0;
  for (Operation &op : chain.getBodyBlock()->without_terminator()) {
    auto reduce = dyn_cast<ReduceOp>(op);
    AxisSet varies(numAxes);
    for (Value operand : op.getOperands())
      varies |= shape.axes.of(operand);
    bool isOfRow = varies.test(shape.rowAxis);
    if (!isOfRow)
      continue;
    if (contracts && isa<arith::ExtFOp>(op))
      continue;
    if (shape.isContracted(&op)) {
      for (const Contraction &its : shape.contracted) {
        if (its.reduce != &op)
          continue;
        double each = copies(shape.axes.of(its.result()));
        if (its.isOverRow)
          states += each;
        else
          registers += each;
        AxisSet ofFirst = shape.axes.of(its.a);
        for (const SharingAxis &sharing : shape.sharing)
          ofFirst.reset(sharing.axis);
        slots += slotsOfContraction(its, double(choice.reg), each,
                                    copies(shape.axes.reducedBy(reduce)),
                                    copies(ofFirst));
      }
      continue;
    }
    slots += slotsOf(&op) * copies(varies) * trips(varies);
    if (!reduce)
      continue;
    AxisSet over = shape.axes.reducedBy(reduce);
    double each = copies(shape.axes.of(op.getResult(0)));
    if (over.test(shape.rowAxis)) {
      states += each * double(reduce.getNumResults());
      continue;
    }
    int64_t lanes = 1;
    for (unsigned axis : over.set_bits())
      if (auto it = shape.inner.find(axis); it != shape.inner.end())
        lanes *= it->second.lanes;
    slots += each * 2 * llvm::Log2_64_Ceil(lanes);
    registers += each;
  }
  registers += 1.2 * states;
  // Corrections, and the references of all lanes, in every tile.
  if (contracts)
    slots += 4 * states;
  if (states > 2 * double(mostHeld) || registers > 240)
    return never;

  // Every warp leaves the states of its lanes for the others, and the blocks a
  // part each of theirs, together one.
  double exchanged =
      states * 4 *
      double(MappingPlan::warpSize / (contracts ? 1 : shape.rowLanes)) *
      double((choice.warps > 1 ? choice.warps : 0) +
             (choice.cluster > 1 ? 1 : 0));
  if (exchanged > (contracts ? mostContracted : mostExchanged))
    return never;

  double threads = double(choice.warps * MappingPlan::warpSize);
  double held =
      std::min(double(gpu.registersPerThread), std::ceil(registers / 8) * 8);
  double fit =
      std::floor(std::min({double(gpu.threadsPerSm) / threads,
                           double(gpu.registersPerSm) / (held * threads),
                           double(MappingPlan::maxSharedBytes) /
                               std::max(1.0, sharedOfExchanged * exchanged),
                           double(gpu.blocksPerSm)}));
  if (fit < 1)
    return never;
  double resident =
      fit * double(cluster::TargetConstants::at(gpu.residency, choice.cluster));

  double blocks = double(choice.blocksOfRow());
  for (unsigned axis = 0; axis < numAxes; ++axis) {
    if (axis == shape.rowAxis || shape.lists.test(axis))
      continue;
    double extent = ShapedType::isDynamic(shape.extents[axis])
                        ? commonRows
                        : double(shape.extents[axis]);
    auto it = shape.inner.find(axis);
    double ofBlock = heldOf(axis);
    for (auto [sharing, size] : llvm::zip_equal(shape.sharing, shared))
      if (sharing.axis == axis)
        ofBlock = double(size);
    if (it == shape.inner.end())
      blocks *= std::ceil(extent / ofBlock);
    else if (it->second.grid)
      blocks *=
          std::ceil(extent / double(it->second.held() * it->second.lanes));
  }
  // The grid is split where multiprocessors have no work without, and as far
  // as they find some.
  double split = double(choice.split);
  if (split > 1 && blocks / 2 >= double(gpu.sms))
    return never;
  double length = ShapedType::isDynamic(shape.extents[shape.rowAxis])
                      ? commonExtent
                      : double(shape.extents[shape.rowAxis]);
  double perTile =
      double(choice.reg * shape.rowVector * shape.rowLanes * choice.warps);
  double tiles =
      std::ceil(std::ceil(length / double(choice.blocksOfRow())) / perTile);

  double clock = gpu.cyclesPerUs(); // a microsecond
  double perMicrosecond = double(gpu.hbmGbps) * 1e3;
  double sms = double(gpu.sms), schedulers = double(gpu.schedulersPerSm);
  double loadLatency = loadLatencies * double(gpu.memoryLatency) / clock;
  double issue = blocks * tiles * double(choice.warps) * slots /
                 (sms * schedulers * clock * usableIssue);
  double throughput = std::max({totalBytes / perMicrosecond, issue,
                                blocks * launches / double(gpu.blocksPerUs)});

  double together = std::min(fit, std::ceil(blocks / sms));
  double inFlight = together * threads * tileBytes * sms;
  double bandwidth = std::min(perMicrosecond * 1.1, inFlight / loadLatency);
  double compute = slots *
                   std::max(1.0, together * double(choice.warps) / schedulers) /
                   clock * 1.2;
  // Loads and computation take turns, or overlap.
  double ofTile = std::max(choice.ahead ? std::max(loadLatency, compute)
                                        : loadLatency + compute,
                           inFlight / bandwidth);
  double life = tiles * ofTile + loadLatency;
  if (choice.warps > 1)
    life += warpMerges * double(gpu.warpMergeCycles) / clock +
            0.01 * states * double(choice.warps) / 4;
  if (choice.cluster > 1)
    life += blockMerges * double(gpu.blockMergeCycles) / clock +
            (contracts ? 0.012 : 0.004) * states * double(choice.cluster);
  if (split > 1)
    life += (double(gpu.gridMergeCycles) +
             gridMerges * double(gpu.gridMergeSlope) * split *
                 std::max(1.0, states / 2 / double(choice.warps))) /
            clock;
  double waves = blocks / resident;
  if (waves <= 2)
    waves = std::ceil(waves);
  else
    waves = (waves + std::ceil(waves)) / 2;
  double latency = waves * life;
  return emptyKernels * double(gpu.emptyKernelNs) / 1e3 +
         std::pow(std::pow(throughput, smoothness) +
                      std::pow(latency, smoothness),
                  1 / smoothness);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

static MappingAttr toAttribute(const Shape &shape, const Choice &choice) {
  MLIRContext *context = shape.chain->getContext();
  ChainOp chain = shape.chain;
  SmallVector<AxisMappingAttr> axes;
  for (unsigned axis = 0; axis < shape.extents.size(); ++axis) {
    SmallVector<DigitAttr> digits;
    auto add = [&](Level level, int64_t size, int64_t stride = 0) {
      if (size != 1)
        digits.push_back(DigitAttr::get(context, level, size, stride, false));
    };
    auto it = shape.inner.find(axis);
    if (axis == shape.rowAxis) {
      add(Level::Grid, choice.split);
      add(Level::Cluster, choice.cluster);
      add(Level::Loop, 0);
      add(Level::Reg, choice.reg);
      add(Level::Warp, choice.warps);
      add(Level::Lane, shape.rowLanes, shape.rowStride);
      add(Level::Vector, shape.rowVector);
    } else if (shape.lists.test(axis)) {
      add(Level::Reg, shape.extents[axis]);
    } else if (it != shape.inner.end()) {
      const InnerDigits &its = it->second;
      if (its.grid || its.loop)
        add(its.grid ? Level::Grid : Level::Loop, 0);
      add(Level::Reg, its.reg);
      add(Level::Lane, its.lanes, its.stride);
      add(Level::Vector, its.vector);
    } else {
      add(Level::Grid, 0);
      for (auto [sharing, its] :
           llvm::zip_equal(shape.sharing, *digitsOf(shape, choice.group)))
        if (sharing.axis == axis) {
          add(Level::Reg, its.reg);
          add(Level::Lane, its.lanes, its.stride);
          add(Level::Reg, its.pair);
        }
    }
    if (digits.empty())
      digits.push_back(DigitAttr::get(context, Level::Reg, 1, 0, false));
    axes.push_back(AxisMappingAttr::get(
        context, StringAttr::get(context, chain.getAxisName(axis)), digits));
  }
  SmallVector<PolicyAttr> load;
  if (choice.ahead)
    for (auto [number, argument] :
         llvm::enumerate(chain.getBodyBlock()->getArguments()))
      if (AxisSet varies = shape.axes.of(argument);
          varies.test(shape.rowAxis) && !varies.anyCommon(shape.looped()))
        load.push_back(PolicyAttr::get(
            context, IntegerAttr::get(IntegerType::get(context, 64), number),
            StringAttr::get(context, "ahead"), 1));
  SmallVector<PolicyAttr> contract;
  for (auto [number, reduce] :
       llvm::enumerate(chain.getBodyBlock()->getOps<ReduceOp>()))
    if (shape.isContracted(reduce))
      contract.push_back(PolicyAttr::get(
          context, IntegerAttr::get(IntegerType::get(context, 64), number),
          StringAttr::get(context, "mma.m16n8k16"), 0));
  SmallVector<PolicyAttr> merge;
  if (choice.split > 1)
    merge.push_back(getMergeByLast(chain, shape.rowAxis));
  return MappingAttr::get(context, axes, load, {}, merge, contract);
}

static void remarkMisfit(ChainOp chain, StringRef reason) {
  auto function = chain->getParentOfType<FunctionOpInterface>();
  auto options = remark::RemarkOpts::name("contraction")
                     .category("cascade-schedule")
                     .function(function ? function.getName() : "");
  remark::missed(chain.getLoc(), options)
      << ("no tensor cores are used: " + reason).str();
}

/// Whether kernels take `mapping`, with its contractions; a remark says why
/// not.
static bool canContract(ChainOp chain, unsigned rowAxis, MappingAttr mapping) {
  std::string reason;
  bool accepted;
  {
    ScopedDiagnosticHandler handler(chain.getContext(),
                                    [&](Diagnostic &diagnostic) {
                                      if (reason.empty())
                                        reason = diagnostic.str();
                                      return success();
                                    });
    std::optional<MappingAttr> before = chain.getMapping();
    chain.setMappingAttr(mapping);
    FailureOr<MappingPlan> plan = MappingPlan::get(chain);
    accepted =
        succeeded(plan) && succeeded(Contractions::get(chain, *plan, rowAxis));
    if (before)
      chain.setMappingAttr(*before);
    else
      chain.removeMappingAttr();
  }
  if (!accepted)
    remarkMisfit(chain, reason);
  return accepted;
}

/// Adds the mappings of `shape` that fit.
static void addMappings(const Shape &shape, const ScheduleOptions &options,
                        const cluster::TargetConstants &gpu,
                        SmallVectorImpl<RankedMapping> &ranked) {
  SmallVector<int64_t> clusters;
  if (options.reference || options.cluster)
    clusters.push_back(std::max<int64_t>(1, options.cluster));
  else
    for (int64_t size = 1; size <= gpu.maxCluster; size *= 2)
      clusters.push_back(size);
  constexpr int64_t mostSplits = 64;
  bool contracts = !shape.contracted.empty();
  bool splits = !options.reference &&
                whyAllBlocksGoOn(shape.chain, shape.rowAxis).empty();
  auto addChoice = [&](Choice choice) {
    for (choice.split = 1; choice.split <= (splits ? mostSplits : 1);
         choice.split *= 2) {
      double time = estimate(shape, choice, gpu);
      if (choice.split > 1 && !std::isfinite(time))
        break;
      ranked.push_back({toAttribute(shape, choice), time, Residency::Streams});
    }
  };
  int64_t mostRows = contracts ? mostColumns : mostShared;
  for (int64_t cluster : clusters)
    for (int64_t warps : {1, 2, 4, 8, 16})
      for (int64_t reg : {1, 2, 4, 8})
        for (int64_t group = 1; group <= mostRows; ++group)
          for (bool ahead : {false, true}) {
            if (!digitsOf(shape, group) || (contracts && reg % 2 != 0))
              continue;
            bool isReference = warps == 4 && reg == 1 && group == 1 && !ahead;
            if (!options.reference || isReference)
              addChoice({1, cluster, warps, reg, group, ahead});
          }
}

void cascade::remarkLoops(ChainOp chain, unsigned rowAxis,
                          MappingAttr mapping) {
  for (AxisMappingAttr axis : mapping.getAxes()) {
    StringRef name = axis.getName().getValue();
    bool isLooped = llvm::any_of(axis.getDigits(), [](DigitAttr digit) {
      return digit.getLevel() == Level::Loop;
    });
    bool isReduced =
        llvm::any_of(chain.getBodyBlock()->getOps<ReduceOp>(),
                     [&](ReduceOp reduce) { return reduce.isOver(name); });
    if (!isLooped || !isReduced ||
        chain.getAxisNumber(name) == int64_t(rowAxis))
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "axis '" << name << "' is reduced inside axis '"
        << chain.getAxisName(rowAxis)
        << "' and is more than the registers of a warp hold, or of an extent "
           "known only at run time: its elements are loaded again for every "
           "iteration";
    auto function = chain->getParentOfType<FunctionOpInterface>();
    auto options = remark::RemarkOpts::name("mapping")
                       .category("cascade-schedule")
                       .function(function ? function.getName() : "");
    remark::missed(chain.getLoc(), options) << text;
  }
}

FailureOr<SmallVector<RankedMapping>>
cascade::rankInnerMappings(ChainOp chain, unsigned rowAxis,
                           const ScheduleOptions &options,
                           const cluster::TargetConstants &gpu) {
  bool vectorise = options.vectorise && !options.reference;
  SmallVector<RankedMapping> ranked;
  int64_t lanesBefore = 0;
  // Fewer lanes along a vector leave more for the row: fewer threads repeat
  // what a position of the row needs once, and each has more of the others.
  for (int64_t mostLanes : {32, 16, 8, 4}) {
    Shape shape(chain, rowAxis, vectorise, mostLanes);
    if (failed(shape.placeInnerAxes(/*isRequired=*/ranked.empty()))) {
      if (ranked.empty())
        return failure();
      break;
    }
    if (shape.rowLanes == lanesBefore || (options.reference && lanesBefore))
      continue;
    lanesBefore = shape.rowLanes;
    addMappings(shape, options, gpu, ranked);
  }
  Shape contracting(chain, rowAxis, vectorise, MappingPlan::warpSize);
  if (!options.reference && failed(contracting.placeContractions())) {
    if (!contracting.misfit.empty() && !contracting.sharing.empty())
      remarkMisfit(chain, contracting.misfit);
  } else if (!options.reference) {
    SmallVector<RankedMapping> others;
    addMappings(contracting, options, gpu, others);
    if (!others.empty() && canContract(chain, rowAxis, others.front().mapping))
      ranked.append(others);
  }
  llvm::stable_sort(ranked, [](const auto &a, const auto &b) {
    return a.microseconds < b.microseconds;
  });
  size_t fitting = llvm::count_if(ranked, [](const RankedMapping &mapping) {
    return std::isfinite(mapping.microseconds);
  });
  ranked.truncate(std::max<size_t>(fitting, 1));
  return ranked;
}
