//===- RunSim.cpp - cascade-run --device=sim ------------------------------===//

#include "cascade/Pipelines/RunSim.h"
#include "SimRun.h"
#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include <chrono>
#include <cstring>
#include <iostream>

using namespace mlir;
using namespace cascade;
using runtime::Error;

sim::Argument cascade::bufferOf(runtime::Tensor &tensor, std::string name,
                                bool isWritable, bool isInitialised,
                                int64_t offset) {
  sim::Argument argument;
  argument.isBuffer = true;
  argument.buffer.name = std::move(name);
  argument.buffer.data = tensor.data();
  argument.buffer.bytes = tensor.sizeInBytes();
  argument.buffer.elementBytes = runtime::byteSize(tensor.type());
  argument.buffer.offset = offset * runtime::byteSize(tensor.type());
  argument.buffer.isWritable = isWritable;
  argument.buffer.isInitialised = isInitialised;
  return argument;
}

sim::Argument cascade::scalarOf(const runtime::Tensor &scalar) {
  sim::Argument argument;
  std::memcpy(&argument.value, scalar.data(), scalar.sizeInBytes());
  return argument;
}

static Error checkFlags(const RunOptions &options, const SimRunOptions &sim) {
  auto check = [](const char *flag, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high)
      return Error::success();
    return Error::input(std::string(flag) + " takes " + std::to_string(low) +
                        " to " + std::to_string(high) + ", not " +
                        std::to_string(value));
  };
  if (Error error = check("--cluster", sim.pipeline.cluster, 0, 16))
    return error;
  if (Error error = check("--interleavings", sim.interleavings, 1, 1000000))
    return error;
  if (Error error = check("--offset-elements", sim.offsetElements, 0, 255))
    return error;
  if (options.segments != 1)
    return Error::input("--segments is for the CPU; use --cluster=N on the "
                        "simulated device");
  return Error::success();
}

int cascade::runOnSimulator(const RunOptions &options, const SimRunOptions &sim,
                            const DialectRegistry &registry) {
  auto status = [](const Error &error) {
    std::cerr << "error: " << error.message() << "\n";
    return static_cast<int>(error.kind());
  };
  if (Error error = checkFlags(options, sim))
    return status(error);
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(options.file);
  if (!file)
    return status(Error::input("cannot read '" + options.file +
                               "': " + file.getError().message()));
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return static_cast<int>(runtime::ErrorKind::Input);

  bool hasChains = false;
  module->walk([&](ChainOp) { hasChains = true; });
  SimCounts counts;
  auto start = std::chrono::steady_clock::now();
  if (Error error = hasChains ? runChains(*module, options, sim, counts)
                              : runKernels(*module, options, sim, counts))
    return status(error);
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  unsigned failed = counts.reports + counts.differing;
  if (counts.cases > 1) {
    std::cout << counts.cases - failed << " passed, " << failed << " failed\n";
    std::cerr << llvm::formatv("{0:F1} cases a second\n",
                               counts.cases / seconds.count())
                     .str();
  }
  if (counts.reports)
    return static_cast<int>(runtime::ErrorKind::Device);
  return counts.differing ? 1 : 0;
}
