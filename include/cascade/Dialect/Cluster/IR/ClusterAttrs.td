//===- ClusterAttrs.td - Attributes of the cluster dialect ---*- tablegen -*-===//

#ifndef CASCADE_DIALECT_CLUSTER_IR_CLUSTERATTRS_TD
#define CASCADE_DIALECT_CLUSTER_IR_CLUSTERATTRS_TD

include "cascade/Dialect/Cluster/IR/ClusterDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Cluster_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::cascade::cluster";
  let genSpecializedAttr = 0;
}

class Cluster_EnumAttr<Cluster_Enum e, string mnemonic>
    : EnumAttr<Cluster_Dialect, e, mnemonic> {
  let assemblyFormat = "$value";
}

// Which threads exchange: the lanes of a warp, the warps of a block, or the
// blocks of a cluster.
def Cluster_Scope : Cluster_Enum<"Scope", "threads that exchange", [
  I32EnumAttrCase<"Warp", 0, "warp">,
  I32EnumAttrCase<"Block", 1, "block">,
  I32EnumAttrCase<"Cluster", 2, "cluster">,
]>;
def Cluster_ScopeAttr : Cluster_EnumAttr<Cluster_Scope, "scope">;

// How blocks exchange their states.
def Cluster_Algorithm : Cluster_Enum<"Algorithm", "exchange between blocks", [
  I32EnumAttrCase<"Auto", 0, "auto">,
  I32EnumAttrCase<"Mailbox", 1, "mailbox">,
  I32EnumAttrCase<"Tree", 2, "tree">,
  I32EnumAttrCase<"Ring", 3, "ring">,
  I32EnumAttrCase<"Scatter", 4, "scatter">,
  I32EnumAttrCase<"Global", 5, "global">,
]>;
def Cluster_AlgorithmAttr : Cluster_EnumAttr<Cluster_Algorithm, "algorithm">;

// The reductions with a short form. All are commutative bit for bit; `max` and
// `min` propagate NaN, `maxnum` and `minnum` ignore it.
def Cluster_Kind : Cluster_Enum<"Kind", "reduction kind", [
  I32EnumAttrCase<"Add", 0, "add">,
  I32EnumAttrCase<"Mul", 1, "mul">,
  I32EnumAttrCase<"Max", 2, "max">,
  I32EnumAttrCase<"Min", 3, "min">,
  I32EnumAttrCase<"MaxNum", 4, "maxnum">,
  I32EnumAttrCase<"MinNum", 5, "minnum">,
  I32EnumAttrCase<"MaxSI", 6, "maxsi">,
  I32EnumAttrCase<"MaxUI", 7, "maxui">,
  I32EnumAttrCase<"MinSI", 8, "minsi">,
  I32EnumAttrCase<"MinUI", 9, "minui">,
  I32EnumAttrCase<"And", 10, "and">,
  I32EnumAttrCase<"Or", 11, "or">,
  I32EnumAttrCase<"Xor", 12, "xor">,
]>;
def Cluster_KindAttr : Cluster_EnumAttr<Cluster_Kind, "kind">;
def Cluster_KindArrayAttr
    : TypedArrayAttrBase<Cluster_KindAttr, "reduction kinds, one an operand">;

// What a barrier instruction does: both halves, the arrival, or the wait.
def Cluster_BarrierPhase : Cluster_Enum<"BarrierPhase", "half of a barrier", [
  I32EnumAttrCase<"Full", 0, "full">,
  I32EnumAttrCase<"Arrive", 1, "arrive">,
  I32EnumAttrCase<"Wait", 2, "wait">,
]>;
def Cluster_BarrierPhaseAttr
    : Cluster_EnumAttr<Cluster_BarrierPhase, "barrier_phase">;

// Ordering of an arrival. `relaxed` publishes no data.
def Cluster_Ordering : Cluster_Enum<"Ordering", "ordering of an arrival", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">,
  I32EnumAttrCase<"Release", 1, "release">,
]>;
def Cluster_OrderingAttr : Cluster_EnumAttr<Cluster_Ordering, "ordering">;

def Cluster_Fence : Cluster_Enum<"FenceKind", "what a fence orders", [
  I32EnumAttrCase<"MBarrierInit", 0, "mbarrier_init">,
  I32EnumAttrCase<"ProxyAsync", 1, "proxy_async">,
  I32EnumAttrCase<"ProxyAsyncShared", 2, "proxy_async_shared">,
  I32EnumAttrCase<"AcqRelCluster", 3, "acq_rel_cluster">,
]>;
def Cluster_FenceAttr : Cluster_EnumAttr<Cluster_Fence, "fence_kind">;

//===----------------------------------------------------------------------===//
// Target description
//===----------------------------------------------------------------------===//

def Cluster_TargetAttr : AttrDef<Cluster_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "Capacities and measured latencies of a GPU with clusters";
  let description = [{
    Sizes are in bytes, latencies in cycles of the SM clock (kHz), bandwidths
    in GB/s. `residency[k]` is how many blocks fit on the device at full
    shared memory in clusters of 2^k; `mailbox_cycles[k]` and `tree_cycles[k]`
    are an all-reduce of one f32 over 2^(k+1) blocks of 128 threads.
  }];
  let parameters = (ins
    StringRefParameter<"name of the device">:$name,
    "int32_t":$sms,
    "int32_t":$portable_cluster,
    "int32_t":$max_cluster,
    "int64_t":$shared_per_block,
    "int64_t":$registers_per_sm,
    "int64_t":$threads_per_sm,
    "int64_t":$l2_bytes,
    "int64_t":$clock_khz,
    "int64_t":$hbm_gbps,
    "int64_t":$dsmem_gbps,
    "int32_t":$shared_latency,
    "int32_t":$dsmem_latency,
    "int32_t":$cluster_barrier_cycles,
    ArrayRefParameter<"int32_t">:$residency,
    ArrayRefParameter<"int32_t">:$mailbox_cycles,
    ArrayRefParameter<"int32_t">:$tree_cycles
  );
  // Arrays are enclosed in brackets: a bare list would swallow the next field.
  let assemblyFormat = [{
    `<` `name` `=` $name `,` `sms` `=` $sms `,`
    `portable_cluster` `=` $portable_cluster `,`
    `max_cluster` `=` $max_cluster `,`
    `shared_per_block` `=` $shared_per_block `,`
    `registers_per_sm` `=` $registers_per_sm `,`
    `threads_per_sm` `=` $threads_per_sm `,`
    `l2_bytes` `=` $l2_bytes `,` `clock_khz` `=` $clock_khz `,`
    `hbm_gbps` `=` $hbm_gbps `,` `dsmem_gbps` `=` $dsmem_gbps `,`
    `shared_latency` `=` $shared_latency `,`
    `dsmem_latency` `=` $dsmem_latency `,`
    `cluster_barrier_cycles` `=` $cluster_barrier_cycles `,`
    `residency` `=` `[` $residency `]` `,`
    `mailbox_cycles` `=` `[` $mailbox_cycles `]` `,`
    `tree_cycles` `=` `[` $tree_cycles `]` `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The preset called `name` ("h200" or "h100"), or null for another name.
    static TargetAttr getPreset(::mlir::MLIRContext *context,
                                ::llvm::StringRef name);
  }];
}

#endif // CASCADE_DIALECT_CLUSTER_IR_CLUSTERATTRS_TD
