//===- Tape.h - Expressions compiled for many evaluations -------*- C++ -*-===//

#ifndef CASCADE_ALGEBRA_TAPE_H
#define CASCADE_ALGEBRA_TAPE_H

#include "cascade/Algebra/Expr.h"

namespace cascade::algebra {

/// The value of an operation from those of its operands; casts between floats
/// do not round, I1 values are 0 and 1. NaN for symbols and for opaque
/// operations other than those that `Bindings` lists. For double and long
/// double.
template <typename T>
T applyOperation(Expr node, const T *operands);

/// Expressions as a straight line of operations on numbered slots.
class Tape {
public:
  struct Input {
    Expr symbol;
    unsigned slot;
  };

  Tape() = default;
  explicit Tape(const std::vector<Expr> &roots);

  /// The symbols; the caller fills their slots before a run.
  const std::vector<Input> &inputs() const { return symbols; }
  /// The slot of roots[i].
  unsigned output(unsigned i) const { return outputs[i]; }
  unsigned numOutputs() const { return outputs.size(); }

  /// One value a slot, with the constants in place. A frame may be used for any
  /// number of runs.
  template <typename T>
  std::vector<T> frame() const {
    std::vector<T> slots(numSlots);
    for (const Input &constant : constants)
      slots[constant.slot] = constant.symbol->is(Kind::FloatConstant)
                                 ? static_cast<T>(constant.symbol->number)
                                 : static_cast<T>(constant.symbol->integer);
    return slots;
  }

  /// Runs in `slots`; every value passes through `change`.
  template <typename T, typename Change>
  void run(std::vector<T> &slots, Change change) const {
    T few[4];
    std::vector<T> many;
    const unsigned *from = operandSlots.data();
    for (const Step &step : steps) {
      T *values = few;
      if (step.numOperands > 4) {
        many.resize(step.numOperands);
        values = many.data();
      }
      for (unsigned k = 0; k < step.numOperands; ++k)
        values[k] = slots[*from++];
      slots[step.slot] = change(step.node, applyOperation(step.node, values));
    }
  }
  template <typename T>
  void run(std::vector<T> &slots) const {
    run(slots, [](Expr, T value) { return value; });
  }

private:
  struct Step {
    Expr node;
    unsigned slot, numOperands;
  };
  std::vector<Step> steps;
  std::vector<unsigned> operandSlots, outputs;
  std::vector<Input> symbols, constants;
  unsigned numSlots = 0;
};

} // namespace cascade::algebra

#endif // CASCADE_ALGEBRA_TAPE_H
