//===- LaunchCases.cpp - Plans what cascade-launch runs -------------------===//

#include "cascade/Runtime/LaunchTool.h"

#include <cerrno>
#include <cstring>
#include <set>
#include <unistd.h>

using namespace cascade::runtime;

static Expected<std::vector<const Function *>>
selectFunctions(const Manifest &manifest, const LaunchOptions &options) {
  std::vector<const Function *> list;
  std::string names;
  for (const Function &function : manifest.functions) {
    names += (names.empty() ? "" : ", ") + function.name;
    if (options.entry.empty() || function.isCalled(options.entry))
      list.push_back(&function);
  }
  if (list.empty())
    return Error::input(manifest.path + ": no function '" + options.entry +
                        "'; --entry may be " + names);
  return list;
}

/// Which of `specs` each argument gets: the one of its name, else the next one
/// without a name. They are for outputs or for everything else.
static Expected<std::vector<const Spec *>>
assign(const Function &function, const char *flag,
       const std::vector<NamedSpec> &specs, bool outputs) {
  const std::vector<Argument> &arguments = function.arguments;
  std::vector<const Spec *> result(arguments.size());
  std::string names;
  size_t wanted = 0;
  for (const Argument &argument : arguments)
    if ((argument.role == Role::Output) == outputs) {
      names += (wanted == 0 ? "" : ", ") + argument.name;
      ++wanted;
    }
  const std::string what = outputs ? "output" : "input";
  if (specs.size() > wanted)
    return Error::input("function '" + function.name + "' has " +
                        std::to_string(wanted) + " " + what + "s, but " +
                        std::to_string(specs.size()) + " " + flag +
                        " are given; drop some");
  for (const NamedSpec &named : specs) {
    if (named.name.empty())
      continue;
    size_t i = 0;
    while (i < arguments.size() &&
           (arguments[i].name != named.name ||
            (arguments[i].role == Role::Output) != outputs))
      ++i;
    if (i == arguments.size())
      return Error::input(std::string(flag) + "=" + named.name + "=...: '" +
                          named.name + "' is no element type and no " + what +
                          "; known are " + names);
    if (result[i])
      return Error::input(std::string(flag) + "=" + named.name +
                          "=... is given twice; drop one");
    result[i] = &named.spec;
  }
  size_t next = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if ((arguments[i].role == Role::Output) != outputs || result[i])
      continue;
    while (next < specs.size() && !specs[next].name.empty())
      ++next;
    if (next < specs.size())
      result[i] = &specs[next++].spec;
  }
  return result;
}

static Error checkReadable(const std::string &path) {
  if (access(path.c_str(), R_OK) == 0)
    return Error::success();
  return Error::input("cannot read module '" + path +
                      "': " + std::strerror(errno) +
                      "; keep it beside its manifest or compile the artefact "
                      "again");
}

/// Assigns all specs; inputs that none is given for are `rand`.
static Error assignSpecs(const Function &function, const LaunchOptions &options,
                         LaunchCase &one) {
  auto inputs = assign(function, "--input", options.inputs, false);
  if (!inputs)
    return inputs.error();
  auto expected = assign(function, "--expected-output", options.expected, true);
  if (!expected)
    return expected.error();
  auto files = assign(function, "--output", options.outputs, true);
  if (!files)
    return files.error();
  Spec random;
  random.text = "rand";
  random.kind = SpecKind::Rand;
  for (const Spec *spec : *inputs)
    one.inputs.push_back(spec ? *spec : random);
  one.expected = std::move(*expected);
  one.files = std::move(*files);
  return Error::success();
}

/// What the command line says about one argument; null if nothing.
static const Spec *specOf(const LaunchCase &one, const Argument &argument,
                          size_t number) {
  return argument.role == Role::Output ? one.expected[number]
                                       : &one.inputs[number];
}

static Error checkType(const Argument &argument, const Spec &spec) {
  if (!spec.type || *spec.type == argument.type)
    return Error::success();
  return Error::input("argument '" + argument.name + "' is of type " +
                      nameOf(argument.type) + ", but the spec '" +
                      spec.text.substr(0, 60) + "' says " + nameOf(*spec.type) +
                      "; write " + nameOf(argument.type));
}

static Expected<LaunchCase> planCase(const Manifest &manifest,
                                     const Function &function,
                                     const DimBindings &dims,
                                     const LaunchOptions &options) {
  LaunchCase result;
  if (Error error = assignSpecs(function, options, result))
    return error;
  std::vector<std::optional<Shape>> shapes(function.arguments.size());
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    const Argument &argument = function.arguments[i];
    const Spec *spec = specOf(result, argument, i);
    if (!spec)
      continue;
    if (Error error = checkType(argument, *spec))
      return error;
    Expected<std::optional<Shape>> shape = shapeOf(*spec);
    if (!shape)
      return shape.error().in("argument '" + argument.name + "'");
    shapes[i] = std::move(*shape);
  }
  Expected<DimBindings> bound = bindDims(function, dims, shapes);
  if (!bound)
    return bound.error();
  Expected<Plan> plan =
      makePlan(manifest, function, *bound, options.offsetElements);
  if (!plan)
    return plan.error();
  result.plan = std::move(*plan);
  return result;
}

/// Builds what is given as values or files, so that a mistake in it is found
/// before a device is opened. Generated data cannot be wrong and may be large.
static Error checkSpecs(const LaunchCase &one, const LaunchOptions &options) {
  const std::vector<Argument> &arguments = one.plan.function->arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Spec *spec = specOf(one, arguments[i], i);
    if (!spec ||
        (spec->kind != SpecKind::Values && spec->kind != SpecKind::File &&
         spec->kind != SpecKind::RandInt))
      continue;
    if (Expected<Tensor> tensor = makeTensor(
            *spec, arguments[i].type, one.plan.shapes[i], options.seed, 0);
        !tensor)
      return tensor.error().in("argument '" + arguments[i].name + "'");
  }
  return Error::success();
}

static Error checkDimNames(const std::vector<Manifest> &manifests,
                           const LaunchOptions &options) {
  std::set<std::string> known;
  for (const Manifest &manifest : manifests)
    for (const Function &function : manifest.functions)
      for (const Argument &argument : function.arguments)
        for (const Extent &extent : argument.shape)
          if (!extent.dim.empty())
            known.insert(extent.dim);
  std::string names;
  for (const std::string &name : known)
    names += (names.empty() ? "" : ", ") + name;
  for (const auto &[name, values] : options.dims)
    if (!known.count(name))
      return Error::input(
          "--dim=" + name + ": no argument has a dim '" + name + "'; " +
          (names.empty() ? "all shapes are fixed" : "known are " + names));
  return Error::success();
}

static Error planManifest(const Manifest &manifest,
                          const LaunchOptions &options,
                          std::vector<LaunchCase> &cases) {
  Expected<std::vector<const Function *>> functions =
      selectFunctions(manifest, options);
  if (!functions)
    return functions.error();
  if (functions->size() > 1 && !options.outputs.empty())
    return Error::input(manifest.path + " has several functions; choose one "
                                        "for --output with --entry");
  if (Error error = checkReadable(manifest.module))
    return error.in(manifest.path);
  for (const Function *function : *functions) {
    auto place = [&](const Error &error) {
      return error.in(manifest.path + ": " + function->name);
    };
    Error error = Error::success();
    if (options.check) {
      if (function->hasReference())
        error = checkReadable(manifest.reference);
      else if (options.expected.empty())
        error = Error::input("there is no reference to check against; compile "
                             "with --with-reference or give "
                             "--expected-output");
    }
    if (error)
      return place(error);
    std::set<std::string> seen;
    for (const DimBindings &dims : options.combinations()) {
      Expected<LaunchCase> one = planCase(manifest, *function, dims, options);
      if (!one)
        return place(one.error());
      // Dims of other functions do not make new cases.
      if (!seen.insert(formatDims(one->plan.dims)).second)
        continue;
      if (Error wrong = checkSpecs(*one, options))
        return place(wrong);
      cases.push_back(std::move(*one));
    }
  }
  return Error::success();
}

Expected<std::vector<LaunchCase>>
cascade::runtime::planCases(const std::vector<Manifest> &manifests,
                            const LaunchOptions &options) {
  if (Error error = checkDimNames(manifests, options))
    return error;
  std::vector<LaunchCase> cases;
  for (const Manifest &manifest : manifests)
    if (Error error = planManifest(manifest, options, cases))
      return error;
  return cases;
}
