// `connect --audit` against a real server: what it prints, which tokens allow it, and how the
// others are refused.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <memory>

namespace tickbox::integration {
namespace {

using Strings = std::vector<std::string>;

Command audit(const std::string& server, const Strings& more) {
  Strings arguments = {"connect", server, "--audit", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return tickbox(arguments);
}

void expect_audited(const Finished& finished, double ticks_min) {
  ASSERT_EQ(finished.exit_code, kDone) << finished;
  const Document document{finished.out};
  EXPECT_TRUE(document.truth("connected"));
  EXPECT_GE(document.number("audit.ticks"), ticks_min);
  EXPECT_EQ(document.number("audit.mismatched"), 0);
  EXPECT_EQ(document.number("snapshots.received"), 0);
  // An auditor has no such shares. Before the fix, they counted every tick as beyond the newest
  // view.
  EXPECT_TRUE(document.is_null("interpolation.extrapolated"));
  EXPECT_TRUE(document.is_null("interpolation.unforeseen"));
}

void expect_refused(const Finished& finished, const std::string& words) {
  expect_ended(finished, kNotConnected, {"could not connect: ", words});
}

TEST(ConnectAudit, StepsTheRoomAndFindsItAsTheServerSays) {
  const RunningServer server;
  Process other{tickbox({"connect", server.address(), "--bot", "stress", "--seconds", "30"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  const Finished audited = run(audit(server.address(), {"--seconds", "3"}));
  expect_audited(audited, 120);
  const Document document{audited.out};
  EXPECT_EQ(document.text("disconnect_reason"), "left");
  EXPECT_GT(document.number("prediction.checked"), 0);
  EXPECT_EQ(line_count(audited.out), 1U) << audited.out;
  EXPECT_EQ(server.metric("tickbox_state_hash_mismatches_total"), 0);
  EXPECT_TRUE(eventually([&] { return server.metric("tickbox_audit_segments_total") > 100; }));
}

TEST(ConnectAudit, HoldsOnABadLink) {
  const RunningServer server;
  const Finished audited = run(
      audit(server.address(), {"--seconds", "4", "--bot", "stress", "--net",
                               "delay=80ms,jitter=20ms,loss=10%,duplicate=2%,reorder=2%,seed=7"}));
  expect_audited(audited, 120);
  EXPECT_TRUE(
      eventually([&] { return server.metric("tickbox_audit_segments_total", "again") > 0; }));
}

TEST(ConnectAudit, WithoutItNothingIsAudited) {
  const RunningServer server;
  const Finished played = run(tickbox({"connect", server.address(), "--seconds", "1", "--json"}));
  ASSERT_EQ(played.exit_code, kDone) << played;
  EXPECT_EQ(Document{played.out}.number("audit.ticks"), 0);
  EXPECT_EQ(Document{played.out}.number("audit.mismatched"), 0);
  EXPECT_GT(Document{played.out}.number("snapshots.received"), 0);
}

TEST(ConnectAudit, IsARightThatATokenGives) {
  const os::TemporaryFolder folder;
  const std::string keys = folder.file("keys");
  ASSERT_EQ(run(tickbox({"token", "keygen", "--out", keys})).exit_code, kDone);
  const RunningServer server{{"--key-file", keys}};
  const auto issue = [&](const std::string& name, const Strings& more) {
    Strings arguments = {"token",     "issue",    "--key-file",     keys,    "--client",
                         "7",         "--server", server.address(), "--out", folder.file(name),
                         "--expires", "10m"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished issued = run(tickbox(arguments));
    EXPECT_EQ(issued.exit_code, kDone) << issued;
    EXPECT_EQ(issued.err.contains("with the right to audit"), !more.empty()) << issued.err;
    return folder.file(name);
  };
  const auto may_audit = [&](const std::string& file) {
    const Finished found = run(tickbox({"token", "inspect", file, "--key-file", keys, "--json"}));
    return Document{found.out}.truth("may_audit");
  };
  const std::string without = issue("without", {});
  const std::string with = issue("with", {"--audit"});
  EXPECT_FALSE(may_audit(without));
  EXPECT_TRUE(may_audit(with));
  expect_refused(run(audit(server.address(), {"--token", without, "--seconds", "1"})),
                 "token does not allow an audit");
  EXPECT_TRUE(eventually(
      [&] { return server.metric("tickbox_connections_total", "refused_may_not_audit") >= 1; }));
  expect_audited(run(audit(server.address(), {"--token", with, "--seconds", "1"})), 20);
  expect_audited(run(audit(server.address(), {"--key-file", keys, "--seconds", "1"})), 20);
}

TEST(ConnectAudit, OneTooManyIsToldHowManyThereAre) {
  const RunningServer server;
  std::vector<std::unique_ptr<Process>> auditors;
  for (int i = 0; i < 4; ++i) {
    auditors.push_back(std::make_unique<Process>(audit(server.address(), {"--seconds", "60"})));
  }
  ASSERT_TRUE(server.wait_for_clients(4));
  expect_refused(run(audit(server.address(), {"--seconds", "1"})), "4/4");
}

}  // namespace
}  // namespace tickbox::integration
