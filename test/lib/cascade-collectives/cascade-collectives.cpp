//===- cascade-collectives.cpp - Collectives on the simulated device ------===//
//
// Expands every collective by every algorithm at every cluster size, with
// groups, payloads, roots and rounds drawn at random, runs it on the simulated
// device in several interleavings, and compares with what the definition says.
// With --mutate it takes one synchronising operation after another out of each
// kernel instead, and expects the device to report it. With --export it writes
// what has passed as kernels, manifests, inputs and results for a GPU.
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "cascade/Pipelines/Register.h"
#include "cascade/Target/Sim/Simulator.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;
using namespace cascade;
using namespace cascade::test;
using cluster::Algorithm;
using cluster::Scope;
namespace cl = llvm::cl;

static cl::opt<uint64_t> seed("seed", cl::init(1), cl::desc("random seed"));
static cl::opt<int64_t> draws("draws", cl::init(1),
                              cl::desc("random cases of each combination"));
static cl::opt<int64_t> interleavings("interleavings", cl::init(4),
                                      cl::desc("orders of execution a case"));
static cl::list<int64_t> sizes("cluster", cl::CommaSeparated,
                               cl::desc("cluster sizes (default 1 to 16)"));
static cl::opt<std::string>
    filter("filter", cl::desc("only cases whose name contains this"));
static cl::opt<bool> mutate("mutate",
                            cl::desc("take synchronising operations out"));
static cl::opt<std::string>
    exportTo("export", cl::desc("write the cases for a GPU to this folder"));
static cl::opt<bool> print("print", cl::desc("print each kernel"));

static int numPassed, numFailed, numSkipped, numMutants;

/// Words of the workspace; cases that need more are skipped.
static constexpr int64_t kWorkspaceWords = 1 << 20;

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

namespace {
/// Diagnostics of one step, kept instead of printed.
class Diagnostics {
public:
  explicit Diagnostics(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          llvm::raw_string_ostream(text) << diagnostic << "\n";
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

struct Memory {
  std::vector<std::vector<uint8_t>> buffers;
  std::vector<sim::Argument> arguments;
};
} // namespace

static OwningOpRef<ModuleOp> expand(const Case &c, MLIRContext &context) {
  int64_t words = c.usesWorkspace() ? kWorkspaceWords : 1;
  auto module = parseSourceString<ModuleOp>(kernelText(c, words), &context);
  if (!module)
    return {};
  PassManager passes(&context);
  OpPassManager &kernels =
      passes.nest<gpu::GPUModuleOp>().nest<gpu::GPUFuncOp>();
  kernels.addPass(cluster::createExpandCollectivesPass());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(cluster::createInsertBarriersPass());
  if (mlir::failed(passes.run(*module)))
    return {};
  return module;
}

/// The type of an operand in global memory.
static runtime::ElementType storedType(const Operand &operand) {
  return operand.type == runtime::ElementType::I1 ? runtime::ElementType::I8
                                                  : operand.type;
}

static void writeElement(runtime::ElementType type, void *to, int64_t value) {
  if (type == runtime::ElementType::I64)
    std::memcpy(to, &value, sizeof value);
  else
    runtime::storeElement(type, double(value), to);
}

static bool equalElement(runtime::ElementType type, const void *from,
                         int64_t value) {
  if (type != runtime::ElementType::I64)
    return runtime::loadElement(type, from) == double(value);
  return std::memcmp(from, &value, sizeof value) == 0;
}

static Memory makeMemory(const Case &c) {
  Memory memory;
  int64_t owners = c.blocks() * (c.isSlice ? 1 : c.threads);
  auto add = [&](size_t bytes, unsigned elementBytes) {
    memory.buffers.emplace_back(bytes);
    sim::Argument argument;
    argument.isBuffer = true;
    argument.buffer.name = "arg" + std::to_string(memory.arguments.size());
    argument.buffer.data = memory.buffers.back().data();
    argument.buffer.bytes = bytes;
    argument.buffer.elementBytes = elementBytes;
    argument.buffer.isWritable = true;
    memory.arguments.push_back(argument);
  };
  for (size_t k = 0; k < c.operands.size(); ++k) {
    runtime::ElementType type = storedType(c.operands[k]);
    int64_t count = c.operands[k].count(), bytes = runtime::byteSize(type);
    add(c.rounds * owners * count * bytes, bytes);
    uint8_t *next = memory.buffers.back().data();
    for (int64_t round = 0; round < c.rounds; ++round)
      for (int64_t owner = 0; owner < owners; ++owner)
        for (int64_t i = 0; i < count; ++i, next += bytes)
          writeElement(type, next, valueOf(c, round, owner, k, i));
    add(c.rounds * owners * c.resultCount(k) * bytes, bytes);
  }
  add(c.usesWorkspace() ? kWorkspaceWords * 4 : 4, 4);
  return memory;
}

/// What differs from the definition, or nothing.
static std::string compare(const Case &c, const Memory &memory) {
  int64_t perCluster = c.clusterSize() * (c.isSlice ? 1 : c.threads);
  for (int64_t round = 0; round < c.rounds; ++round)
    for (int64_t cluster = 0; cluster < c.clusters; ++cluster) {
      std::vector<Results> expected = expectedResults(c, round, cluster);
      for (int64_t i = 0; i < perCluster; ++i)
        for (size_t k = 0; k < expected[i].size(); ++k) {
          runtime::ElementType type = storedType(c.operands[k]);
          int64_t owner = (round * c.clusters + cluster) * perCluster + i;
          const uint8_t *from =
              memory.buffers[2 * k + 1].data() +
              owner * c.resultCount(k) * runtime::byteSize(type);
          for (int64_t value : expected[i][k]) {
            if (!equalElement(type, from, value))
              return "round " + std::to_string(round) + ", owner " +
                     std::to_string(i) + ", operand " + std::to_string(k) +
                     ": " + std::to_string(runtime::loadElement(type, from)) +
                     " instead of " + std::to_string(value);
            from += runtime::byteSize(type);
          }
        }
    }
  return "";
}

/// Runs in one interleaving; what is wrong, or nothing.
static std::string simulate(const Case &c, const sim::Kernel &kernel,
                            uint64_t order, MLIRContext &context,
                            Memory &memory) {
  memory = makeMemory(c);
  sim::LaunchSize size;
  size.block = {unsigned(c.threads), 1, 1};
  for (int d = 0; d < 3; ++d)
    size.cluster[d] = size.grid[d] = c.cluster[d];
  size.grid[0] *= c.clusters;
  sim::Options options;
  options.seed = order;
  Diagnostics diagnostics(context);
  if (mlir::failed(kernel.run(size, memory.arguments, options)))
    return diagnostics.text;
  return compare(c, memory);
}

static std::string simulateAll(const Case &c, gpu::GPUFuncOp func,
                               MLIRContext &context, int64_t &found,
                               Memory &memory) {
  std::string first;
  FailureOr<sim::Kernel> kernel = sim::Kernel::compile(func);
  if (mlir::failed(kernel))
    return "not known to the simulated device";
  found = 0;
  for (int64_t i = 0; i < interleavings; ++i) {
    std::string wrong = simulate(c, *kernel, seed + i, context, memory);
    found += !wrong.empty();
    if (first.empty())
      first = wrong;
  }
  return first;
}

//===----------------------------------------------------------------------===//
// Mutants
//===----------------------------------------------------------------------===//

/// What has to be found missing.
static bool isSynchronising(Operation *op) {
  return isa<gpu::BarrierOp, cluster::BarrierOp, cluster::FenceOp,
             cluster::MBarrierWaitOp, cluster::MBarrierExpectTxOp>(op);
}

static void runMutants(const Case &c, ModuleOp module, MLIRContext &context) {
  int count = 0;
  module.walk([&](Operation *op) { count += isSynchronising(op); });
  for (int number = 0; number < count; ++number) {
    OwningOpRef<ModuleOp> mutant(module.clone());
    int at = 0;
    Operation *victim = nullptr;
    mutant->walk([&](Operation *op) {
      if (isSynchronising(op) && at++ == number)
        victim = op;
    });
    std::string text;
    llvm::raw_string_ostream(text) << *victim;
    victim->erase();
    gpu::GPUFuncOp func;
    mutant->walk([&](gpu::GPUFuncOp op) { func = op; });
    int64_t found;
    Memory memory;
    simulateAll(c, func, context, found, memory);
    ++numMutants;
    if (found)
      continue;
    ++numFailed;
    llvm::outs() << "not found without " << text << " (number " << number
                 << "): " << c.name() << "\n";
  }
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static void runCase(const Case &c, MLIRContext &context) {
  if (c.name().find(filter) == std::string::npos)
    return;
  OwningOpRef<ModuleOp> module;
  {
    Diagnostics diagnostics(context);
    module = expand(c, context);
    if (!module) {
      if (diagnostics.text.find("shared memory") != std::string::npos) {
        ++numSkipped;
        return;
      }
      ++numFailed;
      llvm::outs() << c.name() << ": " << diagnostics.text;
      return;
    }
  }
  if (print)
    llvm::outs() << *module << "\n";
  gpu::GPUFuncOp func;
  module->walk([&](gpu::GPUFuncOp op) { func = op; });
  auto words = func->getAttrOfType<IntegerAttr>(cluster::kWorkspaceAttrName);
  if (words && words.getInt() * c.clusters > kWorkspaceWords) {
    ++numSkipped;
    return;
  }
  int64_t found;
  Memory memory;
  std::string wrong = simulateAll(c, func, context, found, memory);
  if (wrong.empty() && !exportTo.empty() &&
      !exportCase(c, exportTo, numPassed,
                  c.usesWorkspace() ? kWorkspaceWords : 1, memory.buffers))
    wrong = "cannot be written to " + exportTo;
  if (!wrong.empty()) {
    ++numFailed;
    llvm::outs() << c.name() << ": " << wrong << "\n";
    return;
  }
  ++numPassed;
  if (mutate)
    runMutants(c, *module, context);
}

/// Each synchronisation has something to order: alone in its loop, where a set
/// of slots comes round in the third execution, and with more than one thread
/// at work on a slice.
static void makeSensitive(Case &c) {
  c.rounds /= c.bodies;
  c.bodies = 1;
  c.second = Algorithm::Auto;
  if (c.rounds == 2)
    c.rounds = 5;
  Operand &buffer = c.operands.front();
  if (c.isSlice &&
      buffer.length * runtime::byteSize(buffer.type) == 16 * c.ranks())
    buffer.length *= 2;
}

/// A cluster of `size` blocks in one, two or three dimensions.
static std::array<int64_t, 3> drawShape(int64_t size, std::mt19937_64 &random) {
  std::array<int64_t, 3> shape = {1, 1, 1};
  for (int64_t factor = 2; size > 1; ++factor)
    for (; size % factor == 0; size /= factor)
      shape[random() % 3] *= factor;
  return shape;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "runs collectives in simulation\n");
  DialectRegistry registry;
  cascade::registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  std::mt19937_64 random(seed);
  auto run = [&](Case c) {
    for (int64_t draw = 0; draw < draws; ++draw) {
      Case drawn = c;
      drawn.cluster = drawShape(c.clusterSize(), random);
      drawRest(drawn, random);
      if (mutate)
        makeSensitive(drawn);
      runCase(drawn, context);
    }
  };
  for (int number = 0; number <= int(Collective::Broadcast); ++number)
    for (bool isSlice : {false, true}) {
      Case c;
      c.collective = Collective(number);
      c.isSlice = isSlice;
      c.clusters = 2;
      std::vector<int64_t> all(sizes.begin(), sizes.end());
      for (int64_t size = 1; sizes.empty() && size <= 16; ++size)
        all.push_back(size);
      for (int64_t size : all)
        for (Algorithm algorithm : algorithmsOf(c.collective, isSlice)) {
          c.cluster = {size, 1, 1};
          c.algorithm = algorithm;
          run(c);
        }
      c.algorithm = Algorithm::Auto;
      c.cluster = {2, 1, 1};
      for (Scope scope : {Scope::Warp, Scope::Block})
        for (int repeat = 0; repeat < 8 && !isSlice; ++repeat) {
          c.scope = scope;
          run(c);
        }
    }
  llvm::outs() << numPassed << " passed, " << numFailed << " failed, "
               << numSkipped << " skipped";
  if (mutate)
    llvm::outs() << ", " << numMutants << " mutants";
  llvm::outs() << "\n";
  return numFailed ? 1 : 0;
}
