//===- SplitDetail.h - The parts of the split test --------------*- C++ -*-===//

#ifndef CASCADE_LIB_ALGEBRA_SPLITDETAIL_H
#define CASCADE_LIB_ALGEBRA_SPLITDETAIL_H

#include "cascade/Algebra/SplitTest.h"

#include <functional>

namespace cascade::algebra::detail {

//===----------------------------------------------------------------------===//
// What a value depends on
//===----------------------------------------------------------------------===//

/// X: elements. D: results of the same pass. Values with neither are *neutral*:
/// constant while the pass runs, they may stand on either side.
class Dependence {
public:
  explicit Dependence(const std::vector<ResultInfo> &results)
      : results(results) {}
  bool onX(Expr e) const { return e->contains(Kind::Element); }
  bool onD(Expr e);
  bool mixed(Expr e) { return onX(e) && onD(e); }
  bool pureD(Expr e) { return !onX(e) && onD(e); }
  bool neutral(Expr e) { return !onX(e) && !onD(e); }
  /// All same-pass results in `e` are maxima or minima.
  bool onlyOrdered(Expr e) const;

private:
  bool samePass(Expr symbol) const {
    return symbol->id >= results.size() || results[symbol->id].samePass;
  }
  const std::vector<ResultInfo> &results;
  std::unordered_map<Expr, bool> known;
};

//===----------------------------------------------------------------------===//
// Leaving out factors and addends
//===----------------------------------------------------------------------===//

enum class Visit { Keep, Drop, Descend };
using VisitFn = std::function<Visit(Expr)>;

/// Rebuilds `root` without the factors that `visit` drops: a b -> b, a / b ->
/// a, through neg, abs, powers, casts, sums and select arms (where 1 is left).
/// `replaced` nodes are exchanged first. Null: nothing is left.
Expr dropFactors(ExprContext &context, Expr root, const VisitFn &visit,
                 const std::unordered_map<Expr, Expr> &replaced = {});

/// The same for the addends of a sum: a + b -> b, c (a + b) -> c b.
Expr dropAddends(ExprContext &context, Expr root, const VisitFn &visit);

//===----------------------------------------------------------------------===//
// Sums g(X) + h(D)
//===----------------------------------------------------------------------===//

/// +-scale value; null scale is 1.
struct Addend {
  Expr value;
  Expr scale;
  bool negative;
};

struct MixedSum {
  Expr g = nullptr;            ///< the part without D; null: none
  Expr h = nullptr;            ///< the part with D
  std::vector<Addend> addends; ///< those of h, as written
  bool movesRounding = false;
  bool approximate = false;
  std::optional<Refusal> refusal;
};

/// `node` as a term scaled and cast to `type`, without its sign.
Expr scaled(ExprContext &context, Expr value, Expr scale, Type type);

class SplitTester;
/// Splits a mixed float expression.
MixedSum splitSum(SplitTester &tester, Expr e);

//===----------------------------------------------------------------------===//
// Products G(X) H(D)
//===----------------------------------------------------------------------===//

/// base^power. `source` is the maximal D-only node in F, or the mixed exp node
/// of which `base` = exp(h) is the D part.
struct DFactor {
  Expr base;
  Expr source;
  double power;
  bool joint;
  std::shared_ptr<const MixedSum> sum; ///< of a joint factor's exponent
  bool rooted = false; ///< taken out of an absolute value or a root
};

struct Product {
  enum State { Ok, Zero, SumOfProducts };
  State state = Ok;
  Expr g = nullptr; ///< null: 1
  std::vector<DFactor> factors;
  Expr at = nullptr;     ///< where a SumOfProducts came about
  bool deferAll = false; ///< factors were matched only after taking them apart
};

/// Whether factors of the D-only `e` are factors of what it multiplies.
bool isProductLike(Expr e);
/// Replaces D-only factors by their leaves, and moves what is neutral in them
/// to g. False, and nothing is changed but g, where that is not proved right.
bool takeApart(SplitTester &tester, Product &product);

/// F as a product; a refusal if an operation is in the way.
struct Factorisation {
  Product product;
  /// The exponents of all mixed exponentials met, in order of creation.
  std::vector<std::shared_ptr<const MixedSum>> exponents;
  std::optional<Refusal> refusal;
};
/// Factors of a D-only node down to leaves, through products, quotients,
/// signs and constant powers; neutral ones left out.
std::vector<std::pair<Expr, double>> leafFactors(Dependence &dependence,
                                                 Expr root);

/// base^power by repeated multiplication and square roots where possible.
Expr powerOf(ExprContext &context, Expr base, double power);

/// How a value without X moves while the pass runs; a constant does both.
struct Trend {
  bool rises = false, falls = false;
};

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

class SplitTester {
public:
  SplitTester(ExprContext &context, const SplitProblem &problem);
  SplitResult run();

  ExprContext &context;
  const SplitProblem &problem;
  Dependence dependence;
  SignAnalysis signs;

  Refusal refuse(std::string rule, Expr at, std::string reason,
                 std::string suggestion = "");
  /// The refusal for an operation the split does not pass through: names a
  /// mixed comparison or a rounding conversion below it if there is one.
  Refusal refuseNode(Expr node);
  /// Null if a narrowing cast of a mixed value may be looked through.
  std::optional<Refusal> lookThroughNarrow(Expr node);

private:
  friend class Factoriser;
  SplitResult accept(Expr value);
  SplitResult splitAdd();
  SplitResult splitOrder();
  SplitResult splitBoolean();

  Trend trendOf(Expr root);
  bool checkExponents(SplitResult &result, const Product &product);
  bool checkExtremum(SplitResult &result, Expr value, const Product &product);
  bool isKnownEarly(Expr leaf) const;
  bool rescales(const SplitResult &result, const Product &product,
                const DFactor &factor);
  void emitProduct(SplitResult &result, Expr value,
                   const Factorisation &factorisation);
  void emitCorrection(SplitResult &result,
                      const std::vector<DFactor> &rescaled);
  void emitFinish(SplitResult &result, const std::vector<DFactor> &deferred);
  void emitTerms(SplitResult &result, const Product &product,
                 const std::vector<DFactor> &rescaled,
                 const std::vector<DFactor> &deferred);
  bool coreIsFree(const SplitResult &result);
  Legality legalityOfRewrite(Legality otherwise) const;

  bool movedRounding = false;
  bool approximated = false;
};

/// Joins exp(g(X)) exp(h(D)) in a product into the stable exp(g + h), and adds
/// the exp(h) that are gone to `joined`.
Expr recombineExponentials(SplitTester &tester, Expr value,
                           std::vector<Expr> &joined);

Factorisation factorise(SplitTester &tester, Expr value);

} // namespace cascade::algebra::detail

#endif // CASCADE_LIB_ALGEBRA_SPLITDETAIL_H
