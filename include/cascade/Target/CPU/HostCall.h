//===- HostCall.h - Call a compiled function with tensors -----*- C++ -*-===//

#ifndef CASCADE_TARGET_CPU_HOSTCALL_H
#define CASCADE_TARGET_CPU_HOSTCALL_H

#include "cascade/Runtime/Tensor.h"
#include "cascade/Target/CPU/HostModule.h"
#include "cascade/Target/CPU/Shapes.h"
#include <vector>

namespace cascade {

/// The run-time name of the element type of `type`, a scalar or a ranked
/// tensor; an error that names a type that cannot be passed.
runtime::Expected<runtime::ElementType> elementTypeFor(mlir::Type type);

/// Calls `function`, which holds chains, as `module` compiled it. `inputs`
/// agree with `shapes.arguments`; returns one tensor a result.
runtime::Expected<std::vector<runtime::Tensor>>
callFunction(HostModule &module, mlir::func::FuncOp function,
             llvm::ArrayRef<runtime::Tensor> inputs, const CallShapes &shapes);

} // namespace cascade

#endif // CASCADE_TARGET_CPU_HOSTCALL_H
