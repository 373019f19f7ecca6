#include "cascade/Algebra/Monoid.h"

#include <gtest/gtest.h>
#include <set>

using namespace cascade::algebra;

TEST(Monoid, TheTableIsInTheOrderOfTheEnumeration) {
  ASSERT_EQ(monoids().size(), static_cast<size_t>(MonoidKind::Combiner) + 1);
  std::set<std::string_view> names;
  for (size_t i = 0; i < monoids().size(); ++i) {
    const MonoidInfo &entry = monoids()[i];
    EXPECT_EQ(static_cast<size_t>(entry.kind), i);
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(monoidNamed(entry.name), entry.kind);
    EXPECT_FALSE(entry.identity.empty());
    EXPECT_EQ(entry.ordered, entry.direction != 0) << entry.name;
  }
  EXPECT_FALSE(monoidNamed("average"));
}

TEST(Monoid, Facts) {
  EXPECT_TRUE(info(MonoidKind::Max).idempotent);
  EXPECT_FALSE(info(MonoidKind::Add).idempotent);
  EXPECT_FALSE(info(MonoidKind::Xor).idempotent);
  EXPECT_EQ(info(MonoidKind::MinUI).direction, -1);
  EXPECT_TRUE(info(MonoidKind::TopK).payload);
}

TEST(Monoid, Distributions) {
  ASSERT_TRUE(findDistribution(MonoidKind::Add, Action::Mul));
  EXPECT_EQ(findDistribution(MonoidKind::Max, Action::Mul)->condition,
            SideCondition::NonNegative);
  EXPECT_EQ(findDistribution(MonoidKind::Min, Action::Add)->condition,
            SideCondition::None);
  EXPECT_TRUE(findDistribution(MonoidKind::Or, Action::And));
  EXPECT_FALSE(findDistribution(MonoidKind::Or, Action::Or));
  EXPECT_FALSE(findDistribution(MonoidKind::Add, Action::Add));
  EXPECT_FALSE(findDistribution(MonoidKind::Mul, Action::Mul));
  EXPECT_EQ(spelling(Action::Mul), "mul");
}
