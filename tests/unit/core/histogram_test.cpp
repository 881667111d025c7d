#include "core/histogram.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox {
namespace {

TEST(Histogram, IsExactForSmallValues) {
  Histogram histogram;
  for (std::uint64_t value = 1; value <= 100; ++value) {
    histogram.add(value);
  }
  EXPECT_EQ(histogram.quantile(500), 50U);
  EXPECT_EQ(histogram.quantile(990), 99U);
  EXPECT_EQ(histogram.quantile(1'000), 100U);
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  histogram.for_each_bucket([&](std::uint64_t last, std::uint64_t values) {
    EXPECT_GT(values, 0U);
    count += values;
    sum += last * values;
  });
  EXPECT_EQ(count, histogram.count());
  EXPECT_EQ(sum, histogram.sum()) << "values below 128 are exact";
  EXPECT_EQ(histogram.at_most(30), 30U);
  EXPECT_EQ(histogram.sum(), 5'050U);
}

TEST(Histogram, IsRightToOneBucketForLargeOnes) {
  Rng rng{7};
  Histogram histogram;
  std::vector<std::uint64_t> values(10'000);
  for (std::uint64_t& value : values) {
    value = rng.next() >> (24 + rng.below(40));
    histogram.add(value);
  }
  std::ranges::sort(values);
  for (const std::uint32_t per_mille : {10U, 500U, 900U, 990U, 999U}) {
    const std::uint64_t exact = values[values.size() * per_mille / 1'000 - 1];
    EXPECT_GE(histogram.quantile(per_mille), exact);
    EXPECT_LE(histogram.quantile(per_mille), exact + exact / 63 + 1);
  }
}

TEST(Histogram, IsEmptyAtFirstAndAddsUp) {
  Histogram one;
  EXPECT_EQ(one.quantile(990), 0U);
  Histogram other;
  other.add(1'000'000);
  one.add(3);
  one.add_all(other);
  EXPECT_EQ(one.count(), 2U);
  EXPECT_EQ(one.quantile(500), 3U);
  EXPECT_GE(one.quantile(1'000), 1'000'000U);
}

TEST(Histogram, TellsWhatWasAddedSinceAnEarlierState) {
  Histogram all;
  all.add(5, 2);
  all.add(400);  // a wait that goes on
  const Histogram before = all;
  EXPECT_EQ(all.added_since(before).count(), 0U);
  Histogram after;
  after.add(5, 3);
  after.add(900);  // its end
  const Histogram added = after.added_since(before);
  EXPECT_EQ(added.count(), 2U);
  EXPECT_EQ(added.quantile(500), 5U);
  EXPECT_GE(added.quantile(1'000), 900U);
  EXPECT_EQ(added.sum(), 505U);
}

}  // namespace
}  // namespace tickbox
