//===- Run.cpp - What cascade-run does ------------------------------------===//

#include "cascade/Pipelines/Run.h"
#include "cascade/Pipelines/Compile.h"
#include "cascade/Runtime/LaunchTool.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace cascade;

/// The flags of cascade-launch that ask for the same.
static std::vector<std::string> launchFlags(const RunOptions &options) {
  std::vector<std::string> flags;
  auto addAll = [&](const char *flag, const std::vector<std::string> &values) {
    for (const std::string &value : values)
      flags.push_back(std::string(flag) + "=" + value);
  };
  addAll("--input", options.inputs);
  addAll("--output", options.outputs);
  addAll("--expected-output", options.expected);
  addAll("--dim", options.dims);
  if (!options.entry.empty())
    flags.push_back("--entry=" + options.entry);
  if (options.check)
    flags.push_back("--check");
  if (options.checkBitwise)
    flags.push_back("--check-bitwise");
  if (options.rtol)
    flags.push_back("--rtol=" + std::to_string(*options.rtol));
  if (options.atol)
    flags.push_back("--atol=" + std::to_string(*options.atol));
  flags.push_back("--seed=" + std::to_string(options.seed));
  if (options.checkBitwise && options.repeat > 1)
    flags.push_back("--repeat=" + std::to_string(options.repeat));
  return flags;
}

/// Compiles into a temporary folder and launches from there.
static int runOnDevice(const RunOptions &options) {
  llvm::SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("cascade-run", folder)) {
    llvm::errs() << "error: cannot create a temporary folder: "
                 << error.message() << "\n";
    return static_cast<int>(ExitStatus::BadInput);
  }
  llvm::scope_exit cleanUp([&] { llvm::sys::fs::remove_directories(folder); });
  CompileOptions compile;
  compile.input = options.file;
  compile.output = (folder + "/kernel").str();
  compile.withReference = options.check;
  ExitStatus status = compileFile(compile);
  if (status != ExitStatus::Right)
    return static_cast<int>(status);
  std::vector<std::string> flags = launchFlags(options);
  flags.insert(flags.begin(), {"cascade-run", compile.output + ".json"});
  std::vector<const char *> argv;
  for (const std::string &flag : flags)
    argv.push_back(flag.c_str());
  return runtime::launchMain(argv.size(), argv.data());
}

int cascade::runFile(const RunOptions &options,
                     const mlir::DialectRegistry &registry) {
  if (options.device == "cpu")
    return runOnHost(options, registry);
  if (options.device == "gpu")
    return runOnDevice(options);
  if (options.device != "auto") {
    llvm::errs() << "error: --device=" << options.device
                 << " is not a device; use cpu, gpu, sim or auto\n";
    return static_cast<int>(ExitStatus::BadInput);
  }
  bool hasDriver =
      llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1").isValid();
  return hasDriver ? runOnDevice(options) : runOnHost(options, registry);
}
