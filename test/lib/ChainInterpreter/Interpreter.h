//===- Interpreter.h - Chains, fused and as written -------------*- C++ -*-===//

#ifndef CASCADE_TEST_LIB_CHAININTERPRETER_INTERPRETER_H
#define CASCADE_TEST_LIB_CHAININTERPRETER_INTERPRETER_H

#include "Chain.h"
#include "cascade/Algebra/Tape.h"

#include <random>

namespace cascade::algebra {

using Row = std::vector<double>; ///< the elements of one iteration, by id

/// What a chain is run on.
struct ChainData {
  std::vector<Row> rows;
  std::vector<double> parameters;
};

/// How a fused pass goes over the rows: segments of tiles, each of which is
/// summed against its own final references. Segments are merged in order.
struct Segmentation {
  std::vector<std::vector<unsigned>> segments; ///< numbers of rows in tiles
};

/// `pieces` segments of one-row tiles; the first of several is empty.
Segmentation evenSegments(size_t rows, unsigned pieces);

/// A chain compiled to tapes; `T` is double or long double.
template <typename T>
class Interpreter {
public:
  /// The chain must have been fused. At most `stages` of its stages take part.
  explicit Interpreter(const Chain &chain, unsigned stages = ~0u);

  struct Direct {
    std::vector<T> results;
    std::vector<T> sizes; ///< sum of the absolute values of a sum's terms
  };
  Direct direct(const ChainData &data);

  struct Fused {
    std::vector<T> results;
    /// Why the row would be computed as written instead; null: it would not.
    const char *replay = nullptr;
  };
  Fused fused(const ChainData &data, const Segmentation &segmentation);

  /// Every operation gets a random relative error of this size; 0: none.
  void setNoise(double size, unsigned seed) {
    noise = size;
    random.seed(seed);
  }

private:
  /// A tape with its inputs sorted out and a frame to run it in.
  struct Code {
    Tape tape;
    std::vector<T> frame;
    T operator[](unsigned output) const { return frame[tape.output(output)]; }
  };
  struct Stage {
    MonoidKind kind;
    unsigned id, pass;
    bool plain; ///< one core, the value as written, without references
    Code value; ///< outputs: the value, the predicate if there is one
    Code cores, references, corrections, finish;
    std::vector<ReferenceGuard> guards;
    unsigned numCores = 0, firstAccumulator = 0, firstReference = 0;
  };
  /// Of one segment: accumulators, guarded references, running results.
  struct State {
    std::vector<T> accumulators, references, results;
  };
  /// Where the symbols of a run come from.
  struct Symbols {
    const Row *row = nullptr;
    const T *results = nullptr, *accumulators = nullptr;
    const T *oldRefs = nullptr, *newRefs = nullptr;
  };

  Code compile(const std::vector<Expr> &roots);
  void addStage(const Chain &chain, unsigned id, const Chain::Stage &stage);
  void run(Code &code, const Symbols &symbols);
  T disturbed(T value);
  T combine(MonoidKind kind, T a, T b);
  T identity(MonoidKind kind) const;

  bool takesPart(Stage &stage, const Symbols &symbols);
  State start() const;
  void updateReferences(Stage &stage, State &state);
  void updateResult(Stage &stage, State &state);
  /// The accumulators of `from` for the references of `to`.
  void correct(Stage &stage, const State &from, const State &to, T *out);
  State step(unsigned pass, const State &state, size_t first, size_t count);
  State merge(unsigned pass, const State &a, const State &b);
  const char *watch(const Chain::Stage &source, Stage &stage,
                    const State &state);
  const char *watchRanges(const Chain::Stage &source, const State &state);

  const Chain &chain;
  std::vector<Stage> stages;                 ///< counts first, then in order
  std::vector<const Chain::Stage *> sources; ///< null for counts
  unsigned numStages, numPasses = 0, numResults = 0;
  unsigned numAccumulators = 0, numReferences = 0;
  const ChainData *data = nullptr;
  State final;
  double noise = 0;
  std::minstd_rand random;
};

extern template class Interpreter<double>;
extern template class Interpreter<long double>;

} // namespace cascade::algebra

#endif // CASCADE_TEST_LIB_CHAININTERPRETER_INTERPRETER_H
