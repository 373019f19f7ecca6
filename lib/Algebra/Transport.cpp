//===- Transport.cpp - Accumulators under a change of centre --------------===//
//
// With u = g(X) - c, a polynomial in u changes with c as its Taylor series
// says: P(u + delta) = sum of delta^b P_b(u). The accumulators of a sum over P
// are a basis of the space that P and all P_b span, so that the change of
// centre is a linear map of them; two changes in turn add their deltas, hence
// A(c1, c2) A(c0, c1) = A(c0, c2). The updates of Chan, Golub and LeVeque
// (1979) and of Pebay (2008) are those of (x - c)^2 and (x - c)^k.
//
//===----------------------------------------------------------------------===//

#include "SplitDetail.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace cascade::algebra::detail {

/// Coefficients are products of small numbers of the source; what is left after
/// elimination is either one or rounding.
static constexpr double kZero = 1e-9;

bool Monomial::operator<(const Monomial &other) const {
  auto key = [](const std::map<Expr, double, ByCreation> &atoms) {
    std::vector<std::pair<uint32_t, double>> list;
    for (auto [atom, power] : atoms)
      list.emplace_back(atom->serial, power);
    return list;
  };
  if (atoms != other.atoms)
    return key(atoms) < key(other.atoms);
  return powers < other.powers;
}

static unsigned totalDegree(const MultiIndex &index) {
  unsigned total = 0;
  for (auto [u, power] : index)
    total += power;
  return total;
}

std::vector<MultiIndex> derivativesOf(const Polynomial &polynomial) {
  std::set<MultiIndex> found;
  std::vector<MultiIndex> pending;
  auto visit = [&](const MultiIndex &index) {
    if (found.insert(index).second)
      pending.push_back(index);
  };
  visit({});
  for (const auto &[monomial, coefficient] : polynomial)
    visit(monomial.powers);
  while (!pending.empty()) {
    MultiIndex index = pending.back();
    pending.pop_back();
    for (auto [u, power] : index) {
      MultiIndex lower = index;
      if (--lower[u] == 0)
        lower.erase(u);
      visit(lower);
    }
  }
  std::vector<MultiIndex> list(found.begin(), found.end());
  std::sort(list.begin(), list.end(),
            [](const MultiIndex &a, const MultiIndex &b) {
              return std::make_pair(totalDegree(a), a) <
                     std::make_pair(totalDegree(b), b);
            });
  return list;
}

static double binomial(unsigned n, unsigned k) {
  double value = 1;
  for (unsigned i = 1; i <= k; ++i)
    value = value * (n - k + i) / i;
  return value;
}

Polynomial taylorCoefficient(const Polynomial &polynomial,
                             const MultiIndex &index) {
  Polynomial result;
  for (const auto &[monomial, coefficient] : polynomial) {
    Monomial lower = monomial;
    double factor = coefficient;
    bool vanishes = false;
    for (auto [u, power] : index) {
      auto it = lower.powers.find(u);
      if (it == lower.powers.end() || it->second < power) {
        vanishes = true;
        break;
      }
      factor *= binomial(it->second, power);
      it->second -= power;
      if (it->second == 0)
        lower.powers.erase(it);
    }
    if (!vanishes)
      result[lower] += factor;
  }
  return result;
}

static double largest(const Polynomial &polynomial) {
  double size = 0;
  for (const auto &[monomial, coefficient] : polynomial)
    size = std::max(size, std::fabs(coefficient));
  return size;
}

static void subtract(Polynomial &from, const Polynomial &what, double factor,
                     double zero) {
  for (const auto &[monomial, coefficient] : what) {
    double &left = from[monomial];
    left -= factor * coefficient;
    if (std::fabs(left) <= zero)
      from.erase(monomial);
  }
}

/// What is left of `polynomial` after the rows took their pivots out.
Polynomial TransportBasis::reduce(Polynomial polynomial,
                                  std::vector<double> &used) const {
  double zero = kZero * largest(polynomial);
  used.assign(basis.size(), 0);
  for (const Row &row : rows) {
    auto pivot = row.reduced.begin();
    auto it = polynomial.find(pivot->first);
    if (it == polynomial.end())
      continue;
    double factor = it->second / pivot->second;
    subtract(polynomial, row.reduced, factor, zero);
    for (size_t k = 0; k < row.combination.size(); ++k)
      used[k] += factor * row.combination[k];
  }
  return polynomial;
}

bool TransportBasis::span(const Polynomial &polynomial) {
  for (const MultiIndex &index : derivativesOf(polynomial)) {
    Polynomial part = taylorCoefficient(polynomial, index);
    // A derivative of one monomial is as good without its factor, and may then
    // be a sum that exists already.
    if (!index.empty() && part.size() == 1)
      part.begin()->second = 1;
    std::vector<double> used;
    Polynomial rest = reduce(part, used);
    if (rest.empty())
      continue;
    if (basis.size() == kMaxAccumulators)
      return false;
    Row row;
    row.reduced = std::move(rest);
    row.combination = std::move(used);
    for (double &factor : row.combination)
      factor = -factor;
    row.combination.push_back(1);
    rows.push_back(std::move(row));
    basis.push_back(std::move(part));
  }
  return true;
}

std::vector<double>
TransportBasis::coordinates(const Polynomial &polynomial) const {
  std::vector<double> used;
  reduce(polynomial, used);
  for (double &factor : used)
    if (std::fabs(factor - std::round(factor)) < kZero)
      factor = std::round(factor);
  return used;
}

} // namespace cascade::algebra::detail
