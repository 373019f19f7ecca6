//===- Program.h - A kernel as a list of instructions ----------*- C++ -*-===//
//
// A gpu.func of the phase `expanded`, flattened: structured control flow has
// become jumps, and every SSA value the registers of its scalars. A register
// holds one scalar for each of the 32 lanes of a warp.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_LIB_TARGET_SIM_PROGRAM_H
#define CASCADE_LIB_TARGET_SIM_PROGRAM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Operation.h"
#include <cstdint>
#include <vector>

namespace cascade::sim {

inline constexpr unsigned kLanes = 32;

/// The registers of a warp and the lanes that execute.
struct Lanes {
  uint8_t *frame;
  uint32_t mask;
  /// Set by an instruction that is undefined for its operands.
  const char *fault = nullptr;

  template <typename T>
  T *at(uint32_t offset) const {
    return reinterpret_cast<T *>(frame + offset);
  }
};

enum class Kind : uint8_t {
  Compute,    ///< calls `compute`
  MayFault,   ///< calls `compute`, which may set Lanes::fault
  Jump,       ///< to `imm`
  JumpIfZero, ///< to `imm` in the lanes where `a` is 0
  Return,
  Shuffle,   ///< dst, b = value and validity; a, c = value, offset
  Vote,      ///< dst = the lanes where a is true (imm), or whether any is
  Multiply,  ///< of matrices; values of the access: A, B, C, D; imm: of bf16
  Transpose, ///< values of the access: from, to
  BlockBarrier,
  ArriveLast, ///< dst = whether the block is the last; a, b = counter, count
  WarpBarrier,
  ClusterArrive, ///< imm: relaxed
  ClusterWait,
  Fence, ///< imm: cluster::FenceKind
  SharedLoad,
  SharedStore,
  GlobalLoad,
  GlobalStore,
  StoreAsync,
  CopyAsync,
  LoadAsync,
  MBarrierInit,
  MBarrierExpectTx,
  MBarrierWait,
};

/// Operands are registers: numbers while a program is built, byte offsets in
/// the frame afterwards.
struct Instr {
  using Compute = void (*)(Lanes &, const Instr &);
  static constexpr uint32_t none = ~0u;

  Compute compute = nullptr;
  int64_t imm = 0;
  uint32_t dst = none, a = none, b = none, c = none;
  uint32_t access = none; ///< in Program::accesses
  uint32_t op = 0;        ///< in Program::ops
  Kind kind = Kind::Compute;
};

/// One dimension of an indexed access.
struct Index {
  uint32_t reg;   ///< 64-bit
  int64_t extent; ///< of the dimension
  int64_t stride; ///< in bytes
};

/// What a memory instruction moves, and where. An address register is a global
/// address, or a SharedAddress; the indices are added to it.
struct Access {
  uint32_t address = Instr::none;
  llvm::SmallVector<Index, 2> indices;
  llvm::SmallVector<uint32_t, 4> values; ///< one register a scalar
  unsigned scalarBytes = 4;              ///< in memory
  unsigned alignment = 1;
  bool isReadOnly = false; ///< promises that no thread writes there (ld.nc)
  // An asynchronous operation, or an mbarrier.
  uint32_t mbarrier = Instr::none;
  llvm::SmallVector<Index, 1> mbarrierIndices;
  uint32_t source = Instr::none; ///< of a bulk copy; of a load, global
  llvm::SmallVector<Index, 1> sourceIndices;
  uint32_t rank = Instr::none;

  unsigned bytes() const { return values.size() * scalarBytes; }
};

/// Shared memory of a block of the cluster.
struct SharedAddress {
  static uint64_t make(uint32_t rank, uint32_t offset) {
    return uint64_t(rank) << 32 | offset;
  }
  static uint32_t rankOf(uint64_t address) { return address >> 32; }
  static uint32_t offsetOf(uint64_t address) { return uint32_t(address); }
};

/// A static buffer of shared memory.
struct SharedBuffer {
  uint32_t offset, bytes;
  uint32_t reg; ///< its address, in every thread of the block
  bool holdsMBarriers = false;
};

/// Registers that hold the same value in all lanes, or the same in every
/// launch, are set when a warp starts.
struct Preset {
  uint32_t reg;
  uint64_t value;
  bool isWide;
};

enum class Special : uint8_t {
  ThreadX,
  ThreadY,
  ThreadZ,
  BlockX,
  BlockY,
  BlockZ,
  BlockDimX,
  BlockDimY,
  BlockDimZ,
  GridDimX,
  GridDimY,
  GridDimZ,
  ClusterIdX, // of the cluster in the grid
  ClusterIdY,
  ClusterIdZ,
  ClusterDimX, // clusters of the grid
  ClusterDimY,
  ClusterDimZ,
  ClusterRank,
  ClusterSize, // 32-bit; the others are 64-bit
};

struct Program {
  mlir::gpu::GPUFuncOp func;
  std::vector<Instr> code;
  std::vector<Access> accesses;
  std::vector<mlir::Operation *> ops;
  std::vector<Preset> constants;
  std::vector<std::pair<Special, uint32_t>> specials;
  std::vector<uint32_t> arguments; ///< registers
  std::vector<bool> argumentIsWide;
  std::vector<SharedBuffer> shared;
  uint32_t sharedBytes = 0;
  /// Bytes that one cell of the shadow memory stands for: no access is
  /// smaller.
  unsigned sharedGranule = 4;
  uint32_t frameBytes = 0;
  /// Whether clusters learn from each other, in the order in which they come.
  bool hasArrivals = false;
};

/// Compiles `func`. Fails with a diagnostic at an operation that the simulated
/// device does not know.
mlir::FailureOr<Program> compileKernel(mlir::gpu::GPUFuncOp func);

} // namespace cascade::sim

#endif // CASCADE_LIB_TARGET_SIM_PROGRAM_H
