//===- CascadeAttributes.td - Kinds, guards and mappings ---*- tablegen -*-===//

#ifndef CASCADE_ATTRIBUTES
#define CASCADE_ATTRIBUTES

include "CascadeDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Reduction kinds. Their properties (identity, type class, NaN rule) live in
// one table, Dialect/Cascade/IR/ReductionKind.h.
//===----------------------------------------------------------------------===//

class Cascade_Kind<string spelling, int value>
    : I32EnumAttrCase<!toupper(!substr(spelling, 0, 1)) # !substr(spelling, 1),
                      value, spelling>;

def Cascade_ReductionKindAttr
    : I32EnumAttr<"ReductionKind", "how a reduction combines two values", [
        Cascade_Kind<"add", 0>, Cascade_Kind<"mul", 1>, Cascade_Kind<"max", 2>,
        Cascade_Kind<"min", 3>, Cascade_Kind<"maxnum", 4>,
        Cascade_Kind<"minnum", 5>, Cascade_Kind<"maxsi", 6>,
        Cascade_Kind<"maxui", 7>, Cascade_Kind<"minsi", 8>,
        Cascade_Kind<"minui", 9>, Cascade_Kind<"and", 10>,
        Cascade_Kind<"or", 11>, Cascade_Kind<"xor", 12>,
        Cascade_Kind<"argmax", 13>, Cascade_Kind<"argmin", 14>,
        Cascade_Kind<"topk", 15>, Cascade_Kind<"combine", 16>
      ]> {
  let cppNamespace = "::cascade";
}

def Cascade_ReferenceGuard
    : I32EnumAttr<"ReferenceGuard",
                  "what stands in for a reference that cannot be used", [
        I32EnumAttrCase<"None", 0, "plain">,
        I32EnumAttrCase<"Exponent", 1, "exponent">,
        I32EnumAttrCase<"Divisor", 2, "divisor">,
        I32EnumAttrCase<"Centre", 3, "centre">
      ]> {
  let cppNamespace = "::cascade";
  let description = [{
    While a pass runs, values are evaluated at the running value of their
    references. `exponent`: an infinite reference is taken as 0, so that an
    element equal to it does not become NaN; `divisor`: a zero or infinite one is
    taken as 1; `centre`: one that is infinite or NaN is taken as 0, as any number
    serves to centre values about; `plain`: the reference is used as it is.
  }];
}

//===----------------------------------------------------------------------===//
// Mapping
//===----------------------------------------------------------------------===//

def Cascade_Level
    : I32EnumAttr<"Level", "a level of the machine that an axis digit runs on", [
        I32EnumAttrCase<"Grid", 0, "grid">,
        I32EnumAttrCase<"Cluster", 1, "cluster">,
        I32EnumAttrCase<"Warp", 2, "warp">,
        I32EnumAttrCase<"Lane", 3, "lane">,
        I32EnumAttrCase<"Loop", 4, "loop">,
        I32EnumAttrCase<"Reg", 5, "reg">,
        I32EnumAttrCase<"Vector", 6, "vector">,
        I32EnumAttrCase<"Tile", 7, "tile">
      ]> {
  let cppNamespace = "::cascade";
}

class Cascade_Attr<string name, string attrMnemonic>
    : AttrDef<Cascade_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Cascade_DigitAttr : Cascade_Attr<"Digit", "digit"> {
  let summary = "one digit of an axis: a level with its size and stride";
  let description = [{
    `size` is the number of positions, 0 where the digit takes what is left
    (by ceiling). `stride` is the distance of two positions in the level's id,
    0 for the default packing. `resident` marks a grid of the clusters that fit
    on the machine at once.
  }];
  let parameters = (ins EnumParameter<Cascade_Level>:$level, "int64_t":$size,
                    "int64_t":$stride, "bool":$resident);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Cascade_AxisMappingAttr : Cascade_Attr<"AxisMapping", "axis"> {
  let summary = "the digits of one axis, outermost first";
  let parameters = (ins "::mlir::StringAttr":$name,
                    ArrayRefParameter<"::cascade::DigitAttr">:$digits);
  let hasCustomAssemblyFormat = 1;
}

def Cascade_PolicyAttr : Cascade_Attr<"Policy", "policy"> {
  let summary = "how one operand, axis or reduction is treated";
  let description = [{
    `subject` is the number of an operand or a reduction, or the name of an axis;
    `policy` one of the words of its list; `amount` its number, 0 where it has
    none.
  }];
  let parameters = (ins "::mlir::Attribute":$subject,
                    "::mlir::StringAttr":$policy, "int64_t":$amount);
  let hasCustomAssemblyFormat = 1;
}

def Cascade_MappingAttr : Cascade_Attr<"Mapping", "mapping"> {
  let summary = "the schedule of a chain";
  let description = [{
    ```mlir
    #cascade.mapping<i: grid, l: cluster(8) x loop x reg(4) x warp(16) x
                     lane(32) x vector(8), keep = [0: regs]>
    ```
    An axis is a product of digits, outermost first; its index is their
    mixed-radix number (docs/Dialects/Cascade.md). `contract` names the sums of
    products, counted among the reductions of the body, that an instruction of
    the tensor cores computes.
  }];
  let parameters = (ins
    ArrayRefParameter<"::cascade::AxisMappingAttr">:$axes,
    OptionalArrayRefParameter<"::cascade::PolicyAttr">:$load,
    OptionalArrayRefParameter<"::cascade::PolicyAttr">:$keep,
    OptionalArrayRefParameter<"::cascade::PolicyAttr">:$merge,
    OptionalArrayRefParameter<"::cascade::PolicyAttr">:$contract);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The digits of axis `name`, or none if the mapping does not name it.
    ::llvm::ArrayRef<DigitAttr> digitsOf(::llvm::StringRef name) const;
    /// The size of the first digit of axis `name` at `level`; 1 if it has none,
    /// 0 if that digit is unsized.
    int64_t sizeAt(::llvm::StringRef name, Level level) const;
    /// The policy word of `operand` in the keep list, or "".
    ::llvm::StringRef keepOf(unsigned operand) const;
    /// How operand `operand` is loaded ("ahead", "bulk"); empty as it is used.
    ::llvm::StringRef loadOf(unsigned operand) const;
  }];
}

#endif // CASCADE_ATTRIBUTES
