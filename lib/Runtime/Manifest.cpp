//===- Manifest.cpp - Parses launch manifests -----------------------------===//

#include "cascade/Runtime/Manifest.h"
#include "ManifestProgram.h"
#include "ReadText.h"

using namespace cascade::runtime;

const char *cascade::runtime::nameOf(Role role) {
  switch (role) {
  case Role::Input:
    return "input";
  case Role::Output:
    return "output";
  case Role::Scalar:
    return "scalar";
  }
  return "";
}

const Function *Manifest::lookup(std::string_view name) const {
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

static Argument parseArgument(const JsonReader &json) {
  json.expectKeys({"name", "role", "type", "shape", "align", "noalias"});
  Argument argument;
  argument.name = json.at("name").name();
  JsonReader role = json.at("role");
  const std::string roleName = role.string();
  if (roleName == "output")
    argument.role = Role::Output;
  else if (roleName == "scalar")
    argument.role = Role::Scalar;
  else if (roleName != "input")
    role.fail("unknown role '" + roleName +
              "'; expected input, output or scalar");
  argument.type = parseType(json.at("type"));
  JsonReader shape = json.at("shape");
  for (const JsonReader &extent : shape.elements("extents")) {
    Extent one;
    if (extent.isString())
      one.dim = extent.name();
    else
      one.value = extent.integer(0, INT64_MAX);
    argument.shape.push_back(std::move(one));
  }
  if (argument.role == Role::Scalar && !argument.shape.empty())
    shape.fail("expected [] for a scalar");
  argument.align = byteSize(argument.type);
  if (std::optional<JsonReader> align = json.find("align"))
    argument.align = parseAlignment(*align);
  if (std::optional<JsonReader> noalias = json.find("noalias"))
    argument.noalias = noalias->boolean();
  return argument;
}

static void parseReference(const JsonReader &json, const ProgramParser &parser,
                           Function &function) {
  json.expectKeys({"U", "R", "workspace"});
  if (!json.has("U") && !json.has("R"))
    json.fail("expected U, R or both");
  if (std::optional<JsonReader> launches = json.find("U"))
    function.referenceU.launches = parser.launches(*launches);
  if (std::optional<JsonReader> launches = json.find("R"))
    function.referenceR.launches = parser.launches(*launches);
  if (std::optional<JsonReader> workspace = json.find("workspace"))
    function.referenceU.workspace = function.referenceR.workspace =
        parser.workspace(*workspace);
}

static Candidate parseCandidate(const JsonReader &json) {
  json.expectKeys(
      {"of", "index", "mapping", "estimate_us", "chain", "shape", "types"});
  Candidate candidate;
  candidate.of = json.at("of").name();
  candidate.index = json.at("index").integer(0, INT32_MAX);
  JsonReader mapping = json.at("mapping");
  candidate.mapping = mapping.name();
  if (mapping.isString())
    if (Error error = checkMappingText(candidate.mapping))
      mapping.fail(error.message());
  if (std::optional<JsonReader> estimate = json.find("estimate_us"))
    candidate.estimate = estimate->positive();
  candidate.key.chain = json.at("chain").name();
  candidate.key.shape = json.at("shape").name();
  candidate.key.types = json.at("types").name();
  return candidate;
}

static Function parseFunction(const JsonReader &json) {
  json.expectKeys({"name", "arguments", "workspace", "launches", "reference",
                   "legality", "passes", "candidate"});
  Function function;
  function.name = json.at("name").name();
  std::set<std::string> names;
  for (const JsonReader &one : json.at("arguments").elements("arguments")) {
    function.arguments.push_back(parseArgument(one));
    if (!names.insert(function.arguments.back().name).second)
      one.fail("a second argument '" + function.arguments.back().name + "'");
  }
  const ProgramParser parser(function.arguments);
  function.kernels.launches = parser.launches(json.at("launches"));
  if (std::optional<JsonReader> workspace = json.find("workspace"))
    function.kernels.workspace = parser.workspace(*workspace);
  if (std::optional<JsonReader> reference = json.find("reference"))
    parseReference(*reference, parser, function);
  if (std::optional<JsonReader> candidate = json.find("candidate"))
    function.candidate = parseCandidate(*candidate);
  if (std::optional<JsonReader> legality = json.find("legality"))
    for (const JsonReader &one : legality->elements("names"))
      function.legality.push_back(one.string());
  return function;
}

/// `name` seen from the folder of `path`.
static std::string nextTo(const std::string &path, const std::string &name) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos || (!name.empty() && name[0] == '/'))
    return name;
  return path.substr(0, slash + 1) + name;
}

static Manifest parseTop(const JsonReader &json, const std::string &path) {
  json.expectKeys(
      {"version", "name", "target", "module", "reference", "functions"});
  Manifest manifest;
  manifest.path = path;
  json.at("version").integer(1, 1);
  manifest.name = json.at("name").name();
  if (std::optional<JsonReader> target = json.find("target")) {
    target->expectKeys({"chip", "gpu"});
    if (std::optional<JsonReader> chip = target->find("chip"))
      manifest.chip = chip->string();
    if (std::optional<JsonReader> gpu = target->find("gpu"))
      manifest.gpu = gpu->string();
  }
  manifest.module = nextTo(path, json.at("module").name());
  if (std::optional<JsonReader> reference = json.find("reference"))
    manifest.reference = nextTo(path, reference->name());
  JsonReader functions = json.at("functions");
  for (const JsonReader &one : functions.elements("functions")) {
    Function function = parseFunction(one);
    if (manifest.lookup(function.name))
      one.fail("a second function '" + function.name + "'");
    if (function.hasReference() && manifest.reference.empty())
      one.fail("has \"reference\" launches, but the manifest names no "
               "\"reference\" module");
    if (function.candidate)
      function.candidate->key.gpu = manifest.gpu;
    manifest.functions.push_back(std::move(function));
  }
  if (functions.exists() && manifest.functions.empty())
    functions.fail("expected at least one function");
  return manifest;
}

Expected<Manifest> cascade::runtime::parseManifest(std::string_view text,
                                                   const std::string &path) {
  Expected<nlohmann::json> document =
      parseJson(text, path, "compile the artefact again");
  if (!document)
    return document.error();
  JsonStatus status;
  Manifest manifest = parseTop(JsonReader(status, &*document, ""), path);
  if (status.error)
    return Error::input(path + ": " + *status.error);
  return manifest;
}

Expected<Manifest> cascade::runtime::readManifest(const std::string &path) {
  Expected<std::string> text = readText(
      path, "a manifest", "give the NAME.json that cascade-compile wrote");
  if (!text)
    return text.error();
  return parseManifest(*text, path);
}
