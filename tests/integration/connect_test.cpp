// One client against a real server: what it prints, and how it ends.

#include "os/net/udp_transport.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

namespace tickbox::integration::connect_test {
namespace {

using Strings = std::vector<std::string>;

/// Keys that the document must have, because scripts read them.
const Strings& document_keys() {
  static const Strings kKeys = {"connected",
                                "game",
                                "seat",
                                "body",
                                "client",
                                "ticks",
                                "snapshots.received",
                                "snapshots.lost",
                                "snapshots.late",
                                "snapshots.rejected",
                                "state_hash.checked",
                                "state_hash.mismatched",
                                "prediction.checked",
                                "prediction.exact",
                                "prediction.corrected",
                                "prediction.error_p99",
                                "prediction.error_max",
                                "events.Seat",
                                "events.Hit",
                                "interpolation.delay_ms",
                                "interpolation.extrapolated",
                                "interpolation.unforeseen",
                                "inputs.sent",
                                "inputs.late",
                                "inputs.substituted",
                                "rtt_ms.p50",
                                "rtt_ms.p99",
                                "loss.up",
                                "loss.down",
                                "bytes_per_second.down",
                                "bytes_per_second.up",
                                "drain_ms",
                                "disconnect_reason"};
  return kKeys;
}

/// A loopback socket that never answers; while it lives, nobody else gets its port.
std::unique_ptr<os::UdpTransport> silent_socket() {
  return os::UdpTransport::open({.bind = net::parse_address("127.0.0.1:0").value()}).value();
}

// A "stress" bot makes news in every tick. A server without news sends ten snapshots a second.
TEST(Connect, ACleanRunVerifiesEveryHash) {
  const RunningServer server;
  const Finished played =
      run(tickbox({"connect", server.address(), "--bot", "stress", "--seconds", "3", "--json"}));
  ASSERT_EQ(played.exit_code, kDone) << played;
  const Document document{played.out};
  EXPECT_EQ(document.missing(document_keys()), Strings{});
  EXPECT_TRUE(document.truth("connected"));
  EXPECT_GE(document.number("state_hash.checked"), 25) << "ten a second come with no news";
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
  EXPECT_GE(document.number("interpolation.delay_ms"), 30) << "two intervals";
  EXPECT_LT(document.number("interpolation.unforeseen"), 0.5);
  EXPECT_GT(document.number("prediction.checked"), 0);
  EXPECT_EQ(document.text("game"), "arena");
  EXPECT_EQ(document.number("seat"), 0);
  EXPECT_NE(document.text("body"), "");
  EXPECT_LT(std::stoull(document.text("client")), 1ULL << 53);
  EXPECT_EQ(document.number("snapshots.rejected"), 0);
  EXPECT_EQ(document.text("disconnect_reason"), "left");
  EXPECT_EQ(document.number("exit"), kDone);
  EXPECT_EQ(document.missing({"error", "refused"}), (Strings{"error", "refused"}));
  EXPECT_EQ(line_count(played.out), 1U) << played.out;
  EXPECT_EQ(server.metric("tickbox_state_hash_mismatches_total"), 0);
}

// Nothing is wrong, so nothing is written; the directories are there for when something is.
TEST(Connect, WithoutADesyncNoFileIsWritten) {
  const os::TemporaryFolder folder;
  const RunningServer server{{"--desync-dir", folder.file("server")}};
  const Finished played = run(tickbox({"connect", server.address(), "--seconds", "1", "--json",
                                       "--desync-dir", folder.file("client")}));
  ASSERT_EQ(played.exit_code, kDone) << played;
  EXPECT_TRUE(Document{played.out}.is_null("state_hash.first_mismatch"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("server")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.file("client")));
}

// "-" names a stream, which cannot keep a ticket. Before the fix, `connect` made a file of that
// name.
TEST(Connect, NoStreamKeepsATicket) {
  expect_ended(run(tickbox({"connect", "127.0.0.1:9", "--resume", "-"})), kWrongUsage,
               {"needs a file; give ./-"});
  EXPECT_FALSE(std::filesystem::exists("-"));
}

TEST(Connect, ADesyncDirectoryThatIsNoneIsSaid) {
  const os::TemporaryFolder folder;
  const std::string inside_a_file = folder.write("file", "no directory") + "/desyncs";
  for (const char* const command : {"connect", "load"}) {
    expect_ended(run(tickbox({command, "127.0.0.1:9", "--desync-dir", inside_a_file})), kFailed,
                 {inside_a_file, "--desync-dir"});
  }
}

// Before the fix, this counted as wrong usage. The name .invalid never resolves (RFC 6761), with or
// without a name server.
TEST(Connect, AHostThatIsNotFoundIsNoConnection) {
  for (const char* const command : {"connect", "load"}) {
    const Finished finished = run(tickbox({command, "tickbox.invalid:7777", "--json"}));
    expect_one_line(finished, kNotConnected,
                    {"could not connect: cannot find host tickbox.invalid: "});
    EXPECT_EQ(Document{finished.out}.number("exit"), kNotConnected) << finished;
  }
  expect_ended(run(tickbox({"load", "127.0.0.1:7777", "--admin", "tickbox.invalid:9180"})),
               kNotConnected, {"--admin: cannot find host tickbox.invalid"});
}

// A stress bot makes news with every tick, so that nothing but the rate holds snapshots back.
TEST(Connect, TheServersSnapshotRateIsKept) {
  const RunningServer server{{"--snapshot-rate", "20"}};
  const Document document = document_of(
      tickbox({"connect", server.address(), "--bot", "stress", "--seconds", "3", "--json"}));
  EXPECT_GE(document.number("snapshots.received"), 40);
  EXPECT_LE(document.number("snapshots.received"), 62);
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
}

// The server reports the loss to its client every two seconds; one report in seven is lost.
TEST(Connect, ABadLinkIsObservedAndNothingDiffers) {
  const RunningServer server;
  const Document document = document_of(
      tickbox({"connect", server.address(), "--bot", "stress", "--seconds", "9", "--json", "--net",
               "delay=60ms,jitter=20ms,loss=15%,duplicate=2%,reorder=2%,seed=7"}));
  EXPECT_GT(document.number("loss.up"), 0);
  EXPECT_GT(document.number("loss.down"), 0);
  EXPECT_GT(document.number("link.down.lost"), 0);
  EXPECT_GE(document.number("rtt_ms.p50"), 60);
  EXPECT_GT(document.number("state_hash.checked"), 50);
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
  EXPECT_GE(document.number("loss.up_packets"), 100);
  EXPECT_GE(document.number("loss.down_packets"), document.number("snapshots.received"));
}

// Before the fix, `connect` said that no packet was lost, from a status of the session's first
// moment.
TEST(Connect, TheLossOfAHandfulOfPacketsIsNotKnown) {
  const RunningServer server;
  const Finished played = run(tickbox(
      {"connect", server.address(), "--seconds", "0.5", "--json", "--net", "loss=20%,seed=7"}));
  ASSERT_EQ(played.exit_code, kDone) << played;
  EXPECT_TRUE(Document{played.out}.is_null("loss.up")) << played.out;
  EXPECT_LT(Document{played.out}.number("loss.up_packets"), 100);
}

// Before the fix, `connect` said "everything held" though it had received no snapshot at all.
TEST(Connect, ARunThatChecksNothingSaysSo) {
  const RunningServer server;
  const Finished played =
      run(tickbox({"connect", server.address(), "--seconds", "0.01", "--net", "delay=300ms"}));
  EXPECT_EQ(played.exit_code, kNotConnected) << played;
  EXPECT_TRUE(played.err.contains("nothing was checked")) << played;
  EXPECT_FALSE(played.out.contains("everything held")) << played;
}

TEST(Connect, WithoutAnAnswerItGivesUpAndSaysSo) {
  const auto silent = silent_socket();
  const std::string nobody = net::to_string(silent->local_address());
  const Instant start = std::chrono::steady_clock::now();
  const Finished refused = run(tickbox({"connect", nobody, "--seconds", "60"}));
  const Duration took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(refused.exit_code, kNotConnected) << refused;
  EXPECT_EQ(refused.err,
            "tickbox connect: could not connect: no answer from " + nobody +
                " after 5 s; is a server running there? Its path must carry datagrams of "
                "1200 bytes\n");
  // 5 s; the rest is for a busy machine.
  EXPECT_LT(took, std::chrono::seconds{15});
}

TEST(Connect, AClosedPortIsNoAnswerEither) {
  const std::string nobody = net::to_string(silent_socket()->local_address());
  const Finished refused = run(tickbox({"connect", nobody, "--seconds", "60", "--json"}));
  expect_ended(refused, kNotConnected, {"no answer from " + nobody + " after 5 s"});
  EXPECT_FALSE(Document{refused.out}.truth("connected"));
}

TEST(Connect, AFullServerSaysHowFull) {
  const RunningServer server{{"--max-clients", "1", "--not-ready-when-full"}};
  const Process first{tickbox({"connect", server.address(), "--seconds", "60"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  const Finished second = run(tickbox({"connect", server.address(), "--seconds", "60", "--json"}));
  EXPECT_EQ(second.exit_code, kNotConnected) << second;
  EXPECT_EQ(second.err, "tickbox connect: could not connect: server full 1/1\n");
  // Programs read the reason in `refused`. Before the fix, only the English text in
  // disconnect_reason had it.
  const Document document{second.out};
  EXPECT_EQ(document.number("exit"), kNotConnected);
  EXPECT_EQ(document.text("error"), "could not connect: server full 1/1");
  EXPECT_EQ(document.text("refused"), "full");
  const Finished many = run(tickbox({"load", server.address(), "--clients", "2", "--json"}));
  EXPECT_EQ(many.exit_code, kNotConnected) << many;
  EXPECT_EQ(Document{many.out}.number("exit"), kNotConnected);
  EXPECT_TRUE(Document{many.out}.text("error").contains("server full 1/1")) << many;
  EXPECT_EQ(Document{many.out}.text("refused"), "full");
  EXPECT_EQ(server.get("/readyz").body, "full 1/1\n");
  EXPECT_TRUE(
      eventually([&] { return server.metric("tickbox_connections_total", "refused_full") >= 1; }));
}

TEST(Connect, CtrlCLeavesCleanlyAndPrintsTheDocument) {
  const RunningServer server;
  Process client{tickbox({"connect", server.address(), "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  client.signal(SIGINT);
  const Finished left = finish(client);
  EXPECT_EQ(left.exit_code, kDone) << left;
  const Document document{left.out};
  EXPECT_TRUE(document.truth("connected"));
  EXPECT_EQ(document.text("disconnect_reason"), "left");
  EXPECT_TRUE(server.wait_for_goodbyes(1));
}

TEST(Connect, AServerThatIsGoneWhenItsTimeIsUpIsNoGoodEnd) {
  RunningServer server;
  Process client{tickbox({"connect", server.address(), "--seconds", "9", "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  server.process().signal(SIGKILL);
  const Finished left = finish(client);
  expect_ended(left, kNotConnected, {"the server stopped answering"});
  EXPECT_EQ(Document{left.out}.text("disconnect_reason"), "no answer from the server");
}

// A client whose terminal closes gets SIGHUP. Before the fix, it played on, and nobody could stop
// it.
TEST(Connect, AClosedTerminalEndsItAsCtrlCDoes) {
  const RunningServer server;
  Process client{tickbox({"connect", server.address(), "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  client.signal(SIGHUP);
  EXPECT_EQ(finish(client).exit_code, kDone);
  EXPECT_TRUE(server.wait_for_goodbyes(1));
}

}  // namespace
}  // namespace tickbox::integration::connect_test
