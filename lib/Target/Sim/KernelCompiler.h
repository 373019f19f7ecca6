//===- KernelCompiler.h - From a gpu.func to a program ---------*- C++ -*-===//

#ifndef CASCADE_LIB_TARGET_SIM_KERNELCOMPILER_H
#define CASCADE_LIB_TARGET_SIM_KERNELCOMPILER_H

#include "Arithmetic.h"
#include "Program.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace cascade::sim {

using Registers = llvm::SmallVector<uint32_t, 4>;

/// Builds the program of one kernel. Every emit function returns failure
/// without a diagnostic where it does not know the operation; emitOp reports
/// it.
class KernelCompiler {
public:
  explicit KernelCompiler(mlir::gpu::GPUFuncOp func) { program.func = func; }

  mlir::FailureOr<Program> run();

private:
  // Registers and instructions (KernelCompiler.cpp).
  uint32_t newRegister(bool isWide);
  Registers newRegisters(mlir::Type type);
  Registers define(mlir::Value value);
  const Registers &get(mlir::Value value) { return values[value]; }
  uint32_t getOne(mlir::Value value) { return values[value].front(); }
  uint32_t constant(uint64_t value, bool isWide);
  uint32_t special(Special which);
  Instr &emit(Kind kind);
  Instr &emitCompute(Instr::Compute compute, uint32_t dst, uint32_t a,
                     uint32_t b = Instr::none, uint32_t c = Instr::none);
  int64_t here() const { return program.code.size(); }

  // Structure.
  mlir::LogicalResult defineArguments();
  mlir::LogicalResult layOutShared();
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitOp(mlir::Operation *op);
  mlir::LogicalResult emitControl(mlir::Operation *op);
  mlir::LogicalResult emitFor(mlir::Operation *op);
  /// The results of `op` are in `registers`, one after another.
  void bindResults(mlir::Operation *op, const Registers &registers);
  mlir::LogicalResult emitWhile(mlir::Operation *op);
  mlir::LogicalResult emitBody(mlir::Block &block,
                               llvm::ArrayRef<uint32_t> results);
  /// All of `to` := all of `from` at once.
  void moveAll(llvm::ArrayRef<uint32_t> to, llvm::ArrayRef<uint32_t> from);
  Registers flatten(mlir::ValueRange range);

  // Scalars and vectors (CompileScalars.cpp).
  mlir::LogicalResult emitScalarOp(mlir::Operation *op);
  mlir::LogicalResult emitConstant(mlir::Operation *op);
  mlir::LogicalResult emitBitcast(mlir::Operation *op);
  mlir::LogicalResult emitVectorOp(mlir::Operation *op);
  void convertBits(const Registers &from, ElementType fromType,
                   const Registers &to, ElementType toType);

  // Memory, threads and clusters (CompileMemory.cpp).
  mlir::LogicalResult emitMemoryOp(mlir::Operation *op);
  mlir::LogicalResult emitPointerOp(mlir::Operation *op);
  mlir::LogicalResult emitInlineAsm(mlir::Operation *op);
  mlir::LogicalResult emitThreadOp(mlir::Operation *op);
  mlir::LogicalResult emitClusterOp(mlir::Operation *op);
  mlir::LogicalResult addIndices(mlir::Value memref, mlir::ValueRange indices,
                                 llvm::SmallVectorImpl<Index> &list);
  mlir::LogicalResult emitMemRefAccess(mlir::Value memref,
                                       mlir::ValueRange indices,
                                       mlir::Type type,
                                       const Registers &scalars, bool isStore);
  Instr &emitAccess(Kind kind, Access access);
  void noteMBarrier(mlir::Value memref);

  // The registers' places in the frame (AllocateRegisters.cpp).
  void allocateRegisters();

  Program program;
  llvm::DenseMap<mlir::Value, Registers> values;
  std::vector<bool> registerIsWide;
  std::map<std::pair<uint64_t, bool>, uint32_t> constants;
  std::map<Special, uint32_t> specials;
  llvm::DenseMap<mlir::Block *, int64_t> blockStart;
  /// Jumps to blocks that have no place yet.
  std::vector<std::pair<size_t, mlir::Block *>> fixups;
  /// Whether the operation that stopped this has been named.
  bool reported = false;
  /// [head, end) of every loop.
  std::vector<std::pair<int64_t, int64_t>> loops;
};

/// Whether `type` is a memref in shared memory of this block or of a peer.
bool isSharedMemory(mlir::Type type);

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_KERNELCOMPILER_H
