//===- StagedLoads.cpp - Tiles that are loaded ahead of their use ---------===//

#include "StagedLoads.h"
#include "cascade/Analysis/ReductionPasses.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// What can be staged
//===----------------------------------------------------------------------===//

/// Elements of the row axis that a warp has of a tile.
static int64_t rowsOf(const AxisPlan &row) {
  return row.sizeAt(Level::Reg) * row.sizeAt(Level::Lane) *
         row.sizeAt(Level::Vector);
}

/// The elements of a warp of a tile are one range: its digits are the last.
static bool isRangeOfWarp(const AxisPlan &row) {
  bool isOutside = true;
  for (const DigitPlan &digit : row.digits) {
    bool isOfWarp = digit.level == Level::Reg || digit.level == Level::Lane ||
                    digit.level == Level::Vector;
    if (!isOfWarp && !isOutside)
      return false;
    isOutside &= !isOfWarp;
  }
  return true;
}

/// Whether the elements that a warp has of `input` in a tile are one range, of
/// which every lane reads accesses of 16 bytes: on no axis but the row's and
/// that along which neighbours are neighbours in memory does a warp have
/// several, and of that the warp has all, next to the row.
static LogicalResult checkRange(ChainOp chain, const MappingPlan &plan,
                                unsigned rowAxis, unsigned input) {
  auto refuse = [&]() {
    return chain.emitOpError()
           << "the mapping loads input " << input << " by bulk copies";
  };
  auto type = dyn_cast<RankedTensorType>(chain.getInputs()[input].getType());
  AffineMap map = chain.getInputMap(input);
  std::optional<unsigned> unit = getUnitAxis(map);
  if (!type || !unit || !type.getElementType().isIntOrFloat() ||
      !map.isFunctionOfDim(rowAxis))
    return refuse() << ", which take rows in memory order and a vector digit "
                       "of "
                    << MappingPlan::accessBytes << " bytes";
  StringRef unitName = chain.getAxisName(*unit);
  const AxisPlan &along = plan.axes[*unit];
  int64_t bytes = std::max(8u, type.getElementTypeBitWidth()) / 8;
  if (along.sizeAt(Level::Vector) * bytes != MappingPlan::accessBytes)
    return refuse() << ", which take rows in memory order and a vector digit "
                       "of "
                    << MappingPlan::accessBytes << " bytes";
  for (const AxisPlan &axis : plan.axes) {
    if (axis.axis == rowAxis || axis.axis == *unit ||
        !map.isFunctionOfDim(axis.axis))
      continue;
    bool isOne = axis.sizeAt(Level::Lane) == 1 && !axis.isList;
    for (AffineExpr expr : map.getResults())
      isOne &= isSameInThread(expr, axis) ||
               axis.sizeAt(Level::Reg) * axis.sizeAt(Level::Vector) == 1;
    if (!isOne)
      return refuse() << ", but a warp has it at several positions of axis '"
                      << chain.getAxisName(axis.axis) << "'";
  }
  if (*unit == rowAxis) {
    // Neighbouring lanes have neighbouring accesses.
    if (along.sizeAt(Level::Lane) == MappingPlan::warpSize &&
        along.at(Level::Lane)->indexStride == along.sizeAt(Level::Vector))
      return success();
    return refuse() << ", each a range of a warp; write axis '" << unitName
                    << "' as [cluster x] [loop x] [warp x] [reg x] lane("
                    << MappingPlan::warpSize << ") x vector";
  }
  int64_t extent = type.getShape().back();
  unsigned rank = map.getNumResults();
  if (rank < 2 ||
      map.getResult(rank - 2) != getAffineDimExpr(rowAxis, map.getContext()) ||
      !isUnitStride(map.dropResult(rank - 1), rowAxis))
    return refuse() << ", but axis '" << chain.getAxisName(rowAxis)
                    << "' is not next to axis '" << unitName
                    << "' in its dimensions";
  if (ShapedType::isDynamic(extent) || extent != along.extent || extent == 0 ||
      extent * bytes % MappingPlan::accessBytes != 0)
    return refuse() << ", which take whole accesses of "
                    << MappingPlan::accessBytes << " bytes on axis '"
                    << unitName << "'";
  if (along.at(Level::Loop) || along.at(Level::Grid) || along.at(Level::Warp) ||
      along.at(Level::Cluster) || along.sizedProduct() < extent)
    return refuse() << ", of which a warp needs all of axis '" << unitName
                    << "': give it digits of reg, lane and vector only";
  return success();
}

LogicalResult cascade::checkStagedLoads(ChainOp chain, const MappingPlan &plan,
                                        unsigned rowAxis) {
  for (PolicyAttr policy : chain.getMapping()->getLoad()) {
    auto number = dyn_cast<IntegerAttr>(policy.getSubject());
    if (!number || number.getInt() < 0 ||
        number.getInt() >= int64_t(chain.getInputs().size()))
      return chain.emitOpError()
             << "the mapping loads " << policy.getSubject()
             << ", which is not the number of an input; the chain has "
             << chain.getInputs().size();
    StringRef word = policy.getPolicy().getValue();
    if (word != "bulk" && (word != "ahead" || policy.getAmount() > 1))
      return chain.emitOpError()
             << "the mapping has a load policy for input " << number.getInt()
             << " that no kernel follows yet; use ahead(1), bulk(stages) or "
                "leave it out";
  }
  StagedInputs staged = getStagedInputs(chain);
  if (staged.inputs.empty())
    return success();
  auto refuse = [&]() {
    return chain.emitOpError() << "the mapping loads input "
                               << staged.inputs.front() << " by bulk copies";
  };
  for (PolicyAttr policy : chain.getMapping()->getLoad())
    if (policy.getPolicy().getValue() != "bulk" ||
        policy.getAmount() != staged.stages)
      return refuse() << "; give all inputs that are so loaded as many stages";
  const AxisPlan &row = plan.axes[rowAxis];
  StringRef name = chain.getAxisName(rowAxis);
  for (unsigned input : staged.inputs) {
    if (failed(checkRange(chain, plan, rowAxis, input)))
      return failure();
    bool isOfRow = getUnitAxis(chain.getInputMap(input)) == rowAxis;
    if (row.extent == 0 || (isOfRow && ShapedType::isDynamic(row.extent)))
      return refuse() << ", but the extent of axis '" << name
                      << "' is known only at run time";
  }
  if (!isRangeOfWarp(row))
    return refuse() << ", each a range of a warp; write axis '" << name
                    << "' as [cluster x] [loop x] [warp x] [reg x] [lane x] "
                       "[vector]";
  if (ShapedType::isDynamic(row.extent) && usesElementsAgain(chain, rowAxis))
    return refuse() << " and uses them again, but the extent of axis '" << name
                    << "' is known only at run time";
  int64_t tiles = ShapedType::isDynamic(row.extent) ? 2 : row.tilesOfBlock();
  if (tiles > 1 && usesElementsAgain(chain, rowAxis)) {
    for (unsigned input : staged.inputs)
      if (chain.getMapping()->keepOf(input) != "shared")
        return chain.emitOpError()
               << "the mapping loads input " << input
               << " by bulk copies and loops over rows that are used again; "
                  "keep it in shared memory";
    if (staged.stages < tiles)
      return refuse() << " into " << staged.stages
                      << " stages, but a block keeps " << tiles
                      << " tiles of a row that is used again";
  }
  int64_t bytes = getSharedBytes(chain, plan, rowAxis);
  if (bytes > MappingPlan::maxSharedBytes)
    return refuse() << " into " << bytes << " bytes of shared memory; at most "
                    << MappingPlan::maxSharedBytes << " fit";
  return success();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static Value toIndex(OpBuilder &b, Location loc, const IntBuilder &ints,
                     Int x) {
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(),
                                      ints.materialise(x));
}

Int StagedLoads::stageOf(const IntBuilder &ints, Int number) const {
  return ints.remUI(number, ints.constant(context.staged.stages));
}

Value StagedLoads::mbarrierOf(OpBuilder &b, Int stage) const {
  IntBuilder ints(b, context.loc);
  Int first = ints.mul(context.ids.warp, ints.constant(context.staged.stages));
  return toIndex(b, context.loc, ints, ints.add(first, stage));
}

Int StagedLoads::placeOf(const IntBuilder &ints, Int stage,
                         const Input &input) const {
  Int part = ints.add(ints.mul(stage, ints.constant(context.plan.warps)),
                      context.ids.warp);
  return ints.add(ints.constant(context.firstStaged + input.firstPlace),
                  ints.mul(part, ints.constant(accessesOfWarp)));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

StagedLoads::StagedLoads(OpBuilder &b, const KernelContext &context,
                         const AxisAnalysis &axes, const RowRange &rows,
                         gpu::GPUFuncOp kernel, const ReductionPass *onlyUse)
    : context(context), axes(axes), rows(rows), onlyUse(onlyUse) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  const AxisPlan &plan = context.row();
  rowsOfWarp = rowsOf(plan);
  for (unsigned input : context.staged.inputs) {
    auto type = cast<RankedTensorType>(
        ChainOp(context.chain).getInputs()[input].getType());
    unsigned unit = *getUnitAxis(context.inputs[input].map);
    int64_t accesses =
        getStagedAccesses(context.chain, context.plan, context.rowAxis, input);
    int64_t bytes = std::max(8u, type.getElementTypeBitWidth()) / 8;
    if (unit != context.rowAxis)
      bytes *= type.getShape().back();
    inputs.push_back({input, unit, bytes, accessesOfWarp});
    accessesOfWarp += accesses;
  }
  bool isStatic = !ShapedType::isDynamic(plan.extent);
  isExact =
      isStatic && plan.elementsOfBlock() * plan.sharingBlocks() == plan.extent;
  if (isExact || (isStatic && plan.tilesOfBlock() == 1)) {
    tilesOfRow = ints.constant(plan.tilesOfBlock());
  } else {
    // Tiles that begin inside the row.
    Int rest = ints.sub(context.extents[context.rowAxis], context.blockBase);
    tilesOfRow = ints.minSI(
        ints.ceilDiv(ints.maxSI(rest, ints.constant(0)), context.tileStep),
        context.numTiles);
  }
  total = ints.mul(rows.count, tilesOfRow);

  int64_t stages = context.staged.stages;
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  mbarriers = kernel.addWorkgroupAttribution(
      MemRefType::get({context.plan.warps * stages}, b.getI64Type(),
                      MemRefLayoutAttrInterface(), space),
      loc);
  isFirstLane = ints.lessThan(context.ids.lane, ints.constant(1));
  auto branch = scf::IfOp::create(b, loc, isFirstLane);
  {
    OpBuilder inner = branch.getThenBodyBuilder();
    IntBuilder ints(inner, loc);
    Value one = ints.materialise(ints.constant(1));
    for (int64_t stage = 0; stage < stages; ++stage)
      cluster::MBarrierInitOp::create(
          inner, loc, mbarriers, mbarrierOf(inner, ints.constant(stage)), one);
    cluster::FenceOp::create(inner, loc, cluster::FenceKind::ProxyAsyncShared);
    Value first = ints.materialise(ints.minSI(total, ints.constant(stages)));
    auto loop = scf::ForOp::create(
        inner, loc, ints.materialise(ints.constant(0)), first, one);
    OpBuilder body = OpBuilder::atBlockTerminator(loop.getBody());
    Int number = ints.wrap(loop.getInductionVar());
    ask(body, number, number);
  }
  // The other lanes may wait on the mbarriers from here.
  cluster::WarpBarrierOp::create(b, loc);
}

/// Asks for tile `number`, into `stage`. One lane of a warp does.
void StagedLoads::ask(OpBuilder &b, Int number, Int stage) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  Int inRow = ints.constant(0), rowNumber = number;
  if (!tilesOfRow.constant || *tilesOfRow.constant != 1) {
    rowNumber = ints.divUI(number, tilesOfRow);
    inRow = ints.sub(number, ints.mul(rowNumber, tilesOfRow));
  }
  KernelContext at = context;
  at.placeRow(b, rows.positionOf(ints, rowNumber));
  ThreadLayout layout(at, axes);
  TileEvaluator rowScope(at, layout);

  // Elements of this warp that are in the row.
  Int start = ints.add(context.warpBase, ints.mul(inRow, context.tileStep));
  TileEvaluator scope(rowScope, layout, b, start, /*partial=*/false);
  Int elements = ints.constant(rowsOfWarp);
  if (!isExact) {
    Int rest = ints.sub(context.extents[context.rowAxis], start);
    elements = ints.minSI(elements, ints.maxSI(rest, ints.constant(0)));
  }
  std::optional<TileRange> range;
  if (onlyUse)
    range = TileRange::of(b, rowScope, *onlyUse);
  if (range) {
    Value isUsed = arith::AndIOp::create(
        b, loc, ints.lessThan(inRow, range->end),
        ints.lessThan(ints.sub(range->first, ints.constant(1)), inRow));
    elements = ints.wrap(
        arith::SelectOp::create(b, loc, isUsed, ints.materialise(elements),
                                ints.materialise(ints.constant(0))));
  }
  int64_t bytesOfElement = 0;
  for (const Input &input : inputs)
    bytesOfElement += input.ofElement;
  Value mbarrier = mbarrierOf(b, stage);
  cluster::MBarrierExpectTxOp::create(
      b, loc, mbarriers, mbarrier,
      ints.materialise(ints.mul(elements, ints.constant(bytesOfElement))));
  auto copy = [&](OpBuilder &b) {
    IntBuilder ints(b, loc);
    for (const Input &input : inputs)
      cluster::LoadAsyncOp::create(
          b, loc, scope.address(b, context.inputs[input.number]), context.kept,
          toIndex(b, loc, ints, placeOf(ints, stage, input)), mbarriers,
          mbarrier,
          ints.materialise(ints.mul(elements, ints.constant(input.ofElement))));
  };
  if (isExact && !range)
    return copy(b);
  auto branch =
      scf::IfOp::create(b, loc, ints.lessThan(ints.constant(0), elements));
  OpBuilder inner = branch.getThenBodyBuilder();
  copy(inner);
}

void StagedLoads::wait(OpBuilder &b, Int number, Int stage) {
  IntBuilder ints(b, context.loc);
  Int phase = ints.divUI(number, ints.constant(context.staged.stages));
  Int parity = ints.remUI(phase, ints.constant(2));
  cluster::MBarrierWaitOp::create(b, context.loc, mbarriers,
                                  mbarrierOf(b, stage),
                                  ints.materialise(parity));
}

void StagedLoads::enterTile(OpBuilder &b, TileEvaluator &tile, Int tileNumber,
                            bool isFirst, bool isLast) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  Int number = numberOf(ints, tileNumber);
  Int stage = stageOf(ints, number);
  if (isFirst)
    wait(b, number, stage);
  for (const Input &input : inputs)
    enterInput(b, tile, stage, input);
  if (isLast)
    release(b, number, stage);
}

/// Defines the elements of `input` in `tile`, from this warp's part of `stage`.
void StagedLoads::enterInput(OpBuilder &b, TileEvaluator &tile, Int stage,
                             const Input &input) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  const ThreadLayout &layout = tile.getLayout();
  Value argument =
      ChainOp(context.chain).getBodyBlock()->getArgument(input.number);
  auto access = cast<MemRefType>(context.kept.getType()).getElementType();
  Type type = context.inputs[input.number].elementType;
  unsigned width = context.plan.axes[input.unitAxis].sizeAt(Level::Vector);
  Type vectorType = VectorType::get({width}, storageType(b, type));
  bool isOfRow = input.unitAxis == context.rowAxis;
  int64_t extent = context.plan.axes[input.unitAxis].extent;

  // This thread's first access in the range, and the distance of others.
  Int row = ints.sub(context.threadBase, context.warpBase);
  Int first = placeOf(ints, stage, input);
  int64_t accessesOfRow = extent / width;
  if (isOfRow)
    first = ints.add(first, ints.divUI(row, ints.constant(width)));
  else
    first = ints.add(first, ints.mul(row, ints.constant(accessesOfRow)));

  AxisSet varies = layout.of(argument);
  SmallVector<Value> elements(layout.count(varies));
  for (const Position &at : layout.positions(varies)) {
    if (at[input.unitAxis] % width != 0)
      continue;
    int64_t offset = context.elementOffsets()[at[context.rowAxis]];
    Int place = first;
    if (isOfRow) {
      place = ints.add(place, ints.constant(offset / int64_t(width)));
    } else {
      const AxisPlace &along = context.axes[input.unitAxis];
      Int inRow =
          ints.divUI(ints.add(along.base,
                              ints.constant(along.offsets[at[input.unitAxis]])),
                     ints.constant(width));
      // Beyond the end anything may be read.
      if (!along.validity.empty())
        inRow = ints.minSI(inRow, ints.constant(accessesOfRow - 1));
      place = ints.add(ints.add(place, ints.constant(offset * accessesOfRow)),
                       inRow);
    }
    auto loadAccess = [&](OpBuilder &b) -> Value {
      return memref::LoadOp::create(b, loc, context.kept,
                                    toIndex(b, loc, IntBuilder(b, loc), place));
    };
    Value words;
    if (Value inside = tile.valid(at[context.rowAxis])) {
      // Nothing was copied to where the row has ended.
      auto branch =
          scf::IfOp::create(b, loc, access, inside, /*withElseRegion=*/true);
      OpBuilder then = branch.getThenBodyBuilder();
      scf::YieldOp::create(then, loc, loadAccess(then));
      OpBuilder otherwise = branch.getElseBodyBuilder();
      Value zeros = arith::ConstantOp::create(otherwise, loc,
                                              otherwise.getZeroAttr(access));
      scf::YieldOp::create(otherwise, loc, zeros);
      words = branch.getResult(0);
    } else {
      words = loadAccess(b);
    }
    Value loaded = vector::BitCastOp::create(b, loc, vectorType, words);
    Position position = at;
    for (unsigned i = 0; i < width; ++i, ++position[input.unitAxis])
      elements[layout.indexOf(varies, position)] = fromStorage(
          b, loc, vector::ExtractOp::create(b, loc, loaded, int64_t(i)), type);
  }
  tile.define(argument, elements);
}

void StagedLoads::release(OpBuilder &b, Int number, Int stage) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  Int next = ints.add(number, ints.constant(context.staged.stages));
  if (next.constant && total.constant && *next.constant >= *total.constant)
    return;
  cluster::WarpBarrierOp::create(b, loc);
  Value asks =
      arith::AndIOp::create(b, loc, isFirstLane, ints.lessThan(next, total));
  auto branch = scf::IfOp::create(b, loc, asks);
  OpBuilder inner = branch.getThenBodyBuilder();
  ask(inner, next, stage);
}

void StagedLoads::passOver(OpBuilder &b, Int begin, Int end, bool isFirst,
                           bool isLast) {
  if (!isFirst && !isLast)
    return;
  IntBuilder ints(b, context.loc);
  auto loop = scf::ForOp::create(b, context.loc, ints.materialise(begin),
                                 ints.materialise(end),
                                 ints.materialise(ints.constant(1)));
  OpBuilder body = OpBuilder::atBlockTerminator(loop.getBody());
  IntBuilder inner(body, context.loc);
  Int number = numberOf(inner, inner.wrap(loop.getInductionVar()));
  Int stage = stageOf(inner, number);
  if (isFirst)
    wait(body, number, stage);
  if (isLast)
    release(body, number, stage);
}

void StagedLoads::releaseRow(OpBuilder &b) {
  passOver(b, {{}, 0}, tilesOfRow, /*isFirst=*/false, /*isLast=*/true);
}
