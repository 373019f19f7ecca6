//===- HostModule.cpp - Compile and run on the host CPU -------------------===//

#include "cascade/Target/CPU/HostModule.h"
#include "NarrowFloats.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace cascade;

/// Moves arithmetic on narrow floats to f32: one rounding an operation, as if
/// it were done in the narrow type (Figueroa: 2p + 2 digits suffice).
static LogicalResult emulateNarrowFloats(ModuleOp module) {
  PassManager pm(module.getContext());
  OpPassManager &functions = pm.nest<func::FuncOp>();
  arith::ArithEmulateUnsupportedFloatsOptions emulate;
  emulate.sourceTypeStrs = {"f16", "bf16", "f8E4M3FN", "f8E5M2"};
  emulate.targetTypeStr = "f32";
  functions.addPass(math::createMathExtendToSupportedTypes());
  functions.addPass(arith::createArithEmulateUnsupportedFloats(emulate));
  return pm.run(module);
}

static LogicalResult lowerToLLVM(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  ConvertMathToFuncsOptions powers;
  powers.minWidthOfFPowIExponent = 1;
  powers.convertCtlz = false;
  pm.addPass(createConvertMathToFuncs(powers));
  math::MathExpandOpsPassOptions expand;
  expand.opMnemonics = {"clampf", "rsqrt"};
  pm.addNestedPass<func::FuncOp>(math::createMathExpandOpsPass(expand));
  pm.addPass(createConvertMathToLibmPass());
  pm.addNestedPass<func::FuncOp>(arith::createArithExpandOpsPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

/// Names of arguments mean nothing to LLVM, which would warn of them.
static void dropArgumentNames(ModuleOp module) {
  module.walk([](func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, "cascade.name");
  });
}

FailureOr<std::unique_ptr<HostModule>> HostModule::create(ModuleOp module) {
  dropArgumentNames(module);
  static bool initialised = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialised;
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);

  std::vector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    function.setPublic();
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      UnitAttr::get(module.getContext()));
    names.push_back(function.getName().str());
  }
  if (failed(emulateNarrowFloats(module)) ||
      failed(convertNarrowFloats(module)) || failed(lowerToLLVM(module)))
    return failure();

  std::unique_ptr<HostModule> host(new HostModule());
  host->transformer = makeOptimizingTransformer(/*optLevel=*/2,
                                                /*sizeLevel=*/0,
                                                /*targetMachine=*/nullptr);
  ExecutionEngineOptions options;
  options.transformer = host->transformer;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return module.emitError() << "cannot be compiled for this CPU: "
                              << llvm::toString(engine.takeError());
  host->engine = std::move(*engine);
  registerNarrowFloats(*host->engine);
  // Symbols resolve here, not at the first call.
  for (const std::string &name : names) {
    auto function = host->engine->lookupPacked("_mlir_ciface_" + name);
    if (!function)
      return module.emitError()
             << "function '" << name
             << "' cannot be linked: " << llvm::toString(function.takeError());
  }
  return host;
}

HostModule::~HostModule() = default;

/// The words of a memref descriptor: allocated and aligned pointer, offset,
/// sizes, strides.
static SmallVector<int64_t> descriptorOf(const HostArgument &argument) {
  int64_t pointer = reinterpret_cast<intptr_t>(argument.data);
  SmallVector<int64_t> words{pointer, pointer, 0};
  llvm::append_range(words, argument.shape);
  SmallVector<int64_t> strides(argument.shape.size(), 1);
  for (size_t dim = strides.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * argument.shape[dim];
  llvm::append_range(words, strides);
  return words;
}

llvm::Error HostModule::invoke(StringRef name,
                               ArrayRef<HostArgument> arguments) {
  SmallVector<SmallVector<int64_t>> descriptors;
  SmallVector<void *> pointers;
  for (const HostArgument &argument : arguments)
    descriptors.push_back(descriptorOf(argument));
  for (SmallVector<int64_t> &words : descriptors)
    pointers.push_back(words.data());
  SmallVector<void *> packed;
  for (auto [argument, pointer] : llvm::zip_equal(arguments, pointers))
    packed.push_back(argument.isScalar ? argument.data : &pointer);
  return engine->invokePacked(("_mlir_ciface_" + name).str(), packed);
}
