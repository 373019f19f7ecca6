//===- Simulator.h - A device in software ---------------------*- C++ -*-===//
//
// Runs a gpu.func of the phase `expanded` with real blocks, warps, lanes,
// shared memory and clusters, in an order that a seed chooses, and reports what
// a GPU would silently get wrong. docs/SimulatedDevice.md says what it models.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_TARGET_SIM_SIMULATOR_H
#define CASCADE_TARGET_SIM_SIMULATOR_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <array>
#include <memory>
#include <string>

namespace cascade::sim {

/// A buffer in global memory. Its first byte lies `offset` bytes after a
/// boundary of 256 bytes.
struct Buffer {
  std::string name;
  uint8_t *data = nullptr;
  size_t bytes = 0;
  unsigned elementBytes = 1; ///< no access is smaller
  unsigned offset = 0;
  bool isWritable = false;
  bool isInitialised = true; ///< false: a read before a write is an error
};

/// An argument of a kernel: a buffer, or the bits of a scalar.
struct Argument {
  bool isBuffer = false;
  Buffer buffer;
  uint64_t value = 0;
};

struct LaunchSize {
  std::array<unsigned, 3> grid = {1, 1, 1};
  std::array<unsigned, 3> block = {1, 1, 1};
  std::array<unsigned, 3> cluster = {1, 1, 1};
};

struct Options {
  uint64_t seed = 0;        ///< of the interleaving
  unsigned mostReports = 8; ///< of one launch; then it stops
  /// Instructions of a warp in one launch, after which it is taken to run
  /// forever.
  uint64_t mostInstructions = uint64_t(1) << 27;
};

struct Program;

/// A kernel, compiled for the simulated device.
class Kernel {
public:
  /// Fails with a diagnostic at an operation that the device does not know.
  static mlir::FailureOr<Kernel> compile(mlir::gpu::GPUFuncOp func);
  Kernel(Kernel &&);
  Kernel &operator=(Kernel &&);
  ~Kernel();

  /// Runs one launch. Fails if anything was reported; reports are diagnostics
  /// at the operation.
  mlir::LogicalResult run(const LaunchSize &size,
                          llvm::ArrayRef<Argument> arguments,
                          const Options &options) const;

  mlir::gpu::GPUFuncOp getFunc() const;

private:
  explicit Kernel(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program;
};

} // namespace cascade::sim

#endif // CASCADE_TARGET_SIM_SIMULATOR_H
