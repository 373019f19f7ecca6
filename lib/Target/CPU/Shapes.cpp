//===- Shapes.cpp - The shapes of a call ----------------------------------===//

#include "cascade/Target/CPU/Shapes.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;
using namespace cascade;

static llvm::Error errorOf(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string textOf(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return text.empty() ? "a scalar" : text;
}

std::string cascade::nameOfDimension(func::FuncOp function, unsigned argument,
                                     unsigned dim) {
  Value value = function.getArgument(argument);
  for (auto chain : function.getOps<ChainOp>())
    for (auto [number, input] : llvm::enumerate(chain.getInputs()))
      if (input == value)
        if (auto axis = dyn_cast<AffineDimExpr>(
                chain.getInputMap(number).getResult(dim)))
          return chain.getAxisName(axis.getPosition()).str();
  return ("arg" + Twine(argument) + "." + Twine(dim)).str();
}

llvm::Expected<SmallVector<Shape>>
cascade::chooseShapes(func::FuncOp function,
                      ArrayRef<std::optional<Shape>> given,
                      llvm::StringMap<int64_t> dims) {
  unsigned count = function.getNumArguments();
  auto shapeOf = [&](unsigned argument) -> ArrayRef<int64_t> {
    auto tensor =
        dyn_cast<RankedTensorType>(function.getArgument(argument).getType());
    return tensor ? tensor.getShape() : ArrayRef<int64_t>();
  };
  for (unsigned i = 0; i < count; ++i) {
    if (i >= given.size() || !given[i])
      continue;
    ArrayRef<int64_t> wanted = shapeOf(i);
    if (wanted.size() != given[i]->size())
      return errorOf("input " + Twine(i) + " is " + textOf(*given[i]) +
                     ", but argument " + Twine(i) + " of '" +
                     function.getName() + "' has rank " + Twine(wanted.size()));
    for (auto [dim, size] : llvm::enumerate(wanted)) {
      int64_t have = (*given[i])[dim];
      if (!ShapedType::isDynamic(size) && size != have)
        return errorOf("input " + Twine(i) + " is " + textOf(*given[i]) +
                       ", but dimension " + Twine(dim) + " of argument " +
                       Twine(i) + " is " + Twine(size));
      if (!ShapedType::isDynamic(size))
        continue;
      std::string name = nameOfDimension(function, i, dim);
      int64_t known = dims.try_emplace(name, have).first->second;
      if (known != have)
        return errorOf("dimension '" + name + "' is " + Twine(have) +
                       " in input " + Twine(i) + ", but " + Twine(known) +
                       " in --dim or in an input before it");
    }
  }
  SmallVector<Shape> shapes;
  for (unsigned i = 0; i < count; ++i) {
    if (i < given.size() && given[i]) {
      shapes.push_back(*given[i]);
      continue;
    }
    Shape &shape = shapes.emplace_back(shapeOf(i));
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(size))
        continue;
      std::string name = nameOfDimension(function, i, dim);
      auto it = dims.find(name);
      if (it == dims.end())
        return errorOf("dimension '" + name + "' of argument " + Twine(i) +
                       " of '" + function.getName() +
                       "' is dynamic; give it with --dim=" + name + "=SIZE");
      size = it->second;
    }
  }
  return shapes;
}

/// The extents of the axes of `chain` when its operands have these shapes.
static llvm::Expected<Shape> extentsOf(ChainOp chain, ArrayRef<Shape> inputs) {
  Shape extents = chain.getStaticExtents();
  SmallVector<std::string> owner(extents.size(), "the type of the chain");
  for (auto [number, shape] : llvm::enumerate(inputs)) {
    AffineMap map = chain.getInputMap(number);
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto axis = dyn_cast<AffineDimExpr>(expr);
      if (!axis)
        continue;
      int64_t &extent = extents[axis.getPosition()];
      if (ShapedType::isDynamic(extent)) {
        extent = shape[dim];
        owner[axis.getPosition()] = "operand " + std::to_string(number);
      } else if (extent != shape[dim]) {
        return errorOf("axis '" + chain.getAxisName(axis.getPosition()) +
                       "' has extent " + Twine(extent) + " in " +
                       owner[axis.getPosition()] + " and " + Twine(shape[dim]) +
                       " in operand " + Twine(number));
      }
    }
  }
  return extents;
}

/// Composite expressions stay inside the operands that they index.
static llvm::Error checkBounds(ChainOp chain, ArrayRef<int64_t> extents,
                               ArrayRef<Shape> inputs) {
  if (llvm::is_contained(extents, 0))
    return llvm::Error::success(); // No iteration reads anything.
  SmallVector<std::optional<int64_t>> low(extents.size(), 0), high;
  for (int64_t extent : extents)
    high.push_back(extent - 1);
  for (auto [number, shape] : llvm::enumerate(inputs))
    for (auto [dim, expr] :
         llvm::enumerate(chain.getInputMap(number).getResults())) {
      if (isa<AffineDimExpr>(expr))
        continue;
      auto lower = getBoundForAffineExpr(expr, extents.size(), 0, low, high,
                                         /*isUpper=*/false);
      auto upper = getBoundForAffineExpr(expr, extents.size(), 0, low, high,
                                         /*isUpper=*/true);
      if (!lower || !upper)
        return errorOf("dimension " + Twine(dim) + " of operand " +
                       Twine(number) +
                       " is indexed by an expression whose bounds cannot be "
                       "computed");
      if (*lower < 0 || *upper >= shape[dim])
        return errorOf("dimension " + Twine(dim) + " of operand " +
                       Twine(number) + " has size " + Twine(shape[dim]) +
                       ", but its expression reaches " +
                       Twine(*lower < 0 ? *lower : *upper));
    }
  return llvm::Error::success();
}

llvm::Expected<CallShapes> cascade::checkShapes(func::FuncOp function,
                                                ArrayRef<Shape> arguments) {
  llvm::DenseMap<Value, Shape> shapes;
  for (auto [argument, shape] :
       llvm::zip_equal(function.getArguments(), arguments))
    shapes[argument] = shape;
  for (auto chain : function.getOps<ChainOp>()) {
    SmallVector<Shape> inputs;
    for (Value input : chain.getInputs())
      inputs.push_back(shapes.lookup(input));
    llvm::Expected<Shape> extents = extentsOf(chain, inputs);
    if (!extents)
      return extents.takeError();
    if (llvm::Error error = checkBounds(chain, *extents, inputs))
      return error;
    for (OpResult result : chain->getResults()) {
      Shape shape;
      AffineMap map = chain.getOutputMap(result.getResultNumber());
      for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
        shape.push_back((*extents)[map.getDimPosition(dim)]);
      shapes[result] = shape;
    }
  }
  CallShapes call;
  call.arguments.assign(arguments.begin(), arguments.end());
  for (Value value : function.getBody().front().getTerminator()->getOperands())
    call.results.push_back(shapes.lookup(value));
  return call;
}

llvm::StringMap<bool> cascade::reducedAxes(func::FuncOp function) {
  llvm::StringMap<bool> reduced;
  function.walk([&](ReduceOp reduce) {
    for (auto axis : reduce.getOver().getAsRange<StringAttr>())
      reduced[axis.getValue()] = true;
  });
  return reduced;
}
