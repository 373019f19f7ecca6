//===- SpecialRows.cpp - Rows that break careless reductions --------------===//

#include "cascade/Runtime/Random.h"
#include "cascade/Runtime/Spec.h"

#include <algorithm>
#include <limits>

using namespace cascade::runtime;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// One place of one row.
struct Place {
  const RandomStream &random;
  const ElementTypeInfo &info;
  double tiny;      ///< The smallest subnormal of the type.
  uint64_t element; ///< Number in the tensor.
  int64_t row, i, n;

  double normal() const { return random.normal(element); }
  double sign() const { return random.bits(element, 100) & 1 ? -1 : 1; }
  bool isFirst() const { return i == 0; }
  bool isLast() const { return i == n - 1; }
  /// From -4 to 4 along the row.
  double ramp() const {
    return n > 1 ? 8.0 * double(i) / double(n - 1) - 4 : 0;
  }
};

using Pattern = double (*)(const Place &);

/// In the order of Spec.h.
const Pattern patterns[numSpecialPatterns] = {
    [](const Place &p) { return p.normal(); },
    [](const Place &p) { return p.ramp(); },
    [](const Place &p) { return -p.ramp(); },
    [](const Place &p) { return p.normal() + (p.isLast() ? 30 : 0); },
    [](const Place &p) { return p.i < p.n / 2 ? -infinity : p.normal(); },
    [](const Place &) { return -infinity; },
    [](const Place &p) { return p.isLast() ? notANumber : p.normal(); },
    [](const Place &p) { return p.isFirst() ? notANumber : p.normal(); },
    [](const Place &p) { return p.i == p.n / 2 ? infinity : p.normal(); },
    // Equal along the row, different from row to row.
    [](const Place &p) { return 0.75 + double(p.row % 5) / 2; },
    [](const Place &) { return 0.0; },
    [](const Place &p) { return p.isLast() ? 1.5 : 0.0; },
    [](const Place &p) { return p.sign() * p.info.largest / 8; },
    [](const Place &p) {
      const int64_t steps = (int64_t(1) << p.info.mantissaBits) - 1;
      return p.sign() * p.tiny * double(1 + p.random.integer(p.element, steps));
    },
    [](const Place &p) { return -std::max(p.normal(), -p.normal()) - 0.0625; },
    [](const Place &p) { return 10000 + p.normal(); },
    [](const Place &p) {
      const double size = std::min(p.info.largest / 64, 10000.0);
      return (p.i % 2 ? -size : size) * (1 + p.random.uniform(p.element) / 8);
    },
    [](const Place &p) {
      return p.i < p.n - p.n / 4 ? -infinity : p.normal() - 200;
    },
    [](const Place &p) {
      switch (p.random.bits(p.element, 100) % 8) {
      case 0:
        return infinity;
      case 1:
        return -infinity;
      default:
        return p.normal();
      }
    }};

} // namespace

void cascade::runtime::fillSpecial(Tensor &tensor, uint64_t seed,
                                   uint64_t argument) {
  const RandomStream random(seed, argument);
  const ElementTypeInfo &info = infoOf(tensor.type());
  const int64_t n = tensor.shape().empty() ? 1 : tensor.shape().back();
  const double tiny = isFloat(info.type) ? smallestSubnormal(info.type) : 0;
  for (int64_t k = 0, size = tensor.size(); k < size; ++k) {
    const int64_t row = k / n;
    const int64_t pattern = int64_t(
        (uint64_t(row) + seed % numSpecialPatterns) % numSpecialPatterns);
    const Place place{random, info, tiny, uint64_t(k), row, k % n, n};
    tensor.set(k, patterns[pattern](place));
  }
}
