//===- TuneTool.cpp - cascade-launch --tune -------------------------------===//
//
// The candidates of one function at one size take turns on the same buffers,
// several rounds of them, so that a clock that drifts slows all of them alike.
//
//===----------------------------------------------------------------------===//

#include "LaunchJson.h"
#include "cascade/Runtime/LaunchTool.h"
#include "cascade/Runtime/TuningChoice.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

using namespace cascade::runtime;

/// Times that each candidate gets a turn.
static constexpr int mostRounds = 5;

namespace {
/// All candidates of one function at one size.
using CandidateCases = std::vector<const LaunchCase *>;

/// Why a candidate was left out; empty if it was not.
using Complaints = std::vector<std::string>;
} // namespace

static const Candidate &candidateOf(const LaunchCase &one) {
  return *one.plan.function->candidate;
}

Error cascade::runtime::checkCandidates(const std::vector<LaunchCase> &cases) {
  for (const LaunchCase &one : cases) {
    const std::string place = one.plan.manifest->path + ": ";
    if (!one.plan.function->candidate)
      return Error::input(place + "function '" + one.plan.function->name +
                          "' is no candidate; compile with --tune-space");
    if (one.plan.manifest->gpu.empty())
      return Error::input(place + "target.gpu is missing; compile with "
                                  "--tune-space again");
  }
  return Error::success();
}

static std::vector<CandidateCases>
groupCandidates(const std::vector<LaunchCase> &cases) {
  std::vector<CandidateCases> groups;
  for (const LaunchCase &one : cases) {
    auto isSame = [&](const CandidateCases &group) {
      const LaunchCase &first = *group.front();
      return first.plan.manifest == one.plan.manifest &&
             first.plan.dims == one.plan.dims &&
             candidateOf(first).of == candidateOf(one).of;
    };
    auto found = std::find_if(groups.begin(), groups.end(), isSame);
    if (found == groups.end())
      groups.push_back({&one});
    else
      found->push_back(&one);
  }
  for (CandidateCases &group : groups)
    std::sort(group.begin(), group.end(),
              [](const LaunchCase *a, const LaunchCase *b) {
                return candidateOf(*a).index < candidateOf(*b).index;
              });
  return groups;
}

/// Runs the checks that the flags ask for; a candidate that fails one is left
/// out.
static Error checkGroup(Driver &driver, ModuleCache &modules,
                        const CandidateCases &group,
                        const LaunchOptions &options, CheckCounts &counts,
                        Complaints &complaints) {
  LaunchOptions checks = options;
  checks.benchmark = false;
  for (size_t i = 0; i < group.size(); ++i) {
    const int64_t failed = counts.failed;
    if (Error error = runCase(driver, modules, *group[i], checks, counts)) {
      if (driver.synchronize("the device"))
        return error;
      complaints[i] = error.message();
    } else if (counts.failed != failed) {
      complaints[i] = "its results are wrong";
    }
  }
  return Error::success();
}

/// The times of every candidate without a complaint, in microseconds. One that
/// cannot be launched gets one.
static Expected<std::vector<std::vector<double>>>
timeGroup(Driver &driver, ModuleCache &modules, const CandidateCases &group,
          const LaunchOptions &options, Complaints &complaints) {
  BenchmarkOptions settings = benchmarkSettings(options);
  const int repeat = settings.repeat, rounds = std::min(repeat, mostRounds);
  Expected<void *> module = modules.load(group.front()->plan.manifest->module);
  if (!module)
    return module.error();
  Expected<Timer> timer = Timer::create(driver);
  if (!timer)
    return timer.error();
  // Candidates have the same arguments, and so the same buffers.
  Expected<std::vector<std::unique_ptr<Invocation>>> sets =
      makeSets(driver, *group.front(), options, settings);
  if (!sets)
    return sets.error();
  std::vector<std::vector<double>> times(group.size());
  for (int round = 0; round < rounds; ++round) {
    settings.repeat = repeat / rounds + (round < repeat % rounds ? 1 : 0);
    for (size_t turn = 0; turn < group.size(); ++turn) {
      // Another one goes first in each round.
      const size_t i = (turn + size_t(round)) % group.size();
      if (!complaints[i].empty())
        continue;
      Expected<std::vector<double>> some = Invocation::benchmark(
          *sets, *module, group[i]->plan.kernels, *timer, settings);
      if (some) {
        times[i].insert(times[i].end(), some->begin(), some->end());
        continue;
      }
      if (driver.synchronize("the device"))
        return some.error();
      complaints[i] = some.error().message();
    }
  }
  return times;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::optional<double> ratio(std::optional<double> time,
                                   std::optional<double> of) {
  if (time && of)
    return *time / *of;
  return std::nullopt;
}

static std::string number(std::optional<double> value, int digits) {
  char text[64] = "-";
  if (value)
    std::snprintf(text, sizeof(text), "%.*f", digits, *value);
  return text;
}

static void printGroup(const CandidateCases &group, const TunedCase &tuned,
                       const LaunchOptions &options,
                       const Complaints &complaints) {
  std::optional<double> best, model;
  for (const CandidateTime &one : tuned.candidates) {
    if (one.index == 0)
      model = one.microseconds;
    if (one.microseconds && (!best || *one.microseconds < *best))
      best = one.microseconds;
  }
  if (!options.json) {
    const std::string dims = formatDims(tuned.dims);
    std::printf("tune %s%s%s: %zu candidates\n", tuned.function.c_str(),
                dims.empty() ? "" : " ", dims.c_str(), group.size());
    std::printf("  %-9s %10s %8s %8s  %s\n", "candidate", "us", "to best",
                "to model", "mapping");
  }
  for (size_t i = 0; i < group.size(); ++i) {
    const CandidateTime &one = tuned.candidates[i];
    const std::optional<double> toBest = ratio(one.microseconds, best),
                                toModel = ratio(one.microseconds, model);
    if (options.json) {
      nlohmann::ordered_json json = describeCase(group[i]->plan);
      json["device"] = tuned.device;
      json["candidate"] = one.index;
      json["mapping"] = one.mapping;
      auto set = [&](const char *key, std::optional<double> value) {
        json[key] = value ? nlohmann::ordered_json(*value) : nullptr;
      };
      set("median_us", one.microseconds);
      set("ratio_to_best", toBest);
      set("ratio_to_model", toModel);
      set("estimate_us", candidateOf(*group[i]).estimate);
      if (!complaints[i].empty())
        json["error"] = complaints[i];
      printLine(json);
      continue;
    }
    std::printf("  %-9s %10s %8s %8s  %s\n",
                ("m" + std::to_string(one.index)).c_str(),
                number(one.microseconds, 2).c_str(), number(toBest, 2).c_str(),
                number(toModel, 2).c_str(), one.mapping.c_str());
    if (!complaints[i].empty())
      std::printf("    left out: %s\n", complaints[i].c_str());
  }
  std::fflush(stdout);
}

static void printEntries(const std::vector<TuningEntry> &entries,
                         const TuningFile &file, const MergeCounts &counts,
                         const LaunchOptions &options) {
  if (options.json) {
    printLine({{"tuning", file.path},
               {"entries", file.entries.size()},
               {"added", counts.added},
               {"replaced", counts.replaced}});
    return;
  }
  for (const TuningEntry &entry : entries)
    std::cout << entry.function << " (" << entry.key.shape
              << "): " << entry.mapping << ", " << entry.text() << "\n";
  std::cout << file.path << ": " << counts.added << " added, "
            << counts.replaced << " replaced, " << file.entries.size()
            << " in all" << std::endl;
}

//===----------------------------------------------------------------------===//
// The whole of it
//===----------------------------------------------------------------------===//

static Expected<TunedCase> tuneGroup(Driver &driver, ModuleCache &modules,
                                     const CandidateCases &group,
                                     const LaunchOptions &options,
                                     CheckCounts &counts) {
  Complaints complaints(group.size());
  if (options.check || options.checkBitwise || !options.expected.empty() ||
      options.errors)
    if (Error error =
            checkGroup(driver, modules, group, options, counts, complaints))
      return error;
  Expected<std::vector<std::vector<double>>> times =
      timeGroup(driver, modules, group, options, complaints);
  if (!times)
    return times.error();
  const LaunchCase &first = *group.front();
  TunedCase tuned;
  tuned.key = candidateOf(first).key;
  tuned.function = candidateOf(first).of;
  tuned.device = driver.deviceName();
  tuned.dims = first.plan.dims;
  tuned.flushL2 = options.flushL2;
  for (size_t i = 0; i < group.size(); ++i) {
    CandidateTime one;
    one.index = candidateOf(*group[i]).index;
    one.mapping = candidateOf(*group[i]).mapping;
    const double median = summarise(std::move((*times)[i])).median;
    if (complaints[i].empty() && median > 0)
      one.microseconds = median;
    else if (complaints[i].empty())
      complaints[i] = "there is nothing to time at this size";
    tuned.candidates.push_back(std::move(one));
  }
  printGroup(group, tuned, options, complaints);
  return tuned;
}

/// Writes the entries to the tuning file and says so.
static Error mergeInto(const std::vector<TuningEntry> &entries,
                       const LaunchOptions &options) {
  // Read now: another run may have written it meanwhile.
  Expected<TuningFile> file = readTuningToMerge(options.tune);
  if (!file)
    return file.error();
  const MergeCounts merged = merge(*file, entries);
  if (Error error = writeTuning(*file))
    return error;
  printEntries(entries, *file, merged, options);
  return Error::success();
}

Error cascade::runtime::tuneCases(Driver &driver,
                                  const std::vector<LaunchCase> &cases,
                                  const LaunchOptions &options,
                                  CheckCounts &counts) {
  for (const LaunchCase &one : cases)
    if (!isDevice(one.plan.manifest->gpu, driver.deviceName()))
      return Error::input(one.plan.manifest->path + ": compiled for " +
                          one.plan.manifest->gpu + ", but the device is " +
                          driver.deviceName() +
                          "; compile with the --target of this device");
  ModuleCache modules(driver);
  std::vector<TunedCase> tuned;
  // What goes wrong with one function leaves the others as they are.
  std::vector<Error> errors;
  const std::vector<CandidateCases> groups = groupCandidates(cases);
  for (size_t i = 0; i < groups.size(); ++i) {
    const LaunchCase &first = *groups[i].front();
    const std::string dims = formatDims(first.plan.dims);
    std::cerr << "[" << i + 1 << "/" << groups.size() << "] "
              << candidateOf(first).of << (dims.empty() ? "" : " ") << dims
              << std::endl;
    Expected<TunedCase> one =
        tuneGroup(driver, modules, groups[i], options, counts);
    if (one) {
      tuned.push_back(std::move(*one));
      continue;
    }
    errors.push_back(one.error().in(first.plan.manifest->path + ": " +
                                    candidateOf(first).of));
    if (driver.synchronize("the device"))
      break;
  }
  TuningChoice choice = chooseEntries(tuned);
  errors.insert(errors.end(), choice.errors.begin(), choice.errors.end());
  if (!choice.entries.empty())
    if (Error error = mergeInto(choice.entries, options))
      errors.push_back(error);
  if (errors.empty())
    return Error::success();
  std::string text;
  for (const Error &error : errors)
    text += (text.empty() ? "" : "; ") + error.message();
  return errors.front().kind() == ErrorKind::Input ? Error::input(text)
                                                   : Error::device(text);
}
