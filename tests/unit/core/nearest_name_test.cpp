#include "core/text.h"

#include <gtest/gtest.h>

#include <array>

namespace tickbox {
namespace {

using namespace std::string_view_literals;

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edits_between("kitten", "sitting"), 3U);
  EXPECT_EQ(edits_between("", "abc"), 3U);
  EXPECT_EQ(edits_between("same", "same"), 0U);
}

TEST(NearestName, IsTheFirstOfTheNearestOrNone) {
  constexpr std::array kKnown = {"--port"sv, "--admin-port"sv, "--pork"sv};
  EXPECT_EQ(nearest_name("--prt", kKnown), "--port");
  EXPECT_EQ(nearest_name("--adminport", kKnown), "--admin-port");
  EXPECT_EQ(nearest_name("--completely-else", kKnown), std::nullopt);
}

}  // namespace
}  // namespace tickbox
