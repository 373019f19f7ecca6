//===- Plan.h - What to launch, decided without a device --------*- C++ -*-===//
//
// Buffers start at a 256-byte boundary plus a number of elements that the
// caller chooses, so alignment guards can be decided before there is memory.
//
//===----------------------------------------------------------------------===//

#ifndef CASCADE_RUNTIME_PLAN_H
#define CASCADE_RUNTIME_PLAN_H

#include "cascade/Runtime/Driver.h"
#include "cascade/Runtime/Manifest.h"
#include "cascade/Runtime/Tensor.h"

#include <optional>
#include <vector>

namespace cascade::runtime {

/// The alignment of every allocation, in bytes.
inline constexpr int64_t bufferAlignment = 256;

/// Finds the values of the dims of `function`: those in `given`, and those that
/// the known shapes of its arguments fix. Every dim of an argument must have
/// one value of 0 or more.
Expected<DimBindings> bindDims(const Function &function,
                               const DimBindings &given,
                               const std::vector<std::optional<Shape>> &shapes);

/// The shape of an argument under `dims`.
Shape shapeOf(const Argument &argument, const DimBindings &dims);

/// The launches of one program, in order, one of each group.
struct ProgramPlan {
  const Program *program = nullptr;
  std::vector<const Launch *> launches;
};

struct Plan {
  const Manifest *manifest = nullptr;
  const Function *function = nullptr;
  DimBindings dims;
  std::vector<Shape> shapes; ///< One an argument.
  int64_t offsetElements = 0;
  ProgramPlan kernels, referenceU, referenceR;
};

/// Chooses the variant of each group and checks everything that needs no
/// device.
Expected<Plan> makePlan(const Manifest &manifest, const Function &function,
                        const DimBindings &dims, int64_t offsetElements);

/// The shape of a launch, with `resident` blocks on the device at once; an
/// error if the grid is negative, too large or no multiple of the cluster. A
/// grid with a zero in it means that there is nothing to launch.
Expected<LaunchShape> evaluateLaunch(const Launch &launch,
                                     const DimBindings &dims,
                                     std::optional<int64_t> resident);

/// True if the launch has no blocks.
bool isEmpty(const LaunchShape &shape);

/// "l=4097 n=3", or "" without dims.
std::string formatDims(const DimBindings &dims);

} // namespace cascade::runtime

#endif // CASCADE_RUNTIME_PLAN_H
