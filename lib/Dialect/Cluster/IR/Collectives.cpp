//===- Collectives.cpp - Verification and folds of collectives ------------===//

#include "OpSupport.h"
#include "cascade/Dialect/Cluster/IR/KindTable.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

//===----------------------------------------------------------------------===//
// Who takes part
//===----------------------------------------------------------------------===//

bool cascade::cluster::isExchangeable(Type type) {
  if (type.isF64() || type.isF32() || type.isF16() || type.isBF16())
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() &&
         llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

/// A scalar, or a vector of one dimension of them.
static LogicalResult verifyElement(Operation *op, unsigned index, Type type) {
  auto vector = dyn_cast<VectorType>(type);
  bool isList = vector && vector.getRank() == 1 && !vector.isScalable();
  if (isExchangeable(isList ? vector.getElementType() : type))
    return success();
  return op->emitOpError() << "operand #" << index << " has type " << type
                           << ", which cannot be exchanged: use f64 f32 f16 "
                              "bf16 i64 i32 i16 i8 or i1, or a vector of one "
                              "dimension of them";
}

/// Global memory for algorithm(global).
template <typename OpT>
static LogicalResult verifyWorkspace(OpT op) {
  if (!op.getWorkspace())
    return success();
  auto type = cast<MemRefType>(op.getWorkspace().getType());
  Attribute space = type.getMemorySpace();
  auto address = dyn_cast_if_present<gpu::AddressSpaceAttr>(space);
  auto number = dyn_cast_if_present<IntegerAttr>(space);
  bool isGlobal = !space || (number && number.getInt() == kGlobalMemorySpace) ||
                  (address && address.getValue() == gpu::AddressSpace::Global);
  if (!isGlobal || type.getRank() != 1 || !type.getElementType().isInteger(32))
    return op.emitOpError() << "has a workspace of type " << type
                            << "; use a memref of one dimension of i32 in "
                               "global memory";
  if (op.getAlgorithm() != Algorithm::Global)
    return op.emitOpError(
        "has a workspace, which only algorithm(global) uses: drop it");
  return success();
}

template <typename OpT>
static LogicalResult verifyWarps(OpT op) {
  if (op.getWarps() && op.getScope() == Scope::Warp)
    return op.emitOpError(
        "'warps' has no meaning in scope(warp): drop it, or use scope(block)");
  if (op.getWarps() && static_cast<int32_t>(*op.getWarps()) < 1)
    return op.emitOpError()
           << "'warps' is " << static_cast<int32_t>(*op.getWarps())
           << "; use a divisor of the block's warps";
  std::optional<int64_t> threads = getKnownBlockSize(op);
  if (!threads || op.getScope() == Scope::Warp)
    return success();
  auto fail = [&](const Twine &message) -> LogicalResult {
    InFlightDiagnostic diag = op.emitOpError(message);
    diag.attachNote(op->template getParentOfType<gpu::GPUFuncOp>().getLoc())
        << "the kernel's known_block_size makes blocks of " << *threads
        << " threads";
    return diag;
  };
  if (*threads % kWarpSize != 0)
    return fail("needs whole warps: make known_block_size a multiple of 32");
  int64_t blockWarps = *threads / kWarpSize;
  if (op.getWarps() && blockWarps % *op.getWarps() != 0)
    return fail("'warps' is " + Twine(*op.getWarps()) +
                ", which does not divide the " + Twine(blockWarps) +
                " warps of the block: use a divisor");
  return success();
}

LogicalResult cascade::cluster::verifyClusterSize(Operation *op) {
  std::optional<int64_t> size = getKnownClusterSize(op);
  if (!size || (*size >= 1 && *size <= kMaxClusterSize))
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "works in clusters of 1 to " << kMaxClusterSize
                            << " blocks: change known_cluster_size";
  diag.attachNote(op->getParentOfType<gpu::GPUFuncOp>().getLoc())
      << "the kernel's known_cluster_size makes clusters of " << *size
      << " blocks";
  return diag;
}

/// Scope, lanes, warps and the size of the cluster; the same for every
/// collective.
template <typename OpT>
static LogicalResult verifyParticipants(OpT op) {
  if (failed(verifyInKernel(op)))
    return failure();
  int32_t lanes = op.getLanes();
  if (lanes < 1 || lanes > kWarpSize || !llvm::isPowerOf2_32(lanes))
    return op.emitOpError() << "'lanes' is " << lanes
                            << "; use a power of two from 1 to " << kWarpSize;
  int32_t stride = op.getStride();
  if (stride < 1 || stride > kWarpSize / lanes || !llvm::isPowerOf2_32(stride))
    return op.emitOpError()
           << "'stride' of " << lanes << " lanes is " << stride
           << "; use a power of two from 1 to " << kWarpSize / lanes;
  if (op.getAlgorithm() != Algorithm::Auto && op.getScope() != Scope::Cluster)
    return op.emitOpError("'algorithm' chooses the exchange between blocks: "
                          "drop it, or use scope(cluster)");
  if (op.getScope() == Scope::Cluster && failed(verifyClusterSize(op)))
    return failure();
  if (failed(verifyWorkspace(op)))
    return failure();
  return verifyWarps(op);
}

/// Ranks of a scope: lanes of a group, warps, or blocks; nothing if unknown.
template <typename OpT>
static std::optional<int64_t> getNumRanks(OpT op) {
  if (op.getScope() == Scope::Warp)
    return op.getLanes();
  if (op.getScope() == Scope::Cluster)
    return getKnownClusterSize(op);
  if (op.getWarps())
    return *op.getWarps();
  std::optional<int64_t> threads = getKnownBlockSize(op);
  return threads ? std::optional<int64_t>(*threads / kWarpSize) : std::nullopt;
}

LogicalResult cascade::cluster::verifyRoot(Operation *op, int64_t root,
                                           std::optional<int64_t> ranks) {
  int64_t limit = ranks.value_or(kMaxClusterSize);
  if (root >= 0 && root < limit)
    return success();
  return op->emitOpError() << "'root' is " << root
                           << ", which is no rank of the scope: use 0 to "
                           << limit - 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

LogicalResult cascade::cluster::verifyKinds(Operation *op,
                                            std::optional<ArrayAttr> kinds,
                                            Region &merge, TypeRange elements) {
  if (!kinds) {
    if (merge.empty())
      return op->emitOpError("needs either kind(...) or a merge region");
    return success();
  }
  if (!merge.empty())
    return op->emitOpError("has both kind(...) and a merge region: drop one");
  if (kinds->size() != elements.size())
    return op->emitOpError()
           << "has " << elements.size() << " operands and " << kinds->size()
           << " kinds: give one kind an operand";
  for (auto [index, attr, type] : llvm::enumerate(*kinds, elements)) {
    Kind kind = cast<KindAttr>(attr).getValue();
    Type element = getElementTypeOrSelf(type);
    if (!acceptsType(kind, element))
      return op->emitOpError()
             << "kind '" << stringifyKind(kind) << "' of operand #" << index
             << " reduces " << describeAcceptedTypes(kind) << " values, not "
             << element;
  }
  return success();
}

/// A region of one block whose arguments are `states` states of `elements`, and
/// that yields one, by operations that `allows`.
static LogicalResult verifyStates(Operation *op, Region &region, StringRef name,
                                  TypeRange elements, unsigned states,
                                  StringRef arguments,
                                  function_ref<bool(Operation &)> allows) {
  if (region.empty())
    return success();
  if (!region.hasOneBlock())
    return op->emitOpError()
           << "has a " << name << " region of several blocks: use one";
  Block &body = region.front();
  SmallVector<Type> expected;
  for (unsigned i = 0; i < states; ++i)
    llvm::append_range(expected, elements);
  if (!llvm::equal(body.getArgumentTypes(), expected)) {
    InFlightDiagnostic diag =
        op->emitOpError() << "needs a " << name << " region with arguments ("
                          << expected << "): " << arguments;
    if (body.getNumArguments() > 0)
      diag.attachNote(body.getArgument(0).getLoc())
          << "its arguments are (" << body.getArgumentTypes() << ")";
    return diag;
  }
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield)
    return op->emitOpError()
           << "needs a " << name << " region that ends in cluster.yield";
  if (!llvm::equal(yield.getOperandTypes(), elements)) {
    InFlightDiagnostic diag = yield.emitOpError()
                              << "must yield the merged state (" << elements
                              << "), not (" << yield.getOperandTypes() << ")";
    diag.attachNote(op->getLoc()) << "of this collective";
    return diag;
  }
  for (Operation &nested : body.without_terminator())
    if (!allows(nested)) {
      InFlightDiagnostic diag = op->emitOpError()
                                << "needs a " << name
                                << " region without side effects";
      diag.attachNote(nested.getLoc()) << "this operation has some";
      return diag;
    }
  return success();
}

static bool hasNoEffect(Operation &op) { return isMemoryEffectFree(&op); }

LogicalResult cascade::cluster::verifyMerge(Operation *op, Region &merge,
                                            TypeRange elements) {
  return verifyStates(op, merge, "merge", elements, 2,
                      "the lower state, then the higher", hasNoEffect);
}

/// In the lanewise region, lanes exchange values by kinds.
static bool isLanewise(Operation &op) {
  auto reduce = dyn_cast<AllReduceOp>(op);
  return reduce ? reduce.getScope() == Scope::Warp && reduce.getKinds()
                : hasNoEffect(op);
}

LogicalResult
AllReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

static OperationState &
addParticipants(OperationState &state, OpBuilder &builder, ValueRange inputs,
                Scope scope, int32_t lanes, int32_t stride,
                std::optional<int32_t> warps, Algorithm algorithm) {
  MLIRContext *context = builder.getContext();
  auto &properties = state.getOrAddProperties<AllReduceOp::Properties>();
  properties.scope = ScopeAttr::get(context, scope);
  properties.algorithm = AlgorithmAttr::get(context, algorithm);
  properties.lanes = builder.getI32IntegerAttr(lanes);
  properties.stride = builder.getI32IntegerAttr(stride);
  if (warps)
    properties.warps = builder.getI32IntegerAttr(*warps);
  properties.operandSegmentSizes = {static_cast<int32_t>(inputs.size()), 0};
  state.addOperands(inputs);
  state.addTypes(inputs.getTypes());
  return state;
}

void AllReduceOp::build(OpBuilder &builder, OperationState &state,
                        ValueRange inputs, Scope scope, ArrayRef<Kind> kinds,
                        int32_t lanes, std::optional<int32_t> warps,
                        Algorithm algorithm, int32_t stride) {
  addParticipants(state, builder, inputs, scope, lanes, stride, warps,
                  algorithm);
  SmallVector<Attribute> attrs;
  for (Kind kind : kinds)
    attrs.push_back(KindAttr::get(builder.getContext(), kind));
  state.getOrAddProperties<Properties>().kinds = builder.getArrayAttr(attrs);
  state.addRegion();
  state.addRegion();
}

void AllReduceOp::build(OpBuilder &builder, OperationState &state,
                        ValueRange inputs, Scope scope, MergeBuilder merge,
                        int32_t lanes, std::optional<int32_t> warps,
                        Algorithm algorithm, LanewiseBuilder lanewise,
                        int32_t stride) {
  addParticipants(state, builder, inputs, scope, lanes, stride, warps,
                  algorithm);
  OpBuilder::InsertionGuard guard(builder);
  auto addBlock = [&](unsigned states) -> ValueRange {
    SmallVector<Type> types;
    for (unsigned i = 0; i < states; ++i)
      llvm::append_range(types, inputs.getTypes());
    return builder
        .createBlock(state.addRegion(), {}, types,
                     SmallVector<Location>(types.size(), state.location))
        ->getArguments();
  };
  ValueRange pair = addBlock(2);
  if (merge) {
    SmallVector<Value> merged =
        merge(builder, state.location, pair.take_front(inputs.size()),
              pair.drop_front(inputs.size()));
    YieldOp::create(builder, state.location, merged);
  }
  if (!lanewise) {
    state.addRegion();
    return;
  }
  ValueRange single = addBlock(1);
  YieldOp::create(builder, state.location,
                  lanewise(builder, state.location, single));
}

LogicalResult AllReduceOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one operand");
  for (auto [index, type] : llvm::enumerate(getInputs().getTypes()))
    if (failed(verifyElement(*this, index, type)))
      return failure();
  if (failed(verifyParticipants(*this)))
    return failure();
  return verifyKinds(*this, getKinds(), getMerge(), getInputs().getTypes());
}

LogicalResult AllReduceOp::verifyRegions() {
  TypeRange elements = getInputs().getTypes();
  if (!getLanewise().empty() && getMerge().empty())
    return emitOpError("has a lanewise region without a merge region: add one "
                       "for numbers of states that are no power of two");
  if (failed(verifyMerge(*this, getMerge(), elements)))
    return failure();
  return verifyStates(*this, getLanewise(), "lanewise", elements, 1,
                      "the state of a lane", isLanewise);
}

namespace {
/// scope(cluster) of one block is scope(block); scope(block) of one warp is
/// scope(warp); a warp's groups of one tuple have nothing to exchange.
struct NarrowScope : OpRewritePattern<AllReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllReduceOp op,
                                PatternRewriter &rewriter) const override {
    // In a lanewise region the lanes are those of its collective.
    if (op.getScope() == Scope::Warp && op.getLanes() == 1 &&
        !isa<AllReduceOp>(op->getParentOp())) {
      rewriter.replaceOp(op, op.getInputs());
      return success();
    }
    if (op.getScope() == Scope::Cluster && getKnownClusterSize(op) == 1) {
      rewriter.modifyOpInPlace(op, [&] {
        op.setScope(Scope::Block);
        op.setAlgorithm(Algorithm::Auto);
        op.getWorkspaceMutable().clear();
      });
      return success();
    }
    if (op.getScope() == Scope::Block && getNumRanks(op) == 1) {
      rewriter.modifyOpInPlace(op, [&] {
        op.setScope(Scope::Warp);
        op.removeWarpsAttr();
      });
      return success();
    }
    return failure();
  }
};
} // namespace

void AllReduceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<NarrowScope>(context);
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// The element types that a reduction merges: scattered operands are vectors.
static SmallVector<Type> getReducedElements(ReduceOp op) {
  SmallVector<Type> elements;
  for (Type type : op.getInputs().getTypes())
    elements.push_back(op.getScatter() ? getElementTypeOrSelf(type) : type);
  return elements;
}

/// Result k is operand k's slice of one of the ranks.
static LogicalResult verifyScattered(ReduceOp op) {
  std::optional<int64_t> ranks = getNumRanks(op);
  for (auto [index, type, result] :
       llvm::enumerate(op.getInputs().getTypes(), op.getResults().getTypes())) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector || (ranks && vector.getNumElements() % *ranks != 0)) {
      InFlightDiagnostic diag = op.emitOpError();
      diag << "operand #" << index << " has type " << type << "; to scatter it";
      if (ranks)
        diag << " over " << *ranks << " ranks";
      return diag << ", give a vector whose length they divide";
    }
    auto slice = dyn_cast<VectorType>(result);
    if (slice && slice.getRank() == 1 &&
        slice.getElementType() == vector.getElementType() &&
        (!ranks || slice.getNumElements() == vector.getNumElements() / *ranks))
      continue;
    InFlightDiagnostic diag = op.emitOpError();
    diag << "result #" << index << " must be a slice of operand #" << index;
    if (ranks)
      diag << ", a vector of " << vector.getNumElements() / *ranks
           << " elements";
    return diag << ", not " << result;
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one operand");
  if (getRoot().has_value() == getScatter())
    return emitOpError("needs exactly one of root(...) and scatter");
  for (auto [index, type] : llvm::enumerate(getInputs().getTypes()))
    if (failed(verifyElement(*this, index, type)))
      return failure();
  if (failed(verifyParticipants(*this)))
    return failure();
  if (getInputs().size() != getResults().size())
    return emitOpError() << "has " << getInputs().size() << " operands and "
                         << getResults().size()
                         << " results: give one result an operand";
  if (getScatter()) {
    if (failed(verifyScattered(*this)))
      return failure();
  } else {
    if (failed(verifyRoot(*this, static_cast<int32_t>(*getRoot()),
                          getNumRanks(*this))))
      return failure();
    if (!llvm::equal(getInputs().getTypes(), getResults().getTypes()))
      return emitOpError("with root(...) has the results of its operands' "
                         "types");
  }
  return verifyKinds(*this, getKinds(), getMerge(), getReducedElements(*this));
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyMerge(*this, getMerge(), getReducedElements(*this));
}

//===----------------------------------------------------------------------===//
// gathers, broadcast
//===----------------------------------------------------------------------===//

/// Result k is a vector with the elements of operand k of every rank.
template <typename OpT>
static LogicalResult verifyGathered(OpT op) {
  if (op.getInputs().empty())
    return op.emitOpError("needs at least one operand");
  if (failed(verifyParticipants(op)))
    return failure();
  if (op.getInputs().size() != op.getResults().size())
    return op.emitOpError()
           << "has " << op.getInputs().size() << " operands and "
           << op.getResults().size() << " results: give one result an operand";
  std::optional<int64_t> ranks = getNumRanks(op);
  for (auto [index, operand, result] :
       llvm::enumerate(op.getInputs().getTypes(), op.getResults().getTypes())) {
    if (failed(verifyElement(op, index, operand)))
      return failure();
    auto vector = cast<VectorType>(result);
    auto list = dyn_cast<VectorType>(operand);
    int64_t share = list ? list.getNumElements() : 1;
    if (vector.getElementType() == getElementTypeOrSelf(operand) &&
        vector.getRank() == 1 &&
        (!ranks || vector.getNumElements() == share * *ranks))
      continue;
    InFlightDiagnostic diag = op.emitOpError();
    diag << "result #" << index << " must be a vector of "
         << getElementTypeOrSelf(operand);
    if (ranks)
      diag << " with " << share * *ranks << " elements, " << share << " a rank";
    diag << ", not " << result;
    return diag;
  }
  return success();
}

LogicalResult AllGatherOp::verify() { return verifyGathered(*this); }

LogicalResult GatherOp::verify() {
  if (getRoot().has_value() == getScatter())
    return emitOpError("needs exactly one of root(...) and scatter");
  if (failed(verifyGathered(*this)))
    return failure();
  if (getScatter())
    return getScope() == Scope::Cluster
               ? success()
               : emitOpError("with scatter shares the groups of a block out to "
                             "the blocks of a cluster: use scope(cluster)");
  return verifyRoot(*this, static_cast<int32_t>(*getRoot()),
                    getNumRanks(*this));
}

LogicalResult
BroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                              ValueRange operands, DictionaryAttr attributes,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  llvm::append_range(types, adaptor.getInputs().getTypes());
  return success();
}

LogicalResult BroadcastOp::verify() {
  if (getInputs().empty())
    return emitOpError("needs at least one operand");
  for (auto [index, type] : llvm::enumerate(getInputs().getTypes()))
    if (failed(verifyElement(*this, index, type)))
      return failure();
  if (failed(verifyParticipants(*this)))
    return failure();
  return verifyRoot(*this, static_cast<int32_t>(getRoot()), getNumRanks(*this));
}
