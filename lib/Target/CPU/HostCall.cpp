//===- HostCall.cpp - Call a compiled function with tensors ---------------===//

#include "cascade/Target/CPU/HostCall.h"

using namespace mlir;
using namespace cascade;
using runtime::Tensor;

runtime::Expected<runtime::ElementType> cascade::elementTypeFor(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << getElementTypeOrSelf(type);
  if (auto known = runtime::parseElementType(name))
    return *known;
  return runtime::Error::input("type " + name + " cannot be passed; use " +
                               runtime::listElementTypes());
}

runtime::Expected<std::vector<Tensor>>
cascade::callFunction(HostModule &module, func::FuncOp function,
                      ArrayRef<Tensor> inputs, const CallShapes &shapes) {
  std::vector<Tensor> outputs;
  SmallVector<HostArgument> arguments;
  auto add = [&](const Tensor &tensor, Type type) {
    // Inputs are not written: only results are.
    arguments.push_back(
        {const_cast<uint8_t *>(tensor.data()),
         SmallVector<int64_t>(tensor.shape().begin(), tensor.shape().end()),
         !isa<RankedTensorType>(type)});
  };
  for (auto [shape, type] :
       llvm::zip_equal(shapes.results, function.getResultTypes())) {
    auto elementType = elementTypeFor(type);
    if (!elementType)
      return elementType.error();
    auto output = Tensor::create(*elementType,
                                 runtime::Shape(shape.begin(), shape.end()));
    if (!output)
      return output.error();
    outputs.push_back(std::move(*output));
  }
  for (auto [input, type] :
       llvm::zip_equal(inputs, function.getArgumentTypes()))
    add(input, type);
  for (auto [output, type] :
       llvm::zip_equal(outputs, function.getResultTypes()))
    add(output, type);
  if (llvm::Error error = module.invoke(function.getName(), arguments))
    return runtime::Error::device(llvm::toString(std::move(error)));
  return outputs;
}
