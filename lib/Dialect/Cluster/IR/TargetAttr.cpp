//===- TargetAttr.cpp - #cluster.target: text, checks, look-up ------------===//

#include "OpSupport.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cascade::cluster;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Entries of a list with an entry for every power of two from 2^first blocks
/// to the largest cluster.
static unsigned entriesOf(const TargetList &field, int64_t maxCluster) {
  return llvm::Log2_64(maxCluster) + 1 - field.first;
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, TargetConstants constants) {
  if (name.empty())
    return emitError() << "a target needs a name";
  for (const TargetScalar &field : getTargetScalars())
    if (constants.*field.member <= 0)
      return emitError() << "'" << field.name << "' of target '" << name
                         << "' is " << constants.*field.member
                         << "; it must be positive";
  if (constants.portableCluster > constants.maxCluster ||
      constants.maxCluster > kMaxClusterSize)
    return emitError() << "target '" << name
                       << "' needs 1 <= portable_cluster <= max_cluster <= "
                       << kMaxClusterSize;
  for (const TargetList &field : getTargetLists()) {
    auto values = ArrayRef(constants.*field.member).drop_front(field.first);
    unsigned entries = entriesOf(field, constants.maxCluster);
    auto positive = [](int64_t value) { return value > 0; };
    if (!llvm::all_of(values.take_front(entries), positive) ||
        llvm::any_of(values.drop_front(entries), positive))
      return emitError() << "'" << field.name << "' of target '" << name
                         << "' needs " << entries
                         << " positive entries, one for each power of two from "
                         << (1 << field.first) << " up to max_cluster";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The value of a list field, in brackets.
static ParseResult parseList(AsmParser &parser, const TargetList &field,
                             ByClusterSize &values) {
  values = {};
  SMLoc loc = parser.getCurrentLocation();
  size_t count = field.first;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&]() -> ParseResult {
                                       int64_t value = 0;
                                       if (parser.parseInteger(value))
                                         return failure();
                                       if (count < values.size())
                                         values[count] = value;
                                       ++count;
                                       return success();
                                     }))
    return failure();
  if (count > values.size())
    return parser.emitError(loc)
           << "'" << field.name << "' has " << count - field.first
           << " entries; there are at most " << values.size() - field.first
           << ", one for each power of two up to " << kMaxClusterSize
           << " blocks";
  return success();
}

namespace {
/// Reads the fields behind the name.
class TargetParser {
public:
  TargetParser(AsmParser &parser, StringRef name)
      : parser(parser), base(getTargetPreset(name)) {
    if (base)
      constants = *base;
  }

  /// `FIELD = VALUE` or `base = "PRESET"`.
  ParseResult parseField();
  /// The first field that has no value, or an empty name.
  StringRef findMissing() const;
  TargetConstants takeConstants();

private:
  ParseResult parseBase(SMLoc loc);

  AsmParser &parser;
  const TargetConstants *base; // of the fields that are not given, or null
  TargetConstants constants;
  llvm::StringSet<> given;
};
} // namespace

ParseResult TargetParser::parseBase(SMLoc loc) {
  if (!given.empty())
    return parser.emitError(loc) << "'base' goes before the fields";
  std::string name;
  SMLoc nameLoc = parser.getCurrentLocation();
  if (parser.parseString(&name))
    return failure();
  base = getTargetPreset(name);
  if (!base)
    return parser.emitError(nameLoc) << "there is no preset '" << name
                                     << "'; use " << describeTargetPresets();
  constants = *base;
  return success();
}

ParseResult TargetParser::parseField() {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name) || parser.parseEqual())
    return failure();
  if (name == "base")
    return parseBase(loc);
  if (!given.insert(name).second)
    return parser.emitError(loc) << "'" << name << "' is there twice";
  for (const TargetScalar &field : getTargetScalars())
    if (field.name == name)
      return parser.parseInteger(constants.*field.member);
  for (const TargetList &field : getTargetLists())
    if (field.name == name)
      return parseList(parser, field, constants.*field.member);
  return parser.emitError(loc)
         << "a target has no field '" << name
         << "'; docs/Dialects/Cluster.md lists the fields";
}

StringRef TargetParser::findMissing() const {
  if (base)
    return {};
  for (const TargetScalar &field : getTargetScalars())
    if (!given.contains(field.name))
      return field.name;
  for (const TargetList &field : getTargetLists())
    if (!given.contains(field.name))
      return field.name;
  return {};
}

TargetConstants TargetParser::takeConstants() {
  // A smaller largest cluster leaves the rest of a preset's lists unused.
  int64_t most = std::max<int64_t>(constants.maxCluster, 1);
  for (const TargetList &field : getTargetLists())
    if (!given.contains(field.name))
      llvm::fill(MutableArrayRef(constants.*field.member)
                     .drop_front(std::min<size_t>(llvm::Log2_64(most) + 1,
                                                  kClusterSteps)),
                 0);
  return constants;
}

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  if (parser.parseLess() || parser.parseKeyword("name") ||
      parser.parseEqual() || parser.parseString(&name))
    return {};
  TargetParser fields(parser, name);
  while (succeeded(parser.parseOptionalComma()))
    if (fields.parseField())
      return {};
  if (parser.parseGreater())
    return {};
  if (StringRef missing = fields.findMissing(); !missing.empty()) {
    parser.emitError(loc) << "target '" << name << "' has no '" << missing
                          << "'; give every field, or put base = \"h200\" "
                             "behind the name to take the others from there";
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    StringRef(name), fields.takeConstants());
}

/// All fields, or those in which a target differs from the preset of its name.
void TargetAttr::print(AsmPrinter &printer) const {
  const TargetConstants &own = getConstants();
  const TargetConstants *preset = getTargetPreset(getName());
  printer << "<name = \"" << getName() << "\"";
  for (const TargetScalar &field : getTargetScalars())
    if (!preset || own.*field.member != preset->*field.member)
      printer << ", " << field.name << " = " << own.*field.member;
  for (const TargetList &field : getTargetLists()) {
    if (preset && own.*field.member == preset->*field.member)
      continue;
    printer << ", " << field.name << " = [";
    llvm::interleaveComma(
        ArrayRef(own.*field.member)
            .slice(field.first, entriesOf(field, own.maxCluster)),
        printer);
    printer << "]";
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Presets and look-up
//===----------------------------------------------------------------------===//

TargetAttr TargetAttr::getPreset(MLIRContext *context, StringRef name) {
  const TargetConstants *constants = getTargetPreset(name);
  return constants ? get(context, name, *constants) : TargetAttr();
}

TargetAttr TargetAttr::lookup(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto target = op->getAttrOfType<TargetAttr>(kTargetAttrName))
      return target;
  return {};
}

LogicalResult ClusterDialect::verifyOperationAttribute(Operation *op,
                                                       NamedAttribute attr) {
  if (attr.getName() == kWorkspaceBytesAttrName)
    return verifyWorkspaceBytes(op, attr.getValue());
  if (attr.getName() != kTargetAttrName)
    return success();
  if (!isa<TargetAttr>(attr.getValue()))
    return op->emitError() << "'" << kTargetAttrName
                           << "' must be a #cluster.target<...>";
  if (!op->hasTrait<OpTrait::SymbolTable>() && !isa<FunctionOpInterface>(op))
    return op->emitError() << "'" << kTargetAttrName
                           << "' belongs on a module or a function";
  return success();
}
