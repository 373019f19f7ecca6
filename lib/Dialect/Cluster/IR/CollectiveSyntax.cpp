//===- CollectiveSyntax.cpp - Custom parts of the operations' syntax ------===//

#include "OpSupport.h"

using namespace mlir;
using namespace cascade::cluster;

/// `(` keyword `)`, one of `symbolize`'s.
template <typename AttrT, typename SymbolizeT>
static ParseResult parseWord(OpAsmParser &parser, StringRef what,
                             SymbolizeT symbolize, AttrT &attr) {
  StringRef keyword;
  if (parser.parseLParen())
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  auto value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc)
           << "unknown " << what << " '" << keyword << "'";
  attr = AttrT::get(parser.getContext(), *value);
  return parser.parseRParen();
}

/// `(` integer `)`
static ParseResult parseNumber(OpAsmParser &parser, IntegerAttr &attr) {
  int32_t value;
  if (parser.parseLParen() || parser.parseInteger(value) ||
      parser.parseRParen())
    return failure();
  attr = parser.getBuilder().getI32IntegerAttr(value);
  return success();
}

/// algorithm ::= (`algorithm` `(` word `)`)?
ParseResult cascade::cluster::parseOptionalAlgorithm(OpAsmParser &parser,
                                                     AlgorithmAttr &algorithm) {
  algorithm = AlgorithmAttr::get(parser.getContext(), Algorithm::Auto);
  if (failed(parser.parseOptionalKeyword("algorithm")))
    return success();
  return parseWord(
      parser, "algorithm (auto, mailbox, tree, ring, scatter, global)",
      [](StringRef word) { return symbolizeAlgorithm(word); }, algorithm);
}

void cascade::cluster::printOptionalAlgorithm(OpAsmPrinter &printer,
                                              Operation *,
                                              AlgorithmAttr algorithm) {
  if (algorithm.getValue() != Algorithm::Auto)
    printer << " algorithm(" << stringifyAlgorithm(algorithm.getValue()) << ')';
}

/// lanes ::= `(` integer (`,` `stride` integer)? `)`
static ParseResult parseLanes(OpAsmParser &parser, IntegerAttr &lanes,
                              IntegerAttr &stride) {
  int32_t count, distance = 1;
  if (parser.parseLParen() || parser.parseInteger(count))
    return failure();
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("stride") || parser.parseInteger(distance)))
    return failure();
  lanes = parser.getBuilder().getI32IntegerAttr(count);
  stride = parser.getBuilder().getI32IntegerAttr(distance);
  return parser.parseRParen();
}

/// participants ::= `scope` `(` scope `)` algorithm (`lanes` lanes)?
///                  (`warps` `(` integer `)`)?
ParseResult cascade::cluster::parseParticipants(
    OpAsmParser &parser, ScopeAttr &scope, AlgorithmAttr &algorithm,
    IntegerAttr &lanes, IntegerAttr &stride, IntegerAttr &warps) {
  if (parser.parseKeyword("scope") ||
      parseWord(
          parser, "scope (warp, block or cluster)",
          [](StringRef word) { return symbolizeScope(word); }, scope))
    return failure();
  if (parseOptionalAlgorithm(parser, algorithm))
    return failure();
  lanes = parser.getBuilder().getI32IntegerAttr(kWarpSize);
  stride = parser.getBuilder().getI32IntegerAttr(1);
  if (succeeded(parser.parseOptionalKeyword("lanes")) &&
      parseLanes(parser, lanes, stride))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("warps")))
    return parseNumber(parser, warps);
  return success();
}

void cascade::cluster::printParticipants(OpAsmPrinter &printer, Operation *op,
                                         ScopeAttr scope,
                                         AlgorithmAttr algorithm,
                                         IntegerAttr lanes, IntegerAttr stride,
                                         IntegerAttr warps) {
  printer << "scope(" << stringifyScope(scope.getValue()) << ')';
  printOptionalAlgorithm(printer, op, algorithm);
  if (lanes.getInt() != kWarpSize || stride.getInt() != 1) {
    printer << " lanes(" << lanes.getInt();
    if (stride.getInt() != 1)
      printer << ", stride " << stride.getInt();
    printer << ')';
  }
  if (warps)
    printer << " warps(" << warps.getInt() << ')';
}

/// kinds ::= keyword (`,` keyword)*
ParseResult cascade::cluster::parseKinds(OpAsmParser &parser,
                                         ArrayAttr &kinds) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Kind> kind = symbolizeKind(keyword);
    if (!kind)
      return parser.emitError(loc)
             << "unknown reduction kind '" << keyword
             << "'; known are add mul max min maxnum minnum maxsi maxui minsi "
                "minui and or xor";
    list.push_back(KindAttr::get(parser.getContext(), *kind));
    return success();
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  kinds = ArrayAttr::get(parser.getContext(), list);
  return success();
}

void cascade::cluster::printKinds(OpAsmPrinter &printer, Operation *,
                                  ArrayAttr kinds) {
  llvm::interleaveComma(kinds, printer, [&](Attribute attr) {
    printer << stringifyKind(cast<KindAttr>(attr).getValue());
  });
}

/// merge-region ::= region?, with block arguments and a terminator.
ParseResult cascade::cluster::parseMergeRegion(OpAsmParser &parser,
                                               Region &region) {
  OptionalParseResult result = parser.parseOptionalRegion(region);
  return result.has_value() ? *result : success();
}

void cascade::cluster::printMergeRegion(OpAsmPrinter &printer, Operation *,
                                        Region &region) {
  if (!region.empty())
    printer.printRegion(region);
}

/// merge-regions ::= (region (`lanewise` region)?)?
ParseResult cascade::cluster::parseMergeRegions(OpAsmParser &parser,
                                                Region &merge,
                                                Region &lanewise) {
  if (parseMergeRegion(parser, merge))
    return failure();
  if (failed(parser.parseOptionalKeyword("lanewise")))
    return success();
  return parser.parseRegion(lanewise);
}

void cascade::cluster::printMergeRegions(OpAsmPrinter &printer, Operation *op,
                                         Region &merge, Region &lanewise) {
  printMergeRegion(printer, op, merge);
  if (lanewise.empty())
    return;
  printer << " lanewise ";
  printer.printRegion(lanewise);
}

/// reduced-types ::= type-list | function-type
ParseResult
cascade::cluster::parseReducedTypes(OpAsmParser &parser,
                                    SmallVectorImpl<Type> &inputs,
                                    SmallVectorImpl<Type> &results) {
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parser.parseTypeList(inputs) || parser.parseRParen() ||
                   parser.parseArrowTypeList(results));
  if (parser.parseTypeList(inputs))
    return failure();
  results.assign(inputs.begin(), inputs.end());
  return success();
}

void cascade::cluster::printReducedTypes(OpAsmPrinter &printer, Operation *,
                                         TypeRange inputs, TypeRange results) {
  if (llvm::equal(inputs, results))
    printer << inputs;
  else
    printer.printFunctionalType(inputs, results);
}

/// barrier-mode ::= (`arrive` (`relaxed` | `release`)? | `wait`)?
ParseResult cascade::cluster::parseBarrierMode(OpAsmParser &parser,
                                               BarrierPhaseAttr &phase,
                                               OrderingAttr &ordering) {
  BarrierPhase half = BarrierPhase::Full;
  Ordering order = Ordering::Release;
  if (succeeded(parser.parseOptionalKeyword("wait"))) {
    half = BarrierPhase::Wait;
  } else if (succeeded(parser.parseOptionalKeyword("arrive"))) {
    half = BarrierPhase::Arrive;
    if (succeeded(parser.parseOptionalKeyword("relaxed")))
      order = Ordering::Relaxed;
    else
      (void)parser.parseOptionalKeyword("release");
  }
  phase = BarrierPhaseAttr::get(parser.getContext(), half);
  ordering = OrderingAttr::get(parser.getContext(), order);
  return success();
}

void cascade::cluster::printBarrierMode(OpAsmPrinter &printer, Operation *,
                                        BarrierPhaseAttr phase,
                                        OrderingAttr ordering) {
  if (phase.getValue() != BarrierPhase::Full)
    printer << stringifyBarrierPhase(phase.getValue());
  if (ordering.getValue() == Ordering::Relaxed)
    printer << ' ' << stringifyOrdering(ordering.getValue());
}
