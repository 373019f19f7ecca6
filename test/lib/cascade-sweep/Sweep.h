//===- Sweep.h - Fused against unfused over many inputs -------*- C++ -*-===//

#ifndef CASCADE_TEST_SWEEP_H
#define CASCADE_TEST_SWEEP_H

#include "cascade/Runtime/ElementType.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cascade::test {

/// One call whose result is wrong.
struct Failure {
  std::string function;
  unsigned output;
  int64_t length, rows, segments;
  std::string pattern;
  uint64_t seed;       ///< for `SweepOptions::seed`
  std::string inputs;  ///< what they are called
  std::string problem; ///< the element and what was expected

  std::string text() const;
};

/// What to run every function with.
struct SweepOptions {
  std::vector<int64_t> lengths;  ///< extents of the reduced axes
  std::vector<int64_t> rows;     ///< extents of the other dynamic axes
  std::vector<int64_t> segments; ///< one fused compilation each
  std::vector<std::string> patterns;
  uint64_t seed = 1;
  /// The relative tolerance; by default that of the type of the output.
  std::optional<double> rtol;
  /// Prints the worst relative error against R of each function's outputs,
  /// fused and unfused, instead of comparing.
  bool errors = false;
  /// Rounds f32 and f64 inputs to a float type.
  std::optional<runtime::ElementType> inputsAs;
  /// Changes the fused chains; for mutants.
  std::function<void(mlir::ModuleOp)> mutate;
  /// Hears of every failure; without it, they are printed.
  std::function<void(const Failure &)> onFailure;
};

struct SweepCounts {
  unsigned passed = 0;
  unsigned failed = 0;
};

/// Compares the fused evaluation of every function of `module` with U and R and
/// reports its failures. Fails, with a diagnostic, where something cannot
/// be compiled or run.
mlir::FailureOr<SweepCounts> sweep(mlir::ModuleOp module,
                                   const SweepOptions &options);

/// Removes every correction: accumulators stay against outdated references.
void dropCorrections(mlir::ModuleOp module);
/// Removes every replay condition.
void dropReplay(mlir::ModuleOp module);

} // namespace cascade::test

#endif // CASCADE_TEST_SWEEP_H
