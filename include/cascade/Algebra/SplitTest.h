//===- SplitTest.h - Can a dependent reduction share a pass? ----*- C++ -*-===//
//
// A reduction (+) of F(X, D), where X varies over the reduced axes and D are
// results of reductions over the same axes, can run in one pass with them if
// F = G(X) (x) H(D) and (x) distributes over (+), or, for sums, if F is a sum
// of r such products. docs: Rationale/SplitTest.md.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_ALGEBRA_SPLITTEST_H
#define CASCADE_ALGEBRA_SPLITTEST_H

#include "cascade/Algebra/Expr.h"
#include "cascade/Algebra/Monoid.h"
#include "cascade/Algebra/Sign.h"

#include <optional>
#include <string>
#include <vector>

namespace cascade::algebra {

/// More factors, addends, terms or references than this: refusal
/// `too-many-terms`.
inline constexpr unsigned kMaxTerms = 256;
/// Likewise for the power of a centred value.
inline constexpr unsigned kMaxDegree = 8;

/// Of a sum of products, what may be left of the largest product: in f32 a
/// relative error of 2^-16.
inline constexpr double kCancellation = 0x1p-8;

/// What is known about an earlier reduction, the one of `Result` symbol i.
struct ResultInfo {
  MonoidKind kind = MonoidKind::Add;
  Sign sign;            ///< proved facts about its value
  bool samePass = true; ///< false: finished before this pass, so no D at all
  /// It is accumulated as it stands, without references or deferred factors:
  /// while the pass runs, a maximum only rises and a minimum only falls.
  bool accumulatesPlainly = true;
  /// Its domain is at least that of the reduction in question.
  bool coversDomain = true;
  /// Its domain is that of the reduction in question.
  bool sameDomain = true;
  /// What it reduces; null: not known. A sum of the constant 1 counts.
  Expr value = nullptr;
  /// While the pass runs, a sum over part of the data; `count` / `extent` is
  /// which part. Null: not known, or not in proportion to the data.
  Expr count = nullptr;
  /// While the pass runs, its value so far may serve as a reference. False for
  /// what is known only when the pass is done: the entries of a list.
  bool hasRunningValue = true;
};

struct SplitOptions {
  bool allowApproximate = false;
  bool allowMoveRounding = false;
};

/// The question: reduce `value` by `kind` where `predicate` holds.
struct SplitProblem {
  MonoidKind kind = MonoidKind::Add;
  Expr value = nullptr;
  Expr predicate = nullptr;  ///< null: everywhere
  std::vector<Expr> carried; ///< what goes with a key: its index, a payload
  /// The number of iterations of the reduced axes as a float; null: not known.
  Expr extent = nullptr;
  std::vector<ResultInfo> results;
  std::vector<Sign> parameters; ///< facts, by id; may be shorter
  std::vector<Sign> elements;   ///< facts, by id; may be shorter
  SplitOptions options;
};

/// How a reference enters the value, and so what stands in its place where it
/// cannot be used. The caller puts the guarded value wherever the reference is
/// used: in the core and as OldRef and NewRef of the correction.
enum class ReferenceGuard {
  None,
  Exponent, ///< an infinite reference is taken as 0
  Divisor,  ///< a zero or infinite reference is taken as 1
  Centre    ///< a reference that is infinite or NaN is taken as 0
};

/// A value over Results and Parameters which the cores depend on; the node is a
/// sub-expression of a core.
struct Reference {
  Expr value;
  ReferenceGuard guard;
  /// An earlier sum that is one of the accumulators, too: its old value stands
  /// for it in the corrections, and no core uses it.
  bool isAccumulator = false;
};

enum class Form { Deferred, Rescaled };

/// One factor: F contains G(X) (x) H(D).
struct Term {
  Expr G;
  Expr H;
  std::string
      combine; ///< "mul", "add", "and" or "or"; "map": H(Accumulator(0))
  Form form;
  std::string why; ///< of the form, for people
};

enum class Class { Independent, Separable, Payload, Refused };
enum class Legality { BitExact, Reassociating, RoundingMoving, Approximate };

/// "Not proved", never "impossible". Stable rules: not-separable,
/// not-distributive, not-invertible, mixed-narrowing-cast, mixed-comparison,
/// dependent-predicate, too-many-terms, sign-not-proved, unsupported-kind.
struct Refusal {
  std::string rule;
  std::string reason;
  Expr at = nullptr;      ///< the smallest sub-expression at fault
  std::string suggestion; ///< may be empty
};

/// A value that F as written computes for every element on its way and the
/// split no longer does. Replay unless low <= g + h <= high for all elements.
struct RangeCheck {
  Expr g;           ///< over elements
  Expr h;           ///< over results; null: 0
  double low, high; ///< infinite: no limit
};

/// A value over Accumulator(0) that a key passes through on its way to the
/// result. Replay unless low <= value <= high wherever there is a key: beyond,
/// distinct keys run together.
struct KeyCheck {
  Expr value;
  double low, high;
};

/// The verdict, and what fusion emits. Everything is built in the caller's
/// context and re-uses the nodes of F wherever they carry no deferred factor.
///
/// result = finish(reduce(cores)), where the cores are evaluated against the
/// guarded references of the moment and the accumulators are corrected when
/// they change. Accumulator(k), the corrections and the finish have the type
/// accumulatorType(F.type); OldRef(k) and NewRef(k) that of references[k].
struct SplitResult {
  Class cls = Class::Refused;
  Legality legality = Legality::BitExact;
  std::string cost;  ///< of a rewrite that the chain had to allow, for people
  unsigned rank = 0; ///< the number of products, and of accumulators
  /// At rank 1 one term per form: if all factors of H have the same form there
  /// is one term; otherwise the rescaled one first. Only the first carries the
  /// full G; the others have G = 1 (0 for "add"). At rank r one term an
  /// accumulator: F = sum of G H, with cK for references[K].
  std::vector<Term> terms;
  /// One a separate accumulator; at rank r, some accumulators may be references
  /// without a guard instead.
  std::vector<Expr> cores;
  std::vector<Reference> references;
  /// The new accumulators from Accumulator(i), OldRef(k), NewRef(k), one a
  /// core; empty when there are no references. They fix the identity of the
  /// reduction, and are the identity for equal references.
  std::vector<Expr> corrections;
  /// H of the deferred factors as one expression; null when there are none.
  Expr deferred = nullptr;
  std::string deferredCombine; ///< "mul", "add", "and" or "or"; else empty
  /// Values without X that have to be >= 0 for the split to hold: replay where
  /// they are not.
  std::vector<Expr> nonNegative;
  /// D-only factors that were joined with others: a reason to replay where they
  /// are so large or small that F as written may overflow.
  std::vector<Expr> joined;
  /// Factors of a finish at rank r: a reason to replay where they are not
  /// finite or so large that an accumulator may have lost what they restore.
  std::vector<Expr> scales;
  /// The addends of the finish at rank r, over accumulators, where it has
  /// several: a reason to replay where they cancel to less than kCancellation
  /// of any of them.
  std::vector<Expr> parts;
  std::vector<RangeCheck> rangeChecks;
  /// Of a map that keeps the order, without X: what it multiplies or divides by
  /// (a reason to replay where it is 0, not finite, or so large or small that
  /// distinct values run together) and what it adds (where it is not finite).
  std::vector<Expr> multipliers, addends;
  std::vector<KeyCheck> keyChecks;
  /// D-only nodes by which F divided (deferred ones): zero or non-finite ones
  /// are a reason to replay.
  std::vector<Expr> deferredDivisors;
  /// Accumulator(0) combined with the deferred factors in F's own operations:
  /// acc / r1. Just Accumulator(0) when there are none. Not applied to a
  /// reduction over nothing (the caller keeps a *seen* flag).
  Expr finish = nullptr;
  std::optional<Refusal> refusal;

  bool accepted() const { return cls != Class::Refused; }
  /// The first core and correction; null: none.
  Expr core() const { return cores.empty() ? nullptr : cores[0]; }
  Expr correction() const {
    return corrections.empty() ? nullptr : corrections[0];
  }
};

/// Decides by proof. Terminates: structural recursion on a finite DAG.
SplitResult splitTest(ExprContext &context, const SplitProblem &problem);

/// Tries to refute F = G(X) (x) H(D) at `samples` random points: by
/// cross-ratios F(x1,d1) F(x2,d2) = F(x1,d2) F(x2,d1) (add kinds), for a rank
/// above 1 by the minors of that size of a matrix of values; for ordered kinds
/// by two elements that change places with D. True: refuted. Never proves
/// anything. Deterministic.
bool refutedBySampling(const SplitProblem &problem, unsigned samples = 200,
                       uint64_t seed = 1, unsigned rank = 1);

std::string_view spelling(Class cls);         ///< "separable", ...
std::string_view spelling(Legality legality); ///< "rounding-moving", ...
std::string_view spelling(Form form);         ///< "rescaled", ...
std::string_view spelling(ReferenceGuard guard);

} // namespace cascade::algebra

#endif // CASCADE_ALGEBRA_SPLITTEST_H
