//===- NpyTest.cpp - .npy files, whole and damaged ------------------------===//

#include "cascade/Runtime/Npy.h"
#include "cascade/Runtime/Print.h"
#include "cascade/Runtime/Spec.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace cascade::runtime;

namespace {

class Npy : public testing::Test {
protected:
  void SetUp() override {
    path =
        testing::TempDir() + "cascade-npy-" + std::to_string(getpid()) + ".npy";
  }
  void TearDown() override { std::remove(path.c_str()); }

  void put(const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  std::string get() {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  /// A version 1 file with this dictionary.
  void putHeader(const std::string &dictionary, const std::string &data) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += char(dictionary.size() & 255);
    bytes += char(dictionary.size() >> 8);
    put(bytes + dictionary + data);
  }
  std::string error(ElementType type) {
    Expected<Tensor> tensor = readNpy(path, type);
    return tensor ? "" : tensor.error().message();
  }

  std::string path;
};

TEST_F(Npy, RoundTrip) {
  for (const char *text :
       {"2x3xf32=1 2 3 4 5 6", "f64=0.1", "3xbf16=1 nan -inf", "2xf8E5M2=1 inf",
        "4xi1=0 1 1 0", "2xi64=-1 9223372036854775807", "2x0x3xf16="}) {
    Tensor tensor = *makeTensor(*parseSpec(text), 0, 0);
    ASSERT_FALSE(bool(writeNpy(path, tensor)));
    EXPECT_EQ(readNpyHeader(path)->dataOffset % 64, 0u);
    Expected<Tensor> again = readNpy(path, tensor.type());
    ASSERT_TRUE(bool(again)) << again.error().message();
    EXPECT_EQ(formatSpec(*again), text);
  }
}

TEST_F(Npy, EveryTruncationIsAnError) {
  ASSERT_FALSE(
      bool(writeNpy(path, *makeTensor(*parseSpec("2x3xf32=iota"), 0, 0))));
  const std::string whole = get();
  for (size_t length = 0; length < whole.size(); ++length) {
    put(whole.substr(0, length));
    EXPECT_NE(error(ElementType::F32), "") << length;
  }
  put(whole + "x");
  EXPECT_NE(error(ElementType::F32).find("25 bytes of data"),
            std::string::npos);
}

TEST_F(Npy, DamagedHeaders) {
  for (const char *dictionary :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, "
        "'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, "
        "'shape': (99999999999999999999,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"}) {
    putHeader(dictionary, "abcd");
    EXPECT_NE(error(ElementType::F32).find("damaged .npy header"),
              std::string::npos)
        << dictionary;
  }
}

TEST_F(Npy, WrongContent) {
  putHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2)}",
            std::string(16, 'x'));
  EXPECT_NE(error(ElementType::F32).find("ascontiguousarray"),
            std::string::npos);
  putHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }",
            "abcd");
  EXPECT_EQ(error(ElementType::F32), "");
  EXPECT_NE(error(ElementType::BF16).find("bf16 is stored as '<u2'"),
            std::string::npos);
  putHeader("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "abcd");
  EXPECT_NE(error(ElementType::F32), "");
  putHeader("{'descr': '<f4', 'fortran_order': False, "
            "'shape': (4611686018427387904, 4)}",
            "abcd");
  EXPECT_NE(error(ElementType::F32).find("2^63"), std::string::npos);
  putHeader("{'descr': '<f4', 'fortran_order': False, "
            "'shape': (1000000000000,)}",
            "abcd");
  EXPECT_NE(error(ElementType::F32).find("promises 4000000000000"),
            std::string::npos);
  put("PK\x03\x04 not this");
  EXPECT_NE(error(ElementType::F32).find("is not a .npy file"),
            std::string::npos);
  put(std::string("\x93NUMPY\x03\x00\x00\x00\x00\x00", 12));
  EXPECT_NE(error(ElementType::F32).find("version 3"), std::string::npos);
  std::remove(path.c_str());
  EXPECT_NE(error(ElementType::F32).find("cannot open"), std::string::npos);
  EXPECT_TRUE(bool(writeNpy("/nowhere/x.npy", Tensor())));
}

} // namespace
