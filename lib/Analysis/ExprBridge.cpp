//===- ExprBridge.cpp - Body values as algebra expressions ----------------===//

#include "cascade/Analysis/ExprBridge.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cascade;
namespace alg = cascade::algebra;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::optional<alg::Type> cascade::toAlgebra(Type type) {
  using Result = std::optional<alg::Type>;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return alg::Type::I1;
    case 8:
      return alg::Type::I8;
    case 16:
      return alg::Type::I16;
    case 32:
      return alg::Type::I32;
    case 64:
      return alg::Type::I64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, Result>(type)
      .Case<IndexType>([](auto) { return alg::Type::Index; })
      .Case<Float8E4M3FNType>([](auto) { return alg::Type::F8E4M3; })
      .Case<Float8E5M2Type>([](auto) { return alg::Type::F8E5M2; })
      .Case<Float16Type>([](auto) { return alg::Type::F16; })
      .Case<BFloat16Type>([](auto) { return alg::Type::BF16; })
      .Case<Float32Type>([](auto) { return alg::Type::F32; })
      .Case<Float64Type>([](auto) { return alg::Type::F64; })
      .Default([](auto) { return std::nullopt; });
}

Type cascade::fromAlgebra(alg::Type type, MLIRContext *context) {
  Builder b(context);
  switch (type) {
  case alg::Type::I1:
    return b.getI1Type();
  case alg::Type::I8:
    return b.getI8Type();
  case alg::Type::I16:
    return b.getI16Type();
  case alg::Type::I32:
    return b.getI32Type();
  case alg::Type::I64:
    return b.getI64Type();
  case alg::Type::Index:
    return b.getIndexType();
  case alg::Type::F8E4M3:
    return Float8E4M3FNType::get(context);
  case alg::Type::F8E5M2:
    return Float8E5M2Type::get(context);
  case alg::Type::F16:
    return b.getF16Type();
  case alg::Type::BF16:
    return b.getBF16Type();
  case alg::Type::F32:
    return b.getF32Type();
  case alg::Type::F64:
    return b.getF64Type();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// The table of operations that the algebra understands
//===----------------------------------------------------------------------===//

namespace {
using BuildFn = Value (*)(OpBuilder &, Location, ValueRange);

struct OpEntry {
  alg::Kind kind;
  TypeID op;
  BuildFn build;
};
} // namespace

template <typename OpTy>
static Value buildUnary(OpBuilder &b, Location loc, ValueRange operands) {
  return OpTy::create(b, loc, operands[0]);
}

template <typename OpTy>
static Value buildBinary(OpBuilder &b, Location loc, ValueRange operands) {
  return OpTy::create(b, loc, operands[0], operands[1]);
}

template <typename OpTy>
static OpEntry unary(alg::Kind kind) {
  return {kind, TypeID::get<OpTy>(), buildUnary<OpTy>};
}

template <typename OpTy>
static OpEntry binary(alg::Kind kind) {
  return {kind, TypeID::get<OpTy>(), buildBinary<OpTy>};
}

/// One entry an operation with the same meaning on both sides.
static ArrayRef<OpEntry> opTable() {
  using K = alg::Kind;
  static const OpEntry table[] = {
      binary<arith::AddFOp>(K::Add),       binary<arith::SubFOp>(K::Sub),
      binary<arith::MulFOp>(K::Mul),       binary<arith::DivFOp>(K::Div),
      binary<arith::MaximumFOp>(K::Max),   binary<arith::MinimumFOp>(K::Min),
      binary<arith::MaxNumFOp>(K::MaxNum), binary<arith::MinNumFOp>(K::MinNum),
      binary<math::PowFOp>(K::Pow),        unary<arith::NegFOp>(K::Neg),
      unary<math::AbsFOp>(K::Abs),         unary<math::SqrtOp>(K::Sqrt),
      unary<math::RsqrtOp>(K::Rsqrt),      unary<math::ExpOp>(K::Exp),
      unary<math::Exp2Op>(K::Exp2),        unary<math::LogOp>(K::Log),
      unary<math::Log2Op>(K::Log2),        unary<math::TanhOp>(K::Tanh),
  };
  return table;
}

static const OpEntry *entryOf(Operation *op) {
  for (const OpEntry &entry : opTable())
    if (entry.op == op->getName().getTypeID())
      return &entry;
  return nullptr;
}

static const OpEntry *entryOf(alg::Kind kind) {
  for (const OpEntry &entry : opTable())
    if (entry.kind == kind)
      return &entry;
  return nullptr;
}

/// Float predicates in both vocabularies; the constant ones are opaque.
static constexpr std::pair<arith::CmpFPredicate, alg::Predicate>
    floatPredicates[] = {{arith::CmpFPredicate::OEQ, alg::Predicate::OEQ},
                         {arith::CmpFPredicate::OGT, alg::Predicate::OGT},
                         {arith::CmpFPredicate::OGE, alg::Predicate::OGE},
                         {arith::CmpFPredicate::OLT, alg::Predicate::OLT},
                         {arith::CmpFPredicate::OLE, alg::Predicate::OLE},
                         {arith::CmpFPredicate::ONE, alg::Predicate::ONE},
                         {arith::CmpFPredicate::ORD, alg::Predicate::ORD},
                         {arith::CmpFPredicate::UEQ, alg::Predicate::UEQ},
                         {arith::CmpFPredicate::UGT, alg::Predicate::UGT},
                         {arith::CmpFPredicate::UGE, alg::Predicate::UGE},
                         {arith::CmpFPredicate::ULT, alg::Predicate::ULT},
                         {arith::CmpFPredicate::ULE, alg::Predicate::ULE},
                         {arith::CmpFPredicate::UNE, alg::Predicate::UNE},
                         {arith::CmpFPredicate::UNO, alg::Predicate::UNO}};

static constexpr std::pair<arith::CmpIPredicate, alg::Predicate>
    intPredicates[] = {{arith::CmpIPredicate::eq, alg::Predicate::IntEQ},
                       {arith::CmpIPredicate::ne, alg::Predicate::IntNE},
                       {arith::CmpIPredicate::slt, alg::Predicate::IntSLT},
                       {arith::CmpIPredicate::sle, alg::Predicate::IntSLE},
                       {arith::CmpIPredicate::sgt, alg::Predicate::IntSGT},
                       {arith::CmpIPredicate::sge, alg::Predicate::IntSGE},
                       {arith::CmpIPredicate::ult, alg::Predicate::IntULT},
                       {arith::CmpIPredicate::ule, alg::Predicate::IntULE},
                       {arith::CmpIPredicate::ugt, alg::Predicate::IntUGT},
                       {arith::CmpIPredicate::uge, alg::Predicate::IntUGE}};

//===----------------------------------------------------------------------===//
// From values to expressions
//===----------------------------------------------------------------------===//

/// An opaque name that tells apart operations which differ in attributes.
static std::string opaqueName(Operation *op) {
  std::string name;
  llvm::raw_string_ostream os(name);
  os << op->getName().getStringRef();
  if (!op->getAttrs().empty())
    os << op->getAttrDictionary();
  return name;
}

alg::Expr ExprBridge::translate(Value root) {
  SmallVector<Value> worklist{root};
  while (!worklist.empty()) {
    Value value = worklist.back();
    if (expressions.contains(value)) {
      worklist.pop_back();
      continue;
    }
    Operation *op = value.getDefiningOp();
    bool isLeaf = !op || isa<IndexOp, ExtentOp>(op) || results.contains(value);
    if (!isLeaf) {
      bool ready = true;
      for (Value operand : op->getOperands())
        if (!expressions.contains(operand)) {
          worklist.push_back(operand);
          ready = false;
        }
      if (!ready)
        continue;
    }
    worklist.pop_back();
    alg::Expr expr = nullptr;
    if (auto type = toAlgebra(value.getType())) {
      if (!isLeaf)
        expr = translateOp(op, value);
      else if (results.contains(value))
        expr = exprs.result(results.lookup(value), *type);
      else if (axes.of(value).anyCommon(over))
        expr = exprs.element(numElements++, *type);
      else
        expr = exprs.parameter(numParameters++, *type);
    }
    expressions[value] = expr;
    if (expr)
      known.try_emplace(expr, value);
  }
  return expressions[root];
}

alg::Expr ExprBridge::translateOp(Operation *op, Value value) {
  alg::Type type = *toAlgebra(value.getType());
  SmallVector<alg::Expr> operands;
  for (Value operand : op->getOperands()) {
    alg::Expr expr = expressions.lookup(operand);
    if (!expr)
      return nullptr;
    operands.push_back(expr);
  }
  // A reduction over other axes that depends on no reduction over these is a
  // symbol; one that does is opaque, so that the split test refuses it.
  bool dependent = llvm::any_of(operands, [](alg::Expr expr) {
    return expr->contains(alg::Kind::Result);
  });
  if (isa<ReduceOp>(op) && !dependent)
    return axes.of(value).anyCommon(over)
               ? exprs.element(numElements++, type)
               : exprs.parameter(numParameters++, type);

  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue())) {
      APFloat wide = number.getValue();
      bool lossy;
      wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
      return exprs.constant(wide.convertToDouble(), type);
    }
    return exprs.integer(
        cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue(), type);
  }
  if (const OpEntry *entry = entryOf(op))
    return operands.size() == 1
               ? exprs.unary(entry->kind, operands[0])
               : exprs.binary(entry->kind, operands[0], operands[1]);
  if (isa<arith::ExtFOp>(op))
    return exprs.widen(operands[0], type);
  if (isa<arith::TruncFOp>(op))
    return exprs.narrow(operands[0], type);
  if (isa<arith::SelectOp>(op))
    return exprs.select(operands[0], operands[1], operands[2]);
  if (auto cmp = dyn_cast<arith::CmpFOp>(op)) {
    for (auto [theirs, ours] : floatPredicates)
      if (theirs == cmp.getPredicate())
        return exprs.cmp(ours, operands[0], operands[1]);
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    for (auto [theirs, ours] : intPredicates)
      if (theirs == cmp.getPredicate())
        return exprs.cmp(ours, operands[0], operands[1]);
  }
  if (type == alg::Type::I1 && isa<arith::AndIOp, arith::OrIOp>(op))
    return exprs.binary(isa<arith::AndIOp>(op) ? alg::Kind::And : alg::Kind::Or,
                        operands[0], operands[1]);

  std::string name = opaqueName(op);
  prototypes[name] = op;
  std::vector<alg::Expr> list(operands.begin(), operands.end());
  if (isa<CastOpInterface>(op))
    return exprs.convert(name, operands[0], type);
  return exprs.opaque(name, list, type);
}

//===----------------------------------------------------------------------===//
// From expressions to operations
//===----------------------------------------------------------------------===//

Value ExprBridge::materialise(OpBuilder &b, Location loc, alg::Expr root) {
  for (alg::Expr expr : alg::postOrder(root)) {
    if (known.contains(expr))
      continue;
    SmallVector<Value> operands;
    bool complete = true;
    for (alg::Expr operand : expr->operands) {
      Value value = known.lookup(operand);
      complete &= static_cast<bool>(value);
      operands.push_back(value);
    }
    // What a known ancestor already computes need not be built.
    if (complete)
      if (Value value = build(b, loc, expr, operands))
        known[expr] = value;
  }
  return known.lookup(root);
}

Value ExprBridge::build(OpBuilder &b, Location loc, alg::Expr expr,
                        ValueRange operands) {
  using K = alg::Kind;
  Type type = fromAlgebra(expr->type, b.getContext());
  if (const OpEntry *entry = entryOf(expr->kind))
    return entry->build(b, loc, operands);
  switch (expr->kind) {
  case K::FloatConstant:
    return arith::ConstantOp::create(b, loc,
                                     b.getFloatAttr(type, expr->number));
  case K::IntConstant:
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(type, expr->integer));
  case K::And:
    return arith::AndIOp::create(b, loc, operands[0], operands[1]);
  case K::Or:
    return arith::OrIOp::create(b, loc, operands[0], operands[1]);
  case K::Xor:
    return arith::XOrIOp::create(b, loc, operands[0], operands[1]);
  case K::Not: {
    Value one = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    return arith::XOrIOp::create(b, loc, operands[0], one);
  }
  case K::Select:
    return arith::SelectOp::create(b, loc, operands[0], operands[1],
                                   operands[2]);
  case K::Widen:
    return arith::ExtFOp::create(b, loc, type, operands[0]);
  case K::Narrow:
    return arith::TruncFOp::create(b, loc, type, operands[0]);
  case K::Cmp:
    for (auto [theirs, ours] : floatPredicates)
      if (ours == expr->predicate)
        return arith::CmpFOp::create(b, loc, theirs, operands[0], operands[1]);
    for (auto [theirs, ours] : intPredicates)
      if (ours == expr->predicate)
        return arith::CmpIOp::create(b, loc, theirs, operands[0], operands[1]);
    return {};
  case K::Opaque:
  case K::Convert: {
    Operation *prototype = prototypes.lookup(expr->name);
    if (!prototype)
      return {};
    IRMapping mapping;
    mapping.map(prototype->getOperands(), operands);
    return b.clone(*prototype, mapping)->getResult(0);
  }
  default:
    return {};
  }
}
