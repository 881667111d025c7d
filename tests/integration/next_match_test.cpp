// Clients of a game whose matches end: they join the next one.

#include "tests/integration/access.h"

#include <gtest/gtest.h>

namespace tickbox::integration {
namespace {

/// Twenty ticks a second: a match is over after a second.
Command short_matches(Strings more = {}) {
  more.insert(more.end(), {"--tick-rate", "20"});
  return faulty_server(std::move(more), "FAULT_MATCH_TICKS=20");
}

// Before the fix, the clients of a match that had ended counted as disconnected, and the run was
// over.
TEST(NextMatch, LoadPlaysOn) {
  const RunningServer server{short_matches()};
  const Finished loaded =
      run(tickbox({"load", server.address(), "--clients", "4", "--ramp", "0", "--seconds", "3.5",
                   "--require", "matches_ended>=2", "--json"}));
  ASSERT_TRUE(loaded.exit_code == kDone || loaded.exit_code == kInconclusive) << loaded;
  const Document document{loaded.out};
  EXPECT_EQ(document.number("clients.connected"), 4);
  EXPECT_EQ(document.number("clients.dropped"), 0);
  EXPECT_GE(document.number("matches_ended"), 2);
  EXPECT_GT(document.number("snapshots_per_client_per_second.min"), 5);
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
  EXPECT_GE(server.metric("tickbox_connections_total", "accepted"), 12);
}

TEST(NextMatch, ABotOfConnectPlaysOn) {
  const RunningServer server{short_matches()};
  const Finished played = run(tickbox({"connect", server.address(), "--seconds", "3.5", "--json"}));
  ASSERT_EQ(played.exit_code, kDone) << played;
  const Document document{played.out};
  EXPECT_GE(document.number("matches_ended"), 2);
  EXPECT_GE(document.number("sessions"), 3);
  EXPECT_GT(document.number("ticks"), 50);
  EXPECT_EQ(document.text("disconnect_reason"), "left");
}

TEST(NextMatch, ATokenOfThePlayersAdmitsToOneAlone) {
  const Keys keys;
  const RunningServer server{short_matches({"--key-file", keys.file()})};
  const Finished played = run(tickbox(
      {"connect", server.address(), "--token", keys.issue("token", server.address()), "--json"}));
  expect_ended(played, kNotConnected, {"the match has ended", "--token", "needs a new token"});
  EXPECT_EQ(Document{played.out}.number("matches_ended"), 1);
  EXPECT_EQ(Document{played.out}.text("disconnect_reason"), "the match has ended");
}

}  // namespace
}  // namespace tickbox::integration
