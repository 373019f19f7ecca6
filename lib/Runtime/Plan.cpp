//===- Plan.cpp - What to launch, decided without a device ----------------===//

#include "cascade/Runtime/Plan.h"

using namespace cascade::runtime;

/// Limits of a grid (CUDA C++ Programming Guide, "Technical specifications per
/// compute capability").
static constexpr int64_t maxGrid[3] = {2147483647, 65535, 65535};

std::string cascade::runtime::formatDims(const DimBindings &dims) {
  std::string text;
  for (const auto &[name, value] : dims)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

static Error checkDim(const std::string &name, int64_t value) {
  if (value >= 0)
    return Error::success();
  return Error::input("dim '" + name + "' is " + std::to_string(value) +
                      "; it must be 0 or more");
}

namespace {
/// A value of a dim and where it comes from.
struct Source {
  int64_t value;
  std::string text;
};
} // namespace

/// Checks one known shape against its argument, and binds its dims.
static Error bindShape(const Argument &argument, const Shape &shape,
                       std::map<std::string, Source> &sources) {
  if (shape.size() != argument.shape.size())
    return Error::input("argument '" + argument.name + "' has " +
                        std::to_string(argument.shape.size()) +
                        " dimensions, but " +
                        formatShape(shape, argument.type) + " is given");
  for (size_t i = 0; i < shape.size(); ++i) {
    const Extent &extent = argument.shape[i];
    const std::string place = "dimension " + std::to_string(i) +
                              " of argument '" + argument.name + "'";
    if (extent.dim.empty()) {
      if (extent.value != shape[i])
        return Error::input(place + " is " + std::to_string(extent.value) +
                            ", but " + formatShape(shape, argument.type) +
                            " is given");
      continue;
    }
    if (Error error = checkDim(extent.dim, shape[i]))
      return error;
    auto [found, isNew] =
        sources.try_emplace(extent.dim, Source{shape[i], place});
    if (!isNew && found->second.value != shape[i])
      return Error::input(
          "dim '" + extent.dim + "' is " + std::to_string(found->second.value) +
          " by " + found->second.text + " and " + std::to_string(shape[i]) +
          " by " + place + "; give inputs that agree");
  }
  return Error::success();
}

Expected<DimBindings>
cascade::runtime::bindDims(const Function &function, const DimBindings &given,
                           const std::vector<std::optional<Shape>> &shapes) {
  std::map<std::string, Source> sources;
  for (const auto &[name, value] : given) {
    if (Error error = checkDim(name, value))
      return error;
    sources.emplace(name, Source{value, "--dim"});
  }
  for (size_t i = 0; i < function.arguments.size() && i < shapes.size(); ++i)
    if (shapes[i])
      if (Error error = bindShape(function.arguments[i], *shapes[i], sources))
        return error;

  DimBindings dims;
  for (const Argument &argument : function.arguments)
    for (const Extent &extent : argument.shape) {
      if (extent.dim.empty())
        continue;
      auto found = sources.find(extent.dim);
      if (found == sources.end())
        return Error::input("dim '" + extent.dim + "' of argument '" +
                            argument.name + "' has no value; give --dim=" +
                            extent.dim + "=N or an input with a shape");
      dims[extent.dim] = found->second.value;
    }
  return dims;
}

Shape cascade::runtime::shapeOf(const Argument &argument,
                                const DimBindings &dims) {
  Shape shape;
  for (const Extent &extent : argument.shape) {
    auto found = dims.find(extent.dim);
    shape.push_back(found != dims.end() ? found->second : extent.value);
  }
  return shape;
}

static Expected<bool> holds(const Guard &guard, const Plan &plan) {
  if (guard.kind == Guard::Kind::Aligned) {
    const Argument &argument = plan.function->arguments[guard.argument];
    return plan.offsetElements * int64_t(byteSize(argument.type)) %
               guard.bound ==
           0;
  }
  Expected<int64_t> value = guard.expr.evaluate(plan.dims, std::nullopt);
  if (!value)
    return value.error();
  switch (guard.kind) {
  case Guard::Kind::Divisible:
    return *value % guard.bound == 0;
  case Guard::Kind::AtLeast:
    return *value >= guard.bound;
  case Guard::Kind::AtMost:
    return *value <= guard.bound;
  case Guard::Kind::Aligned:
    break;
  }
  return false;
}

bool cascade::runtime::isEmpty(const LaunchShape &shape) {
  return shape.grid[0] == 0 || shape.grid[1] == 0 || shape.grid[2] == 0;
}

Expected<LaunchShape>
cascade::runtime::evaluateLaunch(const Launch &launch, const DimBindings &dims,
                                 std::optional<int64_t> resident) {
  LaunchShape shape;
  shape.block = launch.block;
  shape.cluster = launch.cluster;
  shape.hasCluster = launch.hasCluster;
  shape.nonportable = launch.nonportable;
  shape.shared = launch.shared;
  for (size_t i = 0; i < 3; ++i) {
    Expected<int64_t> blocks = launch.grid[i].evaluate(dims, resident);
    const std::string place =
        "grid[" + std::to_string(i) + "] of kernel '" + launch.kernel + "'";
    if (!blocks)
      return blocks.error().in(place);
    if (*blocks < 0 || *blocks > maxGrid[i])
      return Error::input(place + " is " + std::to_string(*blocks) +
                          ", but may be from 0 to " +
                          std::to_string(maxGrid[i]) + "; use smaller dims");
    if (*blocks % launch.cluster[i] != 0)
      return Error::input(place + " is " + std::to_string(*blocks) +
                          ", no multiple of its cluster of " +
                          std::to_string(launch.cluster[i]) +
                          "; compile the artefact again");
    shape.grid[i] = unsigned(*blocks);
  }
  return shape;
}

/// The number of blocks of a grid is known before there is a device.
static bool isStatic(const Launch &launch) {
  for (const DimExpr &expr : launch.grid)
    if (expr.usesResident())
      return false;
  return true;
}

/// The values that a launch passes by value, but for those that a device or an
/// input gives.
static Error checkParameters(const Launch &launch, const DimBindings &dims) {
  for (const Parameter &parameter : launch.parameters) {
    if (parameter.kind != Parameter::Kind::Dim)
      continue;
    const std::string place = "kernel '" + launch.kernel + "'";
    Expected<int64_t> value = parameter.expr.evaluate(dims, std::nullopt);
    if (!value)
      return value.error().in(place);
    if (!holdsInteger(parameter.type, *value))
      return Error::input(place + " takes " + nameOf(parameter.type) +
                          ", in which " + std::to_string(*value) +
                          " does not fit; use smaller dims");
  }
  return Error::success();
}

static Error chooseLaunches(const Program &program, const Plan &plan,
                            ProgramPlan &result) {
  result.program = &program;
  // The variants of each group, groups in ascending order.
  std::map<int64_t, std::vector<const Launch *>> groups;
  for (const Launch &launch : program.launches)
    groups[launch.group].push_back(&launch);
  for (const auto &[number, variants] : groups) {
    const Launch *chosen = nullptr;
    for (const Launch *launch : variants) {
      bool good = true;
      for (const Guard &guard : launch->when) {
        Expected<bool> one = holds(guard, plan);
        if (!one)
          return one.error();
        good &= *one;
      }
      if (good) {
        chosen = launch;
        break;
      }
    }
    const std::string dims = formatDims(plan.dims);
    if (!chosen)
      return Error::input(
          "no variant of launch group " + std::to_string(number) + " takes " +
          (dims.empty() ? "this alignment" : dims) + " with buffers " +
          std::to_string(plan.offsetElements) +
          " elements past a boundary; compile the artefact "
          "with a variant without guards");
    if (Error error = checkParameters(*chosen, plan.dims))
      return error;
    if (isStatic(*chosen))
      if (Expected<LaunchShape> shape =
              evaluateLaunch(*chosen, plan.dims, std::nullopt);
          !shape)
        return shape.error();
    result.launches.push_back(chosen);
  }
  return Error::success();
}

/// Every argument's size and alignment.
static Error checkArguments(const Plan &plan) {
  for (size_t i = 0; i < plan.shapes.size(); ++i) {
    const Argument &argument = plan.function->arguments[i];
    Expected<int64_t> count = countElements(plan.shapes[i], argument.type);
    if (!count)
      return count.error().in("argument '" + argument.name + "'");
    const int64_t offset =
        plan.offsetElements * int64_t(byteSize(argument.type));
    if (argument.role != Role::Scalar && offset % argument.align != 0)
      return Error::input("argument '" + argument.name + "' needs " +
                          std::to_string(argument.align) +
                          "-byte alignment, but --offset-elements puts it " +
                          std::to_string(offset) +
                          " bytes past a boundary; use another offset");
  }
  return Error::success();
}

Expected<Plan> cascade::runtime::makePlan(const Manifest &manifest,
                                          const Function &function,
                                          const DimBindings &dims,
                                          int64_t offsetElements) {
  Plan plan;
  plan.manifest = &manifest;
  plan.function = &function;
  plan.dims = dims;
  plan.offsetElements = offsetElements;
  for (const Argument &argument : function.arguments)
    plan.shapes.push_back(shapeOf(argument, dims));
  Error error = checkArguments(plan);
  if (!error)
    error = chooseLaunches(function.kernels, plan, plan.kernels);
  if (!error)
    error = chooseLaunches(function.referenceU, plan, plan.referenceU);
  if (!error)
    error = chooseLaunches(function.referenceR, plan, plan.referenceR);
  if (error)
    return error;
  return plan;
}
