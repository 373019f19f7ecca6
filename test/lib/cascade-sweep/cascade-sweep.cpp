//===- cascade-sweep.cpp - Fused against unfused over many inputs ---------===//

#include "Sweep.h"
#include "cascade/Pipelines/Register.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

static cl::opt<std::string> file(cl::Positional, cl::Required,
                                 cl::desc("FILE.mlir"));
static cl::list<int64_t> lengths("lengths", cl::CommaSeparated,
                                 cl::desc("extents of the reduced axes"));
static cl::list<int64_t> rows("rows", cl::CommaSeparated,
                              cl::desc("extents of the other dynamic axes"));
static cl::list<int64_t> segments("segments", cl::CommaSeparated,
                                  cl::desc("segment counts"));
static cl::list<std::string>
    patterns("patterns", cl::CommaSeparated,
             cl::desc("rand, special or another spec"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::desc("random seed"));
static cl::opt<double>
    rtol("rtol", cl::init(0),
         cl::desc("relative tolerance (default: by the type of the output)"));
static cl::opt<bool>
    errors("errors", cl::desc("print the worst relative error of each output "
                              "against R, fused and unfused"));
static cl::opt<std::string>
    inputsAs("inputs-as", cl::desc("round f32 and f64 inputs to this type"));
static cl::opt<std::string> mutant("mutate",
                                   cl::desc("no-correction or no-replay"));

template <typename T>
static std::vector<T> orElse(const cl::list<T> &given, std::vector<T> other) {
  return given.empty() ? other : std::vector<T>(given.begin(), given.end());
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "compares fused with unfused\n");
  mlir::DialectRegistry registry;
  cascade::registerDialects(registry);
  mlir::MLIRContext context(registry);
  SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(file, sources, &context);
  if (!module)
    return 2;

  cascade::test::SweepOptions options;
  options.lengths = orElse<int64_t>(lengths, {1, 7, 33});
  options.rows = orElse<int64_t>(rows, {1, 3});
  options.segments = orElse<int64_t>(segments, {1, 3});
  options.patterns = errors
                         ? orElse<std::string>(patterns, {"rand"})
                         : orElse<std::string>(patterns, {"rand", "special"});
  if (rtol.getNumOccurrences())
    options.rtol = rtol;
  options.errors = errors;
  if (!inputsAs.empty()) {
    options.inputsAs = cascade::runtime::parseElementType(inputsAs.getValue());
    if (!options.inputsAs || !cascade::runtime::isFloat(*options.inputsAs)) {
      llvm::errs() << "error: --inputs-as=" << inputsAs
                   << " is no float type; use f16, bf16, f8E4M3FN or f8E5M2\n";
      return 2;
    }
  }
  options.seed = seed;
  if (mutant == "no-correction")
    options.mutate = cascade::test::dropCorrections;
  else if (mutant == "no-replay")
    options.mutate = cascade::test::dropReplay;
  else if (!mutant.empty()) {
    llvm::errs() << "error: no mutant '" << mutant
                 << "'; use no-correction or no-replay\n";
    return 2;
  }
  auto counts = cascade::test::sweep(*module, options);
  if (mlir::failed(counts))
    return 2;
  if (errors)
    return 0;
  outs() << counts->passed << " passed, " << counts->failed << " failed\n";
  return counts->failed ? 1 : 0;
}
