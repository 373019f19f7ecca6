//===- cascade-run.cpp - Compile and run ----------------------------------===//

#include "cascade/Pipelines/Register.h"
#include "cascade/Pipelines/Run.h"
#include "mlir/IR/DialectRegistry.h"
#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  cascade::RunOptions options;
  CLI::App app{"Compiles a function of an MLIR file and runs it"};
  app.add_option("FILE", options.file, "MLIR file")->required();
  app.add_option("--entry", options.entry, "function to run");
  app.add_option("--device", options.device, "cpu, gpu or auto");
  app.add_option("--segments", options.segments,
                 "segments that reduced axes are cut into, on the CPU");
  // One value a flag: a spec may hold spaces and commas.
  auto list = [&](const char *flag, std::vector<std::string> &values,
                  const char *help) {
    app.add_option(flag, values, help)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  list("--input", options.inputs, "SPEC of the next argument, or rand");
  list("--output", options.outputs, "@FILE.npy of the next result");
  list("--expected-output", options.expected, "SPEC of the next result");
  list("--dim", options.dims, "NAME=SIZE of a dynamic dimension");
  app.add_flag("--check", options.check,
               "compare with the unfused evaluations U and R");
  app.add_flag("--check-bitwise", options.checkBitwise,
               "run again and compare the bits");
  app.add_option("--rtol", options.rtol, "relative tolerance");
  app.add_option("--atol", options.atol, "absolute tolerance");
  app.add_option("--seed", options.seed, "seed of random inputs");
  app.add_option("--repeat", options.repeat, "number of runs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  mlir::DialectRegistry registry;
  cascade::registerDialects(registry);
  return cascade::runFile(options, registry);
}
