//===- ClusterOps.td - Primitives of the cluster dialect -----*- tablegen -*-===//

#ifndef CASCADE_DIALECT_CLUSTER_IR_CLUSTEROPS_TD
#define CASCADE_DIALECT_CLUSTER_IR_CLUSTEROPS_TD

include "cascade/Dialect/Cluster/IR/ClusterAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class Cluster_Op<string mnemonic, list<Trait> traits = []>
    : Op<Cluster_Dialect, mnemonic, traits>;

/// Mbarrier objects: 64 opaque bits each.
def Cluster_MBarriers : MemRefOf<[I64]>;

/// An address in global memory.
def Cluster_GlobalPointer : Type<
    CPred<"$_self.getDialect().getNamespace() == \"llvm\"">,
    "pointer to global memory, !llvm.ptr<1>">;

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

def Cluster_RankOp : Cluster_Op<"rank", [Pure]> {
  let summary = "Rank of this block in its cluster";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Cluster_SizeOp : Cluster_Op<"size", [Pure]> {
  let summary = "Number of blocks of this cluster";
  let description = [{
    Folds to a constant where the enclosing `gpu.func` has
    `known_cluster_size`.
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

def Cluster_AnyOp : Cluster_Op<"any", [
    // Not pure: it stays where all lanes come to it.
    MemoryEffects<[MemRead]>]> {
  let summary = "Whether a condition holds in any lane of the warp";
  let description = [{
    All lanes of the warp execute it and get the same answer, so that what
    depends on it is done by all of them or by none.

    ```mlir
    %more = cluster.any %candidate
    ```
  }];
  let arguments = (ins I1:$condition);
  let results = (outs I1:$result);
  let assemblyFormat = "$condition attr-dict";
}

def Cluster_BallotOp : Cluster_Op<"ballot", [MemoryEffects<[MemRead]>]> {
  let summary = "The lanes of the warp in which a condition holds";
  let description = [{
    Bit i of the result is that of lane i. All lanes of the warp execute it.
  }];
  let arguments = (ins I1:$condition);
  let results = (outs I32:$result);
  let assemblyFormat = "$condition attr-dict";
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

/// Two 16-bit floats in a register, the lower first.
def Cluster_Pair : VectorOfLengthAndType<[2], [F16, BF16]>;

def Cluster_MmaOp : Cluster_Op<"mma", [
    // Not pure: it stays where all lanes come to it.
    MemoryEffects<[MemRead]>,
    AllTypesMatch<["a0", "a1", "a2", "a3", "b0", "b1"]>]> {
  let summary = "A product of matrices of 16-bit floats, added to one of f32";
  let description = [{
    D[16 x 8] = A[16 x 16] B[16 x 8] + C[16 x 8], which the lanes of a warp hold
    together (PTX `mma.sync.m16n8k16`). Lane 4 g + c has

    | | row | column |
    |---|---|---|
    | a0, a1 | g, g + 8 | 2c, 2c + 1 |
    | a2, a3 | g, g + 8 | 2c + 8, 2c + 9 |
    | b0, b1 | 2c, 2c + 1 and 2c + 8, 2c + 9 | g |
    | c0, c1 (d0, d1) | g | 2c and 2c + 1 |
    | c2, c3 (d2, d3) | g + 8 | 2c and 2c + 1 |

    Products are exact; the order of their sum is not specified. All lanes of
    the warp execute it.

    ```mlir
    %d:4 = cluster.mma [%a0, %a1, %a2, %a3] [%b0, %b1] [%c0, %c1, %c2, %c3]
        : vector<2xbf16>
    ```
  }];
  let arguments = (ins
    Cluster_Pair:$a0, Cluster_Pair:$a1, Cluster_Pair:$a2, Cluster_Pair:$a3,
    Cluster_Pair:$b0, Cluster_Pair:$b1, F32:$c0, F32:$c1, F32:$c2, F32:$c3);
  let results = (outs F32:$d0, F32:$d1, F32:$d2, F32:$d3);
  let assemblyFormat = [{
    `[` $a0 `,` $a1 `,` $a2 `,` $a3 `]` `[` $b0 `,` $b1 `]`
    `[` $c0 `,` $c1 `,` $c2 `,` $c3 `]` attr-dict `:` type($a0)
  }];
}

def Cluster_TransposeOp : Cluster_Op<"transpose", [
    MemoryEffects<[MemRead]>, AllTypesMatch<["value", "result"]>]> {
  let summary = "Transposes an 8 x 8 matrix that the lanes of a warp hold";
  let description = [{
    Lane 4 r + c has the elements of row r in columns 2c and 2c + 1, before and
    after (PTX `movmatrix`). All lanes of the warp execute it.
  }];
  let arguments = (ins Cluster_Pair:$value);
  let results = (outs Cluster_Pair:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Barriers and fences
//===----------------------------------------------------------------------===//

def Cluster_BarrierOp : Cluster_Op<"barrier", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Barrier of all threads of all blocks of the cluster";
  let description = [{
    Without a keyword: arrive with release, then wait with acquire. The halves
    can be taken apart, `arrive relaxed` publishes no data:

    ```mlir
    cluster.barrier
    cluster.barrier arrive relaxed
    cluster.barrier wait
    ```
  }];
  let arguments = (ins
    DefaultValuedAttr<Cluster_BarrierPhaseAttr, "BarrierPhase::Full">:$phase,
    DefaultValuedAttr<Cluster_OrderingAttr, "Ordering::Release">:$ordering);
  let assemblyFormat = "custom<BarrierMode>($phase, $ordering) attr-dict";
  let builders = [
    OpBuilder<(ins CArg<"BarrierPhase", "BarrierPhase::Full">:$phase,
                   CArg<"Ordering", "Ordering::Release">:$ordering), [{
      $_state.getOrAddProperties<Properties>().phase =
          BarrierPhaseAttr::get($_builder.getContext(), phase);
      $_state.getOrAddProperties<Properties>().ordering =
          OrderingAttr::get($_builder.getContext(), ordering);
    }]>];
  let skipDefaultBuilders = 1;
  let hasVerifier = 1;
}

def Cluster_WarpBarrierOp : Cluster_Op<"warp_barrier", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Barrier of all lanes of the warp";
  let description = [{
    Orders what the lanes did before it with what they do after it, in memory,
    too, which shuffles do not.
  }];
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Cluster_FenceOp : Cluster_Op<"fence", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Orders what this thread did before with what it does after";
  let description = [{
    `mbarrier_init` publishes initialised mbarriers to the cluster (to be
    followed by a cluster barrier, whose arrival may be relaxed);
    `proxy_async` and `proxy_async_shared` order generic accesses with those of
    bulk copies; `acq_rel_cluster` is a fence at cluster scope.
  }];
  let arguments = (ins Cluster_FenceAttr:$kind);
  let assemblyFormat = "$kind attr-dict";
}

//===----------------------------------------------------------------------===//
// Blocks of a grid
//===----------------------------------------------------------------------===//

def Cluster_ArriveLastOp : Cluster_Op<"arrive_last", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Whether this block is the last of some blocks to arrive";
  let description = [{
    `count` blocks of the grid arrive at `counter`, an i32 in global memory that
    is 0 before the first of them. All threads of a block execute it and get the
    same answer: true in the block that comes last. What the threads of the
    blocks wrote to global memory before they arrived, the threads of that block
    see after it; no block waits for another. The last arrival sets the counter
    to 0 again, for the next launch.

    ```mlir
    %last = cluster.arrive_last %counter count %n : !llvm.ptr<1>
    scf.if %last { ... }
    ```

    The loads of what other blocks wrote must not take the read-only path
    (`invariant`). Which block is the last differs from run to run: results are
    the same every time only if the states of the blocks are combined in an
    order that does not depend on it.
  }];
  let arguments = (ins Cluster_GlobalPointer:$counter, I32:$count);
  let results = (outs I1:$last);
  let assemblyFormat =
      "$counter `count` $count attr-dict `:` type($counter)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Distributed shared memory
//===----------------------------------------------------------------------===//

def Cluster_MapSharedOp : Cluster_Op<"map_shared", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "The same shared memory of another block of the cluster";
  let description = [{
    ```mlir
    %peer = cluster.map_shared %m, %rank
        : memref<8xf32, #gpu.address_space<workgroup>> to memref<8xf32, 7 : i32>
    %v = memref.load %peer[%i] : memref<8xf32, 7 : i32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, I32:$rank);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat =
      "$source `,` $rank attr-dict `:` type($source) `to` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$source,
                                 "::mlir::Value":$rank)>];
  let hasVerifier = 1;
}

def Cluster_StoreAsyncOp : Cluster_Op<"store_async", [
    AttrSizedOperandSegments,
    TypesMatchWith<"the value has the element type of the destination",
                   "dest", "value",
                   "::llvm::cast<::mlir::MemRefType>($_self).getElementType()">
    ]> {
  let summary = "Store into a peer's shared memory, completing on its mbarrier";
  let description = [{
    `dest` and `mbarrier` are local addresses; the store goes to the same
    addresses of block `rank` of the cluster. When it has been performed there,
    its bytes are taken off the transaction count of that block's mbarrier. The
    element type has 4, 8 or 16 bytes: a 32- or 64-bit scalar, or a vector of 2
    or 4 such 32-bit or of 2 such 64-bit scalars.

    ```mlir
    cluster.store_async %v to %slots[%i] mbar %mbar[%c0] rank %r
        : memref<8xvector<4xi32>, #gpu.address_space<workgroup>>,
          memref<1xi64, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    AnyType:$value,
    Arg<AnyMemRef, "destination, in every block", [MemWrite]>:$dest,
    Variadic<Index>:$indices,
    Arg<Cluster_MBarriers, "mbarriers", [MemRead, MemWrite]>:$mbarrier,
    Variadic<Index>:$mbarrierIndices,
    I32:$rank);
  let assemblyFormat = [{
    $value `to` $dest `[` $indices `]`
    `mbar` $mbarrier `[` $mbarrierIndices `]`
    `rank` $rank attr-dict `:` type($dest) `,` type($mbarrier)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes taken off the transaction count.
    int64_t getNumBytes();
  }];
}

def Cluster_CopyAsyncOp : Cluster_Op<"copy_async", [AttrSizedOperandSegments]> {
  let summary = "Bulk copy of shared memory into a peer's, on its mbarrier";
  let description = [{
    Copies `bytes` bytes from `source` of this block to `dest` of block `rank`;
    both are local addresses. The size and both addresses are multiples of 16
    bytes. The copy is of the async proxy: a `cluster.fence
    proxy_async_shared` stands between generic stores to `source` and it.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "source, in this block", [MemRead]>:$source,
    Variadic<Index>:$sourceIndices,
    Arg<AnyMemRef, "destination, in every block", [MemWrite]>:$dest,
    Variadic<Index>:$destIndices,
    Arg<Cluster_MBarriers, "mbarriers", [MemRead, MemWrite]>:$mbarrier,
    Variadic<Index>:$mbarrierIndices,
    I32:$rank, I32:$bytes);
  let assemblyFormat = [{
    $source `[` $sourceIndices `]` `to` $dest `[` $destIndices `]`
    `mbar` $mbarrier `[` $mbarrierIndices `]`
    `rank` $rank `bytes` $bytes attr-dict
    `:` type($source) `,` type($dest) `,` type($mbarrier)
  }];
  let hasVerifier = 1;
}

def Cluster_LoadAsyncOp : Cluster_Op<"load_async", [AttrSizedOperandSegments]> {
  let summary = "Bulk copy of global memory into this block's shared memory";
  let description = [{
    Copies `bytes` bytes from `source` to `dest`; when they have arrived, they
    are taken off the transaction count of the mbarrier, of the same block. The
    size and both addresses are multiples of 16 bytes. The copy is of the async
    proxy: nothing in the kernel writes the source, and a `cluster.fence
    proxy_async_shared` stands between generic stores to `dest` and it.

    ```mlir
    cluster.load_async %row to %stages[%i] mbar %full[%s] bytes %n
        : !llvm.ptr<1>, memref<128xvector<4xi32>, #gpu.address_space<workgroup>>,
          memref<4xi64, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins
    Arg<Cluster_GlobalPointer, "source", [MemRead]>:$source,
    Arg<AnyMemRef, "destination", [MemWrite]>:$dest,
    Variadic<Index>:$indices,
    Arg<Cluster_MBarriers, "mbarriers", [MemRead, MemWrite]>:$mbarrier,
    Variadic<Index>:$mbarrierIndices,
    I32:$bytes);
  let assemblyFormat = [{
    $source `to` $dest `[` $indices `]`
    `mbar` $mbarrier `[` $mbarrierIndices `]`
    `bytes` $bytes attr-dict
    `:` type($source) `,` type($dest) `,` type($mbarrier)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Mbarriers
//===----------------------------------------------------------------------===//

class Cluster_MBarrierOp<string mnemonic, string operand>
    : Cluster_Op<"mbarrier." # mnemonic> {
  let assemblyFormat = "$mbarrier `[` $indices `]` `,` $" # operand #
                       " attr-dict `:` type($mbarrier)";
  let hasVerifier = 1;
}

def Cluster_MBarrierInitOp : Cluster_MBarrierOp<"init", "count"> {
  let summary = "Initialises an mbarrier for `count` arrivals a phase";
  let arguments = (ins
    Arg<Cluster_MBarriers, "mbarriers", [MemWrite]>:$mbarrier,
    Variadic<Index>:$indices, I32:$count);
}

def Cluster_MBarrierExpectTxOp : Cluster_MBarrierOp<"expect_tx", "bytes"> {
  let summary = "Expects `bytes` bytes more in this phase, and arrives";
  let arguments = (ins
    Arg<Cluster_MBarriers, "mbarriers", [MemRead, MemWrite]>:$mbarrier,
    Variadic<Index>:$indices, I32:$bytes);
}

// Reads and writes all memory: what peers stored is visible only after it.
def Cluster_MBarrierWaitOp : Cluster_Op<"mbarrier.wait", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until the phase of this parity has completed";
  let description = [{
    Acquires at cluster scope: the stores that completed on the mbarrier are
    visible afterwards.
  }];
  let arguments = (ins Cluster_MBarriers:$mbarrier, Variadic<Index>:$indices,
                       I32:$parity);
  let assemblyFormat =
      "$mbarrier `[` $indices `]` `,` $parity attr-dict `:` type($mbarrier)";
  let hasVerifier = 1;
}

include "cascade/Dialect/Cluster/IR/ClusterCollectives.td"

#endif // CASCADE_DIALECT_CLUSTER_IR_CLUSTEROPS_TD
