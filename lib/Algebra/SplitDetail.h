//===- SplitDetail.h - The parts of the split test --------------*- C++ -*-===//

#ifndef CASCADE_LIB_ALGEBRA_SPLITDETAIL_H
#define CASCADE_LIB_ALGEBRA_SPLITDETAIL_H

#include "cascade/Algebra/SplitTest.h"

#include <functional>
#include <map>

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

/// Orders expressions by their creation, operands before users.
struct ByCreation {
  bool operator()(Expr a, Expr b) const { return a->serial < b->serial; }
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
  std::optional<Refusal> refusal;
};

/// `node` as a term scaled and cast to `type`, without its sign.
Expr scaled(ExprContext &context, Expr value, Expr scale, Type type);

/// An addend of a sum.
struct SignedLeaf {
  Expr value;
  bool negative;
};
/// The addends of `root`; one in `whole` is not taken apart.
std::vector<SignedLeaf> leavesOfSum(Expr root,
                                    const std::unordered_set<Expr> &whole);

/// A value as a product of powers; through roots, up to its sign.
struct Factors {
  std::map<Expr, double, ByCreation> powers;
  double number = 1; ///< its size
  bool negative = false;
  void multiplyBy(const Factors &other, double power);
};

/// Through products, quotients and signs and, if `throughRoots`, through
/// absolute values, roots and constant powers.
Factors factorsOf(Expr root, bool throughRoots = false);

/// What an addend of h is held against while the pass runs.
struct Centre {
  enum Kind {
    None,     ///< nothing, it is left to the finish
    Extremum, ///< its running value, never further off than the final one
    Mean      ///< its running value, or the one that the sum so far predicts
  } kind = None;
  Expr nonNegative = nullptr; ///< replay if it is negative; null: nothing
  bool isQuotient = false;    ///< of two sums; else a sum over a constant
  Factors weights;            ///< of the mean
  Expr ratio = nullptr;       ///< of the addend to the mean
  /// The ratio at which g + h is the deviation from the mean, 1 or -1; 0: g has
  /// other addends, so it never is.
  double wholeRatio = 0;
};

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

/// product * base^power, by divisions where the power is negative; a null
/// product is 1.
Expr multiplyInto(ExprContext &context, Expr product, Expr base, double power,
                  Type type);

/// base^power by repeated multiplication and square roots where possible.
Expr powerOf(ExprContext &context, Expr base, double power);

/// How a value without X moves while the pass runs; a constant does both.
struct Trend {
  bool rises = false, falls = false;
};

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

/// A monomial in X: opaque factors with their powers, and powers of centred
/// values by number. Exponentials that are held against a reference are opaque
/// factors as written.
struct Monomial {
  std::map<Expr, double, ByCreation> atoms;
  std::map<unsigned, unsigned> powers; ///< none is 0
  bool operator<(const Monomial &other) const;
  bool operator==(const Monomial &other) const {
    return atoms == other.atoms && powers == other.powers;
  }
};

/// A linear combination of monomials.
using Polynomial = std::map<Monomial, double>;

/// coefficient * monomial(X) * factors(D).
struct SeparableTerm {
  double coefficient = 1;
  Monomial monomial;
  std::vector<DFactor> factors;
};

/// g(X) + h(D) as one value, the node as written.
struct CentredValue {
  Expr node;
  std::shared_ptr<const MixedSum> sum;
};

/// F as a sum of at most kMaxTerms separable terms.
struct Expansion {
  std::vector<SeparableTerm> terms;
  std::vector<CentredValue> centred;
  std::vector<std::shared_ptr<const MixedSum>> exponents;
  std::optional<Refusal> refusal;
};
Expansion expand(SplitTester &tester, Expr value);

/// log(a b / c) as log a + log b - log c, wherever elements and earlier results
/// are mixed in it; what is no longer computed goes to `checks`.
Expr expandLogarithms(SplitTester &tester, Expr value,
                      std::vector<RangeCheck> &checks);

/// How a value grows with the share of the data that has been seen: as its
/// `degree`-th power. None: not known.
std::optional<double> degreeOf(Expr e, const std::vector<ResultInfo> &results);

/// More accumulators than this would not stay in registers.
inline constexpr size_t kMaxAccumulators = 32;

/// A basis of a space of polynomials that is closed under a change of centre.
class TransportBasis {
public:
  /// Adds what `polynomial` and all its derivatives need. False: too many.
  bool span(const Polynomial &polynomial);
  /// `polynomial` as a combination of members; it must lie in the span.
  std::vector<double> coordinates(const Polynomial &polynomial) const;
  const std::vector<Polynomial> &members() const { return basis; }

private:
  struct Row {
    Polynomial reduced;
    std::vector<double> combination; ///< of members
  };
  Polynomial reduce(Polynomial polynomial, std::vector<double> &used) const;
  std::vector<Polynomial> basis;
  std::vector<Row> rows;
};

/// Exponents of a power series in the changes of the centres.
using MultiIndex = std::map<unsigned, unsigned>;
/// The multi-indices of the derivatives of a polynomial that are not 0, by
/// total degree; the first is empty.
std::vector<MultiIndex> derivativesOf(const Polynomial &polynomial);
/// The derivative divided by the factorials: the coefficient of delta^index in
/// polynomial(u + delta).
Polynomial taylorCoefficient(const Polynomial &polynomial,
                             const MultiIndex &index);

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

/// Adds a reference once. False: it is there with another guard.
bool addReference(std::vector<Reference> &references, Expr value,
                  ReferenceGuard guard);
unsigned indexOf(const std::vector<Reference> &references, Expr value);

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

  /// Whether the exponents g + h are at most a constant, because h subtracts a
  /// maximum over all of g's values.
  bool isBounded(const MixedSum &sum);
  /// Of every addend of g + h how it is followed; none: `other` is an addend
  /// that may be of any size on its way.
  std::optional<std::vector<Centre>> centresOf(const MixedSum &sum,
                                               const Addend *&other);

private:
  friend class Factoriser;
  friend class TermEmitter;
  SplitResult accept(Expr value);
  SplitResult splitAdd();
  SplitResult splitOrder();
  bool splitMonotone(SplitResult &result);
  SplitResult splitBoolean();
  bool isSupported() const;
  std::optional<Refusal> checkReferences(const SplitResult &result);

  std::unordered_set<Expr> valuesOfResults();
  bool isExtremum(const Addend &addend, Expr leaf, int direction) const;
  bool isLogarithm(Expr h);
  Expr takeConstant(Factors &factors, Expr initial = nullptr);
  bool limitScale(Expr scale, Expr &nonNegative);
  bool asMean(const Addend &addend, Expr leaf, Centre &mean);
  bool isScaledExtremum(const Addend &addend, Expr leaf, Expr &nonNegative);

  Trend trendOf(Expr root);
  bool checkExponents(SplitResult &result, const Product &product);
  bool checkExtremum(SplitResult &result, Expr value, const Product &product);
  bool isKnownEarly(Expr leaf) const;
  bool rescales(const SplitResult &result, const Product &product,
                const DFactor &factor);
  void emitProduct(SplitResult &result, Expr value,
                   const Factorisation &factorisation);
  void addExponentReferences(SplitResult &result, const MixedSum &sum);
  Expr referenceSymbol(const SplitResult &result, Kind kind, Expr ref);
  std::vector<Expr> multipliers(const SplitResult &result,
                                const std::vector<DFactor> &rescaled);
  Expr unchanged(const SplitResult &result);
  void emitCorrection(SplitResult &result,
                      const std::vector<DFactor> &rescaled);
  void emitFinish(SplitResult &result, const std::vector<DFactor> &deferred);
  void describeProduct(SplitResult &result, const Product &product,
                       const std::vector<DFactor> &rescaled,
                       const std::vector<DFactor> &deferred);
  void emitTerms(SplitResult &result, const Expansion &expansion);
  bool coreIsFree(const SplitResult &result);
  std::optional<Refusal> refuseRounding(Expr node);
  void describeRounding(SplitResult &result) const;

  /// The narrowest type of a cast that was looked through.
  std::optional<Type> movedRounding;
};

/// Joins exp(g(X)) exp(h(D)) in a product into the stable exp(g + h), and adds
/// the exp(h) that are gone to `joined`.
Expr recombineExponentials(SplitTester &tester, Expr value,
                           std::vector<Expr> &joined);

Factorisation factorise(SplitTester &tester, Expr value);

Expr withoutRounding(ExprContext &context, const SplitProblem &problem,
                     std::string &cost);

} // namespace cascade::algebra::detail

#endif // CASCADE_LIB_ALGEBRA_SPLITDETAIL_H
