//===- ClusterCollectives.td - Collectives of the cluster dialect -*- tablegen -*-===//
//
// Exchanges of tuples between the threads of a scope, and of slices of shared
// memory between the blocks of a cluster.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_DIALECT_CLUSTER_IR_CLUSTERCOLLECTIVES_TD
#define CASCADE_DIALECT_CLUSTER_IR_CLUSTERCOLLECTIVES_TD

include "cascade/Dialect/Cluster/IR/ClusterDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Cluster_ExchangeResource : Resource<"::cascade::cluster::ExchangeResource">;

/// A collective only reads (from the other threads), so that it may be removed
/// or merged with its equal; the effect keeps it from being moved into a branch
/// or out of a loop, where other threads would not take part.
///
/// An element of a tuple is a scalar or a vector of one dimension, of f64 f32
/// f16 bf16 i64 i32 i16 i8 or i1. `workspace` is global memory for
/// algorithm(global), of i32 words.
class Cluster_Collective<string mnemonic, list<Trait> traits = []>
    : Cluster_Op<mnemonic, traits # [
        AttrSizedOperandSegments,
        MemoryEffects<[MemRead<Cluster_ExchangeResource>]>]> {
  dag participants = (ins
    Optional<AnyMemRef>:$workspace,
    Cluster_ScopeAttr:$scope,
    DefaultValuedAttr<Cluster_AlgorithmAttr, "Algorithm::Auto">:$algorithm,
    DefaultValuedAttr<I32Attr, "32">:$lanes,
    DefaultValuedAttr<I32Attr, "1">:$stride,
    OptionalAttr<I32Attr>:$warps);
  string participantsFormat =
      "custom<Participants>($scope, $algorithm, $lanes, $stride, $warps)"
      "(`workspace` `(` $workspace^ `:` type($workspace) `)`)?";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def Cluster_YieldOp : Cluster_Op<"yield", [
    Pure, Terminator, ParentOneOf<["AllReduceOp", "ReduceOp", "SliceAllReduceOp",
                 "SliceReduceOp"]>]> {
  let summary = "Ends a merge region";
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ /* nothing */ }]>];
}

def Cluster_AllReduceOp : Cluster_Collective<"all_reduce", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    SingleBlock]> {
  let summary = "Combines the tuples of all threads of a scope, for all of them";
  let description = [{
    Every thread of the scope contributes a tuple and gets the combination of
    all tuples; the result has the same bits in all of them and in every run.

    * `scope(warp)`: groups of `lanes` consecutive lanes. With `lanes(L, stride
      S)`, a lane's group are the L lanes of its aligned run of L * S whose
      numbers differ from its own in multiples of S: lane group k of the 32 / L
      has the lanes with k in place of the remaining digits. L and S are powers
      of two, L * S is at most 32.
    * `scope(block)`: `warps` consecutive warps of the block combine (default:
      all). With `lanes` below 32, lane group k of each of these warps.
    * `scope(cluster)`: as `block`, and the same group of every block of the
      cluster.

    All threads of the block (of the cluster) execute the operation, so a
    condition around it is uniform over the block (the cluster).

    `kind(...)` names one reduction for each operand, of vectors element by
    element. Otherwise a region merges
    two states: its arguments are the state of the lower rank, then that of the
    higher. It is called in rank order and need not commute.

    With a second region after `lanewise`, all lanes of a group combine their
    states in one step instead of in rounds of merges: its arguments are the
    state of a lane, and what it yields is the combination, by all-reduces of
    scope(warp) in it that take as many lanes as there are states, at the
    stride of the whole, whatever their own `lanes`. A state that is relative to others (a sum, to a maximum)
    is corrected once this way. It must agree with the merge region, which
    remains for what is not a power of two of states.

    ```mlir
    %s = cluster.all_reduce(%x) scope(block) kind(add) : f32
    %m2, %t2 = cluster.all_reduce(%m, %t) scope(cluster) lanes(32) warps(8)
        : f32, f32 {
    ^bb0(%ma: f32, %ta: f32, %mb: f32, %tb: f32):
      ...
      cluster.yield %m3, %t3 : f32, f32
    }
    ```
  }];
  let arguments = !con((ins Variadic<AnyType>:$inputs), participants,
                       (ins OptionalAttr<Cluster_KindArrayAttr>:$kinds));
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region AnyRegion:$merge, AnyRegion:$lanewise);
  let assemblyFormat = "`(` $inputs `)` " # participantsFormat # [{
    (`kind` `(` custom<Kinds>($kinds)^ `)`)? attr-dict
    `:` type($inputs) custom<MergeRegions>($merge, $lanewise)
  }];
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    // The short form, one kind an operand.
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "Scope":$scope,
                   "::llvm::ArrayRef<Kind>":$kinds,
                   CArg<"int32_t", "32">:$lanes,
                   CArg<"std::optional<int32_t>", "{}">:$warps,
                   CArg<"Algorithm", "Algorithm::Auto">:$algorithm,
                   CArg<"int32_t", "1">:$stride)>,
    // `merge(builder, loc, lower, higher)` returns the merged state; null
    // leaves a block with arguments for the caller to fill and terminate.
    // `lanewise(builder, loc, state)`, if any, returns that of all lanes.
    OpBuilder<(ins "::mlir::ValueRange":$inputs, "Scope":$scope,
                   "MergeBuilder":$merge,
                   CArg<"int32_t", "32">:$lanes,
                   CArg<"std::optional<int32_t>", "{}">:$warps,
                   CArg<"Algorithm", "Algorithm::Auto">:$algorithm,
                   CArg<"LanewiseBuilder", "{}">:$lanewise,
                   CArg<"int32_t", "1">:$stride)>];
}

def Cluster_ReduceOp : Cluster_Collective<"reduce", []> {
  let summary = "Combines the tuples of all threads of a scope, for one rank";
  let description = [{
    As `cluster.all_reduce`, but the result is defined only in rank `root` of
    the scope: the lane of a group, the warp of a group, or the block. With
    `scatter` instead of `root`, the operands are vectors of a length that the
    number N of ranks divides, rank r gets slice r of the N of their
    combination, and a merge region merges states of single elements.

    ```mlir
    %0 = cluster.reduce(%x) scope(block) root(0) kind(add) : f32
    %1 = cluster.reduce(%v) scope(cluster) scatter kind(max)
        : (vector<16xf32>) -> vector<2xf32>
    ```
  }];
  let arguments = !con((ins Variadic<AnyType>:$inputs), participants,
                       (ins OptionalAttr<I32Attr>:$root, UnitAttr:$scatter,
                            OptionalAttr<Cluster_KindArrayAttr>:$kinds));
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region AnyRegion:$merge);
  let assemblyFormat = "`(` $inputs `)` " # participantsFormat # [{
    (`root` `(` $root^ `)`)? (`scatter` $scatter^)?
    (`kind` `(` custom<Kinds>($kinds)^ `)`)? attr-dict
    `:` custom<ReducedTypes>(type($inputs), type($results))
    custom<MergeRegion>($merge)
  }];
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Moves the tuple of each rank: that of its first thread. The ranks of
/// scope(warp) are the lanes of a group, those of scope(block) the `warps` of a
/// group (lane group k of each, where `lanes` is below 32), those of
/// scope(cluster) the blocks (the same group of each).
class Cluster_Gathering<string mnemonic, dag root, string rootFormat>
    : Cluster_Collective<mnemonic, []> {
  let arguments = !con((ins Variadic<AnyType>:$inputs), participants, root);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = "`(` $inputs `)` " # participantsFormat # rootFormat # [{
    attr-dict `:` functional-type($inputs, $results)
  }];
}

def Cluster_AllGatherOp : Cluster_Gathering<"all_gather", (ins), ""> {
  let summary = "The tuples of all ranks of a scope, for all of them";
  let description = [{
    Result k is a vector with the elements of operand k of every rank, in rank
    order: N elements for a scalar, N * m for a vector of m. The tuple of a
    rank is that of its first thread: of a lane in scope(warp), of the first
    lane of a warp's lane group in scope(block), of the first thread of a
    block's group in scope(cluster).

    ```mlir
    %0 = cluster.all_gather(%x) scope(cluster) : (f32) -> vector<8xf32>
    ```
  }];
}

def Cluster_GatherOp
    : Cluster_Gathering<"gather",
                        (ins OptionalAttr<I32Attr>:$root, UnitAttr:$scatter),
                        "(`root` `(` $root^ `)`)? (`scatter` $scatter^)?"> {
  let summary = "The tuples of all ranks of a scope, for one rank";
  let description = [{
    As `cluster.all_gather`; the result is defined only in rank `root`. With
    `scatter` instead, which takes scope(cluster), the N blocks share the work:
    the result of the groups in warps w * `warps` and on is defined in block
    w mod N.

    ```mlir
    %0 = cluster.gather(%x) scope(cluster) root(0) : (f32) -> vector<8xf32>
    %1 = cluster.gather(%x) scope(cluster) lanes(1) warps(1) scatter
        : (f32) -> vector<8xf32>
    ```
  }];
}

def Cluster_BroadcastOp : Cluster_Collective<"broadcast", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "The tuple of one rank of a scope, for all of them";
  let description = [{
    The tuple of rank `root`, which is that of its first thread.
  }];
  let arguments = !con((ins Variadic<AnyType>:$inputs), participants,
                       (ins I32Attr:$root));
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "`(` $inputs `)` " # participantsFormat # [{
    `root` `(` $root `)` attr-dict `:` type($inputs)
  }];
}

//===----------------------------------------------------------------------===//
// Slices of shared memory
//===----------------------------------------------------------------------===//

/// A collective in place on a buffer of every block's shared memory. Slice r of
/// N is elements r * length / N up to the next; a slice is a multiple of 16
/// bytes, and the buffer at most 64 KiB. All threads of the cluster execute it.
class Cluster_SliceOp<string mnemonic, dag options, string optionsFormat>
    : Cluster_Op<"slice." # mnemonic> {
  let arguments = !con(
      (ins Arg<AnyMemRef, "of every block", [MemRead, MemWrite]>:$buffer,
           DefaultValuedAttr<Cluster_AlgorithmAttr, "Algorithm::Auto">
               :$algorithm),
      options);
  let assemblyFormat = "$buffer custom<OptionalAlgorithm>($algorithm)" #
                       optionsFormat;
  let hasVerifier = 1;
}

class Cluster_SliceReduction<string mnemonic, dag options, string optionsFormat>
    : Cluster_SliceOp<mnemonic,
          !con(options, (ins OptionalAttr<Cluster_KindArrayAttr>:$kinds)),
          optionsFormat # [{
            (`kind` `(` custom<Kinds>($kinds)^ `)`)? attr-dict
            `:` type($buffer) custom<MergeRegion>($merge)
          }]> {
  let regions = (region AnyRegion:$merge);
  let hasRegionVerifier = 1;
}

class Cluster_SliceMovement<string mnemonic, dag options, string optionsFormat>
    : Cluster_SliceOp<mnemonic, options,
          optionsFormat # "attr-dict `:` type($buffer)">;

def Cluster_SliceAllReduceOp
    : Cluster_SliceReduction<"all_reduce", (ins), ""> {
  let summary = "Combines a buffer over the cluster, element by element";
  let description = [{
    Afterwards the buffer of every block holds the combination, with the same
    bits. A merge region merges states of one element, in rank order.

    ```mlir
    cluster.slice.all_reduce %m kind(add)
        : memref<256xi32, #gpu.address_space<workgroup>>
    ```
  }];
}

def Cluster_SliceReduceOp
    : Cluster_SliceReduction<"reduce",
          (ins OptionalAttr<I32Attr>:$root, UnitAttr:$scatter),
          "(`root` `(` $root^ `)`)? (`scatter` $scatter^)?"> {
  let summary = "Combines a buffer over the cluster, for one block or in slices";
  let description = [{
    Afterwards the buffer of block `root` holds the combination, or, with
    `scatter`, slice r of the buffer of block r. The rest of the buffers is
    as it was, but that algorithm(scatter) leaves slice r of block r combined.
  }];
}

def Cluster_SliceAllGatherOp
    : Cluster_SliceMovement<"all_gather", (ins), ""> {
  let summary = "Slice r of every buffer becomes that of block r";
}

def Cluster_SliceGatherOp
    : Cluster_SliceMovement<"gather", (ins I32Attr:$root),
                            "`root` `(` $root `)`"> {
  let summary = "Slice r of block `root`'s buffer becomes that of block r";
}

def Cluster_SliceBroadcastOp
    : Cluster_SliceMovement<"broadcast", (ins I32Attr:$root),
                            "`root` `(` $root `)`"> {
  let summary = "Every buffer becomes that of block `root`";
}

#endif // CASCADE_DIALECT_CLUSTER_IR_CLUSTERCOLLECTIVES_TD
