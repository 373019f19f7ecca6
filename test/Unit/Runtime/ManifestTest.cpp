//===- ManifestTest.cpp - Manifests, right and wrong ----------------------===//

#include "cascade/Runtime/Manifest.h"

#include <gtest/gtest.h>

using namespace cascade::runtime;

namespace {

const std::string good = R"({"version": 1, "name": "softmax",
 "target": {"chip": "sm_90", "gpu": "h200"},
 "module": "softmax.ptx", "reference": "softmax.ref.ptx",
 "functions": [{
   "name": "softmax",
   "arguments": [
     {"name": "x", "role": "input", "type": "bf16", "shape": [512, "l"],
      "align": 16, "noalias": true},
     {"name": "scale", "role": "scalar", "type": "f32", "shape": []},
     {"name": "y", "role": "output", "type": "bf16", "shape": [512, "l"]}],
   "workspace": {"bytes": ["mul", 4, "l"], "init": "zero"},
   "launches": [
     {"kernel": "softmax", "group": 0,
      "when": [{"aligned": [0, 16]}, {"divisible": ["l", 8]},
               {"atleast": ["l", 1]}, {"atmost": ["l", 4096]}],
      "grid": [["mul", ["min", ["resident"], 8], 8], 1, 1],
      "block": [256, 1, 1], "cluster": [8, 1, 1], "nonportable": false,
      "shared": 0,
      "args": [{"arg": 0}, {"arg": 1}, {"dim": "l", "type": "i32"},
               {"workspace": 0}]}],
   "reference": {"U": [{"kernel": "u", "grid": [1, 1, 1], "block": [1, 1, 1],
                        "args": [{"arg": 2}]}]},
   "legality": ["reassociating"], "passes": {"l": 1}}]})";

/// The message for `good` with its first `from` replaced by `to`.
std::string messageFor(const std::string &from, const std::string &to) {
  std::string text = good;
  size_t at = text.find(from);
  if (at == std::string::npos)
    return "no '" + from + "' in the manifest";
  text.replace(at, from.size(), to);
  Expected<Manifest> manifest = parseManifest(text, "a/softmax.json");
  return manifest ? "" : manifest.error().message();
}

TEST(Manifest, Parses) {
  Expected<Manifest> manifest = parseManifest(good, "a/softmax.json");
  ASSERT_TRUE(bool(manifest)) << manifest.error().message();
  EXPECT_EQ(manifest->module, "a/softmax.ptx");
  EXPECT_EQ(manifest->reference, "a/softmax.ref.ptx");
  const Function *function = manifest->lookup("softmax");
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->arguments[0].align, 16);
  EXPECT_EQ(function->arguments[2].align, 2);
  EXPECT_EQ(function->arguments[2].role, Role::Output);
  EXPECT_EQ(function->arguments[0].shape[1].dim, "l");
  const Launch &launch = function->kernels.launches[0];
  EXPECT_EQ(launch.when.size(), 4u);
  EXPECT_EQ(*launch.grid[0].evaluate({{"l", 1}}, 100), 64);
  EXPECT_EQ(launch.parameters[3].kind, Parameter::Kind::Workspace);
  EXPECT_TRUE(function->kernels.workspace.zero);
  EXPECT_EQ(function->referenceU.launches.size(), 1u);
  EXPECT_TRUE(function->hasReference());
}

TEST(Manifest, NamesTheKey) {
  struct {
    const char *from, *to, *message;
  } cases[] = {
      {"[[\"mul\", [\"min\", [\"resident\"], 8], 8], 1, 1]", "[1, 1]",
       "functions[0].launches[0].grid: expected 3 expressions"},
      {"\"version\": 1", "\"version\": 2",
       "version: expected a whole number from 1 to 1"},
      {"\"version\": 1, ", "", "missing key 'version'"},
      {"\"input\"", "\"inout\"",
       "functions[0].arguments[0].role: unknown role 'inout'; expected input, "
       "output or scalar"},
      {"\"name\": \"y\"", "\"name\": \"x\"",
       "functions[0].arguments[2]: a second argument 'x'"},
      {"\"shape\": []", "\"shape\": [1]",
       "functions[0].arguments[1].shape: expected [] for a scalar"},
      {"\"align\": 16", "\"align\": 3",
       "functions[0].arguments[0].align: expected a power of two from 1 to "
       "256"},
      {"[512, \"l\"]", "[-1, \"l\"]",
       "functions[0].arguments[0].shape[0]: expected a whole number from 0 to "
       "9223372036854775807"},
      {"{\"aligned\": [0, 16]}", "{\"aligned\": [1, 16]}",
       "functions[0].launches[0].when[0].aligned[0]: argument 'scale' is a "
       "scalar and has no address"},
      {"{\"aligned\": [0, 16]}", "{\"aligned\": [3, 16]}",
       "functions[0].launches[0].when[0].aligned[0]: expected a whole number "
       "from 0 to 2"},
      {"{\"divisible\": [\"l\", 8]}", "{\"divisible\": [\"n\", 8]}",
       "functions[0].launches[0].when[1].divisible[0]: dim 'n' is in no "
       "argument's shape"},
      {"{\"divisible\": [\"l\", 8]}", "{\"divisible\": [[\"resident\"], 8]}",
       "functions[0].launches[0].when[1].divisible[0]: \"resident\" may only "
       "stand in a grid or a workspace"},
      {"\"block\": [256, 1, 1]", "\"block\": [2000, 1, 1]",
       "functions[0].launches[0].block[0]: expected a whole number from 1 to "
       "1024"},
      {"\"cluster\": [8, 1, 1]", "\"cluster\": [16, 1, 1]",
       "functions[0].launches[0].cluster: more than 8 blocks need "
       "\"nonportable\": true"},
      {"{\"arg\": 1}", "{\"arg\": 1, \"dim\": \"l\"}",
       "functions[0].launches[0].args[1]: expected one of {\"arg\": number}, "
       "{\"dim\": name, \"type\": \"i32\"}, {\"workspace\": offset}"},
      {"\"type\": \"i32\"", "\"type\": \"f32\"",
       "functions[0].launches[0].args[2].type: expected i32, i64 or index"},
      {"\"shared\": 0", "\"shared\": \"0\"",
       "functions[0].launches[0].shared: expected a whole number from 0 to "
       "232448"},
      {"\"shared\": 0", "\"shard\": 0",
       "functions[0].launches[0]: unknown key 'shard'; known are kernel, "
       "group, when, grid, block, cluster, nonportable, shared, args"},
      {"[\"mul\", 4, \"l\"]", "[\"pow\", 4, \"l\"]",
       "functions[0].workspace.bytes: unknown expression 'pow'; known are "
       "resident, add, sub, mul, ceildiv, floordiv, mod, min, max"},
      {"[\"mul\", 4, \"l\"]", "[\"mul\", 4]",
       "functions[0].workspace.bytes: 'mul' takes two operands"},
      {"[\"mul\", 4, \"l\"]", "18446744073709551615",
       "functions[0].workspace.bytes: expected a whole number from "
       "-9223372036854775808 to 9223372036854775807"},
      {" \"reference\": \"softmax.ref.ptx\",", "",
       "functions[0]: has \"reference\" launches, but the manifest names no "
       "\"reference\" module"}};
  for (const auto &one : cases)
    EXPECT_EQ(messageFor(one.from, one.to),
              std::string("a/softmax.json: ") + one.message);
}

TEST(Manifest, DeepExpressionsEnd) {
  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += "[\"add\", 1, ";
  EXPECT_NE(
      messageFor("[\"mul\", 4, \"l\"]", deep + "1" + std::string(100000, ']')),
      "");
}

TEST(Manifest, EveryTruncationIsAnError) {
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(bool(parseManifest(good.substr(0, length), "x.json")));
}

TEST(Manifest, EveryLostByteIsSurvived) {
  for (size_t at = 0; at < good.size(); ++at) {
    std::string text = good;
    text.erase(at, 1);
    (void)bool(parseManifest(text, "x.json"));
    for (char c : {'0', '"', ']', '{', '\0', '\xff'}) {
      text = good;
      text[at] = c;
      (void)bool(parseManifest(text, "x.json"));
    }
  }
  for (const char *text : {"", "[]", "null", "1", "{}", "{\"version\": 1}"})
    EXPECT_FALSE(bool(parseManifest(text, "x.json")));
}

} // namespace
