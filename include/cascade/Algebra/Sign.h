//===- Sign.h - What can be proved about the sign of a value ----*- C++ -*-===//

#ifndef CASCADE_ALGEBRA_SIGN_H
#define CASCADE_ALGEBRA_SIGN_H

#include "cascade/Algebra/Expr.h"

#include <unordered_map>
#include <vector>

namespace cascade::algebra {

/// A proved fact about a value in real arithmetic; a NaN satisfies any of them
/// (special values are the replay's business). Each flag is "proved", never
/// "false".
struct Sign {
  bool nonNegative = false;
  bool nonPositive = false;
  bool nonZero = false;

  bool positive() const { return nonNegative && nonZero; }
  bool negative() const { return nonPositive && nonZero; }
  static Sign unknown() { return {}; }
  static Sign atLeastZero() { return {true, false, false}; }
  static Sign aboveZero() { return {true, false, true}; }
  static Sign belowZero() { return {false, true, true}; }
  static Sign atMostZero() { return {false, true, false}; }
  static Sign zero() { return {true, true, false}; }
};

/// Facts on symbols, by id; missing entries are unknown.
struct SignFacts {
  std::vector<Sign> elements, results, parameters;
};

/// Proves signs bottom-up, once a node.
class SignAnalysis {
public:
  explicit SignAnalysis(SignFacts facts) : facts(std::move(facts)) {}
  Sign of(Expr e);

private:
  Sign transfer(Expr e);
  SignFacts facts;
  std::unordered_map<Expr, Sign> known;
};

} // namespace cascade::algebra

#endif // CASCADE_ALGEBRA_SIGN_H
