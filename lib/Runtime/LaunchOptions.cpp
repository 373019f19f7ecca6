//===- LaunchOptions.cpp - The flags of cascade-launch --------------------===//

#include "cascade/Runtime/LaunchTool.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <iostream>

using namespace cascade::runtime;

/// More cases than this are a typing error.
static constexpr size_t maxCases = 100000;

std::vector<DimBindings> LaunchOptions::combinations() const {
  std::vector<DimBindings> list = {{}};
  for (const auto &[name, values] : dims) {
    std::vector<DimBindings> longer;
    for (const DimBindings &prefix : list)
      for (int64_t value : values) {
        longer.push_back(prefix);
        longer.back()[name] = value;
      }
    list = std::move(longer);
  }
  return list;
}

/// Parses "N=1,7,4097".
static Error parseDim(const std::string &text, LaunchOptions &options) {
  auto wrong = [&] {
    return Error::input("--dim=" + text +
                        ": expected NAME=N or NAME=N,N,...; give numbers of 0 "
                        "or more");
  };
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return wrong();
  const std::string name = text.substr(0, equals);
  for (const auto &other : options.dims)
    if (other.first == name)
      return Error::input("--dim=" + text + ": dim '" + name +
                          "' is given twice; list its values in one flag");
  std::vector<int64_t> values;
  const char *at = text.data() + equals + 1, *end = text.data() + text.size();
  while (true) {
    int64_t value = 0;
    auto [next, status] = std::from_chars(at, end, value);
    if (status != std::errc() || value < 0)
      return wrong();
    values.push_back(value);
    if (next == end)
      break;
    if (*next != ',')
      return wrong();
    at = next + 1;
  }
  options.dims.emplace_back(name, std::move(values));
  return Error::success();
}

static Error parseSpecs(const std::vector<std::string> &texts, const char *flag,
                        std::vector<NamedSpec> &specs) {
  for (const std::string &text : texts) {
    Expected<NamedSpec> spec = parseNamedSpec(text);
    if (!spec)
      return spec.error().in(flag);
    specs.push_back(std::move(*spec));
  }
  return Error::success();
}

static Error parseOutputs(const std::vector<std::string> &texts,
                          LaunchOptions &options) {
  for (const std::string &text : texts) {
    Expected<NamedSpec> spec = parseNamedSpec(text);
    if (!spec || spec->spec.kind != SpecKind::File || spec->spec.type)
      return Error::input("--output=" + text +
                          ": expected a file; write --output=@file.npy");
    options.outputs.push_back(std::move(*spec));
  }
  return Error::success();
}

/// Flags that contradict each other, or have no effect.
static Error checkOptions(const LaunchOptions &options) {
  if (options.flushL2 && !options.benchmark)
    return Error::input("--flush-l2 needs --benchmark");
  if ((options.copy || options.empty) && !options.benchmark)
    return Error::input("--copy and --empty need --benchmark");
  if (!options.tune.empty() && !options.benchmark)
    return Error::input("--tune needs --benchmark");
  if (!options.tune.empty() &&
      (options.copy || options.empty || !options.outputs.empty()))
    return Error::input("--tune times candidates only; drop --copy, --empty "
                        "and --output");
  if (!options.tune.empty() && options.offsetElements != 0)
    return Error::input("--tune times aligned buffers; drop "
                        "--offset-elements");
  if (options.repeat && !options.benchmark && !options.checkBitwise)
    return Error::input("--repeat needs --check-bitwise or --benchmark");
  if (options.checkBitwise && options.repeat.value_or(2) < 2)
    return Error::input("--check-bitwise compares runs; give --repeat=2 or "
                        "more");
  if ((options.rtol || options.atol) && !options.check &&
      options.expected.empty())
    return Error::input("--rtol and --atol need --check or "
                        "--expected-output");
  for (std::optional<double> tolerance : {options.rtol, options.atol})
    if (tolerance && !(*tolerance >= 0 && std::isfinite(*tolerance)))
      return Error::input("--rtol and --atol are finite numbers of 0 or more");
  if (options.repeat && options.benchmark && options.checkBitwise)
    return Error::input("--repeat would count the runs of --check-bitwise and "
                        "of --benchmark; run one of the two");
  size_t cases = options.manifests.size();
  for (const auto &[name, values] : options.dims)
    if ((cases *= values.size()) > maxCases)
      return Error::input("--dim=" + name +
                          " makes more than 100000 cases; list fewer values");
  if (!options.outputs.empty() && cases > 1)
    return Error::input("--output would be written once for each of several "
                        "cases; run one manifest and one size of each --dim");
  return Error::success();
}

Expected<std::optional<LaunchOptions>>
cascade::runtime::parseLaunchOptions(int argc, const char **argv) {
  LaunchOptions options;
  std::vector<std::string> inputs, outputs, expected, dims;
  std::string format = "text", inputsAs;
  CLI::App app("Runs kernels that cascade-compile wrote on a GPU.",
               "cascade-launch");
  app.add_option("manifests", options.manifests, "NAME.json, one or more");
  app.add_option("--entry", options.entry, "the function (default: all)");
  // One value a flag, so that a manifest may follow.
  auto addList = [&](const char *name, std::vector<std::string> &list,
                     const char *help) {
    app.add_option(name, list, help)->allow_extra_args(false);
  };
  addList("--input", inputs,
          "SPEC of the next input or scalar: 4x8xf32=1 2 3, @x.npy, rand, "
          "uniform, randint:N, iota, special, 7.5 (default: rand); NAME=SPEC "
          "for the one of that name");
  addList("--output", outputs, "[NAME=]@file.npy for the next output");
  addList("--expected-output", expected, "[NAME=]SPEC of the next output");
  addList("--dim", dims, "NAME=N, or NAME=N,N,... to run all sizes");
  app.add_flag("--check", options.check,
               "compare with the reference module, or with --expected-output");
  app.add_option("--rtol", options.rtol, "relative tolerance");
  app.add_option("--atol", options.atol,
                 "absolute tolerance (default: rtol times the typical size)");
  app.add_option("--seed", options.seed, "seed of random inputs")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--repeat", options.repeat,
                 "runs of --check-bitwise (2) or --benchmark (100)")
      ->check(CLI::Range(1, 1000000));
  app.add_flag("--check-bitwise", options.checkBitwise,
               "run several times and compare bits");
  app.add_option("--offset-elements", options.offsetElements,
                 "elements between a 256-byte boundary and each buffer")
      ->check(CLI::Range(0, 1 << 20));
  app.add_flag("--errors", options.errors,
               "print the worst relative error of each output against the f64 "
               "evaluation, and that of the unfused one");
  app.add_option("--inputs-as", inputsAs,
                 "round f32 and f64 inputs to this float type");
  app.add_flag("--benchmark", options.benchmark,
               "time the launches, after the checks");
  app.add_option("--tune", options.tune,
                 "time the candidates of --tune-space against each other and "
                 "put the fastest into this tuning file")
      ->type_name("OUT.json");
  app.add_flag("--flush-l2", options.flushL2, "empty the L2 before each run");
  app.add_flag("--copy", options.copy,
               "also time a copy on the device that moves as many bytes");
  app.add_flag("--empty", options.empty,
               "also time a kernel that does nothing");
  app.add_option("--warmup", options.warmup, "runs that do not count")
      ->check(CLI::Range(0, 1000000));
  app.add_option("--format", format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_flag("--list", options.list, "print the functions and stop");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp &) {
    std::cout << app.help();
    return std::optional<LaunchOptions>();
  } catch (const CLI::ParseError &error) {
    return Error::input(std::string(error.what()) +
                        "; see cascade-launch --help");
  }
  options.json = format == "json";
  if (app.count("--tune") != 0 && options.tune.empty())
    return Error::input("--tune takes the name of a tuning file");
  if (!inputsAs.empty()) {
    options.inputsAs = parseElementType(inputsAs);
    if (!options.inputsAs || !isFloat(*options.inputsAs))
      return Error::input("--inputs-as=" + inputsAs +
                          " is no float type; use f16, bf16, f8E4M3FN or "
                          "f8E5M2");
  }
  if (options.manifests.empty())
    return Error::input("no manifest; give the NAME.json that cascade-compile "
                        "wrote");
  if (Error error = parseSpecs(inputs, "--input", options.inputs))
    return error;
  if (Error error = parseSpecs(expected, "--expected-output", options.expected))
    return error;
  if (Error error = parseOutputs(outputs, options))
    return error;
  for (const std::string &dim : dims)
    if (Error error = parseDim(dim, options))
      return error;
  if (Error error = checkOptions(options))
    return error;
  return std::optional<LaunchOptions>(std::move(options));
}
