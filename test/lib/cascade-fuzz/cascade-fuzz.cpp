//===- cascade-fuzz.cpp - Random chains, fused against unfused ------------===//

#include "Generator.h"
#include "Shrink.h"
#include "Sweep.h"
#include "cascade/Pipelines/Register.h"
#include "cascade/Runtime/Spec.h"
#include "cascade/Transforms/FuseCascades.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include <chrono>
#include <map>
#include <optional>

using namespace llvm;
using namespace cascade::test;

static cl::opt<int64_t> numChains("chains", cl::init(100),
                                  cl::desc("number of chains"));
static cl::opt<uint64_t> seed("seed", cl::init(1),
                              cl::desc("seed of the first chain"));
static cl::opt<bool> print("print", cl::desc("print every chain"));
static cl::opt<std::string> keep("keep",
                                 cl::desc("write failures, shrunk, there"));

namespace {

/// A chain and what to run it with.
struct Case {
  uint64_t seed;
  Chain chain;
  SweepOptions options;
};

class Fuzzer {
public:
  explicit Fuzzer(mlir::MLIRContext &context) : context(context) {}
  /// Makes, runs and judges the chain of `seed`.
  void run(uint64_t seed);
  void printCounts(double seconds) const;

  int64_t passed = 0, failed = 0;

private:
  /// The first failure of `chain`; one whose chain does not compile has no
  /// length.
  std::optional<Failure> firstFailure(const Chain &chain,
                                      const SweepOptions &options);
  void countVerdicts(const Chain &chain);
  void keepFailure(const Case &failing, const Failure &failure);

  mlir::OwningOpRef<mlir::ModuleOp> parse(const Chain &chain) {
    return mlir::parseSourceString<mlir::ModuleOp>(chain.print(), &context);
  }

  mlir::MLIRContext &context;
  std::map<std::string, int64_t> verdicts;
};

} // namespace

static Case makeCase(uint64_t seed) {
  Dice dice(seed);
  Case result{seed, generateChain(dice), {}};
  SweepOptions &options = result.options;
  options.lengths = {0, 1, 2, 7, 33, 100};
  // A row of every special pattern.
  options.rows = {cascade::runtime::numSpecialPatterns};
  options.segments = {1 + dice.roll(8)};
  if (options.segments[0] != 1 && dice.oneIn(2))
    options.segments.push_back(1);
  options.patterns = {"rand", "uniform", "special"};
  options.seed = seed;
  return result;
}

std::optional<Failure> Fuzzer::firstFailure(const Chain &chain,
                                            const SweepOptions &options) {
  std::optional<Failure> first;
  Failure broken;
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    messages += d.str() + "\n";
    return mlir::success();
  });
  SweepOptions quiet = options;
  quiet.onFailure = [&](const Failure &failure) {
    if (!first)
      first = failure;
  };
  auto module = parse(chain);
  if (!module || mlir::failed(sweep(*module, quiet))) {
    Failure failure{};
    failure.problem = messages;
    return failure;
  }
  return first;
}

void Fuzzer::countVerdicts(const Chain &chain) {
  auto module = parse(chain);
  if (!module)
    return;
  module->walk([&](cascade::ChainOp op) {
    cascade::ChainReport report;
    if (mlir::failed(cascade::fuseChain(op, report)))
      return;
    for (const cascade::ReductionReport &reduction : report.reductions) {
      ++verdicts[reduction.verdict];
      if (!reduction.rule.empty())
        ++verdicts["refused: " + reduction.rule];
    }
  });
}

/// The failure of a chain as a test of cascade-sweep.
static std::string testText(const Case &failing, const Failure &failure) {
  return formatv("// Seed {0} of cascade-fuzz.\n"
                 "// RUN: cascade-sweep %s --lengths={1} --rows={2} \\\n"
                 "// RUN:   --segments={3} --patterns={4} --seed={5} | "
                 "FileCheck %s\n"
                 "// CHECK: {{{{[1-9][0-9]*}} passed, 0 failed\n\n{6}",
                 failing.seed, failure.length, failure.rows, failure.segments,
                 failure.pattern, failure.seed, failing.chain.print());
}

void Fuzzer::keepFailure(const Case &failing, const Failure &failure) {
  Case small = failing;
  if (!failure.pattern.empty()) {
    small.options.lengths = {failure.length};
    small.options.segments = {failure.segments};
    small.options.patterns = {failure.pattern};
    small.options.seed = failure.seed;
    // Fewer references may excuse less; start again from the full case.
    if (!firstFailure(small.chain, small.options))
      small.options = failing.options;
  }
  Failure last = failure;
  bool compiles = !failure.pattern.empty();
  small.chain = shrink(small.chain, [&](const Chain &candidate) {
    auto found = firstFailure(candidate, small.options);
    if (!found || found->pattern.empty() == compiles)
      return false;
    last = *found;
    return true;
  });
  std::string path = keep + "/fuzz-" + std::to_string(failing.seed) + ".mlir";
  std::error_code error = sys::fs::create_directories(keep);
  raw_fd_ostream file(path, error);
  if (error) {
    errs() << "error: cannot write '" << path << "': " << error.message()
           << "\n";
    return;
  }
  file << "// " << last.text() << "\n" << testText(small, last);
  outs() << "shrunk to " << path << ": " << last.text() << "\n"
         << small.chain.print();
}

void Fuzzer::run(uint64_t seed) {
  Case current = makeCase(seed);
  std::string where = "chain of seed " + std::to_string(seed) + "\n";
  PrettyStackTraceString trace(where.c_str());
  if (print)
    outs() << "// seed " << seed << "\n" << current.chain.print();
  countVerdicts(current.chain);
  auto failure = firstFailure(current.chain, current.options);
  if (!failure) {
    ++passed;
    return;
  }
  ++failed;
  outs() << "seed " << seed << ": " << failure->text() << "\n"
         << current.chain.print();
  if (!keep.empty())
    keepFailure(current, *failure);
  outs().flush();
}

void Fuzzer::printCounts(double seconds) const {
  outs() << passed + failed << " chains, "
         << formatv("{0:f1}", (passed + failed) / seconds) << " a second\n";
  for (const auto &[verdict, count] : verdicts)
    outs() << count << " " << verdict << "\n";
  outs() << failed << " mismatches\n";
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv,
                              "compares random chains, fused with unfused\n");
  mlir::DialectRegistry registry;
  cascade::registerDialects(registry);
  mlir::MLIRContext context(registry);
  Fuzzer fuzzer(context);
  auto start = std::chrono::steady_clock::now();
  for (int64_t k = 0; k < numChains; ++k)
    fuzzer.run(seed + k);
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - start;
  fuzzer.printCounts(taken.count());
  outs() << fuzzer.passed << " passed, " << fuzzer.failed << " failed\n";
  return fuzzer.failed ? 1 : 0;
}
