//===- CascadeToLoops.cpp - From chains to sequential loops ---------------===//
//
// The functions around the chains: tensors become memrefs, results become
// trailing arguments, and intermediates between chains are allocated.
//
//===----------------------------------------------------------------------===//

#include "cascade/Conversion/CascadeToLoops/CascadeToLoops.h"
#include "ChainEvaluator.h"
#include "cascade/Transforms/PromoteAccumulators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"

namespace cascade {
#define GEN_PASS_DECL_CASCADETOLOOPSPASS
#define GEN_PASS_DEF_CASCADETOLOOPSPASS
#include "cascade/Conversion/Passes.h.inc"
} // namespace cascade

using namespace mlir;
using namespace cascade;

namespace {
/// Converts one function.
class FunctionConverter {
public:
  FunctionConverter(func::FuncOp function, int64_t segments)
      : function(function), segments(segments) {}
  LogicalResult convert();

private:
  LogicalResult check();
  void convertArguments();
  void addResultArguments(func::ReturnOp ret);
  LogicalResult convertChain(ChainOp chain);
  Value bufferFor(OpResult result, OpBuilder &b, ChainEvaluator &evaluator);
  void convertReturn(func::ReturnOp ret);
  void eraseTensors();

  func::FuncOp function;
  int64_t segments;
  /// Tensor -> memref.
  llvm::DenseMap<Value, Value> buffers;
  /// The arguments that the function's results are written to.
  SmallVector<Value> resultArguments;
  SmallVector<ChainOp> chains;
  SmallVector<Value> allocations;
};
} // namespace

static MemRefType bufferTypeOf(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return MemRefType::get(type.getShape(), type.getElementType());
}

/// Everything this lowering cannot take is refused here, before anything is
/// changed.
LogicalResult FunctionConverter::check() {
  if (!function.getBody().hasOneBlock())
    return function.emitError()
           << "function '" << function.getName()
           << "' has control flow around its chains; only straight-line code "
              "can be lowered to loops";
  for (Type type : function.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return function.emitError()
             << "function '" << function.getName()
             << "' returns a value of type " << type
             << "; only tensors can be returned beside chains";
  WalkResult nested = function.walk([&](ChainOp chain) {
    if (chain->getParentOp() == function)
      return WalkResult::advance();
    chain.emitError() << "stands inside of '" << chain->getParentOp()->getName()
                      << "'; only chains directly in a function can be lowered "
                         "to loops";
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return failure();
  for (Operation &op : function.getBody().front()) {
    if (isa<ChainOp>(op))
      continue;
    auto isTensor = llvm::IsaPred<TensorType>;
    if (!isa<func::ReturnOp>(op) &&
        (llvm::any_of(op.getOperandTypes(), isTensor) ||
         llvm::any_of(op.getResultTypes(), isTensor)))
      return op.emitError()
             << "'" << op.getName()
             << "' on tensors cannot be lowered beside a chain; write it as a "
                "cascade.chain or keep it in another function";
  }
  return success();
}

void FunctionConverter::convertArguments() {
  Block &block = function.getBody().front();
  for (BlockArgument argument : llvm::to_vector(block.getArguments())) {
    if (!isa<RankedTensorType>(argument.getType()))
      continue;
    unsigned position = argument.getArgNumber();
    (void)function.insertArgument(position, bufferTypeOf(argument.getType()),
                                  function.getArgAttrDict(position),
                                  argument.getLoc());
    buffers[argument] = block.getArgument(position);
  }
}

void FunctionConverter::addResultArguments(func::ReturnOp ret) {
  for (auto [number, value] : llvm::enumerate(ret.getOperands())) {
    unsigned position = function.getNumArguments();
    (void)function.insertArgument(position, bufferTypeOf(value.getType()),
                                  function.getResultAttrDict(number),
                                  value.getLoc());
    Value argument = function.getArgument(position);
    resultArguments.push_back(argument);
    // The first return of a chain's result is where the chain writes it.
    if (value.getDefiningOp<ChainOp>())
      buffers.try_emplace(value, argument);
  }
}

/// The memref that a chain writes `result` to.
Value FunctionConverter::bufferFor(OpResult result, OpBuilder &b,
                                   ChainEvaluator &evaluator) {
  if (Value known = buffers.lookup(result))
    return known;
  auto chain = cast<ChainOp>(result.getOwner());
  MemRefType type = bufferTypeOf(result.getType());
  SmallVector<Value> sizes;
  AffineMap map = chain.getOutputMap(result.getResultNumber());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(evaluator.extentOf(map.getDimPosition(dim)));
  b.setInsertionPoint(chain);
  Value buffer = memref::AllocOp::create(b, chain.getLoc(), type, sizes);
  allocations.push_back(buffer);
  return buffers[result] = buffer;
}

LogicalResult FunctionConverter::convertChain(ChainOp chain) {
  promoteAccumulators(chain);
  OpBuilder b(chain);
  SmallVector<Value> inputs, outputs;
  for (Value input : chain.getInputs())
    inputs.push_back(
        isa<RankedTensorType>(input.getType()) ? buffers.lookup(input) : input);
  ChainEvaluator evaluator(chain, b, inputs, segments);
  for (OpResult result : chain->getResults())
    outputs.push_back(bufferFor(result, b, evaluator));
  chains.push_back(chain);
  return evaluator.emitResults(outputs);
}

void FunctionConverter::convertReturn(func::ReturnOp ret) {
  OpBuilder b(ret);
  for (auto [value, argument] :
       llvm::zip_equal(ret.getOperands(), resultArguments))
    if (buffers.lookup(value) != argument)
      memref::CopyOp::create(b, ret.getLoc(), buffers.lookup(value), argument);
  for (Value allocation : allocations)
    memref::DeallocOp::create(b, ret.getLoc(), allocation);
  func::ReturnOp::create(b, ret.getLoc());
  ret.erase();
}

void FunctionConverter::eraseTensors() {
  for (ChainOp chain : llvm::reverse(chains))
    chain.erase();
  for (unsigned i = function.getNumArguments(); i-- > 0;)
    if (isa<RankedTensorType>(function.getArgument(i).getType()))
      (void)function.eraseArgument(i);
  (void)function.eraseResults(
      llvm::BitVector(function.getNumResults(), /*t=*/true));
}

LogicalResult FunctionConverter::convert() {
  if (failed(check()))
    return failure();
  auto ret = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  convertArguments();
  addResultArguments(ret);
  for (ChainOp chain : llvm::to_vector(function.getOps<ChainOp>()))
    if (failed(convertChain(chain)))
      return failure();
  convertReturn(ret);
  eraseTensors();
  return success();
}

LogicalResult cascade::convertCascadeToLoops(ModuleOp module,
                                             int64_t segments) {
  if (segments < 1)
    return module.emitError()
           << "segments must be at least 1, got " << segments;
  SmallVector<func::FuncOp> functions;
  llvm::StringSet<> names;
  module.walk([&](func::FuncOp function) {
    bool hasChain = false;
    function.walk([&](ChainOp) { hasChain = true; });
    if (hasChain) {
      functions.push_back(function);
      names.insert(function.getName());
    }
  });
  WalkResult calls =
      module.walk(
          [&](func::CallOp call) {
            if (!names.contains(call.getCallee()))
              return WalkResult::advance();
            call.emitError()
                << "calls '" << call.getCallee()
                << "', a function with chains; its tensors become buffers, "
                   "so inline it first (--inline)";
            return WalkResult::interrupt();
          });
  if (calls.wasInterrupted())
    return failure();
  for (func::FuncOp function : functions)
    if (failed(FunctionConverter(function, segments).convert()))
      return failure();
  return success();
}

namespace {
struct CascadeToLoopsPass
    : public cascade::impl::CascadeToLoopsPassBase<CascadeToLoopsPass> {
  using CascadeToLoopsPassBase::CascadeToLoopsPassBase;
  void runOnOperation() override {
    if (failed(convertCascadeToLoops(getOperation(), segments)))
      signalPassFailure();
  }
};
} // namespace
