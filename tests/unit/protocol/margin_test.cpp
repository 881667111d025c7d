// The code of a margin in a snapshot.

#include "protocol/snapshot.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

namespace tickbox::protocol {
namespace {

struct Covered {
  std::int32_t first;
  std::int32_t last;
};

/// Returns the margins that each code covers.
std::map<int, Covered> covered_by_code() {
  std::map<int, Covered> codes;
  for (std::int32_t margin = kMarginLeast; margin <= kMarginMost; ++margin) {
    const auto [at, is_new] = codes.try_emplace(encode_margin(margin), margin, margin);
    at->second.last = margin;
  }
  return codes;
}

// Before the fix, code 64, the first that covers a whole tick, was read as the start of that tick.
TEST(Margin, IsReadAsTheMiddleOfWhatItsCodeCovers) {
  const auto codes = covered_by_code();
  EXPECT_EQ(codes.size(), 255U);
  for (const auto& [code, covered] : codes) {
    if (code == -127 || code == 127) continue;
    const std::int32_t middle = covered.first + (covered.last - covered.first + 1) / 2;
    EXPECT_EQ(decode_margin(static_cast<std::int8_t>(code)), middle) << "code " << code;
  }
}

TEST(Margin, IsAtLeastTheEndOfTheRangeForTheOutermostCodes) {
  EXPECT_EQ(encode_margin(1'000'000), 127);
  EXPECT_EQ(encode_margin(-1'000'000), -127);
  EXPECT_EQ(decode_margin(127), kMarginMost);
  EXPECT_EQ(decode_margin(-127), kMarginLeast);
  EXPECT_EQ(decode_margin(-128), kMarginLeast) << "never encoded";
}

TEST(Margin, IsExactWithinFourTicks) {
  for (std::int32_t margin = -kMarginExact; margin < kMarginExact; ++margin) {
    EXPECT_EQ(decode_margin(encode_margin(margin)), margin);
  }
}

}  // namespace
}  // namespace tickbox::protocol
