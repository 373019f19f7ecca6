//===- ReportTraffic.cpp - --cluster-traffic ------------------------------===//

#include "Collective.h"
#include "cascade/Transforms/Cluster/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"
#include <cmath>

namespace cascade::cluster {
#define GEN_PASS_DEF_REPORTTRAFFICPASS
#include "cascade/Transforms/Cluster/Passes.h.inc"
} // namespace cascade::cluster

using namespace mlir;
using namespace cascade::cluster;

//===----------------------------------------------------------------------===//
// What is reported
//===----------------------------------------------------------------------===//

namespace {
struct AlgorithmTraffic {
  Algorithm algorithm;
  Traffic traffic;
};

struct CollectiveReport {
  Operation *op = nullptr;
  CollectiveShape shape;
  Algorithm written = Algorithm::Auto;
  /// Executions in one run of the kernel; nothing where a loop's length is
  /// known at run time only.
  std::optional<int64_t> executions;
  /// Of the model, in the order of their names in the dialect.
  SmallVector<AlgorithmTraffic> algorithms;
  /// As written or, for `auto`, that of the fewest cycles.
  Algorithm taken = Algorithm::Auto;

  bool isTaken(const AlgorithmTraffic &entry) const {
    return entry.algorithm == taken;
  }
  /// The traffic of the algorithm that is taken, or null without a model.
  const Traffic *getTaken() const {
    for (const AlgorithmTraffic &entry : algorithms)
      if (isTaken(entry))
        return &entry.traffic;
    return nullptr;
  }
};

struct KernelReport {
  gpu::GPUFuncOp func;
  TargetAttr target;
  std::vector<CollectiveReport> collectives;
};
} // namespace

static std::optional<int64_t> countExecutions(Operation *op) {
  int64_t count = 1;
  for (Operation *parent = op->getParentOp();
       parent && !isa<gpu::GPUFuncOp>(parent); parent = parent->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    if (!loop)
      continue;
    std::optional<llvm::APInt> trips = loop.getStaticTripCount();
    if (!trips)
      return std::nullopt;
    count *= int64_t(trips->getZExtValue());
  }
  return count;
}

static CollectiveReport reportCollective(const Collective &collective,
                                         const TargetConstants &gpu) {
  CollectiveReport report;
  report.op = collective.op;
  report.shape = collective.getShape();
  report.executions = countExecutions(collective.op);
  report.written = report.taken = collective.algorithm;
  for (Algorithm algorithm :
       {Algorithm::Mailbox, Algorithm::Tree, Algorithm::Ring,
        Algorithm::Scatter, Algorithm::Global})
    if (auto traffic = estimateTraffic(report.shape, algorithm, gpu))
      report.algorithms.push_back({algorithm, *traffic});
  if (report.taken == Algorithm::Auto)
    report.taken = chooseAlgorithm(collective, gpu);
  return report;
}

/// The sum over the collectives of a kernel, in a loop of unknown length once;
/// mbarriers add a relaxed barrier of the cluster at the start.
static Traffic totalOf(const KernelReport &kernel) {
  Traffic total;
  bool hasMBarriers = false;
  for (const CollectiveReport &report : kernel.collectives) {
    const Traffic *one = report.getTaken();
    if (!one)
      continue;
    int64_t times = report.executions.value_or(1);
    total.bytes += times * one->bytes;
    total.messages += times * one->messages;
    total.rounds += times * one->rounds;
    total.slotBytes += one->slotBytes;
    total.cycles += double(times) * one->cycles;
    hasMBarriers |=
        report.taken != Algorithm::Tree && report.taken != Algorithm::Global;
  }
  if (hasMBarriers)
    total.cycles += double(kernel.target.getConstants().relaxedBarrierCycles);
  return total;
}

//===----------------------------------------------------------------------===//
// As remarks
//===----------------------------------------------------------------------===//

static std::string plural(int64_t count, StringRef noun) {
  return llvm::formatv("{0} {1}{2}", count, noun, count == 1 ? "" : "s");
}

static std::string describe(const Traffic &traffic) {
  return llvm::formatv("{0} bytes in {1} and {2}, {3} cycles", traffic.bytes,
                       plural(traffic.messages, "message"),
                       plural(traffic.rounds, "round"),
                       std::llround(traffic.cycles));
}

static remark::RemarkOpts remarkOptions(StringRef name, gpu::GPUFuncOp func) {
  return remark::RemarkOpts::name(name)
      .category("cluster-traffic")
      .function(func.getName());
}

static void emitRemarks(const KernelReport &kernel) {
  gpu::GPUFuncOp func = kernel.func;
  for (const CollectiveReport &report : kernel.collectives) {
    const CollectiveShape &shape = report.shape;
    std::string text = llvm::formatv("{0} of {1} bytes a block over {2} blocks",
                                     stringifyCollectiveKind(shape.kind),
                                     shape.payloadBytes, shape.clusterSize);
    for (const AlgorithmTraffic &entry : report.algorithms)
      text += llvm::formatv(
          "; {0}{1}: {2}", stringifyAlgorithm(entry.algorithm),
          report.isTaken(entry) ? " (taken)" : "", describe(entry.traffic));
    if (!report.getTaken())
      text += llvm::formatv("; no model of algorithm({0})",
                            stringifyAlgorithm(report.written));
    remark::analysis(report.op->getLoc(), remarkOptions("collective", func))
        << text;
  }
  std::string text =
      llvm::formatv("{0}, a cluster: {1}",
                    plural(int64_t(kernel.collectives.size()), "collective"),
                    describe(totalOf(kernel)));
  remark::analysis(func.getLoc(), remarkOptions("kernel", func)) << text;
}

//===----------------------------------------------------------------------===//
// As JSON
//===----------------------------------------------------------------------===//

static llvm::json::Object toJSON(const Traffic &traffic) {
  return llvm::json::Object{{"bytes", traffic.bytes},
                            {"messages", traffic.messages},
                            {"rounds", traffic.rounds},
                            {"slot_bytes", traffic.slotBytes},
                            {"cycles", int64_t(std::llround(traffic.cycles))}};
}

static llvm::json::Object toJSON(const CollectiveReport &report) {
  const CollectiveShape &shape = report.shape;
  llvm::json::Array algorithms;
  for (const AlgorithmTraffic &entry : report.algorithms) {
    llvm::json::Object object = toJSON(entry.traffic);
    object["algorithm"] = stringifyAlgorithm(entry.algorithm);
    algorithms.push_back(std::move(object));
  }
  llvm::json::Object object{{"kind", stringifyCollectiveKind(shape.kind)},
                            {"payload_bytes", shape.payloadBytes},
                            {"written", stringifyAlgorithm(report.written)},
                            {"algorithms", std::move(algorithms)}};
  object["taken"] = report.getTaken()
                        ? llvm::json::Value(stringifyAlgorithm(report.taken))
                        : llvm::json::Value(nullptr);
  object["executions"] = report.executions
                             ? llvm::json::Value(*report.executions)
                             : llvm::json::Value(nullptr);
  if (auto loc = report.op->getLoc()->findInstanceOf<FileLineColLoc>())
    object["line"] = int64_t(loc.getLine());
  return object;
}

static llvm::json::Object toJSON(const KernelReport &kernel) {
  gpu::GPUFuncOp func = kernel.func;
  llvm::json::Array collectives;
  for (const CollectiveReport &report : kernel.collectives)
    collectives.push_back(toJSON(report));
  return llvm::json::Object{
      {"name", func.getName()},
      {"target", kernel.target.getName()},
      {"cluster", kernel.collectives.front().shape.clusterSize},
      {"threads", kernel.collectives.front().shape.threads},
      {"collectives", std::move(collectives)},
      {"total", toJSON(totalOf(kernel))}};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ReportTrafficPass
    : cascade::cluster::impl::ReportTrafficPassBase<ReportTrafficPass> {
  using ReportTrafficPassBase::ReportTrafficPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    TargetAttr preset = TargetAttr::getPreset(&getContext(), target);
    if (!preset) {
      getOperation()->emitError() << "unknown target '" << target << "'; use "
                                  << describeTargetPresets();
      return signalPassFailure();
    }
    std::vector<KernelReport> kernels;
    WalkResult result = getOperation()->walk([&](gpu::GPUFuncOp func) {
      TargetAttr own = TargetAttr::lookup(func);
      KernelReport kernel{func, own ? own : preset, {}};
      if (failed(collect(kernel)))
        return WalkResult::interrupt();
      if (!kernel.collectives.empty())
        kernels.push_back(std::move(kernel));
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (const KernelReport &kernel : kernels)
      emitRemarks(kernel);
    if (!json.empty() && failed(writeJSON(kernels)))
      signalPassFailure();
  }

private:
  /// The collectives of a kernel. Fails with a diagnostic where it does not
  /// say how large its blocks and clusters are.
  static LogicalResult collect(KernelReport &kernel) {
    WalkResult result = kernel.func.walk([&](Operation *op) {
      std::optional<Collective> collective = Collective::get(op);
      if (!collective || collective->scope != Scope::Cluster)
        return WalkResult::advance();
      if (!getKnownBlockSize(op) || !getKnownClusterSize(op)) {
        op->emitOpError("needs the sizes of block and cluster: set "
                        "known_block_size and known_cluster_size on the "
                        "gpu.func");
        return WalkResult::interrupt();
      }
      if (collective->crossesBlocks())
        kernel.collectives.push_back(
            reportCollective(*collective, kernel.target.getConstants()));
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult writeJSON(ArrayRef<KernelReport> kernels) {
    std::string message;
    auto file = openOutputFile(json, &message);
    if (!file)
      return getOperation()->emitError() << message;
    llvm::json::Array array;
    for (const KernelReport &kernel : kernels)
      array.push_back(toJSON(kernel));
    file->os() << llvm::json::Value(
                      llvm::json::Object{{"kernels", std::move(array)}})
               << "\n";
    file->keep();
    return success();
  }
};
} // namespace
