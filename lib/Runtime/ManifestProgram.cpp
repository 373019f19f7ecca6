//===- ManifestProgram.cpp - Parses the launches of a function ------------===//

#include "ManifestProgram.h"
#include "cascade/Runtime/Plan.h"

using namespace cascade::runtime;

static constexpr int64_t maxGroup = 2147483647;
/// Limits of compute capability 9.0 (CUDA C++ Programming Guide, "Technical
/// specifications per compute capability").
static constexpr int64_t maxThreadsPerBlock = 1024;
static constexpr int64_t maxBlockZ = 64;
static constexpr int64_t maxPortableCluster = 8;
static constexpr int64_t maxCluster = 16;
static constexpr int64_t maxSharedBytes = 227 * 1024;

ElementType cascade::runtime::parseType(const JsonReader &json) {
  const std::string name = json.string();
  if (std::optional<ElementType> type = parseElementType(name))
    return *type;
  json.fail("unknown element type '" + name + "'; expected one of " +
            listElementTypes());
  return ElementType::F32;
}

int64_t cascade::runtime::parseAlignment(const JsonReader &json) {
  const int64_t bytes = json.integer(1, bufferAlignment);
  if ((bytes & (bytes - 1)) != 0)
    json.fail("expected a power of two from 1 to " +
              std::to_string(bufferAlignment));
  return bytes;
}

ProgramParser::ProgramParser(const std::vector<Argument> &arguments)
    : arguments(arguments) {
  for (const Argument &argument : arguments)
    for (const Extent &extent : argument.shape)
      if (!extent.dim.empty())
        dims.insert(extent.dim);
}

DimExpr ProgramParser::expr(const JsonReader &json, bool allowResident) const {
  DimExpr result = json.expr();
  if (!allowResident && result.usesResident())
    json.fail("\"resident\" may only stand in a grid or a workspace");
  std::set<std::string> used;
  result.collectDims(used);
  for (const std::string &name : used)
    if (!dims.count(name))
      json.fail("dim '" + name + "' is in no argument's shape");
  return result;
}

unsigned ProgramParser::argumentNumber(const JsonReader &json) const {
  if (arguments.empty()) {
    json.fail("the function has no arguments");
    return 0;
  }
  return unsigned(json.integer(0, int64_t(arguments.size()) - 1));
}

Guard ProgramParser::guard(const JsonReader &json) const {
  json.expectKeys({"aligned", "divisible", "atleast", "atmost"});
  Guard result;
  static constexpr std::pair<const char *, Guard::Kind> kinds[] = {
      {"aligned", Guard::Kind::Aligned},
      {"divisible", Guard::Kind::Divisible},
      {"atleast", Guard::Kind::AtLeast},
      {"atmost", Guard::Kind::AtMost}};
  unsigned found = 0;
  for (auto [key, kind] : kinds) {
    std::optional<JsonReader> pair = json.find(key);
    if (!pair)
      continue;
    ++found;
    result.kind = kind;
    std::vector<JsonReader> parts = pair->elements("values", 2);
    if (parts.size() != 2)
      break;
    if (kind == Guard::Kind::Aligned) {
      result.argument = argumentNumber(parts[0]);
      if (!arguments.empty() && arguments[result.argument].role == Role::Scalar)
        parts[0].fail("argument '" + arguments[result.argument].name +
                      "' is a scalar and has no address");
      result.bound = parseAlignment(parts[1]);
    } else {
      result.expr = expr(parts[0], /*allowResident=*/false);
      result.bound = parts[1].integer(
          kind == Guard::Kind::Divisible ? 1 : INT64_MIN, INT64_MAX);
    }
  }
  if (found != 1)
    json.fail("expected one of aligned, divisible, atleast, atmost");
  return result;
}

Parameter ProgramParser::parameter(const JsonReader &json) const {
  json.expectKeys({"arg", "dim", "type", "workspace"});
  Parameter result;
  if (json.has("arg") + json.has("dim") + json.has("workspace") != 1 ||
      json.has("dim") != json.has("type")) {
    json.fail("expected one of {\"arg\": number}, {\"dim\": name, \"type\": "
              "\"i32\"}, {\"workspace\": offset}");
    return result;
  }
  if (std::optional<JsonReader> number = json.find("arg")) {
    result.argument = argumentNumber(*number);
  } else if (std::optional<JsonReader> offset = json.find("workspace")) {
    result.kind = Parameter::Kind::Workspace;
    result.expr = expr(*offset, /*allowResident=*/true);
  } else {
    result.kind = Parameter::Kind::Dim;
    result.expr = expr(json.at("dim"), /*allowResident=*/false);
    JsonReader type = json.at("type");
    result.type = parseType(type);
    if (result.type != ElementType::I32 && result.type != ElementType::I64 &&
        result.type != ElementType::Index)
      type.fail("expected i32, i64 or index");
  }
  return result;
}

/// Three sizes of at least 1 with a product of at most `limit`.
static std::array<unsigned, 3> parseSizes(const JsonReader &json,
                                          int64_t limit) {
  std::array<unsigned, 3> sizes = {1, 1, 1};
  std::vector<JsonReader> parts = json.elements("numbers", 3);
  int64_t product = 1;
  for (size_t i = 0; i < parts.size(); ++i) {
    sizes[i] = unsigned(parts[i].integer(1, limit));
    product *= sizes[i];
  }
  if (product > limit)
    json.fail("expected at most " + std::to_string(limit) + " in all, not " +
              std::to_string(product));
  return sizes;
}

Launch ProgramParser::launch(const JsonReader &json) const {
  json.expectKeys({"kernel", "group", "when", "grid", "block", "cluster",
                   "nonportable", "shared", "args"});
  Launch result;
  result.kernel = json.at("kernel").name();
  if (std::optional<JsonReader> group = json.find("group"))
    result.group = group->integer(0, maxGroup);
  if (std::optional<JsonReader> when = json.find("when"))
    for (const JsonReader &one : when->elements("guards"))
      result.when.push_back(guard(one));
  std::vector<JsonReader> grid = json.at("grid").elements("expressions", 3);
  for (size_t i = 0; i < grid.size(); ++i)
    result.grid[i] = expr(grid[i], /*allowResident=*/true);
  JsonReader block = json.at("block");
  result.block = parseSizes(block, maxThreadsPerBlock);
  if (result.block[2] > maxBlockZ)
    block.fail("expected at most 64 threads in the last dimension");
  if (std::optional<JsonReader> nonportable = json.find("nonportable"))
    result.nonportable = nonportable->boolean();
  if (std::optional<JsonReader> cluster = json.find("cluster")) {
    result.hasCluster = true;
    result.cluster = parseSizes(*cluster, maxCluster);
    if (result.cluster[0] * result.cluster[1] * result.cluster[2] >
            maxPortableCluster &&
        !result.nonportable)
      cluster->fail("more than 8 blocks need \"nonportable\": true");
  }
  if (std::optional<JsonReader> shared = json.find("shared"))
    result.shared = unsigned(shared->integer(0, maxSharedBytes));
  for (const JsonReader &one : json.at("args").elements("parameters"))
    result.parameters.push_back(parameter(one));
  return result;
}

std::vector<Launch> ProgramParser::launches(const JsonReader &json) const {
  std::vector<Launch> list;
  std::vector<JsonReader> elements = json.elements("launches");
  size_t grouped = 0;
  for (const JsonReader &one : elements) {
    list.push_back(launch(one));
    grouped += one.has("group");
  }
  if (elements.empty())
    json.fail("expected at least one launch");
  if (grouped != 0 && grouped != list.size())
    json.fail("expected \"group\" in every launch or in none");
  if (grouped == 0)
    for (size_t i = 0; i < list.size(); ++i)
      list[i].group = int64_t(i);
  return list;
}

Workspace ProgramParser::workspace(const JsonReader &json) const {
  json.expectKeys({"bytes", "init"});
  Workspace result;
  result.bytes = expr(json.at("bytes"), /*allowResident=*/true);
  if (std::optional<JsonReader> init = json.find("init")) {
    const std::string name = init->string();
    result.zero = name == "zero";
    if (name != "zero" && name != "none")
      init->fail("expected \"zero\" or \"none\"");
  }
  return result;
}
