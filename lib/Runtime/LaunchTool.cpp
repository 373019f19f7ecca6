//===- LaunchTool.cpp - cascade-launch ------------------------------------===//

#include "cascade/Runtime/LaunchTool.h"

#include <iostream>
#include <new>
#include <nlohmann/json.hpp>

using namespace cascade::runtime;

/// Prints an error on one line, whatever its names contain.
static int fail(const Error &error) {
  std::string line;
  for (char c : error.message())
    line += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  std::cout.flush();
  std::cerr << "error: " << line << std::endl;
  return static_cast<int>(error.kind());
}

static std::string formatArgument(const Argument &argument) {
  std::string text;
  for (const Extent &extent : argument.shape)
    text +=
        (extent.dim.empty() ? std::to_string(extent.value) : extent.dim) + "x";
  return text + nameOf(argument.type);
}

/// "256x1x1".
static std::string formatSizes(const std::array<unsigned, 3> &sizes) {
  return std::to_string(sizes[0]) + "x" + std::to_string(sizes[1]) + "x" +
         std::to_string(sizes[2]);
}

/// The launches of a program, for `--list --format=json`.
static nlohmann::ordered_json describe(const Program &program) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Launch &launch : program.launches)
    list.push_back({{"kernel", launch.kernel},
                    {"group", launch.group},
                    {"guards", launch.when.size()},
                    {"block", launch.block},
                    {"cluster", launch.cluster},
                    {"shared", launch.shared}});
  return list;
}

void cascade::runtime::listManifest(const Manifest &manifest,
                                    const LaunchOptions &options) {
  for (const Function &function : manifest.functions) {
    if (!options.entry.empty() && !function.isCalled(options.entry))
      continue;
    if (options.json) {
      nlohmann::ordered_json json;
      json["manifest"] = manifest.path;
      json["function"] = function.name;
      json["arguments"] = nlohmann::ordered_json::array();
      for (const Argument &argument : function.arguments)
        json["arguments"].push_back({{"name", argument.name},
                                     {"role", nameOf(argument.role)},
                                     {"type", formatArgument(argument)}});
      if (function.candidate)
        json["candidate"] = {{"of", function.candidate->of},
                             {"mapping", function.candidate->mapping}};
      json["launches"] = describe(function.kernels);
      json["reference"] = {{"U", describe(function.referenceU)},
                           {"R", describe(function.referenceR)}};
      std::cout << json.dump(-1, ' ', false,
                             nlohmann::json::error_handler_t::replace)
                << std::endl;
      continue;
    }
    std::cout << function.name << '(';
    const char *separator = "";
    for (const Argument &argument : function.arguments) {
      std::cout << separator << nameOf(argument.role) << ' ' << argument.name
                << ": " << formatArgument(argument);
      separator = ", ";
    }
    std::cout << ')' << std::endl;
    if (function.candidate)
      std::cout << "  candidate of " << function.candidate->of << ": "
                << function.candidate->mapping << std::endl;
    auto print = [](const char *what, const Program &program) {
      for (const Launch &launch : program.launches)
        std::cout << "  " << what << launch.kernel << ": group " << launch.group
                  << ", block " << formatSizes(launch.block) << ", cluster "
                  << formatSizes(launch.cluster) << ", shared " << launch.shared
                  << ", guards " << launch.when.size() << std::endl;
    };
    print("", function.kernels);
    print("reference U: ", function.referenceU);
    print("reference R: ", function.referenceR);
  }
}

static void printCounts(const LaunchOptions &options,
                        const CheckCounts &counts) {
  if (!options.check && !options.checkBitwise && options.expected.empty())
    return;
  if (options.json)
    std::cout << "{\"passed\":" << counts.passed
              << ",\"failed\":" << counts.failed << "}" << std::endl;
  else
    std::cout << counts.passed << " passed, " << counts.failed << " failed"
              << std::endl;
}

/// Runs all cases. A mistake ends the run; a benchmark of several cases goes on
/// as long as the device does. The result is the exit status.
static int runCases(Driver &driver, const std::vector<LaunchCase> &cases,
                    const LaunchOptions &options) {
  ModuleCache modules(driver);
  CheckCounts counts;
  int status = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (options.benchmark) {
      const std::string dims = formatDims(cases[i].plan.dims);
      std::cerr << "[" << i + 1 << "/" << cases.size() << "] "
                << cases[i].plan.function->name << (dims.empty() ? "" : " ")
                << dims << std::endl;
    }
    Error error = runCase(driver, modules, cases[i], options, counts);
    if (!error)
      continue;
    status = fail(error);
    if (!options.benchmark || driver.synchronize("the device"))
      return status;
  }
  printCounts(options, counts);
  if (status != 0)
    return status;
  return counts.failed == 0 ? 0 : 1;
}

static int tune(Driver &driver, const std::vector<LaunchCase> &cases,
                const LaunchOptions &options) {
  CheckCounts counts;
  Error error = tuneCases(driver, cases, options, counts);
  printCounts(options, counts);
  if (error)
    return fail(error);
  return counts.failed == 0 ? 0 : 1;
}

static int runTool(int argc, const char **argv) {
  Expected<std::optional<LaunchOptions>> parsed =
      parseLaunchOptions(argc, argv);
  if (!parsed)
    return fail(parsed.error());
  if (!*parsed)
    return 0;
  const LaunchOptions &options = **parsed;

  std::vector<Manifest> manifests;
  for (const std::string &path : options.manifests) {
    Expected<Manifest> manifest = readManifest(path);
    if (!manifest)
      return fail(manifest.error());
    manifests.push_back(std::move(*manifest));
  }
  if (options.list) {
    for (const Manifest &manifest : manifests)
      listManifest(manifest, options);
    return 0;
  }
  Expected<std::vector<LaunchCase>> cases = planCases(manifests, options);
  if (!cases)
    return fail(cases.error());
  // Mistakes are found before a device is opened and anything is timed.
  if (!options.tune.empty()) {
    if (Error error = checkCandidates(*cases))
      return fail(error);
    if (Expected<TuningFile> file = readTuningToMerge(options.tune); !file)
      return fail(file.error());
  }

  Expected<std::unique_ptr<Driver>> driver = Driver::create();
  if (!driver)
    return fail(driver.error());
  return options.tune.empty() ? runCases(**driver, *cases, options)
                              : tune(**driver, *cases, options);
}

int cascade::runtime::launchMain(int argc, const char **argv) {
  try {
    return runTool(argc, argv);
  } catch (const std::bad_alloc &) {
    return fail(Error::input("out of memory; use smaller dims"));
  } catch (const std::exception &exception) {
    return fail(Error::input(std::string("unexpected: ") + exception.what() +
                             "; please report it with the command line"));
  }
}
