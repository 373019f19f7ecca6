//===- Compare.cpp - Is this output right? --------------------------------===//

#include "cascade/Runtime/Compare.h"
#include "cascade/Runtime/Print.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace cascade::runtime;

double cascade::runtime::defaultRelativeTolerance(ElementType type) {
  switch (type) {
  case ElementType::F64:
    return 1e-10;
  case ElementType::F32:
    return 3e-5;
  case ElementType::F16:
    return 2e-3;
  case ElementType::BF16:
    return 1.6e-2;
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return 0.13;
  default:
    return 0;
  }
}

/// Values more than this many binades above the median do not count.
static constexpr int outlierBinades = 10;

double cascade::runtime::typicalSize(const Tensor &tensor) {
  // A value is m 2^e with 1/2 <= m < 1. For each e: how many, and the sum of
  // m^2, so that squares neither overflow nor vanish.
  constexpr int lowest = -1100, binades = 2200;
  std::vector<int64_t> counts(binades);
  std::vector<double> squares(binades);
  int64_t numZero = 0, numNonZero = 0;
  for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
    const double value = tensor.get(i);
    if (!std::isfinite(value))
      continue;
    if (value == 0) {
      ++numZero;
      continue;
    }
    int exponent;
    const double mantissa = std::frexp(value, &exponent);
    ++counts[size_t(exponent - lowest)];
    squares[size_t(exponent - lowest)] += mantissa * mantissa;
    ++numNonZero;
  }
  if (numNonZero == 0)
    return 0;
  int median = 0;
  for (int64_t below = counts[0]; 2 * below < numNonZero;)
    below += counts[size_t(++median)];
  const int top = std::min(median + outlierBinades, binades - 1);
  // In units of 2^(top + lowest); a term that vanishes does not matter.
  double sum = 0;
  int64_t count = numZero;
  for (int i = 0; i <= top; ++i) {
    sum += std::ldexp(squares[size_t(i)], 2 * (i - top));
    count += counts[size_t(i)];
  }
  return std::ldexp(std::sqrt(sum / double(count)), top + lowest);
}

namespace {
/// How one element relates to one reference.
struct Verdict {
  bool agrees;
  double error;    ///< |a - r|; infinite if the classes differ.
  double excess;   ///< error / tolerance.
  double relative; ///< error / max(|r|, size); 0 unless both are finite.
};
} // namespace

static Verdict judge(double actual, double expected, double rtol, double atol,
                     double typical) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(actual) || std::isnan(expected)) {
    const bool same = std::isnan(actual) && std::isnan(expected);
    return {same, same ? 0 : infinity, same ? 0 : infinity, 0};
  }
  if (actual == expected)
    return {true, 0, 0, 0};
  if (std::isinf(actual) || std::isinf(expected))
    return {false, infinity, infinity, 0};
  // Two finite doubles may be further apart than the largest one.
  const double error = std::fabs(actual - expected);
  const double tolerance = rtol * std::fabs(expected) + atol;
  const double size = std::max(std::fabs(expected), typical);
  return {error <= tolerance, error,
          tolerance > 0 ? error / tolerance : infinity,
          size > 0 ? error / size : infinity};
}

static std::string failureText(const Tensor &actual, const Comparison &result,
                               const char *relation,
                               const std::string &expected) {
  return formatIndex(actual.shape(), result.worstIndex) + " is " +
         formatElement(actual, result.worstIndex) + ", " + relation + " " +
         expected + " (" + std::to_string(result.failed) + " of " +
         std::to_string(result.count) + " differ)";
}

static Error checkMatch(const Tensor &actual, const Tensor &expected) {
  const bool sameType = actual.type() == expected.type() ||
                        (isFloat(actual.type()) && isFloat(expected.type()));
  if (actual.shape() == expected.shape() && sameType)
    return Error::success();
  return Error::input("cannot compare " +
                      formatShape(actual.shape(), actual.type()) + " with " +
                      formatShape(expected.shape(), expected.type()) +
                      "; give an expected output of the same shape");
}

static Error checkTolerance(const char *name, std::optional<double> value) {
  if (!value || (*value >= 0 && std::isfinite(*value)))
    return Error::success();
  return Error::input(std::string(name) + " is " +
                      formatValue(ElementType::F64, *value) +
                      "; give a finite number of 0 or more");
}

/// Integers, where doubles would round.
static Comparison compareIntegers(const Tensor &actual,
                                  const std::vector<const Tensor *> &references,
                                  double rtol, double atol) {
  Comparison result;
  result.count = actual.size();
  double worstError = -1;
  const Tensor *worstReference = nullptr;
  for (int64_t i = 0; i < result.count; ++i) {
    const int64_t value = actual.getInteger(i);
    bool agrees = false;
    double nearest = std::numeric_limits<double>::infinity();
    const Tensor *nearestReference = references[0];
    for (const Tensor *reference : references) {
      const int64_t expected = reference->getInteger(i);
      const double error = std::fabs(double(value) - double(expected));
      agrees |=
          value == expected ||
          (error > 0 && error <= rtol * std::fabs(double(expected)) + atol);
      if (error < nearest) {
        nearest = error;
        nearestReference = reference;
      }
    }
    if (agrees)
      continue;
    ++result.failed;
    if (nearest > worstError) {
      worstError = nearest;
      worstReference = nearestReference;
      result.worstIndex = i;
    }
  }
  result.passed = result.failed == 0;
  if (result.passed) {
    result.text = "all equal";
    return result;
  }
  result.worstActual = actual.get(result.worstIndex);
  result.worstExpected = worstReference->get(result.worstIndex);
  result.text = failureText(actual, result, "expected",
                            formatElement(*worstReference, result.worstIndex));
  return result;
}

/// How far element `i` moves with its inputs.
static double motionOf(const Tensor &reference,
                       const std::vector<const Tensor *> &moved, int64_t i) {
  double motion = 0;
  for (const Tensor *tensor : moved) {
    const double distance = std::fabs(tensor->get(i) - reference.get(i));
    if (std::isfinite(distance))
      motion = std::max(motion, distance);
  }
  return motion;
}

/// What the rounding of f32 does to element `i` of the chain as written: how
/// far the references lie apart, times eight, but no more than a quarter of the
/// element, so that 0 is never taken for it.
static double spreadOf(const std::vector<const Tensor *> &references,
                       int64_t i) {
  double low = std::numeric_limits<double>::infinity(), high = -low, size = 0;
  for (const Tensor *reference : references) {
    const double value = reference->get(i);
    if (!std::isfinite(value))
      return 0;
    low = std::min(low, value);
    high = std::max(high, value);
    size = std::max(size, std::fabs(value));
  }
  return references.empty() ? 0 : std::min(8 * (high - low), size / 4);
}

/// Whether the order of combining may decide if element `i` overflows.
static bool overflowIsOpen(const std::vector<const Tensor *> &references,
                           const Probes &probes, int64_t i) {
  size_t finite = 0;
  for (const Tensor *reference : references)
    finite += std::isfinite(reference->get(i));
  if (finite == references.size())
    return probes.larger && !std::isfinite(probes.larger->get(i));
  return finite != 0 ||
         (probes.smaller && std::isfinite(probes.smaller->get(i)));
}

static Comparison compareFloats(const Tensor &actual,
                                const std::vector<const Tensor *> &references,
                                double rtol, std::optional<double> atol,
                                const Probes &probes) {
  /// What eight roundings of the inputs may do.
  constexpr double motionFactor = 8;
  std::vector<double> typical, absolute;
  for (const Tensor *reference : references) {
    typical.push_back(typicalSize(*reference));
    // Rounding to a subnormal moves a value by up to the least of them.
    absolute.push_back(atol ? *atol
                            : std::max(rtol * typical.back(),
                                       smallestSubnormal(actual.type())));
  }
  Comparison result;
  result.count = actual.size();
  double worstExcess = -1;
  size_t worstReference = 0;
  int64_t largest = -1;
  for (int64_t i = 0; i < result.count; ++i) {
    const double value = actual.get(i);
    bool agrees =
        !std::isfinite(value) && overflowIsOpen(references, probes, i);
    Verdict nearest{};
    size_t nearestReference = 0;
    const double motion =
        probes.moved.empty()
            ? 0
            : std::max(motionFactor *
                           motionOf(*references.back(), probes.moved, i),
                       spreadOf(references, i));
    for (size_t k = 0; k < references.size(); ++k) {
      const Verdict verdict = judge(value, references[k]->get(i), rtol,
                                    absolute[k] + motion, typical[k]);
      agrees |= verdict.agrees;
      if (k == 0 || verdict.excess < nearest.excess) {
        nearest = verdict;
        nearestReference = k;
      }
    }
    if (nearest.relative > result.maxRelativeError) {
      result.maxRelativeError = nearest.relative;
      largest = i;
    }
    result.failed += !agrees;
    // The worst element fails if any does.
    const double excess = agrees ? std::min(nearest.excess, 1.0)
                                 : std::max(nearest.excess, 1.0 + 1e-15);
    if (excess > worstExcess) {
      worstExcess = excess;
      worstReference = nearestReference;
      result.worstIndex = i;
    }
  }
  result.passed = result.failed == 0;
  if (result.worstIndex >= 0) {
    result.worstActual = actual.get(result.worstIndex);
    result.worstExpected = references[worstReference]->get(result.worstIndex);
  }
  if (result.passed) {
    char text[64];
    std::snprintf(text, sizeof(text), "worst relative error %.2g",
                  result.maxRelativeError);
    result.text = text;
    if (largest >= 0)
      result.text += " at " + formatIndex(actual.shape(), largest);
  } else {
    result.text = failureText(
        actual, result, "expected",
        formatElement(*references[worstReference], result.worstIndex));
  }
  return result;
}

Expected<Comparison>
cascade::runtime::compare(const Tensor &actual,
                          const std::vector<const Tensor *> &references,
                          std::optional<double> rtol,
                          std::optional<double> atol, const Probes &probes) {
  if (references.empty())
    return Error::input("nothing to compare with; give an expected output or a "
                        "reference module");
  std::vector<const Tensor *> all = references;
  all.insert(all.end(), probes.moved.begin(), probes.moved.end());
  for (const Tensor *probe : {probes.larger, probes.smaller})
    if (probe)
      all.push_back(probe);
  for (const Tensor *reference : all)
    if (Error error = checkMatch(actual, *reference))
      return error;
  if (Error error = checkTolerance("rtol", rtol))
    return error;
  if (Error error = checkTolerance("atol", atol))
    return error;
  const double relative =
      rtol ? *rtol : defaultRelativeTolerance(actual.type());
  if (!isFloat(actual.type()))
    return compareIntegers(actual, references, relative, atol.value_or(0));
  return compareFloats(actual, references, relative, atol, probes);
}

/// Whether pattern `kind` moves element `i` up. The first two kinds are
/// regular; regular data may cancel in them.
static bool movesUp(int kind, int64_t i) {
  return kind == 0   ? i % 2
         : kind == 1 ? (i / 3 + 1) % 2
                     : (uint64_t(i + 1) * 0x9E3779B97F4A7C15u >>
                        (20 + 3 * (kind % 12))) &
                           1;
}

std::vector<Tensor> cascade::runtime::moveByOneUlp(std::vector<Tensor> tensors,
                                                   int kind, bool asF32) {
  for (Tensor &tensor : tensors) {
    double unit = tensor.type() == ElementType::F32 ? 0x1p-23
                  : tensor.type() == ElementType::F64
                      ? (asF32 ? 0x1p-23 : 0x1p-52)
                      : 0;
    for (int64_t i = 0; i < tensor.size() && unit != 0; ++i)
      tensor.set(i, tensor.get(i) * (movesUp(kind, i) ? 1 + unit : 1 - unit));
  }
  return tensors;
}

std::optional<unsigned>
cascade::runtime::moveNarrowByOneUlp(std::vector<Tensor> &tensors, int kind) {
  std::optional<unsigned> widest;
  for (Tensor &tensor : tensors) {
    const unsigned bits = infoOf(tensor.type()).mantissaBits;
    if (bits == 0 || bits >= 23)
      continue;
    widest = std::max(widest.value_or(0), bits);
    const double unit = std::ldexp(1, -int(bits));
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.set(i, tensor.get(i) * (movesUp(kind, i) ? 1 + unit : 1 - unit));
  }
  return widest;
}

std::vector<Tensor> cascade::runtime::scale(std::vector<Tensor> tensors,
                                            double factor) {
  for (Tensor &tensor : tensors)
    for (int64_t i = 0; isFloat(tensor.type()) && i < tensor.size(); ++i)
      tensor.set(i, tensor.get(i) * factor);
  return tensors;
}

std::vector<Tensor> cascade::runtime::roundTo(std::vector<Tensor> tensors,
                                              ElementType type) {
  for (Tensor &tensor : tensors) {
    if (tensor.type() != ElementType::F32 && tensor.type() != ElementType::F64)
      continue;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      unsigned char bytes[8];
      storeElement(type, tensor.get(i), bytes);
      tensor.set(i, loadElement(type, bytes));
    }
  }
  return tensors;
}

void RelativeError::add(const RelativeError &other) {
  worst = std::max(worst, other.worst);
  differ += other.differ;
}

std::string RelativeError::text() const {
  if (worst == 0 && differ == 0)
    return "0";
  char text[64];
  std::snprintf(text, sizeof(text), "%.1e", worst);
  return text + (differ ? " + " + std::to_string(differ) + " differ" : "");
}

RelativeError cascade::runtime::relativeError(const Tensor &actual,
                                              const Tensor &reference) {
  RelativeError error;
  for (int64_t i = 0; i < actual.size(); ++i) {
    if (!isFloat(actual.type())) {
      error.differ += actual.getInteger(i) != reference.getInteger(i);
      continue;
    }
    const double a = actual.get(i), r = reference.get(i);
    if (!std::isfinite(a) || !std::isfinite(r))
      error.differ += !(a == r || (std::isnan(a) && std::isnan(r)));
    else if (r != 0)
      error.worst = std::max(error.worst, std::fabs(a - r) / std::fabs(r));
  }
  return error;
}

Expected<Comparison> cascade::runtime::compareBits(const Tensor &first,
                                                   const Tensor &second) {
  if (first.shape() != second.shape() || first.type() != second.type())
    return Error::input("cannot compare the bits of " +
                        formatShape(first.shape(), first.type()) + " and " +
                        formatShape(second.shape(), second.type()));
  Comparison result;
  result.count = first.size();
  const size_t bytes = byteSize(first.type());
  for (int64_t i = 0; i < result.count; ++i) {
    if (std::memcmp(first.data() + size_t(i) * bytes,
                    second.data() + size_t(i) * bytes, bytes) == 0)
      continue;
    if (result.failed++ == 0)
      result.worstIndex = i;
  }
  result.passed = result.failed == 0;
  if (result.passed) {
    result.text = "same bits";
    return result;
  }
  result.worstActual = first.get(result.worstIndex);
  result.worstExpected = second.get(result.worstIndex);
  result.text = failureText(first, result, "then",
                            formatElement(second, result.worstIndex));
  return result;
}
