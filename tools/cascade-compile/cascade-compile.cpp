//===- cascade-compile.cpp - From IR files to kernels ---------------------===//

#include "cascade/Pipelines/Compile.h"
#include "cascade/Pipelines/Tuning.h"
#include <CLI/CLI.hpp>

int main(int argc, char **argv) {
  cascade::CompileOptions options;
  std::string cluster = "auto", inputType = "auto", tuneSpace;
  CLI::App app{"Compiles chains of dependent reductions to Hopper kernels"};
  app.add_option("FILE", options.input, "MLIR file")->required();
  app.add_option("-o", options.output, "output path, without suffix for ptx");
  app.add_option("--emit", options.emit,
                 "chains, fused, mapped, cluster, expanded, nvvm, llvm, ptx, "
                 "cubin or launcher");
  app.add_option("--chip", options.chip, "sm_90 or sm_90a");
  app.add_option("--target", options.pipeline.target, "h200 or h100");
  app.add_option("--cluster", cluster, "blocks a cluster: auto or 1 to 16");
  app.add_option(
      "--algorithm", options.pipeline.algorithm,
      "exchange between blocks: auto, mailbox, tree, ring or global");
  app.add_option("--mapping", options.pipeline.mapping,
                 "mapping attribute for every chain");
  app.add_option("--stop-after", options.stopAfter, "stop after this phase");
  app.add_option("--dump-phases-to", options.dumpFolder,
                 "write the module after every phase into this folder");
  app.add_option("--explain", options.explain, "text or json");
  app.add_flag("--with-reference", options.withReference,
               "add NAME.ref.ptx, the unfused evaluations");
  // A flag, so that a file may follow.
  app.add_flag("--tune-space{" + std::to_string(cascade::defaultCandidates) +
                   "}",
               tuneSpace,
               "compile each function under its N best-ranked mappings, 12 "
               "without =N, for cascade-launch --tune");
  CLI::Option *tuned = app.add_option(
      "--tuned", options.tuned, "take measured mappings from this tuning file");
  app.add_option("--input-type", inputType, "auto or cascade");
  auto badInput = static_cast<int>(cascade::ExitStatus::BadInput);
  try {
    app.parse(argc, argv);
    if (cluster != "auto")
      options.pipeline.cluster =
          CLI::detail::lexical_cast(cluster, options.pipeline.cluster)
              ? options.pipeline.cluster
              : -1;
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : badInput;
  }
  if (!tuneSpace.empty() &&
      (!CLI::detail::lexical_cast(tuneSpace, options.tuneSpace) ||
       options.tuneSpace < 1)) {
    std::cerr << "error: --tune-space takes a number of candidates, 1 to "
              << cascade::mostCandidates << ", not '" << tuneSpace << "'\n";
    return badInput;
  }
  if (tuned->count() != 0 && options.tuned.empty()) {
    std::cerr << "error: --tuned takes the name of a tuning file\n";
    return badInput;
  }
  if (cluster != "auto" && options.pipeline.cluster < 1) {
    std::cerr << "error: --cluster takes auto or 1 to 16, not '" << cluster
              << "'\n";
    return badInput;
  }
  if (inputType != "auto" && inputType != "cascade") {
    std::cerr << "error: --input-type=" << inputType
              << " is not available yet; write the chain in the cascade "
                 "dialect\n";
    return badInput;
  }
  return static_cast<int>(cascade::compileFile(options));
}
