//===- HostModule.h - Compile and run on the host CPU ---------*- C++ -*-===//

#ifndef CASCADE_TARGET_CPU_HOSTMODULE_H
#define CASCADE_TARGET_CPU_HOSTMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <memory>

namespace llvm {
class Module;
} // namespace llvm
namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace cascade {

/// An argument of a compiled function: a contiguous row-major buffer, or one
/// scalar.
struct HostArgument {
  void *data = nullptr;
  llvm::SmallVector<int64_t> shape;
  bool isScalar = false;
};

/// Machine code for the functions of a module, in this process.
class HostModule {
public:
  /// Compiles `module`, which holds functions over memrefs as
  /// `convert-cascade-to-loops` leaves them; it is rewritten on the way. No
  /// fast-math, libm for what is not an instruction; fp8 conversions saturate.
  /// Emits a diagnostic on failure.
  static mlir::FailureOr<std::unique_ptr<HostModule>>
  create(mlir::ModuleOp module);
  ~HostModule();

  /// Calls function `name` with its operands, then its results. The arguments
  /// must agree with the function in number and type; shapes are not checked.
  llvm::Error invoke(llvm::StringRef name,
                     llvm::ArrayRef<HostArgument> arguments);

private:
  HostModule() = default;

  std::function<llvm::Error(llvm::Module *)> transformer;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// Which evaluation of docs/Semantics.md a compiled function is.
enum class Variant {
  Fused,     ///< what `cascade-fuse` makes of it
  Unfused,   ///< U: every reduction a loop of its own, in its own types
  Reference, ///< R: unfused, in f64
};

/// Compiles a copy of the chains of `module` as `variant`. `segments` is that
/// of `convert-cascade-to-loops`; an unfused evaluation in several segments
/// combines in another order, which is as right. `afterFusion`, if given, may
/// change the fused chains (a test drops corrections there).
mlir::FailureOr<std::unique_ptr<HostModule>>
compileForHost(mlir::ModuleOp module, Variant variant, int64_t segments = 1,
               llvm::function_ref<void(mlir::ModuleOp)> afterFusion = {});

} // namespace cascade

#endif // CASCADE_TARGET_CPU_HOSTMODULE_H
