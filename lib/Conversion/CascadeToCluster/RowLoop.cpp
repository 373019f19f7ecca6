//===- RowLoop.cpp - The rows of a cluster --------------------------------===//
//
// The grid digits of the parallel axes number the rows (the groups of rows that
// a block has). Without residency a cluster has the one of its own number. In a
// resident grid of G clusters, cluster c takes c, c + G, c + 2 G, ...: rows
// that are worked on at the same time are neighbours in memory.
//
//===----------------------------------------------------------------------===//

#include "KernelContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace cascade;

Int ThreadIds::at(Level level) const {
  switch (level) {
  case Level::Lane:
    return lane;
  case Level::Warp:
    return warp;
  case Level::Cluster:
    return rank;
  case Level::Grid: // Of the row axis, whose parts are the fastest.
    return cluster;
  default:
    return {{}, 0};
  }
}

Int ThreadIds::positionOn(const IntBuilder &ints,
                          const DigitPlan &digit) const {
  if (digit.size == 1)
    return ints.constant(0);
  return ints.remUI(ints.divUI(at(digit.level), ints.constant(digit.idStride)),
                    ints.constant(digit.size));
}

/// Rows of `axis` at one position of its grid.
static int64_t rowsAtPosition(const AxisPlan &axis) {
  int64_t rows = 1;
  for (const DigitPlan &digit : axis.digits)
    if (digit.level != Level::Grid && digit.level != Level::Loop)
      rows *= digit.size;
  return rows;
}

/// Whether the rows are spread over the positions of `axis`.
static bool isParallel(const KernelContext &context, const AxisPlan &axis) {
  return axis.axis != context.rowAxis && !axis.isList;
}

/// Bounds the place on `axis`, which the mapping covers beyond its end. What is
/// reduced, or of which the thread has several positions, and a list are looked
/// at one position at a time.
void KernelContext::placeOn(const IntBuilder &ints, const AxisPlan &axis) {
  AxisPlace &place = axes[axis.axis];
  Int extent = extents[axis.axis];
  if (axis.reduced || axis.isList || place.offsets.size() > 1) {
    for (int64_t offset : place.offsets)
      place.validity.push_back(
          ints.lessThan(ints.add(place.base, ints.constant(offset)), extent));
    return;
  }
  rowValid = ints.both(rowValid, ints.lessThan(place.base, extent));
  place.base = ints.minSI(place.base, ints.sub(extent, ints.constant(1)));
}

void KernelContext::placeRow(OpBuilder &b, Int position) {
  IntBuilder ints(b, loc);
  rowValid = Value();
  firstRows.assign(outputs.size(), Value());
  Int rest = position;
  for (const AxisPlan &axis : llvm::reverse(plan.axes)) {
    if (axis.axis == rowAxis)
      continue;
    Int extent = extents[axis.axis];
    Int index = ints.constant(0);
    int64_t inner = rowsAtPosition(axis);
    for (const DigitPlan &digit : axis.digits)
      if (digit.level == Level::Lane || digit.level == Level::Warp)
        index = ints.add(index, ints.mul(ids.positionOn(ints, digit),
                                         ints.constant(digit.indexStride)));
    if (axis.at(Level::Grid)) {
      Int positions = ints.ceilDiv(extent, ints.constant(inner));
      Int own = ints.remUI(rest, positions);
      index = ints.add(index, ints.mul(own, ints.constant(inner)));
      rest = ints.divUI(rest, positions);
      // Of what does not vary over the axis, all of its clusters have the same.
      for (auto [output, store] : llvm::zip_equal(outputs, firstRows))
        if (!output.map.isFunctionOfDim(axis.axis) && !own.constant)
          store = ints.both(store, ints.lessThan(own, ints.constant(1)));
    }
    axes[axis.axis].base = index;
    axes[axis.axis].validity.clear();
    bool exact =
        inner == 1 || (extent.constant && *extent.constant % inner == 0);
    if (!exact)
      placeOn(ints, axis);
  }
  for (Value &store : firstRows)
    store = ints.both(store, rowValid);
}

bool KernelContext::isLooped(unsigned axis) const {
  const DigitPlan *loop = plan.axes[axis].at(Level::Loop);
  return axis != rowAxis && plan.axes[axis].reduced && loop && loop->size != 1;
}

Int KernelContext::tilesOf(OpBuilder &b, unsigned axis) const {
  return IntBuilder(b, loc).ceilDiv(extents[axis],
                                    {{}, rowsAtPosition(plan.axes[axis])});
}

void KernelContext::placeTile(OpBuilder &b, unsigned axis, Int tile) {
  IntBuilder ints(b, loc);
  int64_t size = rowsAtPosition(plan.axes[axis]);
  axes[axis].base =
      ints.add(axes[axis].base, ints.mul(tile, ints.constant(size)));
  if (axes[axis].validity.empty())
    return;
  axes[axis].validity.clear();
  placeOn(ints, plan.axes[axis]);
}

Int KernelContext::firstClusterOfRow(OpBuilder &b) const {
  IntBuilder ints(b, loc);
  Int parts = ints.constant(row().sizeAt(Level::Grid));
  return ints.sub(ids.cluster, ints.remUI(ids.cluster, parts));
}

void KernelContext::placeOne(OpBuilder &b, unsigned axis, Int number) {
  IntBuilder ints(b, loc);
  AxisPlace &place = axes[axis];
  for (const DigitPlan &digit : llvm::reverse(plan.axes[axis].digits)) {
    if (digit.level != Level::Reg && digit.level != Level::Vector)
      continue;
    Int size = ints.constant(digit.size);
    place.base =
        ints.add(place.base, ints.mul(ints.remUI(number, size),
                                      ints.constant(digit.indexStride)));
    number = ints.divUI(number, size);
  }
  place.offsets = {0};
  if (place.validity.empty())
    return;
  place.validity.clear();
  Value exists = ints.lessThan(place.base, extents[axis]);
  rowValid = ints.both(rowValid, exists);
  for (Value &store : firstRows)
    store = ints.both(store, exists);
  place.base =
      ints.minSI(place.base, ints.sub(extents[axis], ints.constant(1)));
}

RowRange RowRange::create(OpBuilder &b, const KernelContext &context) {
  IntBuilder ints(b, context.loc);
  RowRange range;
  range.first = ints.divUI(context.ids.cluster,
                           ints.constant(context.row().sizeAt(Level::Grid)));
  if (!context.plan.isResident) {
    range.step = ints.constant(0);
    range.count = ints.constant(1);
    return range;
  }
  Value blocks = arith::IndexCastUIOp::create(
      b, context.loc, b.getI32Type(),
      gpu::GridDimOp::create(b, context.loc, gpu::Dimension::x));
  range.step =
      ints.divUI(ints.wrap(blocks), ints.constant(context.plan.blocks));
  Int positions = ints.constant(1);
  for (const AxisPlan &axis : context.plan.axes)
    if (isParallel(context, axis) && axis.at(Level::Grid))
      positions = ints.mul(positions,
                           ints.ceilDiv(context.extents[axis.axis],
                                        ints.constant(rowsAtPosition(axis))));
  // Overflows neither near 2^31: the grid is at most as large.
  range.count = ints.add(
      ints.divUI(ints.sub(ints.sub(positions, range.first), ints.constant(1)),
                 range.step),
      ints.constant(1));
  return range;
}

Int RowRange::positionOf(const IntBuilder &ints, Int number) const {
  return ints.add(first, ints.mul(number, step));
}

void RowRange::forEach(
    OpBuilder &b, Location loc,
    llvm::function_ref<void(OpBuilder &, Int position, Int number)> body)
    const {
  IntBuilder ints(b, loc);
  if (count.constant && *count.constant == 1)
    return body(b, first, ints.constant(0));
  Value zero = ints.materialise(ints.constant(0));
  Value one = ints.materialise(ints.constant(1));
  auto loop = scf::ForOp::create(b, loc, zero, ints.materialise(count), one);
  OpBuilder inner = OpBuilder::atBlockTerminator(loop.getBody());
  Int number = ints.wrap(loop.getInductionVar());
  body(inner, positionOf(IntBuilder(inner, loc), number), number);
}
