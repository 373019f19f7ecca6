//===- EmitPTX.cpp - From the nvvm phase to PTX ---------------------------===//

#include "cascade/Target/NVPTX/EmitPTX.h"
#include "Libdevice.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
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

/// Whether `value`, an integer, may be a part of the bits of a float that has
/// more than `bits`.
static bool isPartOfFloat(llvm::Value *value, unsigned bits,
                          llvm::SmallPtrSetImpl<llvm::Value *> &seen) {
  if (!seen.insert(value).second)
    return false;
  if (auto *cast = llvm::dyn_cast<llvm::BitCastInst>(value))
    if (cast->getSrcTy()->isFPOrFPVectorTy())
      return cast->getSrcTy()->getScalarSizeInBits() > bits;
  if (!llvm::isa<llvm::BitCastInst, llvm::TruncInst, llvm::PHINode,
                 llvm::SelectInst, llvm::FreezeInst, llvm::ExtractElementInst,
                 llvm::InsertElementInst, llvm::ShuffleVectorInst>(value))
    return false;
  return llvm::any_of(
      llvm::cast<llvm::User>(value)->operands(),
      [&](llvm::Value *from) { return isPartOfFloat(from, bits, seen); });
}

/// LLVM stores the low bits of a register by a store narrower than it. Where
/// the register holds a float, ptxas 13.0 stores the float converted to an
/// integer instead: such bits get a register of their own first.
static void separateFloatBits(llvm::Module &module) {
  llvm::SmallVector<llvm::StoreInst *> stores;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      llvm::Type *type = store ? store->getValueOperand()->getType() : nullptr;
      llvm::SmallPtrSet<llvm::Value *, 8> seen;
      if (store && type->isIntegerTy() && type->getIntegerBitWidth() <= 32 &&
          isPartOfFloat(store->getValueOperand(), type->getIntegerBitWidth(),
                        seen))
        stores.push_back(store);
    }
  for (llvm::StoreInst *store : stores) {
    llvm::IRBuilder<> builder(store);
    llvm::Value *value = store->getValueOperand();
    llvm::Type *type = value->getType();
    bool isWord = type->isIntegerTy(32);
    llvm::Type *held = isWord ? type : builder.getInt16Ty();
    auto *move = llvm::InlineAsm::get(
        llvm::FunctionType::get(held, {held}, /*isVarArg=*/false),
        isWord ? "mov.b32 $0, $1;" : "mov.b16 $0, $1;",
        isWord ? "=r,r" : "=h,h", /*hasSideEffects=*/false);
    value = builder.CreateCall(move, builder.CreateZExtOrTrunc(value, held));
    store->setOperand(0, builder.CreateZExtOrTrunc(value, type));
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
  // How far accesses are aligned that do not say it comes from the layout.
  llvm::DataLayout layout = device->machine->createDataLayout();
  kernels->setAttr(
      LLVM::LLVMDialect::getDataLayoutAttrName(),
      StringAttr::get(kernels.getContext(), layout.getStringRepresentation()));
  device->module = translateModuleToLLVMIR(kernels, device->context, "cascade");
  if (!device->module) {
    kernels.emitError("cannot be translated to LLVM IR");
    return nullptr;
  }
  device->module->setTargetTriple(device->machine->getTargetTriple());
  device->module->setDataLayout(layout);
  if (failed(linkLibdevice(kernels.getLoc(), *device->module)))
    return nullptr;
  markConvergent(*device->module);
  optimise(*device->module, *device->machine);
  separateFloatBits(*device->module);
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
