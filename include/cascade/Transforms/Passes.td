//===- Passes.td - Transformations of chains ---------------*- tablegen -*-===//

#ifndef CASCADE_TRANSFORMS_PASSES
#define CASCADE_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def FuseCascadesPass : Pass<"cascade-fuse"> {
  let summary = "fuse the dependent reductions of each chain into few passes";
  let description = [{
    Decides by the split test which reductions run in one pass over the data and
    rewrites each chain into the fused form: references and corrections on the
    reductions, deferred factors after them, the body as written kept as the
    source. Reports what it decided as remarks of the category `cascade-fuse`.
  }];
  let dependentDialects = ["::cascade::CascadeDialect"];
}

def WidenChainsPass : Pass<"cascade-widen"> {
  let summary = "evaluate chains in f64, with their narrowing casts kept";
  let description = [{
    The reference evaluation R of docs/Semantics.md: every float operation is
    done in f64; a narrowing cast of the source still rounds to its type.
  }];
  let dependentDialects = ["::cascade::CascadeDialect"];
}

def SplitStatesPass : Pass<"cascade-split-states", "::mlir::ModuleOp"> {
  let summary = "add functions that compute a chain where its data lies apart";
  let description = [{
    For every function @f with a chain, which it keeps: @f_states computes the
    state of a part of an axis, @f_merge the state of several parts, @f_finish
    the results of @f from them.
  }];
  let dependentDialects = ["::cascade::CascadeDialect"];
  let options = [
    Option<"axis", "axis", "std::string", "\"\"",
           "the axis that is in parts; by default the one that kernels stream">
  ];
}

def ScheduleChainsPass : Pass<"cascade-schedule"> {
  let summary = "give every chain without a mapping one";
  let dependentDialects = ["::cascade::CascadeDialect",
                           "::cascade::cluster::ClusterDialect"];
  let options = [
    Option<"cluster", "cluster", "int64_t", "0",
           "blocks a cluster, 1 to 16; 0 chooses">,
    Option<"mapping", "mapping", "std::string", "\"\"",
           "the mapping attribute to use for every chain">,
    Option<"target", "target", "std::string", "\"h200\"",
           "the GPU to estimate times for: h200 or h100">
  ];
}

#endif // CASCADE_TRANSFORMS_PASSES
