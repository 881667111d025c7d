#include "net/drop_reason.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::net {
namespace {

TEST(DropReason, HasANameOfItsOwnForEach) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kDropReasons; ++i)
    names.insert(name_of(static_cast<DropReason>(i)));
  EXPECT_EQ(names.size(), kDropReasons);
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(name_of(DropReason::UnknownConnection), "unknown_connection");
}

TEST(DropCounts, CountsEachReasonApart) {
  DropCounts counts;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    for (std::size_t n = 0; n <= i; ++n)
      counts.count(static_cast<DropReason>(i));
  }
  for (std::size_t i = 0; i < kDropReasons; ++i)
    EXPECT_EQ(counts.of(static_cast<DropReason>(i)), i + 1);
  EXPECT_EQ(counts.total(), kDropReasons * (kDropReasons + 1) / 2);
}

}  // namespace
}  // namespace tickbox::net
