// A killed client that comes back into its body.

#include "tests/integration/access.h"

#include <csignal>
#include <filesystem>

namespace tickbox::integration {
namespace {

TEST(Resume, AKilledClientComesBackIntoItsBody) {
  const Keys keys;
  const RunningServer server{{"--key-file", keys.file()}};
  const std::string ticket = keys.folder.file("ticket");
  const Strings by_ticket = {"--key-file", keys.file(), "--resume", ticket};
  Process first{tickbox(
      {"connect", server.address(), "--key-file", keys.file(), "--resume", ticket, "--json"})};
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(ticket); }));
  first.signal(SIGKILL);
  ASSERT_TRUE(first.wait(kPatience));
  struct stat status{};
  ASSERT_EQ(stat(ticket.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);

  const Finished again = connect(server.address(), by_ticket);
  expect_played(again);
  const Document document{again.out};
  EXPECT_TRUE(document.truth("resumed"));
  EXPECT_EQ(document.number("seat"), 0);
  EXPECT_TRUE(again.err.contains("resumed in seat 0 (generation 1) with")) << again.err;
  EXPECT_TRUE(server.wait_for_goodbyes(1)) << "there was never a second body";
  EXPECT_EQ(server.metric("tickbox_disconnects_total", "client_left"), 1);
}

TEST(Resume, WhereTheTicketIsOverItConnectsAnewAndSaysSo) {
  const Keys keys;
  const std::string ticket = keys.folder.file("ticket");
  const Strings by_ticket = {"--key-file", keys.file(), "--resume", ticket};
  {
    const RunningServer server{{"--key-file", keys.file()}};
    expect_played(connect(server.address(), by_ticket));
    // It has said goodbye, so its body is gone.
    const Finished again = connect(server.address(), by_ticket);
    expect_played(again);
    EXPECT_FALSE(Document{again.out}.truth("resumed"));
    EXPECT_TRUE(again.err.contains("cannot resume with the ticket in " + ticket)) << again.err;
    EXPECT_TRUE(again.err.contains("no longer valid")) << again.err;
  }
  const RunningServer restarted{{"--key-file", keys.file()}};
  const Finished finished = connect(restarted.address(), by_ticket);
  expect_played(finished);
  EXPECT_FALSE(Document{finished.out}.truth("resumed"));
  EXPECT_TRUE(finished.err.contains("restarted")) << finished.err;
}

TEST(Resume, WhatIsNoTicketIsNotWrittenOver) {
  const Keys keys;
  const std::string before = os::text_of(keys.file());
  expect_ended(connect("127.0.0.1:7777", {"--resume", keys.file()}), kFailed, {keys.file()});
  EXPECT_EQ(os::text_of(keys.file()), before);
}

}  // namespace
}  // namespace tickbox::integration
