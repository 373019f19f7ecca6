//===- NarrowFloats.cpp - Narrow floats on the host -----------------------===//

#include "NarrowFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// The conversions
//===----------------------------------------------------------------------===//

/// The value of the narrow float with these bits.
template <const llvm::fltSemantics &(*Semantics)(), typename Bits>
static double extendBits(Bits bits) {
  APFloat value(Semantics(), APInt(8 * sizeof(Bits), bits));
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

/// The bits of `number` rounded to nearest even. fp8 saturates at its largest
/// finite number, infinities too (PTX cvt.satfinite).
template <const llvm::fltSemantics &(*Semantics)(), typename Bits>
static Bits roundToBits(double number) {
  APFloat value(number);
  if (sizeof(Bits) == 1 && !value.isNaN()) {
    double largest = extendBits<Semantics, Bits>(
        APFloat::getLargest(Semantics()).bitcastToAPInt().getZExtValue());
    value = APFloat(std::clamp(number, -largest, largest));
  }
  bool losesInfo;
  value.convert(Semantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

namespace {
struct NarrowType {
  const char *name;
  void *extend;
  void *round;
};
} // namespace

template <const llvm::fltSemantics &(*Semantics)(), typename Bits>
static NarrowType entry(const char *name) {
  return {name, reinterpret_cast<void *>(&extendBits<Semantics, Bits>),
          reinterpret_cast<void *>(&roundToBits<Semantics, Bits>)};
}

static ArrayRef<NarrowType> narrowTypes() {
  static const NarrowType table[] = {
      entry<APFloat::IEEEhalf, uint16_t>("f16"),
      entry<APFloat::BFloat, uint16_t>("bf16"),
      entry<APFloat::Float8E4M3FN, uint8_t>("f8E4M3FN"),
      entry<APFloat::Float8E5M2, uint8_t>("f8E5M2")};
  return table;
}

static std::string extendName(StringRef type) {
  return ("cascade_extend_" + type).str();
}
static std::string roundName(StringRef type) {
  return ("cascade_round_" + type).str();
}

void cascade::registerNarrowFloats(ExecutionEngine &engine) {
  engine.registerSymbols([](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](std::string name, void *function) {
      symbols[intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                               llvm::JITSymbolFlags::Exported};
    };
    for (const NarrowType &type : narrowTypes()) {
      add(extendName(type.name), type.extend);
      add(roundName(type.name), type.round);
    }
    return symbols;
  });
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// A pure external function of one argument.
static func::FuncOp declare(ModuleOp module, StringRef name, Type from,
                            Type to) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto function = func::FuncOp::create(b, module.getLoc(), name,
                                       b.getFunctionType(from, to));
  function.setPrivate();
  function->setAttr(LLVM::LLVMDialect::getReadnoneAttrName(), b.getUnitAttr());
  // Small integers are passed extended to a register.
  if (auto integer = dyn_cast<IntegerType>(from))
    function.setArgAttr(0, LLVM::LLVMDialect::getZExtAttrName(),
                        b.getUnitAttr());
  return function;
}

static bool isNarrow(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  return floatType && floatType.getWidth() < 32;
}

static std::string nameOf(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

/// The bits of a narrow float widened to f64, then to `type`; exact.
static Value extend(ModuleOp module, OpBuilder &b, Location loc, Value value,
                    Type type) {
  Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  func::FuncOp function = declare(module, extendName(nameOf(value.getType())),
                                  bits, b.getF64Type());
  Value raw = arith::BitcastOp::create(b, loc, bits, value);
  Value wide = func::CallOp::create(b, loc, function, raw).getResult(0);
  if (type.isF64())
    return wide;
  return arith::TruncFOp::create(b, loc, type, wide);
}

/// A wide float rounded once to the narrow `type`.
static Value round(ModuleOp module, OpBuilder &b, Location loc, Value value,
                   Type type) {
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  func::FuncOp function =
      declare(module, roundName(nameOf(type)), b.getF64Type(), bits);
  if (!value.getType().isF64())
    value = arith::ExtFOp::create(b, loc, b.getF64Type(), value);
  Value raw = func::CallOp::create(b, loc, function, value).getResult(0);
  return arith::BitcastOp::create(b, loc, type, raw);
}

LogicalResult cascade::convertNarrowFloats(ModuleOp module) {
  SmallVector<Operation *> casts;
  WalkResult walk = module.walk([&](Operation *op) {
    for (TypeRange types :
         {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
      for (Type type : types)
        if (isNarrow(type) &&
            llvm::none_of(narrowTypes(), [&](const NarrowType &known) {
              return known.name == nameOf(type);
            })) {
          op->emitError() << "type " << type
                          << " is not supported on the CPU; use f64, f32, f16, "
                             "bf16, f8E4M3FN or f8E5M2";
          return WalkResult::interrupt();
        }
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) &&
        (isNarrow(op->getOperand(0).getType()) ||
         isNarrow(op->getResult(0).getType())))
      casts.push_back(op);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  for (Operation *op : casts) {
    OpBuilder b(op);
    Value value = op->getOperand(0);
    Type type = op->getResult(0).getType();
    if (isNarrow(value.getType()))
      value = extend(module, b, op->getLoc(), value,
                     isNarrow(type) ? b.getF64Type() : type);
    if (isNarrow(type))
      value = round(module, b, op->getLoc(), value, type);
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }
  return success();
}
