//===- Shapes.h - The shapes of a call ------------------------*- C++ -*-===//
//
// A compiled function trusts the shapes that it is called with. Here they are
// chosen from named dimensions, checked against every chain, and carried to the
// results.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_TARGET_CPU_SHAPES_H
#define CASCADE_TARGET_CPU_SHAPES_H

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace cascade {

using Shape = llvm::SmallVector<int64_t>;

/// The shapes of the arguments and results of one call; a scalar argument has
/// the shape of rank 0.
struct CallShapes {
  llvm::SmallVector<Shape> arguments;
  llvm::SmallVector<Shape> results;
};

/// The name of a dynamic dimension of an argument: the axis that it fixes in
/// the first chain that uses it alone, or `argN.D`.
std::string nameOfDimension(mlir::func::FuncOp function, unsigned argument,
                            unsigned dim);

/// Shapes for the arguments of `function`: `given` where it has a value, else
/// the static sizes and `dims` by name, to which the dimensions of given shapes
/// add. The error names a dimension that nothing gives, and what disagrees.
llvm::Expected<llvm::SmallVector<Shape>>
chooseShapes(mlir::func::FuncOp function,
             llvm::ArrayRef<std::optional<Shape>> given,
             llvm::StringMap<int64_t> dims);

/// Checks `arguments` against every chain of `function` (one extent an axis,
/// composite expressions in bounds) and adds the shapes of the results.
llvm::Expected<CallShapes> checkShapes(mlir::func::FuncOp function,
                                       llvm::ArrayRef<Shape> arguments);

/// The names of the axes that any reduction in `function` reduces.
llvm::StringMap<bool> reducedAxes(mlir::func::FuncOp function);

} // namespace cascade

#endif // CASCADE_TARGET_CPU_SHAPES_H
