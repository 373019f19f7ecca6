//===- DimExprTest.cpp - Expressions of dims ------------------------------===//

#include "cascade/Runtime/DimExpr.h"

#include <gtest/gtest.h>

using namespace cascade::runtime;

namespace {

Expected<int64_t> apply(ExprKind kind, int64_t a, int64_t b) {
  return DimExpr::binary(kind, DimExpr::constant(a), DimExpr::constant(b))
      .evaluate({}, std::nullopt);
}

TEST(DimExpr, Arithmetic) {
  EXPECT_EQ(*apply(ExprKind::Add, 2, 3), 5);
  EXPECT_EQ(*apply(ExprKind::Sub, 2, 3), -1);
  EXPECT_EQ(*apply(ExprKind::Mul, 2, 3), 6);
  EXPECT_EQ(*apply(ExprKind::CeilDiv, 7, 2), 4);
  EXPECT_EQ(*apply(ExprKind::CeilDiv, -7, 2), -3);
  EXPECT_EQ(*apply(ExprKind::FloorDiv, -7, 2), -4);
  EXPECT_EQ(*apply(ExprKind::Mod, -7, 4), 1);
  EXPECT_EQ(*apply(ExprKind::Min, 2, 3), 2);
  EXPECT_EQ(*apply(ExprKind::Max, 2, 3), 3);
  EXPECT_EQ(*apply(ExprKind::CeilDiv, INT64_MAX, 2), INT64_MAX / 2 + 1);
  EXPECT_EQ(*apply(ExprKind::FloorDiv, INT64_MIN, 1), INT64_MIN);
}

TEST(DimExpr, Errors) {
  EXPECT_FALSE(bool(apply(ExprKind::FloorDiv, 1, 0)));
  EXPECT_FALSE(bool(apply(ExprKind::Mod, 1, -1)));
  EXPECT_FALSE(bool(apply(ExprKind::Mul, INT64_MAX, 2)));
  EXPECT_FALSE(bool(apply(ExprKind::Add, INT64_MAX, 1)));
  EXPECT_FALSE(bool(apply(ExprKind::Sub, INT64_MIN, 1)));
  EXPECT_FALSE(bool(DimExpr::dim("l").evaluate({}, std::nullopt)));
  EXPECT_FALSE(bool(DimExpr::resident().evaluate({}, std::nullopt)));
}

TEST(DimExpr, DimsAndResident) {
  DimExpr expr =
      DimExpr::binary(ExprKind::Min, DimExpr::resident(),
                      DimExpr::binary(ExprKind::CeilDiv, DimExpr::dim("l"),
                                      DimExpr::constant(8)));
  EXPECT_EQ(*expr.evaluate({{"l", 100}}, 1000), 13);
  EXPECT_EQ(*expr.evaluate({{"l", 100}}, 12), 12);
  EXPECT_TRUE(expr.usesResident());
  std::set<std::string> names;
  expr.collectDims(names);
  EXPECT_EQ(names, std::set<std::string>{"l"});
}

} // namespace
