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

/// The elements of a warp of a tile are one range: reg digits, lane, vector.
static bool isRangeOfWarp(const AxisPlan &row) {
  int64_t stride = 1;
  for (const DigitPlan &digit : llvm::reverse(row.digits)) {
    if (digit.level == Level::Warp || digit.level == Level::Cluster ||
        digit.level == Level::Loop)
      break;
    stride *= digit.size;
  }
  int64_t elements = 1;
  for (const DigitPlan &digit : row.digits)
    if (digit.level == Level::Reg || digit.level == Level::Lane ||
        digit.level == Level::Vector)
      elements *= digit.size;
  // Neighbouring lanes have neighbouring accesses.
  return stride == elements &&
         row.at(Level::Lane)->indexStride == row.sizeAt(Level::Vector);
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
  if (ShapedType::isDynamic(row.extent) || row.extent == 0)
    return refuse() << ", but the extent of axis '" << name
                    << "' is known only at run time";
  for (unsigned input : staged.inputs)
    if (!isWholeAccess(chain, plan, rowAxis, input))
      return chain.emitOpError()
             << "the mapping loads input " << input
             << " by bulk copies, which take rows in memory order and a vector "
                "digit of "
             << MappingPlan::accessBytes << " bytes";
  bool inner = false, isOutside = true;
  for (const DigitPlan &digit : row.digits) {
    bool isOuter = digit.level == Level::Loop || digit.level == Level::Cluster;
    isOutside &= !(inner && isOuter);
    inner |= !isOuter;
  }
  if (!isOutside || row.sizeAt(Level::Lane) != MappingPlan::warpSize ||
      !isRangeOfWarp(row))
    return refuse() << ", each a range of a warp; write axis '" << name
                    << "' as [cluster x] [loop x] [warp x] [reg x] lane("
                    << MappingPlan::warpSize << ") x vector";
  int64_t tiles = row.tilesOfBlock();
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
                         unsigned index) const {
  int64_t inputs = context.staged.inputs.size(), warps = context.plan.warps;
  Int part =
      ints.add(ints.mul(stage, ints.constant(inputs)), ints.constant(index));
  part = ints.add(ints.mul(part, ints.constant(warps)), context.ids.warp);
  return ints.add(ints.constant(context.firstStaged),
                  ints.mul(part, ints.constant(context.accessesOfWarp)));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

StagedLoads::StagedLoads(OpBuilder &b, const KernelContext &context,
                         const AxisAnalysis &axes, const RowRange &rows,
                         gpu::GPUFuncOp kernel)
    : context(context), axes(axes), rows(rows) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  const AxisPlan &plan = context.row();
  int64_t tiles = plan.tilesOfBlock();
  isExact = plan.elementsOfBlock() * plan.sizeAt(Level::Cluster) == plan.extent;
  if (isExact || tiles == 1) {
    tilesOfRow = ints.constant(tiles);
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
  int64_t span = context.accessesOfWarp * context.vectorSize;
  Int elements = ints.constant(span);
  if (!isExact) {
    Int rest = ints.sub(context.extents[context.rowAxis], start);
    elements = ints.minSI(elements, ints.maxSI(rest, ints.constant(0)));
  }
  int64_t elementBytes = MappingPlan::accessBytes / context.vectorSize;
  Int bytes = ints.mul(elements, ints.constant(elementBytes));
  int64_t inputs = context.staged.inputs.size();
  Value mbarrier = mbarrierOf(b, stage);
  cluster::MBarrierExpectTxOp::create(
      b, loc, mbarriers, mbarrier,
      ints.materialise(ints.mul(bytes, ints.constant(inputs))));
  auto copy = [&](OpBuilder &b) {
    IntBuilder ints(b, loc);
    for (auto [index, input] : llvm::enumerate(context.staged.inputs))
      cluster::LoadAsyncOp::create(
          b, loc, scope.address(b, context.inputs[input]), context.kept,
          toIndex(b, loc, ints, placeOf(ints, stage, index)), mbarriers,
          mbarrier, ints.materialise(bytes));
  };
  if (isExact)
    return copy(b);
  auto branch =
      scf::IfOp::create(b, loc, ints.lessThan(ints.constant(0), bytes));
  OpBuilder inner = branch.getThenBodyBuilder();
  copy(inner);
}

void StagedLoads::enterTile(OpBuilder &b, TileEvaluator &tile, Int tileNumber,
                            bool isFirst, bool isLast) {
  Location loc = context.loc;
  IntBuilder ints(b, loc);
  Int number = numberOf(ints, tileNumber);
  Int stage = stageOf(ints, number);
  if (isFirst) {
    Int phase = ints.divUI(number, ints.constant(context.staged.stages));
    Int parity = ints.remUI(phase, ints.constant(2));
    cluster::MBarrierWaitOp::create(b, loc, mbarriers, mbarrierOf(b, stage),
                                    ints.materialise(parity));
  }
  Block *body = ChainOp(context.chain).getBodyBlock();
  auto access = cast<MemRefType>(context.kept.getType()).getElementType();
  unsigned width = context.vectorSize;
  for (auto [index, input] : llvm::enumerate(context.staged.inputs)) {
    Type element = context.inputs[input].elementType;
    Type vectorType = VectorType::get({width}, storageType(b, element));
    Int first = ints.add(placeOf(ints, stage, index), context.ids.lane);
    SmallVector<Value> elements;
    for (unsigned at = 0; at < tile.numElements(); at += width) {
      Int place = ints.add(
          first, ints.constant(context.elementOffsets()[at] / int64_t(width)));
      auto loadAccess = [&](OpBuilder &b) -> Value {
        return memref::LoadOp::create(
            b, loc, context.kept, toIndex(b, loc, IntBuilder(b, loc), place));
      };
      Value words;
      if (Value inside = tile.valid(at)) {
        // Nothing was copied to where the row has ended.
        auto branch = scf::IfOp::create(b, loc, access, inside,
                                        /*withElseRegion=*/true);
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
      for (unsigned i = 0; i < width; ++i)
        elements.push_back(fromStorage(
            b, loc, vector::ExtractOp::create(b, loc, loaded, int64_t(i)),
            element));
    }
    tile.define(body->getArgument(input), elements);
  }
  if (isLast)
    release(b, number, stage);
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

void StagedLoads::releaseRow(OpBuilder &b) {
  IntBuilder ints(b, context.loc);
  Value zero = ints.materialise(ints.constant(0));
  Value one = ints.materialise(ints.constant(1));
  auto loop = scf::ForOp::create(b, context.loc, zero,
                                 ints.materialise(tilesOfRow), one);
  OpBuilder body = OpBuilder::atBlockTerminator(loop.getBody());
  IntBuilder inner(body, context.loc);
  Int number = numberOf(inner, inner.wrap(loop.getInductionVar()));
  release(body, number, stageOf(inner, number));
}
