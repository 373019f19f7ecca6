//===- cascade-oracle.cpp - Random chains against the split test ----------===//
//
// Every chain is put to the split test. What is accepted is tried to be refuted
// and evaluated, fused and as written, on random data in random segments.
//
//===----------------------------------------------------------------------===//

#include "Comparison.h"
#include "Generator.h"
#include "Shrink.h"
#include "Timing.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

using namespace cascade::algebra;

namespace {

struct Options {
  uint64_t seed = 1;
  uint64_t count = 10000;
  bool print = false, printUnstable = false, byTemplate = false;
  bool timeSplit = false, only = false;
};

/// What one chain came to.
enum class Outcome { Fine, Refuted, Unstable, Lost, Mismatch };

class Oracle {
public:
  explicit Oracle(const Options &options) : options(options) {}
  void run(uint64_t seed);
  void report(double seconds) const;
  bool failed() const { return refuted + mismatched > 0; }

private:
  /// The first failure on `tries` sets of data of `seed`.
  Outcome judge(Chain &chain, uint64_t seed, unsigned tries);
  void countVerdict(const Sample &sample);
  void explain(const Chain &chain, uint64_t seed, Outcome outcome);

  Options options;
  Comparison comparison; ///< the one that failed
  uint64_t generated = 0, independent = 0, refused = 0;
  uint64_t refuted = 0, mismatched = 0, unstable = 0, lost = 0;
  uint64_t compared = 0;
  std::map<unsigned, uint64_t> ranks;
  std::map<std::string, uint64_t> rules, replays;
  struct Completeness {
    uint64_t total = 0, accepted = 0;
    std::map<std::string, uint64_t> rules;
  };
  std::map<int, Completeness> disguised;
};

} // namespace

static const char *nameOf(Outcome outcome) {
  static const char *names[] = {"fine", "refuted", "unstable", "lost",
                                "mismatch"};
  return names[static_cast<int>(outcome)];
}

void Oracle::countVerdict(const Sample &sample) {
  const SplitResult &verdict = sample.chain.stages().back().verdict;
  if (sample.templateIndex >= 0) {
    Completeness &entry = disguised[sample.templateIndex];
    ++entry.total;
    entry.accepted += verdict.accepted();
    if (verdict.refusal)
      ++entry.rules[verdict.refusal->rule];
  }
  if (verdict.cls == Class::Separable)
    ++ranks[verdict.rank];
  else if (verdict.accepted())
    ++independent;
  else
    ++rules[verdict.refusal->rule];
  refused += !verdict.accepted();
}

Outcome Oracle::judge(Chain &chain, uint64_t seed, unsigned tries) {
  chain.fuse();
  bool separable = false;
  for (unsigned i = 0; i < chain.stages().size(); ++i) {
    const SplitResult &verdict = chain.stages()[i].verdict;
    if (verdict.cls != Class::Separable)
      continue;
    separable = true;
    bool isLast = i + 1 == chain.stages().size();
    if (isLast &&
        refutedBySampling(chain.problem(i), 2 * tries + 1, seed, verdict.rank))
      return Outcome::Refuted;
  }
  // The last stage may still be refused: then those before it are compared.
  if (!separable)
    return Outcome::Fine;
  unsigned stages = chain.stages().size();
  while (chain.stages()[stages - 1].verdict.cls != Class::Separable)
    --stages;
  Comparer comparer(chain, stages);
  Random random(seed ^ 0xda7a);
  for (unsigned t = 0; t < tries; ++t) {
    ChainData data = randomData(random);
    Segmentation segmentation = randomSegmentation(random, data.rows.size());
    comparison = comparer.compare(data, segmentation);
    switch (comparison.agreement) {
    case Agreement::Same:
      ++compared;
      break;
    case Agreement::Replayed:
      ++replays[comparison.replay];
      break;
    case Agreement::Unstable:
      return Outcome::Unstable;
    case Agreement::Lost:
      return Outcome::Lost;
    case Agreement::Mismatch:
      return Outcome::Mismatch;
    }
  }
  return Outcome::Fine;
}

void Oracle::explain(const Chain &chain, uint64_t seed, Outcome outcome) {
  Oracle other(options); // its counts do not matter
  auto fails = [&](Chain &candidate) {
    return other.judge(candidate, seed, 24) == outcome;
  };
  Chain small = shrink(chain, fails);
  bool still = fails(small);
  std::printf("%s, --only=%llu:\n%s", nameOf(outcome),
              static_cast<unsigned long long>(seed), describe(small).c_str());
  if (still && outcome != Outcome::Refuted)
    std::printf("    r%u is %.17g instead of %.17g\n", other.comparison.stage,
                other.comparison.got, other.comparison.want);
  std::fflush(stdout);
}

void Oracle::run(uint64_t seed) {
  Sample sample = Generator(seed).chain();
  ++generated;
  Outcome outcome = judge(sample.chain, seed, options.only ? 24 : 2);
  countVerdict(sample);
  if (options.only)
    std::printf("%s", describe(sample.chain).c_str());
  refuted += outcome == Outcome::Refuted;
  mismatched += outcome == Outcome::Mismatch;
  unstable += outcome == Outcome::Unstable;
  lost += outcome == Outcome::Lost;
  bool isFailure = outcome == Outcome::Refuted || outcome == Outcome::Mismatch;
  if ((options.print && isFailure) ||
      (options.printUnstable && outcome != Outcome::Fine))
    explain(sample.chain, seed, outcome);
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

using Number = unsigned long long;

static void printCounts(const char *title,
                        const std::map<std::string, uint64_t> &counts) {
  std::printf("%s:", title);
  for (const auto &[name, count] : counts)
    std::printf(" %llu %s", static_cast<Number>(count), name.c_str());
  std::printf("\n");
}

void Oracle::report(double seconds) const {
  uint64_t separable = 0, total = 0, accepted = 0;
  std::map<std::string, uint64_t> disguisedRules;
  std::printf("separable by rank:");
  for (auto [rank, count] : ranks) {
    std::printf(" %u: %llu", rank, static_cast<Number>(count));
    separable += count;
  }
  std::printf("\n");
  printCounts("refused", rules);
  for (const auto &[index, entry] : disguised) {
    total += entry.total;
    accepted += entry.accepted;
    for (const auto &[rule, count] : entry.rules)
      disguisedRules[rule] += count;
    if (options.byTemplate)
      std::printf("  %s: %llu of %llu\n", templates()[index].name,
                  static_cast<Number>(entry.accepted),
                  static_cast<Number>(entry.total));
  }
  printCounts("disguised, refused", disguisedRules);
  std::printf("disguised, accepted: %llu of %llu (%.2f%%)\n",
              static_cast<Number>(accepted), static_cast<Number>(total),
              total ? 100.0 * accepted / total : 0.0);
  printCounts("would replay", replays);
  std::printf("rows compared: %llu\n", static_cast<Number>(compared));
  std::printf("numerically unstable: %llu, non-finite values lost: %llu\n",
              static_cast<Number>(unstable), static_cast<Number>(lost));
  std::printf("%.1f seconds, %.0f chains a second\n", seconds,
              generated / seconds);
  std::printf("%llu chains: %llu separable, %llu independent, %llu refused, "
              "%llu refuted, %llu mismatched\n",
              static_cast<Number>(generated), static_cast<Number>(separable),
              static_cast<Number>(independent), static_cast<Number>(refused),
              static_cast<Number>(refuted), static_cast<Number>(mismatched));
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    const char *arg = argv[i];
    auto number = [&](const char *name, uint64_t &value) {
      size_t length = std::strlen(name);
      if (std::strncmp(arg, name, length) != 0)
        return false;
      char *end;
      value = std::strtoull(arg + length, &end, 10);
      return end != arg + length && *end == 0;
    };
    if (number("--seed=", options.seed) || number("--count=", options.count))
      continue;
    if (number("--only=", options.seed)) {
      options.only = options.print = true;
      options.count = 1;
    } else if (!std::strcmp(arg, "--print-mismatches")) {
      options.print = true;
    } else if (!std::strcmp(arg, "--print-unstable")) {
      options.printUnstable = true;
    } else if (!std::strcmp(arg, "--by-template")) {
      options.byTemplate = true;
    } else if (!std::strcmp(arg, "--time-split")) {
      options.timeSplit = true;
    } else {
      std::fprintf(stderr,
                   "usage: cascade-oracle [--seed=S] [--count=N] [--only=SEED] "
                   "[--print-mismatches] [--print-unstable] [--by-template] "
                   "[--time-split]\n"
                   "Chain k of seed S is the only one of seed S + k.\n");
      return false;
    }
  }
  return true;
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options))
    return 2;
  if (options.timeSplit) {
    timeSplits();
    return 0;
  }
  Oracle oracle(options);
  auto start = std::chrono::steady_clock::now();
  for (uint64_t k = 0; k < options.count; ++k)
    oracle.run(options.seed + k);
  std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - start;
  oracle.report(seconds.count());
  return oracle.failed();
}
