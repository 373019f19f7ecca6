//===- KernelCompiler.cpp - The structure of a program --------------------===//

#include "KernelCompiler.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace cascade::sim;
using cascade::runtime::byteSize;

std::optional<ElementType> cascade::sim::scalarTypeOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  if (isa<LLVM::LLVMPointerType, MemRefType>(type))
    return ElementType::I64;
  if (!type.isIntOrIndexOrFloat())
    return std::nullopt;
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return runtime::parseElementType(name);
}

/// The scalars of a value, or none for a type that has no registers.
static std::optional<SmallVector<ElementType>> scalarsOf(Type type) {
  SmallVector<ElementType> scalars;
  if (auto structure = dyn_cast<LLVM::LLVMStructType>(type)) {
    for (Type member : structure.getBody()) {
      auto scalar = scalarTypeOf(member);
      if (!scalar || isa<VectorType>(member))
        return std::nullopt;
      scalars.push_back(*scalar);
    }
    return scalars;
  }
  auto scalar = scalarTypeOf(type);
  if (!scalar)
    return std::nullopt;
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.isScalable())
      return std::nullopt;
    count = vector.getNumElements();
  }
  scalars.assign(count, *scalar);
  return scalars;
}

//===----------------------------------------------------------------------===//
// Registers and instructions
//===----------------------------------------------------------------------===//

uint32_t KernelCompiler::newRegister(bool isWide) {
  registerIsWide.push_back(isWide);
  return registerIsWide.size() - 1;
}

Registers KernelCompiler::newRegisters(Type type) {
  Registers registers;
  auto scalars = scalarsOf(type);
  for (ElementType scalar : *scalars)
    registers.push_back(newRegister(isWide(scalar)));
  return registers;
}

Registers KernelCompiler::define(Value value) {
  return values[value] = newRegisters(value.getType());
}

uint32_t KernelCompiler::constant(uint64_t value, bool isWide) {
  auto [place, isNew] = constants.try_emplace({value, isWide}, 0);
  if (isNew) {
    place->second = newRegister(isWide);
    program.constants.push_back({place->second, value, isWide});
  }
  return place->second;
}

uint32_t KernelCompiler::special(Special which) {
  auto [place, isNew] = specials.try_emplace(which, 0);
  if (isNew) {
    place->second = newRegister(which < Special::ClusterRank);
    program.specials.push_back({which, place->second});
  }
  return place->second;
}

Instr &KernelCompiler::emit(Kind kind) {
  Instr &instr = program.code.emplace_back();
  instr.kind = kind;
  instr.op = program.ops.size() - 1;
  return instr;
}

Instr &KernelCompiler::emitCompute(Instr::Compute compute, uint32_t dst,
                                   uint32_t a, uint32_t b, uint32_t c) {
  Instr &instr = emit(Kind::Compute);
  instr.compute = compute;
  instr.dst = dst;
  instr.a = a;
  instr.b = b;
  instr.c = c;
  return instr;
}

void KernelCompiler::moveAll(ArrayRef<uint32_t> to, ArrayRef<uint32_t> from) {
  auto move = [&](uint32_t dst, uint32_t src) {
    emitCompute(moveOp(registerIsWide[dst]), dst, src);
  };
  // What is overwritten before it is read goes through a copy.
  SmallVector<uint32_t> sources(from.begin(), from.end());
  for (size_t i = 0; i < to.size(); ++i)
    if (llvm::is_contained(to.take_front(i), from[i])) {
      sources[i] = newRegister(registerIsWide[to[i]]);
      move(sources[i], from[i]);
    }
  for (auto [dst, src] : llvm::zip_equal(to, sources))
    if (dst != src)
      move(dst, src);
}

Registers KernelCompiler::flatten(ValueRange range) {
  Registers registers;
  for (Value value : range)
    llvm::append_range(registers, get(value));
  return registers;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// The body of a branch or loop; its yielded values go to `results`.
LogicalResult KernelCompiler::emitBody(Block &block,
                                       ArrayRef<uint32_t> results) {
  if (failed(emitBlock(block)))
    return failure();
  program.ops.push_back(block.getTerminator());
  moveAll(results, flatten(block.getTerminator()->getOperands()));
  return success();
}

LogicalResult KernelCompiler::emitFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  ElementType type = *scalarTypeOf(loop.getInductionVar().getType());
  uint32_t iv = define(loop.getInductionVar()).front();
  Registers state;
  for (Value argument : loop.getRegionIterArgs())
    llvm::append_range(state, define(argument));
  moveAll({iv}, get(loop.getLowerBound()));
  moveAll(state, flatten(loop.getInitArgs()));
  int64_t head = here();
  uint32_t inside = newRegister(false);
  // Below the upper bound, signed or unsigned.
  unsigned predicate = loop.getUnsignedCmp() ? 6 : 2;
  emitCompute(findIntegerCompare(predicate, type), inside, iv,
              getOne(loop.getUpperBound()));
  size_t exit = here();
  emit(Kind::JumpIfZero).a = inside;
  if (failed(emitBody(*loop.getBody(), state)))
    return failure();
  uint32_t step = getOne(loop.getStep());
  emitCompute(findIntegerOp("arith.addi", type).compute, iv, iv, step);
  emit(Kind::Jump).imm = head;
  program.code[exit].imm = here();
  loops.push_back({head, here()});
  bindResults(loop, state);
  return success();
}

void KernelCompiler::bindResults(Operation *op, const Registers &registers) {
  size_t next = 0;
  for (Value result : op->getResults()) {
    size_t count = scalarsOf(result.getType())->size();
    values[result].assign(registers.begin() + next,
                          registers.begin() + next + count);
    next += count;
  }
}

LogicalResult KernelCompiler::emitWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  Registers before, after;
  for (Value argument : loop.getBeforeArguments())
    llvm::append_range(before, define(argument));
  for (Value argument : loop.getAfterArguments())
    llvm::append_range(after, define(argument));
  moveAll(before, flatten(loop.getInits()));
  int64_t head = here();
  if (failed(emitBlock(*loop.getBeforeBody())))
    return failure();
  auto condition = loop.getConditionOp();
  moveAll(after, flatten(condition.getArgs()));
  size_t exit = here();
  emit(Kind::JumpIfZero).a = getOne(condition.getCondition());
  if (failed(emitBody(*loop.getAfterBody(), before)))
    return failure();
  emit(Kind::Jump).imm = head;
  program.code[exit].imm = here();
  loops.push_back({head, here()});
  bindResults(loop, after);
  return success();
}

LogicalResult KernelCompiler::emitControl(Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Registers results;
    for (Value result : branch.getResults())
      llvm::append_range(results, define(result));
    size_t toElse = here();
    emit(Kind::JumpIfZero).a = getOne(branch.getCondition());
    if (failed(emitBody(*branch.thenBlock(), results)))
      return failure();
    if (!branch.elseBlock()) {
      program.code[toElse].imm = here();
      return success();
    }
    size_t toEnd = here();
    emit(Kind::Jump);
    program.code[toElse].imm = here();
    if (failed(emitBody(*branch.elseBlock(), results)))
      return failure();
    program.code[toEnd].imm = here();
    return success();
  }
  if (isa<scf::ForOp>(op))
    return emitFor(op);
  if (isa<scf::WhileOp>(op))
    return emitWhile(op);
  auto jumpTo = [&](Kind kind, Block *block, uint32_t condition) {
    fixups.push_back({program.code.size(), block});
    emit(kind).a = condition;
  };
  auto passArguments = [&](Block *block, ValueRange operands) {
    Registers to;
    for (Value argument : block->getArguments())
      llvm::append_range(to, get(argument));
    moveAll(to, flatten(operands));
  };
  if (auto branch = dyn_cast<cf::BranchOp>(op)) {
    passArguments(branch.getDest(), branch.getDestOperands());
    jumpTo(Kind::Jump, branch.getDest(), Instr::none);
    return success();
  }
  if (auto branch = dyn_cast<cf::CondBranchOp>(op)) {
    size_t toFalse = here();
    emit(Kind::JumpIfZero).a = getOne(branch.getCondition());
    passArguments(branch.getTrueDest(), branch.getTrueDestOperands());
    jumpTo(Kind::Jump, branch.getTrueDest(), Instr::none);
    program.code[toFalse].imm = here();
    passArguments(branch.getFalseDest(), branch.getFalseDestOperands());
    jumpTo(Kind::Jump, branch.getFalseDest(), Instr::none);
    return success();
  }
  if (isa<gpu::ReturnOp>(op)) {
    emit(Kind::Return);
    return success();
  }
  return failure();
}

LogicalResult KernelCompiler::emitOp(Operation *op) {
  program.ops.push_back(op);
  StringRef dialect = op->getName().getDialectNamespace();
  LogicalResult done = failure();
  bool hasTypes = llvm::all_of(op->getResultTypes(), [](Type type) {
    return scalarsOf(type).has_value();
  });
  if (hasTypes) {
    if (dialect == "arith" || dialect == "math" || dialect == "index")
      done = emitScalarOp(op);
    else if (isa<vector::LoadOp, vector::StoreOp>(op) || dialect == "memref")
      done = emitMemoryOp(op);
    else if (dialect == "vector")
      done = emitVectorOp(op);
    else if (dialect == "scf" || dialect == "cf" || isa<gpu::ReturnOp>(op))
      done = emitControl(op);
    else if (dialect == "llvm")
      done = emitPointerOp(op);
    else if (dialect == "gpu")
      done = emitThreadOp(op);
    else if (dialect == "cluster")
      done = emitClusterOp(op);
  }
  if (succeeded(done) || reported)
    return done;
  reported = true;
  return op->emitOpError("is not known to the simulated device (docs/"
                         "SimulatedDevice.md lists what it runs)");
}

LogicalResult KernelCompiler::emitBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>() &&
        isa_and_present<scf::SCFDialect>(op.getDialect()))
      return success();
    if (failed(emitOp(&op)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

LogicalResult KernelCompiler::defineArguments() {
  gpu::GPUFuncOp func = program.func;
  for (BlockArgument argument :
       func.getBody().front().getArguments().take_front(
           func.getNumArguments())) {
    auto scalars = scalarsOf(argument.getType());
    if (!scalars || scalars->size() != 1)
      return func.emitOpError()
             << "argument " << argument.getArgNumber() << " of type "
             << argument.getType()
             << " cannot be passed on the simulated device; use a pointer, a "
                "memref or a scalar";
    program.arguments.push_back(define(argument).front());
    program.argumentIsWide.push_back(isWide(scalars->front()));
  }
  return success();
}

LogicalResult KernelCompiler::layOutShared() {
  gpu::GPUFuncOp func = program.func;
  if (!func.getPrivateAttributions().empty())
    return func.emitOpError("has private attributions, which the simulated "
                            "device does not know");
  constexpr uint32_t alignment = 16;
  for (BlockArgument buffer : func.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    auto scalars = scalarsOf(type.getElementType());
    if (!scalars || !type.hasStaticShape() || !type.getLayout().isIdentity())
      return func.emitOpError()
             << "has a workgroup buffer of type " << type
             << "; the simulated device takes static shapes and identity "
                "layouts";
    int64_t bytes =
        type.getNumElements() * scalars->size() * byteSize(scalars->front());
    uint32_t reg = define(buffer).front();
    program.shared.push_back({program.sharedBytes, uint32_t(bytes), reg});
    program.sharedBytes += llvm::alignTo(bytes, alignment);
  }
  return success();
}

FailureOr<Program> KernelCompiler::run() {
  gpu::GPUFuncOp func = program.func;
  program.ops.push_back(func);
  if (failed(defineArguments()) || failed(layOutShared()))
    return failure();
  for (Block &block : llvm::drop_begin(func.getBody()))
    for (Value argument : block.getArguments()) {
      if (!scalarsOf(argument.getType()))
        return func.emitOpError() << "passes a value of type "
                                  << argument.getType() << " between blocks, "
                                  << "which the simulated device does not know";
      define(argument);
    }
  for (Block &block : func.getBody()) {
    blockStart[&block] = here();
    if (failed(emitBlock(block)))
      return failure();
  }
  for (auto [place, block] : fixups)
    program.code[place].imm = blockStart[block];
  // Any way back keeps alive what it jumps over.
  if (!llvm::hasSingleElement(func.getBody()))
    loops.push_back({0, here()});
  allocateRegisters();
  return std::move(program);
}

FailureOr<Program> cascade::sim::compileKernel(gpu::GPUFuncOp func) {
  return KernelCompiler(func).run();
}
