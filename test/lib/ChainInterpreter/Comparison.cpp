//===- Comparison.cpp - Fused against as written, by condition ------------===//

#include "Comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cascade::algebra {

/// The relative size of perturbations. Extended precision resolves their
/// effect, and they are small enough for it to be linear.
static constexpr double kNoise = 1e-9;
/// How often operations are perturbed.
static constexpr unsigned kRuns = 4;
/// What rounding is allowed to do, in multiples of the measured effect.
static constexpr double kMargin = 100;

/// How far the results of noisy runs are from `exact`; infinite where one is
/// not finite.
template <typename Run>
static long double spreadOf(long double exact, Run run) {
  long double spread = 0;
  for (unsigned seed = 1; seed <= kRuns; ++seed) {
    long double off = std::fabs(run(seed) - exact);
    if (!std::isfinite(off))
      return std::numeric_limits<long double>::infinity();
    spread = std::max(spread, off);
  }
  return spread;
}

Agreement Comparer::judge(unsigned stage, double got, const ChainData &data,
                          const Segmentation &segmentation) {
  if (!wide)
    wide.emplace(chain, stages);
  auto direct = [&](unsigned seed) {
    wide->setNoise(seed ? kNoise : 0, seed);
    return wide->direct(data).results[stage];
  };
  auto fused = [&](unsigned seed) {
    wide->setNoise(seed ? kNoise : 0, seed);
    return wide->fused(data, segmentation).results[stage];
  };
  constexpr long double kEpsilon = std::numeric_limits<double>::epsilon();
  constexpr long double kWideEpsilon =
      std::numeric_limits<long double>::epsilon();
  long double exact = direct(0);
  long double spread = spreadOf(exact, direct);
  auto within = [&](long double off, long double epsilon) {
    // Beyond the linear range, as of 1 / (a - a), no digit is left.
    if (spread > 0.5L * std::fabs(exact) && off <= spread)
      return true;
    return !(off > kMargin * (epsilon / kNoise * spread + // as measured
                              epsilon * std::fabs(exact)));
  };
  if (within(std::fabs(got - exact), kEpsilon))
    return Agreement::Same;
  long double exactFused = fused(0);
  spread += spreadOf(exactFused, fused);
  return within(std::fabs(got - exact), kEpsilon) &&
                 within(std::fabs(exactFused - exact), kWideEpsilon)
             ? Agreement::Unstable
             : Agreement::Mismatch;
}

Comparison Comparer::compare(const ChainData &data,
                             const Segmentation &segmentation) {
  auto written = narrow.direct(data);
  auto fused = narrow.fused(data, segmentation);
  Comparison result;
  if (fused.replay) {
    result.agreement = Agreement::Replayed;
    result.replay = fused.replay;
    return result;
  }
  for (unsigned i = 0; i < written.results.size(); ++i) {
    double want = written.results[i], got = fused.results[i];
    if (want == got || (std::isnan(want) && std::isnan(got)))
      continue;
    if (std::fabs(want - got) <= 1e-13 * (std::fabs(want) + written.sizes[i]))
      continue;
    Agreement agreement = !std::isfinite(got) ? Agreement::Mismatch
                          : !std::isfinite(want)
                              ? Agreement::Lost
                              : judge(i, got, data, segmentation);
    if (agreement == Agreement::Same)
      continue;
    result.agreement = agreement;
    result.stage = i;
    result.got = got;
    result.want = want;
    return result;
  }
  return result;
}

} // namespace cascade::algebra
