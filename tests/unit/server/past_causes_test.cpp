#include "protocol/history_depths.h"
#include "server/shard/desync_reports.h"
#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tickbox::server {
namespace {

using desync::Cause;

std::vector<Cause> all_since(const Match& match, Tick since) {
  return causes_since(match, since, match.world().tick, [](BodyId) { return true; });
}

// A client that reports a desync names the base of its view, which may be up to 120 ticks old.
// Before the fix, causes were looked for in ticks that the match had forgotten: a change of the
// room was reported for a second tick as well, and a longer one failed an assertion.
TEST(PastCauses, AreThoseOfTheTicksThatTheMatchRemembers) {
  FieldMatch match{{units(0, 0)}};
  for (int i = 0; i < 150; ++i) {
    match.tick();
  }
  match.command_rain(7);
  match.tick();
  const Tick rain = match.now();
  for (int i = 0; i < 5; ++i) {
    match.tick();
  }
  for (const std::uint32_t ticks : {10U, 63U, 64U, 65U, 120U}) {
    const auto causes = all_since(match.match(), {match.now().value - ticks});
    ASSERT_EQ(causes.size(), 1U) << ticks;
    EXPECT_EQ(causes[0].tick, rain);
    EXPECT_EQ(causes[0].kind, Cause::Kind::Room);
  }
  for (std::uint32_t i = 0; i < protocol::kTicksRemembered; ++i) {
    match.tick();
  }
  EXPECT_TRUE(all_since(match.match(), {rain.value - 50}).empty());
}

}  // namespace
}  // namespace tickbox::server
