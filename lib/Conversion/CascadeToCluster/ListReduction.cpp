//===- ListReduction.cpp - A topk over the row in a kernel ----------------===//
//
// ListStep.cpp puts the elements of a tile into a list of the lanes of a row.
// Lists of warps and blocks are put into shared memory, and their entries into
// one list in the same way.
//
//===----------------------------------------------------------------------===//

#include "ListReduction.h"
#include "cascade/Dialect/Cascade/IR/ReductionKind.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "cascade/Transforms/PassState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

bool cascade::isListReduction(ReduceOp reduce, const ThreadLayout &layout) {
  const KernelContext &context = layout.getContext();
  const DigitPlan *lanes = context.row().at(Level::Lane);
  AxisSet row(context.plan.axes.size());
  row.set(context.rowAxis);
  return reduce.getKind() == ReductionKind::Topk && reduce.getRefs().empty() &&
         layout.ofStates(reduce).none() &&
         layout.getAxes().reducedBy(reduce) == row &&
         (!lanes || lanes->idStride == 1);
}

/// `context` for `count` neighbours at a place that a TileEvaluator is given.
static KernelContext contextOf(const KernelContext &context, int64_t count) {
  KernelContext part = context;
  SmallVector<int64_t> &offsets = part.axes[part.rowAxis].offsets;
  offsets.assign(count, 0);
  for (int64_t i = 0; i < count; ++i)
    offsets[i] = i;
  part.vectorSize = count;
  part.kept = Value();
  part.streams = false;
  return part;
}

ListReduction::ListReduction(OpBuilder &b, TileEvaluator &row, ReduceOp reduce)
    : row(row), context(row.getContext()), reduce(reduce),
      format(context, reduce),
      list(b, context.loc, format, format.getTypes().size(),
           context.row().sizeAt(Level::Lane), reduce.getNumEntries()),
      ofGroup(
          contextOf(context, std::min<int64_t>(context.vectorSize, wordBits))),
      ofElement(contextOf(context, 1)),
      groupLayout(ofGroup, row.getLayout().getAxes()),
      elementLayout(ofElement, row.getLayout().getAxes()) {}

//===----------------------------------------------------------------------===//
// Small builders
//===----------------------------------------------------------------------===//

Value ListReduction::constant(OpBuilder &b, int64_t value) const {
  return arith::ConstantOp::create(b, context.loc, b.getI32IntegerAttr(value));
}

/// Whether `condition` holds in any lane of the warp.
Value ListReduction::any(OpBuilder &b, Value condition) const {
  return cluster::AnyOp::create(b, context.loc, condition);
}

/// `body` where `condition`, which is the same in all lanes, and else `state`.
ListReduction::State
ListReduction::guarded(OpBuilder &b, Value condition, const State &state,
                       llvm::function_ref<State(OpBuilder &)> body) const {
  auto branch = scf::IfOp::create(
      b, context.loc, condition,
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, body(inner));
      },
      [&](OpBuilder &inner, Location loc) {
        scf::YieldOp::create(inner, loc, state);
      });
  return State(branch.getResults());
}

ListReduction::State ListReduction::empty(OpBuilder &b) const {
  State state;
  for (unsigned i = 0; i < list.getDepth(); ++i)
    llvm::append_range(state, format.none(b));
  return state;
}

//===----------------------------------------------------------------------===//
// Over warps and blocks
//===----------------------------------------------------------------------===//

/// The list of `members` lists. Member m of a group leaves its entries at
/// `firstPlace` + m * entries of a buffer for `places` of them, where `stores`
/// (null: always); over the blocks of a cluster, at `firstPlace` of its own.
ListReduction::State ListReduction::exchange(OpBuilder &b, const State &state,
                                             int64_t members, Value firstPlace,
                                             Value member, int64_t places,
                                             Value stores,
                                             bool overCluster) const {
  Location loc = context.loc;
  int64_t lanes = list.getNumLanes();
  unsigned width = format.getTypes().size();
  int64_t entries = llvm::PowerOf2Ceil(getReduce().getNumEntries());
  SmallVector<Value> buffers;
  for (Type type : format.getTypes())
    buffers.push_back(addSharedBuffer(b, loc, places, type));
  markUniform(b);
  auto toIndex = [&](OpBuilder &b, Value value) -> Value {
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), value);
  };
  auto add = [&](OpBuilder &b, Value x, Value y) -> Value {
    return arith::AddIOp::create(b, loc, x, y);
  };
  Value own = firstPlace;
  if (!overCluster)
    own = add(b, own,
              arith::MulIOp::create(b, loc, member, constant(b, entries)));
  for (unsigned i = 0; i < list.getDepth() && i * lanes < entries; ++i) {
    Value number = add(b, list.getLane(), constant(b, i * lanes));
    Value condition = stores;
    if (entries < (i + 1) * lanes) {
      Value counts = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                           number, constant(b, entries));
      condition = condition
                      ? Value(arith::AndIOp::create(b, loc, condition, counts))
                      : counts;
    }
    auto store = [&](OpBuilder &b) {
      Value place = toIndex(b, add(b, own, number));
      for (unsigned k = 0; k < width; ++k)
        memref::StoreOp::create(b, loc, state[i * width + k], buffers[k],
                                place);
    };
    if (!condition) {
      store(b);
      continue;
    }
    auto branch = scf::IfOp::create(b, loc, condition);
    OpBuilder inner = branch.getThenBodyBuilder();
    store(inner);
  }
  // Here, and not where the entries are read, in a loop.
  if (overCluster)
    cluster::BarrierOp::create(b, loc);
  else
    gpu::BarrierOp::create(b, loc);
  int64_t all = members * entries;
  Value zero = constant(b, 0), one = constant(b, 1);
  auto loop = scf::ForOp::create(
      b, loc, zero, constant(b, llvm::divideCeil(all, lanes)), one, empty(b));
  loop->setDiscardableAttr(cluster::kUniformAttrName, b.getUnitAttr());
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  Value number = add(inner, list.getLane(),
                     arith::MulIOp::create(inner, loc, loop.getInductionVar(),
                                           constant(inner, lanes)));
  Value counts;
  if (all % lanes != 0) {
    counts = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ult,
                                   number, constant(inner, all));
    number =
        arith::MinUIOp::create(inner, loc, number, constant(inner, all - 1));
  }
  EntryFormat::Entry entry;
  for (auto [buffer, absent] : llvm::zip_equal(buffers, format.none(inner))) {
    Value source = buffer, place = number;
    if (overCluster) {
      Value rank =
          arith::DivUIOp::create(inner, loc, number, constant(inner, entries));
      source = cluster::MapSharedOp::create(inner, loc, buffer, rank);
      place =
          arith::RemUIOp::create(inner, loc, number, constant(inner, entries));
    }
    Value value = memref::LoadOp::create(
        inner, loc, source, toIndex(inner, add(inner, firstPlace, place)));
    if (counts)
      value = arith::SelectOp::create(inner, loc, counts, value, absent);
    entry.push_back(value);
  }
  State next = list.insert(inner, loop.getRegionIterArgs(), entry);
  scf::YieldOp::create(inner, loc, next);
  return State(loop.getResults());
}

ListReduction::State ListReduction::mergeThreads(OpBuilder &b,
                                                 State state) const {
  const AxisPlan &rowPlan = context.row();
  int64_t warps = rowPlan.sizeAt(Level::Warp);
  int64_t blocks = rowPlan.sizeAt(Level::Cluster);
  if (warps == 1 && blocks == 1)
    return state;
  Location loc = context.loc;
  int64_t lanes = list.getNumLanes();
  int64_t entries = llvm::PowerOf2Ceil(getReduce().getNumEntries());
  int64_t laneGroups = MappingPlan::warpSize / lanes;
  IntBuilder ints(b, loc);
  Int thread = ints.wrap(arith::IndexCastUIOp::create(
      b, loc, b.getI32Type(),
      gpu::ThreadIdOp::create(b, loc, gpu::Dimension::x)));
  Int warp = ints.divUI(thread, ints.constant(MappingPlan::warpSize));
  Int laneGroup =
      ints.divUI(ints.remUI(thread, ints.constant(MappingPlan::warpSize)),
                 ints.constant(lanes));
  Int member = ints.remUI(warp, ints.constant(warps));
  // Groups of threads that share a row, in the block.
  Int group = ints.add(ints.mul(ints.divUI(warp, ints.constant(warps)),
                                ints.constant(laneGroups)),
                       laneGroup);
  int64_t groups = context.plan.warps / warps * laneGroups;
  if (warps > 1)
    state = exchange(
        b, state, warps,
        ints.materialise(ints.mul(group, ints.constant(warps * entries))),
        ints.materialise(member), groups * warps * entries, /*stores=*/{},
        /*overCluster=*/false);
  if (blocks > 1) {
    Value isFirst;
    if (warps > 1)
      isFirst = ints.lessThan(member, ints.constant(1));
    state = exchange(b, state, blocks,
                     ints.materialise(ints.mul(group, ints.constant(entries))),
                     Value(), groups * entries, isFirst, /*overCluster=*/true);
  }
  return state;
}

unsigned ListReduction::leave(OpBuilder &b, GridMerge &grid,
                              const State &state) const {
  return grid.leave(state,
                    ThreadColumn::create(b, context, /*sharedLanes=*/0,
                                         context.row().sizeAt(Level::Warp)));
}

ListReduction::State ListReduction::take(OpBuilder &b, const GridMerge &grid,
                                         unsigned part) const {
  Location loc = context.loc;
  auto loop = scf::ForOp::create(b, loc, constant(b, 0),
                                 constant(b, grid.getNumClusters()),
                                 constant(b, 1), empty(b));
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  State theirs = grid.take(inner, part, {loop.getInductionVar(), {}});
  State next(loop.getRegionIterArgs());
  unsigned width = format.getTypes().size();
  for (unsigned i = 0; i < list.getDepth(); ++i)
    next = list.insert(inner, next, ValueRange(theirs).slice(i * width, width));
  scf::YieldOp::create(inner, loc, next);
  return State(loop.getResults());
}

//===----------------------------------------------------------------------===//
// The finish
//===----------------------------------------------------------------------===//

SmallVector<ListReduction::State>
ListReduction::finish(OpBuilder &b, const State &state) const {
  Location loc = context.loc;
  unsigned width = format.getTypes().size();
  ReductionPass pass{row.getLayout().getAxes().reducedBy(reduce), {reduce}};
  IRMapping outer = row.mapping(Position(context.plan.axes.size(), 0));
  SmallVector<Value> none = PassState(pass).identity(b, loc, reduce, outer);
  none.resize(getReduce().getNumResults());
  SmallVector<State> entries;
  unsigned count =
      llvm::divideCeil(getReduce().getNumEntries(), list.getNumLanes());
  for (unsigned i = 0; i < count; ++i) {
    ValueRange entry = ValueRange(state).slice(i * width, width);
    auto branch = scf::IfOp::create(
        b, loc, format.exists(b, entry),
        [&](OpBuilder &inner, Location) {
          IntBuilder ints(inner, loc);
          TileEvaluator one(row, elementLayout, inner,
                            ints.wrap(format.positionOf(inner, entry)),
                            /*partial=*/false);
          SmallVector<Value> values;
          for (Value value : getReduce().getValues())
            values.push_back(one.evaluate(inner, value)[0]);
          scf::YieldOp::create(inner, loc, values);
        },
        [&](OpBuilder &inner, Location) {
          scf::YieldOp::create(inner, loc, none);
        });
    entries.push_back(State(branch.getResults()));
  }
  return entries;
}
