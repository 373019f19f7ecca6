//===- CascadeOps.td - Operations of the cascade dialect ---*- tablegen -*-===//

#ifndef CASCADE_OPS
#define CASCADE_OPS

include "CascadeAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

class Cascade_Op<string mnemonic, list<Trait> traits = []>
    : Op<Cascade_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Chain
//===----------------------------------------------------------------------===//

def Cascade_ChainOp : Cascade_Op<"chain", [
    IsolatedFromAbove, Pure,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a chain of dependent reductions over named axes";
  let description = [{
    ```mlir
    %y = cascade.chain (i, l) ins(%x[i, l] : tensor<8x?xf32>)
        outs([i, l] : tensor<8x?xf32>) {
    ^bb0(%e: f32):
      %m = cascade.reduce max %e over (l) : f32
      %d = arith.subf %e, %m : f32
      cascade.yield %d : f32
    }
    ```
    An operand is a ranked tensor, indexed by affine expressions of the axes, or
    a scalar with the empty map `[]`. A result's map is a list of distinct bare
    axes and includes every axis that the yielded value varies over; more axes
    broadcast.

    C1. Axes have distinct names. C2. A map has one result a dimension. C3. Every
    axis has an extent: a bare axis in an operand's map, or a static dimension of
    a result. C4. Static extents agree. C5. Composite expressions stay in bounds.
    C6. A result's map lists distinct bare axes and all the axes that its value
    varies over. C7. The body holds pure `arith`, `math` and `cascade` operations.

    In a fused chain the second region, `source`, keeps the body as written: it
    is what a row is replayed from where the terminator's `replay` holds.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrArrayAttr:$axes,
                   AffineMapArrayAttr:$input_maps,
                   AffineMapArrayAttr:$output_maps,
                   OptionalAttr<StrArrayAttr>:$allow,
                   OptionalAttr<Cascade_MappingAttr>:$mapping);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$source);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    bool isFused() { return !getSource().empty(); }
    unsigned getNumAxes() { return getAxes().size(); }
    ::llvm::StringRef getAxisName(unsigned axis) {
      return ::llvm::cast<::mlir::StringAttr>(getAxes()[axis]).getValue();
    }
    /// The number of axis `name`, or -1.
    int64_t getAxisNumber(::llvm::StringRef name);
    ::mlir::AffineMap getInputMap(unsigned input) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getInputMaps()[input])
          .getValue();
    }
    ::mlir::AffineMap getOutputMap(unsigned result) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getOutputMaps()[result])
          .getValue();
    }
    /// The extent of each axis; ShapedType::kDynamic where only run time knows.
    ::llvm::SmallVector<int64_t> getStaticExtents();
    /// The operand and dimension that fix a dynamic axis; (-1, -1) if none does.
    std::pair<int64_t, int64_t> getExtentSource(unsigned axis);
    bool allows(::llvm::StringRef what);
  }];
}

//===----------------------------------------------------------------------===//
// Body operations
//===----------------------------------------------------------------------===//

def Cascade_ReduceOp : Cascade_Op<"reduce", [
    Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a reduction over axes of the chain";
  let description = [{
    ```mlir
    %m = cascade.reduce max %s over (l) where %in : f32
    %k, %i = cascade.reduce argmax %key, %index over (l) : f32, i32
    %v, %j = cascade.reduce topk %key, %index over (l) into (k) : f32, i32
    %a:2 = cascade.reduce combine %x, %y over (l) init(%c0, %c1) with {
    ^bb0(%x0: f32, %y0: f32, %x1: f32, %y1: f32):
      ...
      cascade.yield %x2, %y2 : f32, f32
    } : f32, f32
    ```
    Iterations whose predicate is false are not in the domain: their value is
    neither looked at nor loaded, and no iterations at all give the identity.

    In a fused chain a reduction may carry references: values of earlier
    reductions of the same pass that its accumulators are expressed against.
    `correct` brings the accumulators from old references to new ones (block
    arguments: accumulators, old references, new references; the references are
    guarded ones). It fixes the identity, and it is the identity between equal
    references. Without its references and correction a reduction means the same.

    R1. Axes exist and are distinct. R2. The kind fits the type. R3. Operand and
    result types agree. R4. argmax, argmin, topk have a key and an integer index.
    R5. topk, and it alone, names one new axis: of static extent, 1 to 64, and
    not one that its values vary over. R6. combine, and it alone, has
    initial values and a combiner. R7. References and correction go together.
  }];
  let arguments = (ins Cascade_ReductionKindAttr:$kind,
                   Variadic<AnyType>:$values, Optional<I1>:$predicate,
                   Variadic<AnyType>:$inits, Variadic<AnyType>:$refs,
                   StrArrayAttr:$over, OptionalAttr<StrAttr>:$into,
                   OptionalAttr<DenseI32ArrayAttr>:$guards);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region AnyRegion:$combiner, AnyRegion:$correction);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool isOver(::llvm::StringRef axis);
    /// The most entries that a topk keeps.
    static constexpr int64_t maxEntries = 64;
    /// The number of entries that a topk keeps; 1 for every other kind.
    int64_t getNumEntries();
    ReferenceGuard getGuard(unsigned ref) {
      return static_cast<ReferenceGuard>((*getGuards())[ref]);
    }
  }];
}

class Cascade_AxisOp<string mnemonic> : Cascade_Op<mnemonic, [Pure]> {
  let arguments = (ins StrAttr:$axis);
  let results = (outs AnyTypeOf<[AnySignlessInteger, Index]>:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Cascade_IndexOp : Cascade_AxisOp<"index"> {
  let summary = "the index of this iteration on an axis";
}

def Cascade_ExtentOp : Cascade_AxisOp<"extent"> {
  let summary = "the extent of an axis";
  let hasFolder = 1;
}

def Cascade_YieldOp : Cascade_Op<"yield", [
    Pure, Terminator, AttrSizedOperandSegments,
    ParentOneOf<["ChainOp", "ReduceOp"]>]> {
  let summary = "the values of a chain, a combiner or a correction";
  let description = [{
    In a fused chain `replay %condition` may stand before the types: where it
    holds, the results are those of the source region.
  }];
  let arguments = (ins Variadic<AnyType>:$values, Optional<I1>:$replay);
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$values), [{
    build($_builder, $_state, values, ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    ($values^)? (`replay` $replay^)? attr-dict (`:` type($values)^)?
  }];
}

#endif // CASCADE_OPS
