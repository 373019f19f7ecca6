//===- Simulator.cpp - Runs a launch --------------------------------------===//

#include "cascade/Target/Sim/Simulator.h"
#include "Machine.h"
#include <numeric>
#include <random>

using namespace mlir;
using namespace cascade::sim;

Kernel::Kernel(std::unique_ptr<Program> program)
    : program(std::move(program)) {}
Kernel::Kernel(Kernel &&) = default;
Kernel &Kernel::operator=(Kernel &&) = default;
Kernel::~Kernel() = default;

FailureOr<Kernel> Kernel::compile(gpu::GPUFuncOp func) {
  FailureOr<Program> program = compileKernel(func);
  if (failed(program))
    return failure();
  return Kernel(std::make_unique<Program>(std::move(*program)));
}

gpu::GPUFuncOp Kernel::getFunc() const { return program->func; }

/// What CUDA refuses at the launch.
static LogicalResult checkLaunch(gpu::GPUFuncOp func, const LaunchSize &size) {
  constexpr unsigned mostThreads = 1024, mostBlocks = 16;
  unsigned threads = size.block[0] * size.block[1] * size.block[2];
  unsigned blocks = size.cluster[0] * size.cluster[1] * size.cluster[2];
  if (threads == 0 || threads > mostThreads)
    return func.emitError()
           << "a block has 1 to " << mostThreads << " threads, not " << threads;
  if (blocks == 0 || blocks > mostBlocks)
    return func.emitError()
           << "a cluster has 1 to " << mostBlocks << " blocks, not " << blocks;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (size.grid[axis] % size.cluster[axis] != 0)
      return func.emitError()
             << "a grid of " << size.grid[axis]
             << " blocks is no multiple of a cluster of " << size.cluster[axis];
  auto agrees = [&](std::optional<ArrayRef<int32_t>> known,
                    const std::array<unsigned, 3> &given, const char *what) {
    if (!known || llvm::equal(*known, given, [](int32_t x, unsigned y) {
          return unsigned(x) == y;
        }))
      return true;
    func.emitError() << "is launched with another " << what
                     << " size than it was compiled for";
    return false;
  };
  if (!agrees(func.getKnownBlockSize(), size.block, "block") ||
      !agrees(func.getKnownClusterSize(), size.cluster, "cluster"))
    return failure();
  return success();
}

LogicalResult Kernel::run(const LaunchSize &size, ArrayRef<Argument> arguments,
                          const Options &options) const {
  gpu::GPUFuncOp func = program->func;
  if (failed(checkLaunch(func, size)))
    return failure();
  if (arguments.size() != program->arguments.size())
    return func.emitError() << "takes " << program->arguments.size()
                            << " arguments, not " << arguments.size();
  Reporter reporter(*program, options.mostReports);
  GlobalMemory global(arguments, reporter);
  std::vector<uint64_t> values;
  for (size_t i = 0; i < arguments.size(); ++i)
    values.push_back(arguments[i].isBuffer
                         ? GlobalMemory::baseOf(arguments[i].buffer, i)
                         : arguments[i].value);
  Machine machine(*program, size, global, values, reporter, options);
  // Clusters do not wait for each other: one after another.
  std::vector<std::array<uint32_t, 3>> origins;
  for (uint32_t z = 0; z < size.grid[2]; z += size.cluster[2])
    for (uint32_t y = 0; y < size.grid[1]; y += size.cluster[1])
      for (uint32_t x = 0; x < size.grid[0]; x += size.cluster[0])
        origins.push_back({x, y, z});
  std::vector<uint32_t> order(origins.size());
  std::iota(order.begin(), order.end(), 0);
  // Where the last to come does something else, by the seed.
  if (program->hasArrivals && options.seed != 0)
    std::shuffle(order.begin(), order.end(), std::mt19937_64(options.seed));
  for (uint32_t number : order)
    if (!machine.run(origins[number], number))
      return failure();
  global.checkCounters();
  return failure(reporter.hasAny());
}
