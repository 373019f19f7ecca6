//===- Mapping.cpp - The mapping attribute --------------------------------===//

#include "cascade/Dialect/Cascade/IR/Cascade.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade;

//===----------------------------------------------------------------------===//
// Digits: `lane(2 at 16)`, `grid(resident)`, `loop`
//===----------------------------------------------------------------------===//

static void printDigit(AsmPrinter &p, DigitAttr digit) {
  p << stringifyLevel(digit.getLevel());
  if (digit.getResident()) {
    p << "(resident)";
  } else if (digit.getSize() != 0) {
    p << "(" << digit.getSize();
    if (digit.getStride() != 0)
      p << " at " << digit.getStride();
    p << ")";
  }
}

/// Parses an integer, reporting anything that does not fit.
static ParseResult parsePositive(AsmParser &parser, int64_t &value,
                                 StringRef what) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(value))
    return failure();
  if (value <= 0)
    return parser.emitError(loc) << what << " must be positive, got " << value;
  return success();
}

static FailureOr<DigitAttr> parseDigit(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Level> level = symbolizeLevel(word);
  if (!level) {
    parser.emitError(loc) << "'" << word
                          << "' is not a level; use grid, cluster, warp, lane, "
                             "loop, reg, vector or tile";
    return failure();
  }
  int64_t size = 0, stride = 0;
  bool resident = false;
  if (succeeded(parser.parseOptionalLParen())) {
    if (succeeded(parser.parseOptionalKeyword("resident"))) {
      resident = true;
    } else {
      if (parsePositive(parser, size, "the size of a digit"))
        return failure();
      if (succeeded(parser.parseOptionalKeyword("at")))
        if (parsePositive(parser, stride, "the stride of a digit"))
          return failure();
    }
    if (parser.parseRParen())
      return failure();
  }
  auto digit = DigitAttr::getChecked([&] { return parser.emitError(loc); },
                                     parser.getContext(), *level, size, stride,
                                     resident);
  if (!digit)
    return failure();
  return digit;
}

void DigitAttr::print(AsmPrinter &p) const {
  p << "<";
  printDigit(p, *this);
  p << ">";
}

Attribute DigitAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<DigitAttr> digit = parseDigit(parser);
  if (failed(digit) || parser.parseGreater())
    return {};
  return *digit;
}

LogicalResult DigitAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                Level level, int64_t size, int64_t stride,
                                bool resident) {
  if (size == 0 && level != Level::Grid && level != Level::Loop)
    return emitError() << "a digit at level " << stringifyLevel(level)
                       << " needs a size; only grid and loop take what is left";
  if (resident && level != Level::Grid)
    return emitError() << "only the grid can be resident, not "
                       << stringifyLevel(level);
  if (level == Level::Cluster && size > 16)
    return emitError() << "a cluster has at most 16 blocks, got " << size;
  if (level == Level::Lane && (size > 32 || !llvm::isPowerOf2_64(size)))
    return emitError() << "lanes come in powers of two up to 32, got " << size;
  if (level == Level::Warp && size > 32)
    return emitError() << "a block has at most 32 warps, got " << size;
  if (level == Level::Vector && (size > 16 || !llvm::isPowerOf2_64(size)))
    return emitError() << "a vector has a power of two up to 16 elements, got "
                       << size;
  if (level == Level::Reg && size > 256)
    return emitError() << "at most 256 elements of an axis fit registers, got "
                       << size;
  return success();
}

//===----------------------------------------------------------------------===//
// Axes and policies
//===----------------------------------------------------------------------===//

static void printAxis(AsmPrinter &p, AxisMappingAttr axis) {
  p << axis.getName().getValue() << ": ";
  llvm::interleave(
      axis.getDigits(), [&](DigitAttr digit) { printDigit(p, digit); },
      [&] { p << " x "; });
}

static FailureOr<AxisMappingAttr> parseAxis(AsmParser &parser, StringRef name) {
  SmallVector<DigitAttr> digits;
  do {
    FailureOr<DigitAttr> digit = parseDigit(parser);
    if (failed(digit))
      return failure();
    digits.push_back(*digit);
  } while (succeeded(parser.parseOptionalKeyword("x")));
  return AxisMappingAttr::get(
      parser.getContext(), StringAttr::get(parser.getContext(), name), digits);
}

void AxisMappingAttr::print(AsmPrinter &p) const {
  p << "<";
  printAxis(p, *this);
  p << ">";
}

Attribute AxisMappingAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  if (parser.parseLess() || parser.parseKeyword(&name) || parser.parseColon())
    return {};
  FailureOr<AxisMappingAttr> axis = parseAxis(parser, name);
  if (failed(axis) || parser.parseGreater())
    return {};
  return *axis;
}

static void printPolicy(AsmPrinter &p, PolicyAttr policy) {
  if (auto number = dyn_cast<IntegerAttr>(policy.getSubject()))
    p << number.getInt();
  else
    p << cast<StringAttr>(policy.getSubject()).getValue();
  p << ": " << policy.getPolicy().getValue();
  if (policy.getAmount() != 0)
    p << "(" << policy.getAmount() << ")";
}

static FailureOr<PolicyAttr> parsePolicy(AsmParser &parser) {
  MLIRContext *context = parser.getContext();
  Attribute subject;
  int64_t number;
  StringRef word;
  OptionalParseResult hasNumber = parser.parseOptionalInteger(number);
  if (hasNumber.has_value()) {
    if (failed(*hasNumber))
      return failure();
    subject = IntegerAttr::get(IntegerType::get(context, 64), number);
  } else {
    if (parser.parseKeyword(&word))
      return failure();
    subject = StringAttr::get(context, word);
  }
  if (parser.parseColon() || parser.parseKeyword(&word))
    return failure();
  int64_t amount = 0;
  if (succeeded(parser.parseOptionalLParen()))
    if (parsePositive(parser, amount, "the amount of a policy") ||
        parser.parseRParen())
      return failure();
  return PolicyAttr::get(context, subject, StringAttr::get(context, word),
                         amount);
}

void PolicyAttr::print(AsmPrinter &p) const {
  p << "<";
  printPolicy(p, *this);
  p << ">";
}

Attribute PolicyAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<PolicyAttr> policy = parsePolicy(parser);
  if (failed(policy) || parser.parseGreater())
    return {};
  return *policy;
}

//===----------------------------------------------------------------------===//
// The mapping
//===----------------------------------------------------------------------===//

void MappingAttr::print(AsmPrinter &p) const {
  p << "<";
  llvm::interleaveComma(getAxes(), p,
                        [&](AxisMappingAttr axis) { printAxis(p, axis); });
  auto printList = [&](StringRef name, ArrayRef<PolicyAttr> policies) {
    if (policies.empty())
      return;
    p << ", " << name << " = [";
    llvm::interleaveComma(policies, p,
                          [&](PolicyAttr policy) { printPolicy(p, policy); });
    p << "]";
  };
  printList("load", getLoad());
  printList("keep", getKeep());
  printList("merge", getMerge());
  printList("contract", getContract());
  p << ">";
}

Attribute MappingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<AxisMappingAttr> axes;
  SmallVector<PolicyAttr> load, keep, merge, contract;
  if (parser.parseLess())
    return {};
  auto parseItem = [&]() -> ParseResult {
    SMLoc itemLoc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    if (succeeded(parser.parseOptionalColon())) {
      FailureOr<AxisMappingAttr> axis = parseAxis(parser, name);
      if (failed(axis))
        return failure();
      axes.push_back(*axis);
      return success();
    }
    SmallVector<PolicyAttr> *list = llvm::StringSwitch<decltype(list)>(name)
                                        .Case("load", &load)
                                        .Case("keep", &keep)
                                        .Case("merge", &merge)
                                        .Case("contract", &contract)
                                        .Default(nullptr);
    if (!list)
      return parser.emitError(itemLoc)
             << "expected ':' and the digits of axis '" << name
             << "', or one of load, keep, merge, contract";
    return failure(parser.parseEqual() ||
                   parser.parseCommaSeparatedList(
                       AsmParser::Delimiter::Square, [&]() -> ParseResult {
                         FailureOr<PolicyAttr> policy = parsePolicy(parser);
                         if (failed(policy))
                           return failure();
                         list->push_back(*policy);
                         return success();
                       }));
  };
  if (parser.parseCommaSeparatedList(parseItem) || parser.parseGreater())
    return {};
  return MappingAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      ArrayRef<AxisMappingAttr>(axes), ArrayRef<PolicyAttr>(load),
      ArrayRef<PolicyAttr>(keep), ArrayRef<PolicyAttr>(merge),
      ArrayRef<PolicyAttr>(contract));
}

static LogicalResult verifyWords(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef list, ArrayRef<PolicyAttr> policies,
                                 ArrayRef<StringRef> words) {
  for (PolicyAttr policy : policies)
    if (!llvm::is_contained(words, policy.getPolicy().getValue()))
      return emitError() << "'" << policy.getPolicy().getValue()
                         << "' is not a " << list << " policy; use "
                         << llvm::join(words, ", ");
  return success();
}

LogicalResult MappingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<AxisMappingAttr> axes,
                                  ArrayRef<PolicyAttr> load,
                                  ArrayRef<PolicyAttr> keep,
                                  ArrayRef<PolicyAttr> merge,
                                  ArrayRef<PolicyAttr> contract) {
  for (auto [index, axis] : llvm::enumerate(axes)) {
    for (AxisMappingAttr other : axes.take_front(index))
      if (other.getName() == axis.getName())
        return emitError() << "axis '" << axis.getName().getValue()
                           << "' is mapped twice";
    unsigned unsized = llvm::count_if(
        axis.getDigits(), [](DigitAttr digit) { return digit.getSize() == 0; });
    if (unsized > 1 && !llvm::any_of(axis.getDigits(), [](DigitAttr digit) {
          return digit.getResident();
        }))
      return emitError() << "axis '" << axis.getName().getValue()
                         << "' has more than one digit without a size";
    for (auto [position, digit] : llvm::enumerate(axis.getDigits()))
      if (digit.getLevel() == Level::Vector &&
          position + 1 != axis.getDigits().size())
        return emitError() << "the vector digit of axis '"
                           << axis.getName().getValue()
                           << "' must be the last: it has unit stride";
  }
  if (failed(verifyWords(emitError, "load", load, {"ahead", "bulk", "same"})) ||
      failed(verifyWords(emitError, "keep", keep, {"regs", "shared", "l2"})) ||
      failed(
          verifyWords(emitError, "merge", merge, {"last", "sync", "launch"})) ||
      failed(verifyWords(emitError, "contract", contract, {"mma.m16n8k16"})))
    return failure();
  for (auto [index, policy] : llvm::enumerate(contract)) {
    if (!isa<IntegerAttr>(policy.getSubject()))
      return emitError() << "contract takes the numbers of reductions, not "
                         << policy.getSubject();
    for (PolicyAttr other : contract.take_front(index))
      if (other.getSubject() == policy.getSubject())
        return emitError() << "contract names reduction "
                           << cast<IntegerAttr>(policy.getSubject()).getInt()
                           << " twice";
  }
  return success();
}

ArrayRef<DigitAttr> MappingAttr::digitsOf(StringRef name) const {
  for (AxisMappingAttr axis : getAxes())
    if (axis.getName().getValue() == name)
      return axis.getDigits();
  return {};
}

int64_t MappingAttr::sizeAt(StringRef name, Level level) const {
  for (DigitAttr digit : digitsOf(name))
    if (digit.getLevel() == level)
      return digit.getSize();
  return 1;
}

/// The policy of `policies` for operand `operand`.
static StringRef policyOf(ArrayRef<PolicyAttr> policies, unsigned operand) {
  for (PolicyAttr policy : policies)
    if (auto number = dyn_cast<IntegerAttr>(policy.getSubject()))
      if (number.getInt() == operand)
        return policy.getPolicy().getValue();
  return "";
}

StringRef MappingAttr::keepOf(unsigned operand) const {
  return policyOf(getKeep(), operand);
}

StringRef MappingAttr::loadOf(unsigned operand) const {
  return policyOf(getLoad(), operand);
}
