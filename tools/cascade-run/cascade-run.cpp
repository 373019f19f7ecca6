//===- cascade-run.cpp - Compile and run ----------------------------------===//

#include "cascade/Pipelines/Register.h"
#include "cascade/Pipelines/RunSim.h"
#include "mlir/IR/DialectRegistry.h"
#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  cascade::RunOptions options;
  CLI::App app{"Compiles a function of an MLIR file and runs it"};
  app.add_option("FILE", options.file, "MLIR file")->required();
  app.add_option("--entry", options.entry, "function to run");
  app.add_option("--device", options.device, "cpu, gpu, sim or auto");
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
  cascade::SimRunOptions sim;
  const char *simulated = "Simulated device";
  auto option = [&](const char *flag, auto &value, const char *help) {
    app.add_option(flag, value, help)->group(simulated);
  };
  option("--cluster", sim.pipeline.cluster, "blocks a cluster; 0 chooses");
  option("--mapping", sim.pipeline.mapping, "a mapping for every chain");
  option("--algorithm", sim.pipeline.algorithm,
         "exchange between blocks: auto, mailbox, tree, ring or global");
  option("--interleavings", sim.interleavings,
         "orders of execution to try, from --seed on");
  option("--patterns", sim.patterns,
         "SPECs of the first argument, separated by commas");
  option("--offset-elements", sim.offsetElements,
         "elements between a boundary and each buffer");
  option("--grid", sim.grid, "X[,Y[,Z]] blocks, of a file of kernels");
  option("--block", sim.block, "X[,Y[,Z]] threads, of a file of kernels");
  option("--cluster-dims", sim.clusterDims,
         "X[,Y[,Z]] blocks a cluster, of a file of kernels");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  mlir::DialectRegistry registry;
  cascade::registerDialects(registry);
  if (options.device == "sim")
    return cascade::runOnSimulator(options, sim, registry);
  return cascade::runFile(options, registry);
}
