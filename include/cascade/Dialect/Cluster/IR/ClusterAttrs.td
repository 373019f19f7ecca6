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

def Cluster_TargetConstants
    : AttrParameter<"::cascade::cluster::TargetConstants", "the numbers",
                    "const ::cascade::cluster::TargetConstants &">;

def Cluster_TargetAttr : AttrDef<Cluster_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "Capacities, rates and latencies of a GPU with clusters";
  let description = [{
    The numbers that estimates are made from (TargetConstants.h). A field that
    is not given has the value of the preset of that name (`h200`, `h100`) or of
    the preset that `base` names; other targets give all fields.

    ```mlir
    #cluster.target<name = "h200">
    #cluster.target<name = "h100-pcie", base = "h100", sms = 114, hbm_gbps = 1900>
    ```

    As the attribute `cluster.target` of a function or a module it describes the
    GPU that the kernels in it are for, in place of `--target`.
  }];
  let parameters = (ins
    StringRefParameter<"name of the device">:$name,
    Cluster_TargetConstants:$constants
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The preset called `name` (getTargetPresetNames), or null.
    static TargetAttr getPreset(::mlir::MLIRContext *context,
                                ::llvm::StringRef name);
    /// The `cluster.target` of `op` or of the nearest operation around it that
    /// has one, or null.
    static TargetAttr lookup(::mlir::Operation *op);
  }];
}

#endif // CASCADE_DIALECT_CLUSTER_IR_CLUSTERATTRS_TD
