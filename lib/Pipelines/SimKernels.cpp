//===- SimKernels.cpp - Simulates the kernels of a file as they are -------===//

#include "SimRun.h"
#include "cascade/Runtime/Compare.h"
#include "cascade/Runtime/Print.h"
#include "cascade/Runtime/Spec.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <iostream>

using namespace mlir;
using namespace cascade;
using runtime::Error;
using runtime::Tensor;

namespace {
class KernelRunner {
public:
  KernelRunner(gpu::GPUFuncOp func, const RunOptions &options,
               const SimRunOptions &sim, SimCounts &counts)
      : func(func), options(options), sim(sim), counts(counts) {}
  Error run();

private:
  runtime::Expected<Tensor> makeArgument(unsigned number);
  Error runOnce(const sim::Kernel &kernel, uint64_t seed);
  bool isWritable(unsigned number) {
    return !func.getArgAttr(number, LLVM::LLVMDialect::getReadonlyAttrName());
  }

  gpu::GPUFuncOp func;
  const RunOptions &options;
  const SimRunOptions &sim;
  SimCounts &counts;
  sim::LaunchSize size;
  std::vector<Tensor> tensors;
};
} // namespace

/// The size that `flag` gives, X[,Y[,Z]], or attribute `name` of the kernel, or
/// as it was; flag and attribute have to agree.
static Error parseSize(const char *flag, StringRef text, gpu::GPUFuncOp func,
                       StringRef name, std::array<unsigned, 3> &size) {
  auto known = func->getAttrOfType<DenseI32ArrayAttr>(name);
  if (known)
    llvm::copy(known.asArrayRef(), size.begin());
  if (text.empty())
    return Error::success();
  std::array<unsigned, 3> given = {1, 1, 1};
  if (!known)
    given = size;
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  bool isGood = parts.size() <= 3;
  for (size_t i = 0; i < parts.size() && isGood; ++i)
    isGood = !parts[i].getAsInteger(10, given[i]) && given[i] > 0;
  std::string words = std::string(flag) + "=" + text.str();
  if (!isGood)
    return Error::input(words + " is not X[,Y[,Z]] with numbers above 0");
  if (known && given != size) {
    func.emitError() << "'" << name << "' is " << size[0] << "," << size[1]
                     << "," << size[2] << ", which " << words << " contradicts";
    return Error::input(words + " contradicts kernel '" + func.getName().str() +
                        "': drop it");
  }
  size = given;
  return Error::success();
}

static bool isPointerOrMemRef(Type type) {
  return isa<LLVM::LLVMPointerType, MemRefType>(type);
}

runtime::Expected<Tensor> KernelRunner::makeArgument(unsigned number) {
  std::string context = "--input " + std::to_string(number);
  Type type = func.getArgumentTypes()[number];
  auto spec =
      runtime::parseSpec(number < options.inputs.size() ? options.inputs[number]
                                                        : std::string("rand"));
  if (!spec)
    return spec.error().in(context);
  if (isa<LLVM::LLVMPointerType>(type)) {
    if (!spec->type)
      return Error::input(context + " is a pointer of kernel '" +
                          func.getName().str() +
                          "'; give its shape and type too, as in "
                          "--input=64xf32=rand");
    auto tensor = runtime::makeTensor(*spec, options.seed, number);
    return tensor ? std::move(tensor) : tensor.error().in(context);
  }
  runtime::Shape shape;
  Type element = type;
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (!memref.hasStaticShape())
      return Error::input(context + ": argument " + std::to_string(number) +
                          " of kernel '" + func.getName().str() +
                          "' has a dynamic shape; use a static one");
    shape.assign(memref.getShape().begin(), memref.getShape().end());
    element = memref.getElementType();
  }
  std::string name;
  llvm::raw_string_ostream(name) << element;
  auto elementType = runtime::parseElementType(name);
  if (!elementType)
    return Error::input(context + ": type " + name + " cannot be passed; use " +
                        runtime::listElementTypes());
  auto tensor =
      runtime::makeTensor(*spec, *elementType, shape, options.seed, number);
  return tensor ? std::move(tensor) : tensor.error().in(context);
}

Error KernelRunner::runOnce(const sim::Kernel &kernel, uint64_t seed) {
  std::vector<Tensor> memory = tensors;
  std::vector<sim::Argument> arguments;
  for (unsigned i = 0; i < memory.size(); ++i)
    arguments.push_back(isPointerOrMemRef(func.getArgumentTypes()[i])
                            ? bufferOf(memory[i], "arg" + std::to_string(i),
                                       isWritable(i), /*isInitialised=*/true,
                                       sim.offsetElements)
                            : scalarOf(memory[i]));
  sim::Options simOptions;
  simOptions.seed = seed;
  ++counts.cases;
  if (failed(kernel.run(size, arguments, simOptions))) {
    ++counts.reports;
    return Error::success();
  }
  bool isFirst = seed == options.seed, isWrong = false;
  unsigned output = 0;
  for (unsigned i = 0; i < memory.size(); ++i) {
    if (!arguments[i].isBuffer || !isWritable(i))
      continue;
    std::string name = "arg" + std::to_string(i);
    unsigned number = output++;
    if (number >= options.expected.size()) {
      if (isFirst && options.expected.empty())
        std::cout << runtime::formatOutput(name, memory[i]) << "\n";
      continue;
    }
    std::string context = "--expected-output " + std::to_string(number);
    auto spec = runtime::parseSpec(options.expected[number]);
    if (!spec)
      return spec.error().in(context);
    auto expected = runtime::makeTensor(
        *spec, memory[i].type(), memory[i].shape(), options.seed, number);
    if (!expected)
      return expected.error().in(context);
    auto result =
        runtime::compare(memory[i], {&*expected}, options.rtol, options.atol);
    if (!result)
      return result.error().in(context);
    if (isFirst || !result->passed)
      std::cout << name
                << (result->passed ? ": agrees with " : ": DIFFERS from ")
                << "what is expected: " << result->text << "\n";
    isWrong |= !result->passed;
  }
  counts.differing += isWrong;
  return Error::success();
}

Error KernelRunner::run() {
  if (Error error = parseSize("--block", sim.block, func,
                              func.getKnownBlockSizeAttrName(), size.block))
    return error;
  if (Error error = parseSize("--cluster-dims", sim.clusterDims, func,
                              func.getKnownClusterSizeAttrName(), size.cluster))
    return error;
  size.grid = size.cluster;
  if (Error error = parseSize("--grid", sim.grid, func,
                              func.getKnownGridSizeAttrName(), size.grid))
    return error;
  if (options.inputs.size() > func.getNumArguments())
    return Error::input(std::to_string(options.inputs.size()) +
                        " inputs are given, but kernel '" +
                        func.getName().str() + "' has " +
                        std::to_string(func.getNumArguments()) + " arguments");
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto tensor = makeArgument(i);
    if (!tensor)
      return tensor.error();
    tensors.push_back(std::move(*tensor));
  }
  auto kernel = sim::Kernel::compile(func);
  if (failed(kernel))
    return Error::input(options.file + ": kernel '" + func.getName().str() +
                        "' cannot run on the simulated device");
  for (int64_t i = 0; i < sim.interleavings; ++i)
    if (Error error = runOnce(*kernel, options.seed + i))
      return error;
  return Error::success();
}

Error cascade::runKernels(ModuleOp module, const RunOptions &options,
                          const SimRunOptions &sim, SimCounts &counts) {
  SmallVector<gpu::GPUFuncOp> kernels;
  module.walk([&](gpu::GPUFuncOp func) {
    if (options.entry.empty() || func.getName() == options.entry)
      kernels.push_back(func);
  });
  if (kernels.empty())
    return Error::input(
        options.file + ": no function with a cascade.chain and no gpu.func" +
        (options.entry.empty() ? "" : " called '" + options.entry + "'"));
  for (gpu::GPUFuncOp func : kernels)
    if (Error error = KernelRunner(func, options, sim, counts).run())
      return error;
  return Error::success();
}
