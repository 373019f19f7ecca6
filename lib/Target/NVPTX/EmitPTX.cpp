//===- EmitPTX.cpp - From the nvvm phase to PTX ---------------------------===//

#include "cascade/Target/NVPTX/EmitPTX.h"
#include "Libdevice.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace cascade;

namespace {
struct DeviceModule {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
} // namespace

static std::unique_ptr<llvm::TargetMachine>
createMachine(Location loc, const PTXOptions &options) {
  static bool initialised = [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialised;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(loc) << "this LLVM has no NVPTX back end: " << error;
    return nullptr;
  }
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.chip, options.features, targetOptions, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// Barriers, waits and messages are inline assembly, for which MLIR has no word
/// to say that it is convergent. Without it, a wait behind a branch is copied
/// into both sides, and the lanes that wait hold up those that still have to
/// send.
static void markConvergent(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      auto *text =
          call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())
               : nullptr;
      if (text && text->hasSideEffects())
        call->setConvergent();
    }
}

/// The optimisation pipeline of -O3, without vectorisers and unrolling: the
/// kernels are laid out by their mapping.
static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

static std::unique_ptr<DeviceModule> translate(gpu::GPUModuleOp kernels,
                                               const PTXOptions &options) {
  auto device = std::make_unique<DeviceModule>();
  device->machine = createMachine(kernels.getLoc(), options);
  if (!device->machine)
    return nullptr;
  DialectRegistry registry;
  registerAllGPUToLLVMIRTranslations(registry);
  kernels.getContext()->appendDialectRegistry(registry);
  device->module = translateModuleToLLVMIR(kernels, device->context, "cascade");
  if (!device->module) {
    kernels.emitError("cannot be translated to LLVM IR");
    return nullptr;
  }
  device->module->setTargetTriple(device->machine->getTargetTriple());
  device->module->setDataLayout(device->machine->createDataLayout());
  if (failed(linkLibdevice(kernels.getLoc(), *device->module)))
    return nullptr;
  markConvergent(*device->module);
  optimise(*device->module, *device->machine);
  return device;
}

FailureOr<std::string> cascade::emitLLVMIR(gpu::GPUModuleOp kernels,
                                           const PTXOptions &options) {
  std::unique_ptr<DeviceModule> device = translate(kernels, options);
  if (!device)
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  device->module->print(os, nullptr);
  return text;
}

FailureOr<std::string> cascade::emitPTX(gpu::GPUModuleOp kernels,
                                        const PTXOptions &options) {
  std::unique_ptr<DeviceModule> device = translate(kernels, options);
  if (!device)
    return failure();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager passes;
  if (device->machine->addPassesToEmitFile(
          passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile)) {
    kernels.emitError("the NVPTX back end cannot emit assembly");
    return failure();
  }
  passes.run(*device->module);
  return std::string(text);
}
