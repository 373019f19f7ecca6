//===- LaunchTool.h - cascade-launch ----------------------------*- C++ -*-===//

#ifndef CASCADE_RUNTIME_LAUNCHTOOL_H
#define CASCADE_RUNTIME_LAUNCHTOOL_H

#include "cascade/Runtime/DimExpr.h"
#include "cascade/Runtime/Launcher.h"
#include "cascade/Runtime/Spec.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cascade::runtime {

/// The flags of cascade-launch.
struct LaunchOptions {
  std::vector<std::string> manifests;
  std::string entry; ///< Empty: every function.
  std::vector<NamedSpec> inputs, expected;
  std::vector<NamedSpec> outputs; ///< Files to write.
  /// For each `--dim`, the name and the values to sweep.
  std::vector<std::pair<std::string, std::vector<int64_t>>> dims;
  bool check = false, checkBitwise = false, benchmark = false, list = false;
  std::string tune; ///< The tuning file to write to, or empty.
  bool flushL2 = false, json = false;
  bool copy = false, empty = false;    ///< Also time these.
  bool errors = false;                 ///< Print relative errors against R.
  std::optional<ElementType> inputsAs; ///< Round f32 and f64 inputs to it.
  std::optional<double> rtol, atol;
  uint64_t seed = 0;
  std::optional<int> repeat;
  int warmup = 10;
  int64_t offsetElements = 0;

  /// All combinations of the dims, the last flag fastest; one without any.
  std::vector<DimBindings> combinations() const;
};

/// Parses a command line. Nothing if it asked for help, which has been printed.
Expected<std::optional<LaunchOptions>> parseLaunchOptions(int argc,
                                                          const char **argv);

/// One argument list of one function under one combination of dims.
struct LaunchCase {
  Plan plan;
  std::vector<Spec> inputs; ///< One an argument; of outputs unused.
  /// One an argument, for the outputs that have one.
  std::vector<const Spec *> expected, files;
};

/// Reads the manifests and plans all cases; needs no device.
Expected<std::vector<LaunchCase>>
planCases(const std::vector<Manifest> &manifests, const LaunchOptions &options);

/// The inputs of a case; outputs are empty. Random ones of more than
/// `mostRandom` elements have as many, and are to be repeated: drawing every
/// element would take longer than timing them.
Expected<std::vector<Tensor>>
makeInputs(const LaunchCase &one, const LaunchOptions &options,
           std::optional<int64_t> mostRandom = std::nullopt);

/// Runs one case; prints its lines and counts its comparisons.
struct CheckCounts {
  int64_t passed = 0, failed = 0;
};
Error runCase(Driver &driver, ModuleCache &modules, const LaunchCase &one,
              const LaunchOptions &options, CheckCounts &counts);

/// Times one case of a loaded module and prints its line.
Error benchmarkCase(Driver &driver, ModuleCache &modules, void *module,
                    const LaunchCase &one, const LaunchOptions &options);

/// How the flags want times taken.
BenchmarkOptions benchmarkSettings(const LaunchOptions &options);

/// As many sets of buffers as the runs of a case take in turn.
Expected<std::vector<std::unique_ptr<Invocation>>>
makeSets(Driver &driver, const LaunchCase &one, const LaunchOptions &options,
         const BenchmarkOptions &settings);

/// An error unless every case is one of a candidate of a known GPU.
Error checkCandidates(const std::vector<LaunchCase> &cases);

/// Times the candidates of all cases, prints them and writes the fastest to the
/// tuning file.
Error tuneCases(Driver &driver, const std::vector<LaunchCase> &cases,
                const LaunchOptions &options, CheckCounts &counts);

/// Prints the functions of a manifest: arguments, launches.
void listManifest(const Manifest &manifest, const LaunchOptions &options);

/// The whole tool. The result is the exit status: 0 right, 1 a comparison
/// failed, 2 bad input or flags, 3 device.
int launchMain(int argc, const char **argv);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_LAUNCHTOOL_H
