//===- CompileScalars.cpp - Scalars and vectors ---------------------------===//

#include "KernelCompiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cascade::sim;
using cascade::runtime::byteSize;

/// The bits of a constant scalar as its lane holds them.
static std::optional<uint64_t> bitsOf(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getValue().getZExtValue();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValue().bitcastToAPInt().getZExtValue();
  return std::nullopt;
}

LogicalResult KernelCompiler::emitConstant(Operation *op) {
  auto attribute = cast<arith::ConstantOp>(op).getValue();
  Value result = op->getResult(0);
  bool wide = isWide(*scalarTypeOf(result.getType()));
  Registers registers;
  auto add = [&](Attribute scalar) {
    std::optional<uint64_t> bits = bitsOf(scalar);
    if (bits)
      registers.push_back(constant(*bits, wide));
    return bits.has_value();
  };
  if (auto elements = dyn_cast<DenseElementsAttr>(attribute)) {
    for (Attribute element : elements.getValues<Attribute>())
      if (!add(element))
        return failure();
  } else if (!add(attribute)) {
    return failure();
  }
  values[result] = registers;
  return success();
}

/// The same bits in other scalars.
void KernelCompiler::convertBits(const Registers &from, ElementType fromType,
                                 const Registers &to, ElementType toType) {
  unsigned fromBytes = byteSize(fromType), toBytes = byteSize(toType);
  if (fromBytes == toBytes)
    return moveAll(to, from);
  for (size_t i = 0; i < to.size(); ++i) {
    if (fromBytes > toBytes) {
      unsigned parts = fromBytes / toBytes;
      emitCompute(extractBitsOp(isWide(fromType), toType), to[i],
                  from[i / parts])
          .imm = 8 * toBytes * (i % parts);
      continue;
    }
    unsigned parts = toBytes / fromBytes;
    for (unsigned part = 0; part < parts; ++part)
      emitCompute(insertBitsOp(isWide(fromType), isWide(toType)), to[i],
                  from[i * parts + part], part ? to[i] : Instr::none)
          .imm = 8 * fromBytes * part;
  }
}

LogicalResult KernelCompiler::emitBitcast(Operation *op) {
  Value from = op->getOperand(0), to = op->getResult(0);
  auto fromType = scalarTypeOf(from.getType());
  auto toType = scalarTypeOf(to.getType());
  if (!fromType || !toType || *fromType == ElementType::I1 ||
      *toType == ElementType::I1)
    return failure();
  if (byteSize(*fromType) == byteSize(*toType)) {
    Registers same = get(from);
    values[to] = same;
    return success();
  }
  Registers source = get(from), result = define(to);
  convertBits(source, *fromType, result, *toType);
  return success();
}

LogicalResult KernelCompiler::emitScalarOp(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return emitConstant(op);
  if (isa<arith::BitcastOp>(op))
    return emitBitcast(op);
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      op->getNumOperands() > 3)
    return failure();
  Value result = op->getResult(0);
  StringRef name = op->getName().getStringRef();
  ElementType to = *scalarTypeOf(result.getType());
  auto from = scalarTypeOf(op->getOperand(0).getType());
  if (!from)
    return failure();
  SmallVector<Registers> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));

  ScalarOp chosen;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    chosen.compute = findIntegerCompare(
        static_cast<unsigned>(compare.getPredicate()), *from);
  } else if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    chosen.compute =
        findFloatCompare(static_cast<unsigned>(compare.getPredicate()), *from);
  } else if (isa<arith::SelectOp>(op)) {
    chosen.compute = selectOp(isWide(to));
    std::rotate(operands.begin(), operands.begin() + 1, operands.end());
  } else if (Instr::Compute conversion = findConversion(name, *from, to)) {
    chosen.compute = conversion;
  } else {
    chosen = runtime::isFloat(*from) ? findFloatOp(name, *from)
                                     : findIntegerOp(name, *from);
  }
  if (!chosen.compute)
    return failure();
  Registers results = define(result);
  for (size_t i = 0; i < results.size(); ++i) {
    uint32_t sources[3] = {Instr::none, Instr::none, Instr::none};
    // A scalar condition selects whole vectors.
    for (auto [k, operand] : llvm::enumerate(operands))
      sources[k] = operand[operand.size() == 1 ? 0 : i];
    emitCompute(chosen.compute, results[i], sources[0], sources[1], sources[2])
        .kind = chosen.kind;
  }
  return success();
}

LogicalResult KernelCompiler::emitVectorOp(Operation *op) {
  if (isa<vector::BitCastOp>(op))
    return emitBitcast(op);
  if (isa<vector::FromElementsOp>(op)) {
    Registers all = flatten(op->getOperands());
    values[op->getResult(0)] = all;
    return success();
  }
  if (auto elements = dyn_cast<vector::ToElementsOp>(op)) {
    Registers all = get(elements.getSource());
    for (auto [result, reg] : llvm::zip_equal(elements.getResults(), all))
      values[result] = {reg};
    return success();
  }
  if (isa<vector::BroadcastOp>(op) && op->getNumOperands() == 1 &&
      !isa<VectorType>(op->getOperand(0).getType())) {
    auto type = cast<VectorType>(op->getResult(0).getType());
    uint32_t scalar = getOne(op->getOperand(0));
    values[op->getResult(0)] = Registers(type.getNumElements(), scalar);
    return success();
  }
  // One dimension and constant positions, as kernels have them.
  if (auto extract = dyn_cast<vector::ExtractOp>(op)) {
    ArrayRef<int64_t> position = extract.getStaticPosition();
    if (position.size() != 1 || ShapedType::isDynamic(position[0]) ||
        isa<VectorType>(extract.getType()))
      return failure();
    uint32_t element = get(extract.getSource())[position[0]];
    values[op->getResult(0)] = {element};
    return success();
  }
  if (auto insert = dyn_cast<vector::InsertOp>(op)) {
    ArrayRef<int64_t> position = insert.getStaticPosition();
    if (position.size() != 1 || ShapedType::isDynamic(position[0]) ||
        isa<VectorType>(insert.getValueToStore().getType()))
      return failure();
    Registers all = get(insert.getDest());
    all[position[0]] = getOne(insert.getValueToStore());
    values[op->getResult(0)] = all;
    return success();
  }
  return failure();
}
