//===- TuningFileTest.cpp - Tuning files, right and wrong -----------------===//

#include "cascade/Runtime/TuningFile.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace cascade::runtime;

namespace {

const std::string good = R"({"version": 1, "entries": [
  {"chain": "5f0c", "shape": "i=33..64 l=4096", "types": "bf16 -> f32",
   "gpu": "h200", "function": "softmax", "device": "NVIDIA H200",
   "mapping": "#cascade.mapping<i: grid, l: loop x lane(32)>",
   "measured": [{"dims": {"n": 7}, "us": 12.5, "model_us": 14,
                 "flush_l2": true}]}]})";

/// The message for `good` with its first `from` replaced by `to`.
std::string messageFor(const std::string &from, const std::string &to) {
  std::string text = good;
  const size_t at = text.find(from);
  if (at == std::string::npos)
    return "no '" + from + "' in the file";
  text.replace(at, from.size(), to);
  Expected<TuningFile> file = parseTuning(text, "a.json");
  return file ? "" : file.error().message();
}

TuningEntry entry(const std::string &chain, const std::string &gpu,
                  const std::string &mapping, double microseconds) {
  TuningEntry result;
  result.key = {chain, "l=4096", "f32 -> f32", gpu};
  result.function = "f";
  result.device = "NVIDIA H200";
  result.mapping = mapping;
  result.measured = {{{}, microseconds, std::nullopt, false}};
  return result;
}

const std::string one = "#cascade.mapping<l: loop x lane(32)>";
const std::string two = "#cascade.mapping<l: loop x warp(2) x lane(32)>";

/// A folder that goes with the test.
class TuningFolder : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/cascade-tuning-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override {
    std::remove((folder + "/t.json").c_str());
    std::remove((folder + "/link.json").c_str());
    EXPECT_EQ(rmdir(folder.c_str()), 0) << "a temporary file is left";
  }
  static std::string textOf(const std::string &path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::string folder;
};

TEST(TuningFile, Parses) {
  Expected<TuningFile> file = parseTuning(good, "a.json");
  ASSERT_TRUE(bool(file)) << file.error().message();
  ASSERT_EQ(file->entries.size(), 1u);
  const TuningEntry &entry = file->entries[0];
  EXPECT_EQ(entry.key.shape, "i=33..64 l=4096");
  EXPECT_EQ(entry.measured[0].dims.at("n"), 7);
  EXPECT_EQ(entry.measured[0].modelTime, 14.0);
  EXPECT_TRUE(entry.measured[0].flushL2);
  EXPECT_EQ(entry.text(), "12.5 us at n=7 measured on NVIDIA H200");
  EXPECT_EQ(file->lookup({"5f0c", "i=33..64 l=4096", "bf16 -> f32", "h200"}),
            0u);
  EXPECT_FALSE(
      file->lookup({"5f0c", "i=33..64 l=4096", "bf16 -> f32", "h100"}));
}

TEST(TuningFile, NamesWhatIsWrong) {
  auto expect = [](const char *from, const char *to, const char *message) {
    EXPECT_NE(messageFor(from, to).find(message), std::string::npos)
        << messageFor(from, to);
  };
  expect("]}", "", "a.json: no JSON: parse error");
  expect("\"version\": 1, ", "", "a.json: missing key 'version'");
  expect("\"version\": 1", "\"version\": \"1\"", "a.json: version: expected");
  expect("\"version\": 1", "\"version\": 1, \"x\": 1", "unknown key 'x'");
  expect("\"chain\": \"5f0c\", ", "", "entries[0]: missing key 'chain'");
  expect("\"5f0c\"", "\"\"", "entries[0].chain: expected a name");
  expect("\"h200\"", "200", "entries[0].gpu: expected a string");
  expect("\"gpu\"", "\"cpu\"", "entries[0]: unknown key 'cpu'");
  expect("{\"n\": 7}", "[7]", "entries[0].measured[0].dims: expected an");
  expect("{\"n\": 7}", "{\"n\": -7}",
         "entries[0].measured[0].dims.n: expected");
  expect("12.5", "0", "entries[0].measured[0].us: expected a finite number");
  expect("12.5", "1e999", "a.json: ");
  expect("14", "null", "entries[0].measured[0].model_us: expected");
  expect("true", "1", "entries[0].measured[0].flush_l2: expected true or");
  expect("#cascade.mapping<i", "#cascade.maping<i", "entries[0].mapping: '");
}

TEST(TuningFile, TakesEachKeyOnce) {
  Expected<TuningFile> file = parseTuning(good, "a.json");
  ASSERT_TRUE(bool(file));
  file->entries.push_back(file->entries[0]);
  Expected<TuningFile> again = parseTuning(formatTuning(*file), "a.json");
  ASSERT_FALSE(bool(again));
  EXPECT_NE(again.error().message().find(
                "a.json: entries[1]: has the key of entries[0]: chain 5f0c, "),
            std::string::npos)
      << again.error().message();
}

TEST(TuningFile, ReadsWhatItWrites) {
  Expected<TuningFile> file = parseTuning(good, "a.json");
  ASSERT_TRUE(bool(file));
  const std::string text = formatTuning(*file);
  Expected<TuningFile> again = parseTuning(text, "a.json");
  ASSERT_TRUE(bool(again)) << again.error().message();
  EXPECT_EQ(formatTuning(*again), text);
}

TEST(TuningFile, MergeKeepsOthersAndReplacesTheSame) {
  TuningFile file;
  file.entries = {entry("a", "h200", one, 1), entry("a", "h100", one, 2)};
  const MergeCounts counts =
      merge(file, {entry("b", "h200", two, 3), entry("a", "h200", two, 4)});
  EXPECT_EQ(counts.added, 1u);
  EXPECT_EQ(counts.replaced, 1u);
  ASSERT_EQ(file.entries.size(), 3u);
  EXPECT_EQ(file.entries[0].mapping, two);
  EXPECT_EQ(file.entries[0].measured[0].microseconds, 4);
  EXPECT_EQ(file.entries[1].key.gpu, "h100");
  EXPECT_EQ(file.entries[1].mapping, one);
  EXPECT_EQ(file.entries[2].key.chain, "b");
}

TEST(TuningFile, ChecksTheFormOfMappings) {
  for (const char *right :
       {"#cascade.mapping<l: grid>", "#cascade.mapping<i:grid,l:loop>",
        "#cascade.mapping<i: loop x grid(resident), l: lane(2 at 16)>",
        "#cascade.mapping<x: loop x vector(8), load = [0: bulk(4)], "
        "keep = [0: regs, 1: l2], merge = [l: last]>"})
    EXPECT_FALSE(checkMappingText(right)) << right;
  for (const char *wrong :
       {"", "#cascade.mapping", "#cascade.mapping<>", "#cascade.mapping<l>",
        "#cascade.mapping<l:>", "#cascade.mapping<l: grid> ",
        "#cascade.mapping<l: grid", "#cascade.mapping<l: grid,>",
        "#cascade.mapping<l: grid x>", "#cascade.mapping<l: lane()>",
        "#cascade.mapping<l: lane(2 at)>", "#cascade.mapping<l: lane(-2)>",
        "#cascade.mapping<l = [0: regs]>", "#cascade.mapping<keep = 0>",
        "#cascade.mapping<l: grid\n>"})
    EXPECT_TRUE(bool(checkMappingText(wrong))) << wrong;
}

TEST_F(TuningFolder, WritesAndMerges) {
  const std::string path = folder + "/t.json";
  Expected<TuningFile> file = readTuningToMerge(path);
  ASSERT_TRUE(bool(file)) << file.error().message();
  EXPECT_TRUE(file->entries.empty());
  merge(*file, {entry("a", "h200", one, 1)});
  ASSERT_FALSE(writeTuning(*file));
  file = readTuningToMerge(path);
  ASSERT_TRUE(bool(file)) << file.error().message();
  merge(*file, {entry("b", "h200", two, 2)});
  ASSERT_FALSE(writeTuning(*file));
  file = readTuning(path);
  ASSERT_TRUE(bool(file)) << file.error().message();
  EXPECT_EQ(file->entries.size(), 2u);
}

TEST_F(TuningFolder, FollowsLinks) {
  const std::string path = folder + "/t.json", link = folder + "/link.json";
  TuningFile file;
  file.path = path;
  ASSERT_FALSE(writeTuning(file));
  ASSERT_EQ(symlink(path.c_str(), link.c_str()), 0);
  file.path = link;
  file.entries = {entry("a", "h200", one, 1)};
  ASSERT_FALSE(writeTuning(file));
  struct stat status;
  ASSERT_EQ(lstat(link.c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  EXPECT_EQ(textOf(path), formatTuning(file));
}

TEST_F(TuningFolder, LeavesDamagedFilesAlone) {
  const std::string path = folder + "/t.json";
  std::ofstream(path) << "{\"version\": 1";
  EXPECT_FALSE(bool(readTuningToMerge(path)));
  EXPECT_EQ(textOf(path), "{\"version\": 1");
  EXPECT_FALSE(bool(readTuningToMerge(folder)));
  EXPECT_FALSE(bool(readTuningToMerge(folder + "/no/t.json")));
}

} // namespace
