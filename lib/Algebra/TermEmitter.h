//===- TermEmitter.h - What is emitted for a sum of products ----*- C++ -*-===//
//
// F = sum of P_k(u) E_k H_k with polynomials P_k in centred values u = g - h,
// exponentials E_k and factors H_k without X. The accumulators are sums over a
// basis of the P_k and their derivatives, about running centres c; the finish
// moves them from c to h, which are the same up to rounding wherever c can be
// chosen so, and multiplies by the H_k.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_ALGEBRA_TERMEMITTER_H
#define CASCADE_LIB_ALGEBRA_TERMEMITTER_H

#include "SplitDetail.h"

namespace cascade::algebra::detail {

/// The terms with the same factors in D.
struct Row {
  std::vector<DFactor> factors; ///< deferred
  size_t space;                 ///< of the same exponentials
  Polynomial polynomial;
};

/// Polynomials that are multiplied by the same exponentials.
struct Space {
  std::vector<DFactor> exponentials;
  TransportBasis basis;
  size_t first = 0; ///< number of its first accumulator
};

class TermEmitter {
public:
  TermEmitter(SplitTester &tester, SplitResult &result,
              const Expansion &expansion)
      : t(tester), ctx(tester.context), result(result), expansion(expansion),
        type(accumulatorType(tester.problem.value->type)) {}
  void run();

private:
  bool refuse(const char *rule, Expr at, const char *reason,
              const char *suggestion = "");
  bool refuseCancelled();
  bool gather();
  bool dropCancelled();
  bool chooseCentres();
  Factors weightsOf(const Monomial &monomial);
  bool checkWeights();
  bool centre(const CentredValue &value, const std::vector<Centre> &kinds);
  Expr extrapolated(Expr h);
  void emitCores();
  Expr emitCore(const Polynomial &polynomial);
  std::optional<unsigned> existingSum(Expr core);
  void emitCorrections();
  void forEachPart(
      const Space &space, const Polynomial &member,
      const std::vector<Expr> &delta,
      const std::function<void(Expr, const std::vector<double> &)> &visit);
  std::vector<Expr> partsOf(const Space &space, const Polynomial &member,
                            const std::vector<Expr> &delta,
                            const std::vector<Expr> &accumulators);
  Expr moved(const Space &space, const Polynomial &member,
             const std::vector<Expr> &delta,
             const std::vector<Expr> &accumulators);
  std::vector<Expr>
  changesOf(const std::function<Expr(size_t, size_t)> &changeOf);
  Expr deviation(unsigned u, const std::vector<Expr> &values);
  void emitFinish();
  void describe(const std::vector<Expr> &epsilon);
  bool coversElements();

  Expr plus(Expr a, Expr b, bool negative = false) {
    return !a ? (negative ? ctx.neg(b) : b)
              : (negative ? ctx.sub(a, b) : ctx.add(a, b));
  }
  Expr times(double coefficient, Expr e);

  SplitTester &t;
  ExprContext &ctx;
  SplitResult &result;
  const Expansion &expansion;
  Type type;
  std::vector<Row> rows;
  std::vector<Space> spaces;
  /// Of every centred value, one an addend of h; null: left to the finish.
  std::vector<std::vector<Expr>> centres;
  std::vector<std::vector<Centre>> chosen; ///< how they are followed
  std::vector<Expr> centredValues;         ///< u about its centre, in F's type
  /// An accumulator is a core of its own or an earlier sum.
  struct Accumulator {
    Expr core;
    std::optional<unsigned> reference;
  };
  std::vector<Accumulator> accumulators;
};

} // namespace cascade::algebra::detail

#endif // CASCADE_LIB_ALGEBRA_TERMEMITTER_H
