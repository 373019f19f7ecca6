//===- SpecTest.cpp - Specs and their text --------------------------------===//

#include "cascade/Runtime/Spec.h"
#include "cascade/Runtime/Print.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace cascade::runtime;

namespace {

Expected<Tensor> make(const std::string &text, uint64_t seed = 0) {
  Expected<Spec> spec = parseSpec(text);
  if (!spec)
    return spec.error();
  return makeTensor(*spec, seed, 0);
}

std::string print(const std::string &text) {
  Expected<Tensor> tensor = make(text);
  return tensor ? formatSpec(*tensor) : "error: " + tensor.error().message();
}

TEST(Spec, PrintsWhatItReads) {
  for (const char *text :
       {"2x3xf32=1 2.5 -0 nan inf -inf", "f32=0.1", "f64=0.1", "1xf64=1e-320",
        "2xf16=0.1 65504", "3xbf16=0.1 1e-40 3.39e+38", "2xf8E4M3FN=0.1 448",
        "2xf8E5M2=inf 57344", "2xi8=-128 127", "i64=-9223372036854775808",
        "index=5", "2xi1=0 1", "0x8xf32=", "0xi8="})
    EXPECT_EQ(make(text) ? print(print(text)) : print(text), print(text));
  EXPECT_EQ(print("f32=0.1"), "f32=0.1");
  EXPECT_EQ(print("bf16=0.1"), "bf16=0.1");
  EXPECT_EQ(print("2xf32=nan,-inf"), "2xf32=nan -inf");
  EXPECT_EQ(print("2xi1=true false"), "2xi1=1 0");
  EXPECT_EQ(print("2x2xf32=7.5"), "2x2xf32=7.5 7.5 7.5 7.5");
  EXPECT_EQ(print("3xi32=iota"), "3xi32=0 1 2");
  EXPECT_EQ(print("0x3xf32=1"), "0x3xf32=");
}

TEST(Spec, EveryBF16RoundTripsInAFewDigits) {
  Tensor tensor = *Tensor::create(ElementType::BF16, {1});
  for (int64_t bits = 0; bits < 65536; ++bits) {
    const uint16_t code = uint16_t(bits);
    std::memcpy(tensor.data(), &code, 2);
    const double value = tensor.get(0);
    const std::string text = formatSpec(tensor);
    Expected<Tensor> again = make(text);
    ASSERT_TRUE(bool(again)) << text;
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(again->get(0)));
    else
      ASSERT_EQ(std::memcmp(again->data(), &code, 2), 0) << text;
  }
}

TEST(Spec, Refuses) {
  for (const char *text : {"",
                           "4x",
                           "4x8=1",
                           "x4xf32=1",
                           "-1xf32=1",
                           "4xf31=1",
                           "2xf32=1 2 3",
                           "2xf32=1 x",
                           "i8=300",
                           "i8=1.5",
                           "f32=1e",
                           "f32=1.5.2",
                           "f32=--1",
                           "2xf32=",
                           "@",
                           "4xf32=@",
                           "4xf32=randint:0",
                           "4xi8=randint:1000",
                           "4xf32=randint:x",
                           "4294967296x4294967296xf32=1",
                           "9223372036854775807xf64=rand",
                           "99999999999999999999xf32=1",
                           "1000000000000xf64=rand",
                           "4xf32=@/nowhere/x.npy",
                           "rand"}) {
    Expected<Tensor> tensor = make(text);
    ASSERT_FALSE(bool(tensor)) << text;
    EXPECT_FALSE(tensor.error().message().empty());
    EXPECT_EQ(tensor.error().message().find('\n'), std::string::npos);
  }
}

TEST(Spec, TakesTheShapeOfItsUser) {
  Expected<Spec> spec = parseSpec("7.5");
  ASSERT_TRUE(bool(spec));
  EXPECT_FALSE(spec->shape);
  Expected<Tensor> tensor = makeTensor(*spec, ElementType::BF16, {2, 2}, 0, 0);
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(formatSpec(*tensor), "2x2xbf16=7.5 7.5 7.5 7.5");
  Expected<Tensor> other =
      makeTensor(*parseSpec("4xf32=1"), ElementType::F32, {5}, 0, 0);
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(other.error().message(),
            "the spec '4xf32=1' is 4xf32, but 5xf32 is needed");
}

TEST(Spec, Names) {
  auto parse = [](const char *text) {
    Expected<NamedSpec> named = parseNamedSpec(text);
    if (!named)
      return "error: " + named.error().message();
    const Spec &spec = named->spec;
    return named->name + "|" +
           (spec.type ? formatShape(*spec.shape, *spec.type) : "") + "|" +
           (spec.kind == SpecKind::File ? spec.path : spec.text);
  };
  EXPECT_EQ(parse("special"), "||special");
  EXPECT_EQ(parse("=special"), "||=special");
  EXPECT_EQ(parse("x=special"), "x||special");
  EXPECT_EQ(parse("x=2x3xf32=1"), "x|2x3xf32|2x3xf32=1");
  EXPECT_EQ(parse("2x3xf32=1"), "|2x3xf32|2x3xf32=1");
  EXPECT_EQ(parse("f32=1"), "|f32|f32=1");
  EXPECT_EQ(parse("@a=b.npy"), "||a=b.npy");
  EXPECT_EQ(parse("x=@a=b.npy"), "x||a=b.npy");
  EXPECT_EQ(parse("x=").rfind("error: 'x': the spec '' is empty", 0), 0u);
  EXPECT_EQ(parse("x=f31=1").rfind("error: 'x': spec 'f31=1'", 0), 0u);
}

TEST(Spec, UniformIsBelowOne) {
  for (const char *type : {"f32", "bf16", "f16", "f8E4M3FN", "f8E5M2"}) {
    Tensor tensor = *make("4096x" + std::string(type) + "=uniform");
    for (int64_t i = 0; i < tensor.size(); ++i)
      ASSERT_TRUE(tensor.get(i) >= 0 && tensor.get(i) < 1) << type;
  }
}

TEST(Spec, SpecialRows) {
  const int64_t n = 64;
  Tensor x = *make("19x64xf32=special");
  auto at = [&](int64_t row, int64_t i) { return x.get(row * n + i); };
  EXPECT_EQ(at(1, 0), -4);
  EXPECT_EQ(at(1, n - 1), 4);
  EXPECT_EQ(at(2, 0), 4);
  EXPECT_GT(at(3, n - 1), 20);
  EXPECT_TRUE(std::isinf(at(4, n / 2 - 1)) && std::isfinite(at(4, n / 2)));
  EXPECT_TRUE(std::isinf(at(5, n - 1)) && at(5, n - 1) < 0);
  EXPECT_TRUE(std::isnan(at(6, n - 1)) && std::isfinite(at(6, 0)));
  EXPECT_TRUE(std::isnan(at(7, 0)) && std::isfinite(at(7, 1)));
  EXPECT_TRUE(std::isinf(at(8, n / 2)) && at(8, n / 2) > 0);
  EXPECT_EQ(at(9, 0), at(9, n - 1));
  EXPECT_EQ(at(10, 3), 0);
  EXPECT_TRUE(at(11, n - 2) == 0 && at(11, n - 1) != 0);
  EXPECT_GT(std::fabs(at(12, 0)), 1e37);
  EXPECT_TRUE(at(13, 0) != 0 && std::fabs(at(13, 0)) < 0x1p-126);
  for (int64_t i = 0; i < n; ++i)
    EXPECT_LT(at(14, i), 0);
  EXPECT_NEAR(at(15, 0), 10000, 10);
  EXPECT_LT(at(16, 0) * at(16, 1), 0);
  EXPECT_TRUE(std::isinf(at(17, 47)) && std::fabs(at(17, 48) + 200) < 10);
  bool positive = false, negative = false;
  for (int64_t i = 0; i < n; ++i) {
    positive |= at(18, i) > 1e38;
    negative |= at(18, i) < -1e38;
  }
  EXPECT_TRUE(positive && negative);
  // A seed rotates the patterns; a row length of 0 has nothing to fill.
  EXPECT_TRUE(std::isinf(make("8xf32=special", 5)->get(3)));
  EXPECT_EQ(make("3x0xf32=special")->size(), 0);
}

} // namespace
