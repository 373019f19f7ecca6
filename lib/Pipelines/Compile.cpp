//===- Compile.cpp - What cascade-compile does ----------------------------===//

#include "cascade/Pipelines/Compile.h"
#include "cascade/Dialect/Cluster/IR/Cluster.h"
#include "cascade/Pipelines/Register.h"
#include "cascade/Pipelines/Tuning.h"
#include "cascade/Target/Launch/Manifest.h"
#include "cascade/Target/NVPTX/EmitPTX.h"
#include "cascade/Transforms/FuseCascades.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include <set>

using namespace mlir;
using namespace cascade;

namespace {

/// Files that are written together at the end, or not at all.
class Outputs {
public:
  void add(std::string path, std::string text) {
    files.emplace_back(std::move(path), std::move(text));
  }
  bool write() {
    for (auto &[path, text] : files) {
      if (path == "-") {
        llvm::outs() << text;
        llvm::outs().flush();
        if (!reportStreamError(llvm::outs(), "standard output"))
          return false;
        continue;
      }
      std::error_code error;
      llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
      if (error) {
        llvm::errs() << "error: cannot write " << path << ": "
                     << error.message() << "\n";
        return false;
      }
      file.os() << text;
      file.os().flush();
      if (!reportStreamError(file.os(), path))
        return false;
      file.keep();
    }
    return true;
  }

private:
  /// True where everything went out; an unchecked error would end the program.
  static bool reportStreamError(llvm::raw_fd_ostream &os, StringRef path) {
    if (!os.has_error())
      return true;
    llvm::errs() << "error: cannot write " << path << ": "
                 << os.error().message() << "\n";
    os.clear_error();
    return false;
  }

  SmallVector<std::pair<std::string, std::string>> files;
};

/// Prints remarks as diagnostics, each once: a chain is scheduled for
/// --explain, and again to be compiled.
class RemarkPrinter : public remark::detail::MLIRRemarkStreamerBase {
public:
  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string text;
    for (const remark::detail::Remark::Arg &arg : remark.getArgs())
      text += arg.val;
    if (printed.insert({remark.getLocation().getAsOpaquePointer(), text})
            .second)
      emitRemark(remark.getLocation()) << text;
  }

private:
  std::set<std::pair<const void *, std::string>> printed;
};

/// One run of the compiler on one file.
class Compilation {
public:
  explicit Compilation(const CompileOptions &options) : options(options) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.printOpOnDiagnostic(false);
    // What the schedule would have liked to do and could not.
    remark::RemarkCategories categories;
    categories.missed = "cascade-schedule";
    (void)remark::enableOptimizationRemarks(
        context, std::make_unique<RemarkPrinter>(),
        std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  }
  ExitStatus run();

private:
  bool checkOptions();
  bool checkTuning();
  bool parse();
  bool explain();
  /// Applies --tuned to a module at phase `fused`.
  bool applyTuning(ModuleOp fused);
  bool runUpTo(Phase last);
  bool buildArtefact();
  FailureOr<std::string> emitReference(ManifestOptions &manifest);
  std::string print(ModuleOp module);
  std::string stem() const {
    return options.output.empty()
               ? llvm::sys::path::stem(options.input).str()
               : llvm::sys::path::filename(options.output).str();
  }
  static gpu::GPUModuleOp kernelsOf(ModuleOp op) {
    auto modules = op.getOps<gpu::GPUModuleOp>();
    return modules.empty() ? gpu::GPUModuleOp() : *modules.begin();
  }
  bool fail(const Twine &message) {
    llvm::errs() << "error: " << message << "\n";
    return false;
  }

  const CompileOptions &options;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  llvm::SourceMgr sources;
  OwningOpRef<ModuleOp> module, chains, mapped, referenceModule;
  std::optional<TuningTable> tuning;
  Outputs outputs;
  Phase last = Phase::PTX;
};

} // namespace

bool Compilation::checkOptions() {
  static constexpr StringLiteral kinds[] = {
      "chains", "fused", "mapped", "cluster", "expanded",
      "nvvm",   "llvm",  "ptx",    "cubin",   "launcher"};
  if (options.withReference && options.output.empty())
    return fail("--with-reference writes files; name them with -o");
  if (options.emit == "object")
    return fail("--emit=object is not available yet; cascade-run compiles and "
                "runs a chain on this machine's CPU");
  if (!options.emit.empty() && !llvm::is_contained(kinds, options.emit))
    return fail("'" + options.emit +
                "' cannot be emitted; use one of chains, fused, mapped, "
                "cluster, expanded, nvvm, llvm, ptx, cubin, launcher");
  if (options.chip != "sm_90" && options.chip != "sm_90a")
    return fail("unknown chip '" + options.chip + "'; use sm_90 or sm_90a");
  if (!cluster::getTargetPreset(options.pipeline.target))
    return fail("unknown target '" + options.pipeline.target + "'; use " +
                cluster::describeTargetPresets());
  if (options.pipeline.cluster < 0 || options.pipeline.cluster > 16)
    return fail("a cluster has 1 to 16 blocks, not " +
                Twine(options.pipeline.cluster));
  if (!options.explain.empty() && options.explain != "text" &&
      options.explain != "json")
    return fail("--explain takes text or json, not '" + options.explain + "'");
  std::string word = options.emit;
  if (!options.stopAfter.empty())
    word = options.stopAfter;
  if (auto phase = phaseNamed(word))
    last = *phase;
  else if (!options.stopAfter.empty())
    return fail("unknown phase '" + word +
                "'; use input, chains, fused, mapped, cluster, expanded, nvvm "
                "or ptx");
  return true;
}

bool Compilation::checkTuning() {
  if (options.tuneSpace != 0) {
    if (options.tuneSpace < 1 || options.tuneSpace > mostCandidates)
      return fail("--tune-space takes 1 to " + Twine(mostCandidates) +
                  " candidates, not " + Twine(options.tuneSpace));
    if (options.output.empty())
      return fail("--tune-space writes files; name them with -o");
    if (!options.stopAfter.empty() ||
        !(options.emit.empty() || options.emit == "ptx" ||
          options.emit == "cubin"))
      return fail("--tune-space writes an artefact for cascade-launch; use "
                  "--emit=ptx or --emit=cubin");
    if (!options.pipeline.mapping.empty() || !options.tuned.empty())
      return fail("--tune-space tries several mappings; drop --mapping and "
                  "--tuned");
  }
  if (options.tuned.empty())
    return true;
  if (!options.pipeline.mapping.empty() || options.pipeline.cluster != 0)
    return fail("--tuned, --mapping and --cluster each choose the mapping; "
                "use one of them");
  runtime::Expected<TuningTable> table =
      TuningTable::read(options.tuned, context);
  if (!table)
    return fail(table.error().message());
  tuning = std::move(*table);
  return true;
}

bool Compilation::applyTuning(ModuleOp fused) {
  if (!tuning)
    return true;
  runtime::Error error = tuning->apply(fused, options.pipeline.target);
  return error ? fail(error.message()) : true;
}

bool Compilation::parse() {
  std::string message;
  auto file = openInputFile(options.input, &message);
  if (!file)
    return fail(message);
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  module = parseSourceFile<ModuleOp>(sources, &context);
  return static_cast<bool>(module);
}

std::string Compilation::print(ModuleOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op.print(os);
  os << "\n";
  return text;
}

bool Compilation::runUpTo(Phase end) {
  SourceMgrDiagnosticHandler handler(sources, &context);
  if (!options.dumpFolder.empty())
    if (std::error_code error =
            llvm::sys::fs::create_directories(options.dumpFolder))
      return fail("cannot create " + options.dumpFolder + ": " +
                  error.message());
  auto visit = [&](Phase phase, ModuleOp current) -> LogicalResult {
    if (phase == Phase::Chains)
      chains = current.clone();
    if (phase == Phase::Mapped)
      mapped = current.clone();
    if (!options.dumpFolder.empty())
      outputs.add(options.dumpFolder + "/" +
                      std::to_string(static_cast<int>(phase)) + "-" +
                      spelling(phase).str() + ".mlir",
                  print(current));
    if (phase != Phase::Fused || end == Phase::Fused)
      return success();
    if (options.tuneSpace != 0)
      return expandTuneSpace(current, options.tuneSpace, options.pipeline);
    return success(applyTuning(current));
  };
  return succeeded(runPhases(*module, end, options.pipeline, visit));
}

FailureOr<std::string> Compilation::emitReference(ManifestOptions &manifest) {
  FailureOr<OwningOpRef<ModuleOp>> reference = buildReference(*chains);
  if (failed(reference))
    return failure();
  referenceModule = std::move(*reference);
  OwningOpRef<ModuleOp> lowered(referenceModule->clone());
  for (Phase phase : {Phase::Cluster, Phase::Expanded, Phase::NVVM}) {
    PassManager passes(&context);
    addPhase(passes, phase, options.pipeline);
    if (failed(passes.run(*lowered)))
      return failure();
  }
  manifest.addKernels(*lowered);
  return emitPTX(kernelsOf(*lowered), {options.chip});
}

bool Compilation::buildArtefact() {
  SourceMgrDiagnosticHandler handler(sources, &context);
  PTXOptions ptxOptions{options.chip};
  if (!kernelsOf(*module))
    return fail(options.input +
                " holds no cascade.chain, so there is no kernel to emit");
  if (options.emit == "llvm") {
    FailureOr<std::string> text = emitLLVMIR(kernelsOf(*module), ptxOptions);
    if (failed(text))
      return false;
    outputs.add(options.output.empty() ? "-" : options.output, *text);
    return true;
  }
  FailureOr<std::string> ptx = emitPTX(kernelsOf(*module), ptxOptions);
  if (failed(ptx))
    return false;
  if (options.output.empty() &&
      (options.emit.empty() || options.emit == "ptx")) {
    outputs.add("-", *ptx);
    return true;
  }
  std::string path = options.output.empty() ? stem() : options.output;
  auto target = cluster::TargetAttr::lookup(*module);
  ManifestOptions names{stem(),
                        options.chip,
                        target ? target.getName().str()
                               : options.pipeline.target,
                        stem() + ".ptx",
                        /*reference=*/"",
                        /*shared=*/{},
                        /*workspace=*/{}};
  names.addKernels(*module);
  if (options.withReference) {
    FailureOr<std::string> reference = emitReference(names);
    if (failed(reference))
      return false;
    names.reference = stem() + ".ref.ptx";
    outputs.add(path + ".ref.ptx", *reference);
  }
  if (options.emit == "cubin") {
    FailureOr<std::string> cubin =
        assembleCubin(module->getLoc(), *ptx, ptxOptions);
    if (failed(cubin))
      return false;
    names.module = stem() + ".cubin";
    outputs.add(path + ".cubin", *cubin);
  } else {
    outputs.add(path + ".ptx", *ptx);
  }
  auto manifest = buildManifest(*mapped, referenceModule.get(), names);
  if (failed(manifest))
    return false;
  if (options.emit == "launcher")
    outputs.add(path + ".cpp", emitLauncher(*manifest, *ptx));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(*manifest))) << "\n";
  outputs.add(path + ".json", text);
  return true;
}

bool Compilation::explain() {
  SourceMgrDiagnosticHandler handler(sources, &context);
  if (tuning) {
    // Keys are those of the chains as they are compiled.
    OwningOpRef<ModuleOp> copy(module->clone());
    auto ignore = [](Phase, ModuleOp) { return success(); };
    if (failed(runPhases(*copy, Phase::Fused, options.pipeline, ignore)) ||
        !applyTuning(*copy))
      return false;
  }
  OwningOpRef<ModuleOp> copy(module->clone());
  FailureOr<std::string> text =
      explainModule(*copy, options.explain == "json", options.pipeline,
                    tuning ? &*tuning : nullptr);
  if (failed(text))
    return false;
  outputs.add("-", *text);
  return true;
}

ExitStatus Compilation::run() {
  if (!checkOptions() || !checkTuning() || !parse())
    return ExitStatus::BadInput;
  if (!options.explain.empty() && !explain())
    return ExitStatus::BadInput;
  // An explanation needs no output beside it.
  bool explainOnly = !options.explain.empty() && options.output.empty() &&
                     options.emit.empty() && options.stopAfter.empty() &&
                     options.dumpFolder.empty();
  if (!explainOnly) {
    Phase end = std::min(last, Phase::NVVM);
    if (!runUpTo(end))
      return ExitStatus::BadInput;
    bool isText = last != Phase::PTX;
    if (isText)
      outputs.add(options.output.empty() ? "-" : options.output,
                  print(*module));
    else if (!buildArtefact())
      return ExitStatus::BadInput;
  }
  return outputs.write() ? ExitStatus::Right : ExitStatus::BadInput;
}

ExitStatus cascade::compileFile(const CompileOptions &options) {
  return Compilation(options).run();
}
