//===- ClusterCollectives.td - Collectives of the cluster dialect -*- tablegen -*-===//
//
// Exchanges of tuples of scalars between the threads of a scope.
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
class Cluster_Collective<string mnemonic, list<Trait> traits = []>
    : Cluster_Op<mnemonic, traits # [
        MemoryEffects<[MemRead<Cluster_ExchangeResource>]>]> {
  dag participants = (ins
    Cluster_ScopeAttr:$scope,
    DefaultValuedAttr<Cluster_AlgorithmAttr, "Algorithm::Auto">:$algorithm,
    DefaultValuedAttr<I32Attr, "32">:$lanes,
    DefaultValuedAttr<I32Attr, "1">:$stride,
    OptionalAttr<I32Attr>:$warps);
  string participantsFormat =
      "custom<Participants>($scope, $algorithm, $lanes, $stride, $warps)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def Cluster_YieldOp : Cluster_Op<"yield", [
    Pure, Terminator, ParentOneOf<["AllReduceOp", "ReduceOp"]>]> {
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

    `kind(...)` names one reduction for each operand. Otherwise a region merges
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

def Cluster_ReduceOp : Cluster_Collective<"reduce", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "Combines the tuples of all threads of a scope, for one rank";
  let description = [{
    As `cluster.all_reduce`, but the result is defined only in rank `root` of
    the scope (lane group's lane, warp or block). With `scatter` instead of
    `root`, the operands are vectors of a length that the number N of ranks
    divides, and the first 1/N of rank r's result is slice r.
  }];
  let arguments = !con((ins Variadic<AnyType>:$inputs), participants,
                       (ins OptionalAttr<I32Attr>:$root, UnitAttr:$scatter,
                            OptionalAttr<Cluster_KindArrayAttr>:$kinds));
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region AnyRegion:$merge);
  let assemblyFormat = "`(` $inputs `)` " # participantsFormat # [{
    (`root` `(` $root^ `)`)? (`scatter` $scatter^)?
    (`kind` `(` custom<Kinds>($kinds)^ `)`)? attr-dict
    `:` type($inputs) custom<MergeRegion>($merge)
  }];
  let hasRegionVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

def Cluster_AllGatherOp : Cluster_Collective<"all_gather", []> {
  let summary = "The values of all ranks of a scope, for all of them";
  let description = [{
    Operand k is a scalar; result k is a vector with one element a rank.
  }];
  let arguments = !con((ins Variadic<AnyType>:$inputs), participants);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = "`(` $inputs `)` " # participantsFormat # [{
    attr-dict `:` functional-type($inputs, $results)
  }];
}

def Cluster_GatherOp : Cluster_Collective<"gather", []> {
  let summary = "The values of all ranks of a scope, for one rank";
  let arguments = !con((ins Variadic<AnyType>:$inputs), participants,
                       (ins I32Attr:$root));
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$results);
  let assemblyFormat = "`(` $inputs `)` " # participantsFormat # [{
    `root` `(` $root `)` attr-dict `:` functional-type($inputs, $results)
  }];
}

def Cluster_BroadcastOp : Cluster_Collective<"broadcast", [
    DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "The tuple of one rank of a scope, for all of them";
  let arguments = !con((ins Variadic<AnyType>:$inputs), participants,
                       (ins I32Attr:$root));
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "`(` $inputs `)` " # participantsFormat # [{
    `root` `(` $root `)` attr-dict `:` type($inputs)
  }];
}

#endif // CASCADE_DIALECT_CLUSTER_IR_CLUSTERCOLLECTIVES_TD
