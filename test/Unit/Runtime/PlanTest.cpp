//===- PlanTest.cpp - Dims, variants and grids ----------------------------===//

#include "cascade/Runtime/Plan.h"

#include <gtest/gtest.h>

using namespace cascade::runtime;

namespace {

const char *const text = R"({"version": 1, "name": "f", "module": "f.ptx",
 "functions": [{"name": "f",
   "arguments": [
     {"name": "x", "role": "input", "type": "f32", "shape": [4, "l"]},
     {"name": "w", "role": "input", "type": "f32", "shape": ["l"]},
     {"name": "y", "role": "output", "type": "f32", "shape": [4, "l"]}],
   "launches": [
     {"kernel": "second", "group": 1, "grid": ["l", 1, 1], "block": [32, 1, 1],
      "args": []},
     {"kernel": "fast", "group": 0,
      "when": [{"aligned": [0, 16]}, {"divisible": ["l", 8]},
               {"atleast": ["l", 16]}],
      "grid": [["ceildiv", "l", 8], 1, 1], "block": [32, 1, 1],
      "args": []},
     {"kernel": "slow", "group": 0, "when": [{"atmost": ["l", 100]}],
      "grid": [["mul", "l", 8], 1, 1], "block": [32, 1, 1],
      "cluster": [8, 1, 1], "args": []}]}]})";

class PlanTest : public testing::Test {
protected:
  void SetUp() override {
    Expected<Manifest> parsed = parseManifest(text, "f.json");
    ASSERT_TRUE(bool(parsed)) << parsed.error().message();
    manifest = *parsed;
  }
  const Function &function() const { return manifest.functions[0]; }
  /// The kernels of a plan, or the message.
  std::string kernels(int64_t l, int64_t offset = 0) {
    Expected<Plan> plan = makePlan(manifest, function(), {{"l", l}}, offset);
    if (!plan)
      return plan.error().message();
    std::string names;
    for (const Launch *launch : plan->kernels.launches)
      names += launch->kernel + " ";
    return names;
  }
  std::string bind(const DimBindings &given,
                   const std::vector<std::optional<Shape>> &shapes) {
    Expected<DimBindings> dims = bindDims(function(), given, shapes);
    return dims ? formatDims(*dims) : dims.error().message();
  }

  Manifest manifest;
};

TEST_F(PlanTest, BindsDims) {
  EXPECT_EQ(bind({{"l", 5}}, {}), "l=5");
  EXPECT_EQ(bind({}, {Shape{4, 7}}), "l=7");
  EXPECT_EQ(bind({}, {Shape{4, 7}, Shape{7}}), "l=7");
  EXPECT_EQ(bind({}, {Shape{4, 7}, Shape{8}}),
            "dim 'l' is 7 by dimension 1 of argument 'x' and 8 by dimension 0 "
            "of argument 'w'; give inputs that agree");
  EXPECT_EQ(bind({{"l", 9}}, {std::nullopt, Shape{8}}),
            "dim 'l' is 9 by --dim and 8 by dimension 0 of argument 'w'; give "
            "inputs that agree");
  EXPECT_EQ(bind({}, {Shape{5, 7}}),
            "dimension 0 of argument 'x' is 4, but 5x7xf32 is given");
  EXPECT_EQ(bind({}, {Shape{7}}),
            "argument 'x' has 2 dimensions, but 7xf32 is given");
  EXPECT_EQ(bind({}, {}), "dim 'l' of argument 'x' has no value; give "
                          "--dim=l=N or an input with a shape");
  EXPECT_EQ(bind({{"l", -1}}, {}), "dim 'l' is -1; it must be 0 or more");
}

TEST_F(PlanTest, TheFirstVariantThatHoldsRuns) {
  EXPECT_EQ(kernels(16), "fast second ");
  EXPECT_EQ(kernels(17), "slow second ");
  EXPECT_EQ(kernels(8), "slow second ");
  EXPECT_EQ(kernels(16, 1), "slow second ");
  EXPECT_EQ(kernels(16, 4), "fast second ");
  EXPECT_EQ(kernels(104), "fast second ");
  EXPECT_EQ(kernels(101).substr(0, 41),
            "no variant of launch group 0 takes l=101 ");
}

TEST_F(PlanTest, Grids) {
  Launch launch = function().kernels.launches[2];
  EXPECT_EQ(evaluateLaunch(launch, {{"l", 3}}, std::nullopt)->grid[0], 24u);
  EXPECT_TRUE(isEmpty(*evaluateLaunch(launch, {{"l", 0}}, std::nullopt)));
  EXPECT_FALSE(bool(evaluateLaunch(launch, {{"l", 1 << 30}}, std::nullopt)));
  launch.grid[0] = DimExpr::dim("l");
  EXPECT_FALSE(bool(evaluateLaunch(launch, {{"l", 3}}, std::nullopt)));
  launch.grid[0] = DimExpr::constant(-8);
  EXPECT_FALSE(bool(evaluateLaunch(launch, {{"l", 3}}, std::nullopt)));
  launch.grid[0] = DimExpr::resident();
  EXPECT_EQ(evaluateLaunch(launch, {}, 16)->grid[0], 16u);
}

TEST_F(PlanTest, ParametersFit) {
  Parameter parameter;
  parameter.kind = Parameter::Kind::Dim;
  parameter.expr = DimExpr::binary(ExprKind::Mul, DimExpr::dim("l"),
                                   DimExpr::constant(1 << 28));
  parameter.type = ElementType::I32;
  manifest.functions[0].kernels.launches[1].parameters = {parameter};
  EXPECT_EQ(kernels(16), "kernel 'fast' takes i32, in which 4294967296 does "
                         "not fit; use smaller dims");
}

TEST_F(PlanTest, AlignmentIsKept) {
  manifest.functions[0].arguments[2].align = 16;
  EXPECT_EQ(kernels(16, 1),
            "argument 'y' needs 16-byte alignment, but --offset-elements puts "
            "it 4 bytes past a boundary; use another offset");
}

} // namespace
