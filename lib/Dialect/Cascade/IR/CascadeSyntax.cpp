//===- CascadeSyntax.cpp - Parsing and printing ---------------------------===//
//
// The custom syntax of chains, reductions and axis operations.
//
//===----------------------------------------------------------------------===//

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// Affine expressions over axis names
//===----------------------------------------------------------------------===//

using AxisNames = ArrayRef<std::pair<StringRef, AffineExpr>>;

/// Prints `expr` with names for dimensions; sums and products are put in
/// parentheses below a product, as the parser's precedence asks.
static void printExpr(AsmPrinter &p, AffineExpr expr, AxisNames names,
                      bool nested = false) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    p << names[dim.getPosition()].first;
    return;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    p << constant.getValue();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  StringRef sign = " + ";
  switch (binary.getKind()) {
  case AffineExprKind::Mul:
    sign = " * ";
    break;
  case AffineExprKind::FloorDiv:
    sign = " floordiv ";
    break;
  case AffineExprKind::CeilDiv:
    sign = " ceildiv ";
    break;
  case AffineExprKind::Mod:
    sign = " mod ";
    break;
  default:
    break;
  }
  bool sum = binary.getKind() == AffineExprKind::Add;
  if (nested)
    p << "(";
  printExpr(p, binary.getLHS(), names, /*nested=*/!sum);
  // `a + b * -1` reads as a subtraction.
  AffineExpr rhs = binary.getRHS();
  p << sign;
  printExpr(p, rhs, names,
            /*nested=*/!isa<AffineConstantExpr, AffineDimExpr>(rhs));
  if (nested)
    p << ")";
}

static void printMap(AsmPrinter &p, AffineMap map, AxisNames names) {
  p << "[";
  llvm::interleaveComma(map.getResults(), p,
                        [&](AffineExpr expr) { printExpr(p, expr, names); });
  p << "]";
}

static ParseResult parseMap(OpAsmParser &parser, AxisNames names,
                            Attribute &attr) {
  SmallVector<AffineExpr> results;
  auto parseExpr = [&]() -> ParseResult {
    return parser.parseAffineExpr(names, results.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseExpr))
    return failure();
  attr = AffineMapAttr::get(
      AffineMap::get(names.size(), 0, results, parser.getContext()));
  return success();
}

/// Parses `(name, name, ...)`.
static ParseResult parseNames(OpAsmParser &parser,
                              SmallVector<Attribute> &out) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        StringRef name;
        if (parser.parseKeyword(&name))
          return failure();
        out.push_back(StringAttr::get(parser.getContext(), name));
        return success();
      });
}

static void printNames(AsmPrinter &p, ArrayAttr names) {
  p << "(";
  llvm::interleaveComma(names.getAsRange<StringAttr>(), p,
                        [&](StringAttr name) { p << name.getValue(); });
  p << ")";
}

//===----------------------------------------------------------------------===//
// cascade.chain
//===----------------------------------------------------------------------===//

ParseResult ChainOp::parse(OpAsmParser &parser, OperationState &result) {
  MLIRContext *context = parser.getContext();
  SmallVector<Attribute> axes;
  if (parseNames(parser, axes))
    return failure();
  SmallVector<std::pair<StringRef, AffineExpr>> names;
  for (auto [number, axis] : llvm::enumerate(axes))
    names.emplace_back(cast<StringAttr>(axis).getValue(),
                       getAffineDimExpr(number, context));

  SmallVector<Attribute> inputMaps, outputMaps;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  SmallVector<Type> inputTypes, resultTypes;
  SMLoc inputsLoc = parser.getCurrentLocation();
  auto parseInput = [&]() -> ParseResult {
    return failure(parser.parseOperand(inputs.emplace_back()) ||
                   parseMap(parser, names, inputMaps.emplace_back()) ||
                   parser.parseColonType(inputTypes.emplace_back()));
  };
  auto parseOutput = [&]() -> ParseResult {
    return failure(parseMap(parser, names, outputMaps.emplace_back()) ||
                   parser.parseColonType(resultTypes.emplace_back()));
  };
  if (succeeded(parser.parseOptionalKeyword("ins")))
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput))
      return failure();
  if (parser.parseKeyword("outs") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseOutput) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();

  result.addAttribute(getAxesAttrName(result.name),
                      ArrayAttr::get(context, axes));
  result.addAttribute(getInputMapsAttrName(result.name),
                      ArrayAttr::get(context, inputMaps));
  result.addAttribute(getOutputMapsAttrName(result.name),
                      ArrayAttr::get(context, outputMaps));
  result.addTypes(resultTypes);
  if (parser.resolveOperands(inputs, inputTypes, inputsLoc, result.operands))
    return failure();
  Region *body = result.addRegion();
  Region *source = result.addRegion();
  if (parser.parseRegion(*body))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("source")))
    return parser.parseRegion(*source);
  return success();
}

void ChainOp::print(OpAsmPrinter &p) {
  SmallVector<std::pair<StringRef, AffineExpr>> names;
  for (unsigned axis = 0; axis < getNumAxes(); ++axis)
    names.emplace_back(getAxisName(axis), getAffineDimExpr(axis, getContext()));

  p << " ";
  printNames(p, getAxes());
  if (!getInputs().empty()) {
    p.printNewline();
    p << "    ins(";
    llvm::interleaveComma(llvm::seq<unsigned>(0, getInputs().size()), p,
                          [&](unsigned i) {
                            p << getInputs()[i];
                            printMap(p, getInputMap(i), names);
                            p << " : " << getInputs()[i].getType();
                          });
    p << ")";
  }
  p.printNewline();
  p << "    outs(";
  llvm::interleaveComma(llvm::seq<unsigned>(0, getNumResults()), p,
                        [&](unsigned i) {
                          printMap(p, getOutputMap(i), names);
                          p << " : " << getResult(i).getType();
                        });
  p << ")";
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getAxesAttrName(), getInputMapsAttrName(), getOutputMapsAttrName()});
  p << " ";
  p.printRegion(getBody());
  if (isFused()) {
    p << " source ";
    p.printRegion(getSource());
  }
}

void ChainOp::getAsmBlockArgumentNames(Region &region,
                                       OpAsmSetValueNameFn setName) {}

//===----------------------------------------------------------------------===//
// cascade.reduce
//===----------------------------------------------------------------------===//

/// Parses `%v as guard : type`; the guard may be missing.
static ParseResult
parseReference(OpAsmParser &parser,
               SmallVector<OpAsmParser::UnresolvedOperand> &refs,
               SmallVector<Type> &types, SmallVector<int32_t> &guards) {
  if (parser.parseOperand(refs.emplace_back()))
    return failure();
  ReferenceGuard guard = ReferenceGuard::None;
  if (succeeded(parser.parseOptionalKeyword("as"))) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    auto parsed = symbolizeReferenceGuard(word);
    if (!parsed)
      return parser.emitError(loc)
             << "'" << word
             << "' is not a guard; use plain, exponent, divisor or centre";
    guard = *parsed;
  }
  guards.push_back(static_cast<int32_t>(guard));
  return parser.parseColonType(types.emplace_back());
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  MLIRContext *context = parser.getContext();
  SMLoc kindLoc = parser.getCurrentLocation();
  StringRef kindWord;
  if (parser.parseKeyword(&kindWord))
    return failure();
  std::optional<ReductionKind> kind = symbolizeReductionKind(kindWord);
  if (!kind)
    return parser.emitError(kindLoc)
           << "'" << kindWord
           << "' is not a reduction kind; use add, mul, max, "
              "min, maxnum, minnum, maxsi, maxui, minsi, minui, and, or, xor, "
              "argmax, argmin, topk or combine";

  SmallVector<OpAsmParser::UnresolvedOperand> values, predicates, inits, refs;
  SmallVector<Type> refTypes, types;
  SmallVector<int32_t> guards;
  SmallVector<Attribute> over;
  Region *combiner = result.addRegion();
  Region *correction = result.addRegion();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(values) || parser.parseKeyword("over") ||
      parseNames(parser, over))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("where")) &&
      parser.parseOperand(predicates.emplace_back()))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("into"))) {
    StringRef axis;
    if (parser.parseLParen() || parser.parseKeyword(&axis) ||
        parser.parseRParen())
      return failure();
    result.addAttribute(getIntoAttrName(result.name),
                        StringAttr::get(context, axis));
  }
  if (succeeded(parser.parseOptionalKeyword("init")) &&
      parser.parseOperandList(inits, AsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("with")) &&
      parser.parseRegion(*combiner))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("refs")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        return parseReference(parser, refs, refTypes, guards);
      }))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("correct")) &&
      parser.parseRegion(*correction))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonTypeList(types))
    return failure();

  if (!guards.empty())
    result.addAttribute(getGuardsAttrName(result.name),
                        DenseI32ArrayAttr::get(context, guards));
  result.addAttribute(getKindAttrName(result.name),
                      ReductionKindAttr::get(context, *kind));
  result.addAttribute(getOverAttrName(result.name),
                      ArrayAttr::get(context, over));
  result.addAttribute("operandSegmentSizes",
                      parser.getBuilder().getDenseI32ArrayAttr(
                          {static_cast<int32_t>(values.size()),
                           static_cast<int32_t>(predicates.size()),
                           static_cast<int32_t>(inits.size()),
                           static_cast<int32_t>(refs.size())}));
  result.addTypes(types);
  Type i1 = parser.getBuilder().getI1Type();
  SmallVector<Type> predicateTypes(predicates.size(), i1);
  ArrayRef<Type> initTypes = ArrayRef<Type>(types);
  if (inits.size() != types.size())
    initTypes = initTypes.take_front(0);
  return failure(
      parser.resolveOperands(values, types, loc, result.operands) ||
      parser.resolveOperands(predicates, predicateTypes, loc,
                             result.operands) ||
      parser.resolveOperands(inits, initTypes, loc, result.operands) ||
      parser.resolveOperands(refs, refTypes, loc, result.operands));
}

void ReduceOp::print(OpAsmPrinter &p) {
  p << " " << stringifyReductionKind(getKind()) << " " << getValues()
    << " over ";
  printNames(p, getOver());
  if (getPredicate())
    p << " where " << getPredicate();
  if (auto into = getInto())
    p << " into (" << *into << ")";
  if (!getInits().empty())
    p << " init(" << getInits() << ")";
  if (!getCombiner().empty()) {
    p << " with ";
    p.printRegion(getCombiner());
  }
  if (!getRefs().empty()) {
    p << " refs(";
    llvm::interleaveComma(llvm::enumerate(getRefs()), p, [&](auto item) {
      p << item.value();
      ReferenceGuard guard = getGuard(item.index());
      if (guard != ReferenceGuard::None)
        p << " as " << stringifyReferenceGuard(guard);
      p << " : " << item.value().getType();
    });
    p << ")";
  }
  if (!getCorrection().empty()) {
    p << " correct ";
    p.printRegion(getCorrection());
  }
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {getKindAttrName(), getOverAttrName(),
                           getIntoAttrName(), getGuardsAttrName(),
                           getOperandSegmentSizesAttrName()});
  p << " : " << getResultTypes();
}

void ReduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults() == 1)
    setName(getResult(0), stringifyReductionKind(getKind()));
}

//===----------------------------------------------------------------------===//
// cascade.index, cascade.extent
//===----------------------------------------------------------------------===//

template <typename OpTy>
static ParseResult parseAxisOp(OpAsmParser &parser, OperationState &result) {
  StringRef axis;
  Type type;
  if (parser.parseKeyword(&axis) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addAttribute(OpTy::getAxisAttrName(result.name),
                      StringAttr::get(parser.getContext(), axis));
  result.addTypes(type);
  return success();
}

template <typename OpTy>
static void printAxisOp(OpAsmPrinter &p, OpTy op) {
  p << " " << op.getAxis();
  p.printOptionalAttrDict(op->getAttrs(), {op.getAxisAttrName()});
  p << " : " << op.getType();
}

ParseResult IndexOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseAxisOp<IndexOp>(parser, result);
}
void IndexOp::print(OpAsmPrinter &p) { printAxisOp(p, *this); }
ParseResult ExtentOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseAxisOp<ExtentOp>(parser, result);
}
void ExtentOp::print(OpAsmPrinter &p) { printAxisOp(p, *this); }
