#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/support/sanitizers.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace tickbox::integration {
namespace {

// How a server gets ready, what it says while it is, and what keeps it from starting.

void expect_failed(const Finished& finished, const std::vector<std::string>& said) {
  EXPECT_EQ(finished.exit_code, kFailed) << finished;
  EXPECT_EQ(finished.out, "");
  const std::string line = last_line(finished.err);
  for (const std::string& words : said)
    EXPECT_TRUE(line.contains(words)) << words << " is not in: " << line;
}

TEST(ServerStart, ReadyIsOneLineOfJsonWithBothAddresses) {
  RunningServer server;
  const Document ready{server.ready_line()};
  EXPECT_EQ(ready.text("event"), "ready");
  EXPECT_TRUE(server.address().starts_with("127.0.0.1:")) << server.address();
  EXPECT_TRUE(server.admin().starts_with("127.0.0.1:")) << server.admin();
  EXPECT_NE(port_of(server.address()), "0");
  EXPECT_NE(port_of(server.admin()), "0");
  const Finished finished = server.stop();
  EXPECT_EQ(line_count(finished.out), 2U) << "and how it ended, nothing beside: " << finished.out;
  EXPECT_TRUE(finished.err.contains(" ready address=" + server.address())) << finished.err;
}

TEST(ServerStart, TellsTheAddressOfItsGateway) {
  const std::string url = "https://play.example.org/";
  RunningServer server{{"--gateway-url", url}};
  EXPECT_EQ(Document{server.ready_line()}.text("gateway"), url);
  EXPECT_EQ(Document{server.get("/v1/status").body}.text("gateway"), url);
  EXPECT_TRUE(server.stop().err.contains(" gateway=" + url));
  for (const char* const wrong : {"play.example.org", "file:///etc", "http://a b", "http://a\n"}) {
    const Finished refused = run(tickbox_server({"--gateway-url", wrong}));
    EXPECT_EQ(refused.exit_code, kWrongUsage) << refused;
    EXPECT_EQ(line_count(refused.err), 1U) << refused;
    EXPECT_TRUE(refused.err.contains("https://play.example.org/")) << refused;
  }
}

TEST(ServerStart, PeopleAreToldTheNextCommands) {
  Process process{tickbox_server({"--port", "0", "--admin-port", "0"})};
  EXPECT_TRUE(process.wait_for_output(
      [](const Output& output) { return output.out.contains("/metrics"); }, kPatience));
  const std::string out = process.output().out;
  EXPECT_TRUE(out.contains("tickbox connect 127.0.0.1:")) << out;
  EXPECT_TRUE(out.contains("tickbox load 127.0.0.1:")) << out;
  EXPECT_TRUE(out.contains("http://127.0.0.1:")) << out;
}

// Before the fix, a server suggested more clients than it had seats, so that they could not all
// connect.
TEST(ServerStart, TheLoadThatItSuggestsFindsSeats) {
  const auto suggests = [](const char* max_clients, const std::string& words) {
    const Finished finished = run(tickbox_server(
        {"--port", "0", "--admin-port", "0", "--ticks", "1", "--max-clients", max_clients}));
    EXPECT_TRUE(finished.out.contains(words)) << finished;
  };
  suggests("10", " --clients 10 --seconds");
  suggests("33", " --clients 32 --seconds");
}

TEST(ServerStart, TheAdminSideAnswers) {
  const RunningServer server;
  EXPECT_EQ(server.get("/livez").status, 200U);
  EXPECT_EQ(server.get("/readyz").status, 200U);
  const os::HttpResponse metrics = server.get("/metrics");
  EXPECT_EQ(metrics.status, 200U);
  EXPECT_TRUE(metrics.content_type.starts_with("text/plain; version=0.0.4"))
      << metrics.content_type;
  for (const char* name :
       {"tickbox_tick_duration_seconds", "tickbox_tick_lateness_seconds", "tickbox_clients",
        "tickbox_packets_total", "tickbox_bytes_total", "tickbox_packets_dropped_total",
        "tickbox_desync_reports_total", "tickbox_desync_files_total"}) {
    EXPECT_TRUE(metrics.body.contains(name)) << name;
  }
  EXPECT_EQ(server.get("/no-such-page").status, 404U);
}

// Before the fix, the server accepted a crash directory that takes no file, and a crash left
// nothing there.
TEST(ServerStart, APathThatCannotBeUsedIsNamedWithItsOption) {
  const os::TemporaryFolder folder;
  const std::string inside_a_file = folder.write("file", "no directory") + "/inside";
  const std::pair<const char*, std::string> cases[] = {
      {"--record", inside_a_file},
      {"--desync-dir", inside_a_file},
      {"--match-results", folder.file("none") + "/results.jsonl"},
      {"--match-results", folder.file("")},
      {"--crash-dir", inside_a_file},
      {"--crash-dir", "/proc"}};
  for (const auto& [option, path] : cases) {
    const Finished finished =
        run(tickbox_server({"--port", "0", "--admin-port", "0", "--ticks", "1", option, path}));
    expect_failed(finished, {path, option});
    EXPECT_EQ(line_count(finished.err), 1U) << finished.err;
  }
}

TEST(ServerStart, WithJsonAFailureIsADocument) {
  const RunningServer first;
  const Finished second =
      run(tickbox_server({"--port", port_of(first.address()), "--admin-port", "0", "--json"}));
  EXPECT_EQ(second.exit_code, kFailed) << second;
  EXPECT_EQ(Document{second.out}.number("exit"), kFailed);
  EXPECT_TRUE(Document{second.out}.text("error").contains("in use")) << second;
}

TEST(ServerStart, TheMetricsTellHowFarItsClientsAre) {
  const RunningServer server;
  const Finished played = run(
      tickbox({"connect", server.address(), "--seconds", "3", "--net", "delay=100ms", "--json"}));
  ASSERT_EQ(played.exit_code, kDone) << played;
  const double samples = server.metric("tickbox_client_rtt_seconds_count");
  ASSERT_GT(samples, 10);
  const double mean = server.metric("tickbox_client_rtt_seconds_sum") / samples;
  const double told = Document{played.out}.number("rtt_ms.p50") / 1'000;
  EXPECT_GT(mean, told * 0.9);
  EXPECT_LT(mean, told + 0.1) << "a tick of the client, and a busy machine";
  EXPECT_GT(server.metric("tickbox_input_margin_ticks_count"), 10);
  EXPECT_GT(server.metric("tickbox_snapshot_size_bytes_count", "on_base"), 10);
  (void)server.get("/nonsense");
  EXPECT_GE(server.metric("tickbox_admin_requests_total", "404"), 1);
  EXPECT_GE(server.metric("tickbox_admin_requests_total", "200"), 1);
  EXPECT_GT(server.metric("process_open_fds"), 3);
}

TEST(ServerStart, HealthTellsALivingServerFromADeadOne) {
  RunningServer server;
  const Command health = tickbox_server({"health", "--admin", server.admin()});
  const Finished alive = run(health);
  EXPECT_EQ(alive.exit_code, kDone) << alive;
  EXPECT_EQ(alive.out, "ok\n");
  for (const Command& with_json :
       {tickbox_server({"health", "--admin", server.admin(), "--json"}),
        tickbox_server({"--json", "health", "--admin", server.admin()})}) {
    const Document document{run(with_json).out};
    EXPECT_TRUE(document.truth("alive"));
    EXPECT_EQ(document.text("admin"), server.admin());
    EXPECT_EQ(document.text("answer"), "ok");
  }

  Command as_the_server = tickbox_server({"health"});
  as_the_server.environment = {"TICKBOX_ADMIN_PORT=" + port_of(server.admin())};
  EXPECT_EQ(run(as_the_server).exit_code, kDone) << "where the server's own settings say";

  ASSERT_EQ(server.stop().exit_code, kDone);
  expect_failed(run(health), {"cannot connect to", server.admin(), "is the server running?"});
  EXPECT_EQ(run(tickbox_server({"health", "--admin", "nonsense"})).exit_code, kWrongUsage);
  EXPECT_EQ(run(tickbox_server({"health", "--admin", "tickbox.invalid:1"})).exit_code, kFailed);
}

/// Whether programs may have a namespace of their own here.
bool has_namespaces() {
  const Command namespaces{.program = "/usr/bin/unshare",
                           .arguments = {"--pid", "--fork", "--mount-proc", "/bin/true"}};
  return std::filesystem::exists(namespaces.program) && run(namespaces).exit_code == 0;
}

/// Runs the server as process 1 of a namespace of its own, as a container does, and `health` beside
/// it until the server has started. `health`: the options of the check. Returns what it said, to
/// stdout and stderr.
Finished health_beside_process_1(const std::string& server, const std::string& health) {
  const std::string program = tickbox_server({}).program;
  const std::string check =
      "(said=starting; for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do case $said in starting*) "
      "sleep 1; said=$(" +
      program + " health " + health + " 2>&1);; esac; done; echo \"$said\"; kill -TERM 1) & ";
  return run({.program = "/usr/bin/unshare",
              .arguments = {"--pid", "--fork", "--mount-proc", "/bin/sh", "-c",
                            check + "exec " + program + " --port 0 --quiet " + server}});
}

// Before the change, the check of a container asked the port by default, whatever the server had.
TEST(ServerStart, HealthFindsTheServerOfItsContainer) {
  if (!has_namespaces()) GTEST_SKIP() << "cannot make a namespace";
  for (const char* const bind : {"127.0.0.1", "::1"}) {
    const Finished found =
        health_beside_process_1(std::string{"--admin-port 0 --admin-bind "} + bind, "--ready");
    EXPECT_EQ(found.out, "ok\n") << found;
  }
  const Finished named = health_beside_process_1("--admin-port 0", "--admin 127.0.0.1:1");
  EXPECT_TRUE(named.out.contains("cannot connect to http://127.0.0.1:1/")) << named;
}

// Before the change, nothing but SIGKILL ended it: process 1 has no default action for a signal.
// The pipe as key file stands for a name server that does not answer.
TEST(ServerStart, AsProcess1AStartThatWaitsEndsOnASignal) {
  if (tests::kHasThreadSanitizer) {
    GTEST_SKIP() << "ThreadSanitizer keeps a signal back while open() waits";
  }
  if (!has_namespaces()) GTEST_SKIP() << "cannot make a namespace";
  const os::TemporaryFolder folder;
  const std::string pipe = folder.file("keys");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Finished ended = run(
      {.program = "/usr/bin/unshare",
       .arguments = {"--pid", "--fork", "--mount-proc", "/bin/sh", "-c",
                     "(while sleep 1; do kill -TERM 1; done) & exec " + tickbox_server({}).program +
                         " --port 0 --admin-port 0 --key-file " + pipe}});
  EXPECT_EQ(ended.exit_code, 128 + SIGTERM) << ended;
}

TEST(ServerStart, APublicAddressIsCheckedWithoutALookup) {
  for (const char* const wrong : {"0.0.0.0:7777", "[::]:7777", "127.0.0.1:0", "127.0.0.1", ":1"}) {
    EXPECT_EQ(run(tickbox_server({"--public-address", wrong})).exit_code, kWrongUsage) << wrong;
  }
}

TEST(ServerStart, ANameIsInEachLineOfAJsonLogAndInTheMetrics) {
  RunningServer server{{"--name", "eu-1", "--log-format", "json"}};
  EXPECT_EQ(server.metric("tickbox_server_info", "eu-1"), 1);
  EXPECT_EQ(server.metric("tickbox_server_info", "arena"), 1);
  const std::string log = server.stop().err;
  EXPECT_GE(line_count(log), 3U) << log;
  std::istringstream lines{log};
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(Document{line}.text("name"), "eu-1") << line;
  }
}

// What answers may be any program.
TEST(ServerStart, HealthPrintsNoCommandsToTheTerminal) {
  const auto stranger = os::HttpServer::start(
      {.bind = net::parse_address("127.0.0.1:0").value()}, {.answer = [](const os::HttpRequest&) {
        return os::HttpResponse{.body = "\x1b]0;owned\x07 ok\nmore\n"};
      }});
  ASSERT_TRUE(stranger) << stranger.error();
  const Finished asked =
      run(tickbox_server({"health", "--admin", net::to_string((*stranger)->local_address())}));
  EXPECT_EQ(asked.out, "\\x1b]0;owned\\x07 ok\n");
}

// `health --ready` is a readiness probe that needs neither a shell nor an HTTP client.
TEST(ServerStart, HealthTellsAFullServerFromAReadyOne) {
  RunningServer server{{"--max-clients", "1", "--not-ready-when-full"}};
  const auto health = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"health", "--admin", server.admin()});
    return run(tickbox_server(std::move(more)));
  };
  EXPECT_EQ(health({"--ready"}).exit_code, kDone);
  EXPECT_TRUE(Document{health({"--ready", "--json"}).out}.truth("ready"));
  Process player{tickbox({"connect", server.address(), "--seconds", "60", "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  ASSERT_TRUE(eventually([&] { return server.get("/readyz").status == 503; }));
  const Finished full = health({"--ready"});
  EXPECT_EQ(full.exit_code, kFailed);
  EXPECT_EQ(full.out, "full 1/1\n");
  EXPECT_EQ(health({}).exit_code, kDone) << "it is alive";
  player.signal(SIGKILL);
}

TEST(ServerStart, ABusyPortFailsAndIsNamed) {
  const RunningServer first;
  const auto fails_at = [](const std::string& port, const std::string& admin_port,
                           const std::string& address) {
    const Finished second = run(tickbox_server({"--port", port, "--admin-port", admin_port}));
    expect_failed(second, {address, "in use"});
    EXPECT_EQ(line_count(second.err), 1U) << second.err;
  };
  fails_at(port_of(first.address()), "0", first.address());
  fails_at("0", port_of(first.admin()), first.admin());
}

TEST(ServerStart, AFlagWinsOverTheEnvironmentAndThatOverTheFile) {
  const os::TemporaryFolder folder;
  const std::string file = folder.write("server.toml", "tick-rate = 30\n");
  const std::vector<std::string> environment = {"TICKBOX_TICK_RATE=40"};
  EXPECT_EQ(RunningServer({"--config", file}).metric("tickbox_tick_rate"), 30);
  EXPECT_EQ(RunningServer({"--config", file}, environment).metric("tickbox_tick_rate"), 40);
  EXPECT_EQ(RunningServer({"--config", file, "--tick-rate", "50"}, environment)
                .metric("tickbox_tick_rate"),
            50);
  EXPECT_EQ(RunningServer({"--tick-rate", "50", "--config", file}).metric("tickbox_tick_rate"), 50);
  EXPECT_EQ(RunningServer().metric("tickbox_tick_rate"), 60) << "the default";
}

// How a server ends, and how it notices that a client has ended.

// Help promises a document as the last line on stdout. Before the fix, the ready line was the only
// line.
TEST(ServerStop, TellsInItsLastLineWhatItLeaves) {
  const os::TemporaryFolder folder;
  RunningServer server{{"--record", folder.file("match"), "--ticks", "90"}};
  const Finished ended = server.ended();
  ASSERT_EQ(ended.exit_code, kDone) << ended;
  EXPECT_EQ(line_count(ended.out), 2U) << ended;
  const Document document{last_line(ended.out)};
  EXPECT_EQ(document.text("event"), "stopped");
  EXPECT_EQ(document.number("ticks"), 90);
  EXPECT_EQ(document.number("exit"), kDone);
  EXPECT_TRUE(last_line(ended.out).contains("\"recordings\":[\"" +
                                            os::files_in(folder.file("match")).at(0) + "\"]"))
      << ended;
}

TEST(ServerStop, SigtermAndCtrlCTellTheClientsAndEndWithZero) {
  for (const int signal : {SIGTERM, SIGINT}) {
    RunningServer server;
    Process client{tickbox({"connect", server.address(), "--seconds", "60"})};
    ASSERT_TRUE(server.wait_for_clients(1));

    server.process().signal(signal);
    const Finished stopped = finish(server.process());
    EXPECT_EQ(stopped.exit_code, kDone) << stopped;
    EXPECT_TRUE(last_line(stopped.err).ends_with(" stopped")) << stopped.err;
    EXPECT_FALSE((stopped.out + stopped.err).contains('\x1b')) << stopped;

    const Finished told = finish(client);
    EXPECT_EQ(told.exit_code, kNotConnected) << told;
    EXPECT_EQ(told.err, "tickbox connect: disconnected: server is stopping\n");
  }
}

TEST(ServerStop, AfterSoManyTicksItStopsByItself) {
  expect_ended(run(tickbox_server({"--port", "0", "--admin-port", "0", "--ticks", "10"})), kDone,
               {"stopping clients=0 ticks=10"});
}

// Players know of the end, and those who are to wait for it are not: a balancer by /readyz, a
// newcomer by its refusal.
TEST(ServerStop, WithADrainTimeThePlayersMayFinish) {
  RunningServer server{{"--drain-time", "30s"}};
  Process playing{tickbox({"connect", server.address(), "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  server.process().signal(SIGTERM);
  EXPECT_TRUE(eventually([&] { return server.get("/readyz").body == "draining\n"; }));
  EXPECT_EQ(server.get("/readyz").status, 503U);
  EXPECT_EQ(server.get("/livez").status, 200U);
  expect_ended(run(tickbox({"connect", server.address(), "--seconds", "1"})), kNotConnected,
               {"could not connect: server is stopping"});
  EXPECT_TRUE(playing.wait_for_output(
      [](const Output& output) { return output.err.contains("the server stops in "); }, kPatience));
  EXPECT_EQ(playing.wait(Duration::zero()), std::nullopt) << "it plays on";

  playing.signal(SIGINT);
  const Finished left = finish(playing);
  EXPECT_EQ(left.exit_code, kDone) << left;
  const double drain_ms = Document{left.out}.number("drain_ms");
  EXPECT_GT(drain_ms, 25'000);
  EXPECT_LE(drain_ms, 30'000);
  // The last player has left, so nothing waits for the rest of the time.
  const Finished stopped = server.ended();
  expect_ended(stopped, kDone, {"draining clients=1 seats=1 seconds=30.0", "stopping clients=0"});
}

TEST(ServerStop, ADrainEndsAfterItsTimeOrAtASecondSignal) {
  for (const bool is_hurried : {false, true}) {
    RunningServer server{{"--drain-time", is_hurried ? "10m" : "1s"}};
    Process playing{tickbox({"connect", server.address(), "--json"})};
    ASSERT_TRUE(server.wait_for_clients(1));
    server.process().signal(SIGTERM);
    if (is_hurried) {
      EXPECT_TRUE(eventually([&] { return server.get("/readyz").status == 503; }));
      server.process().signal(SIGTERM);
    }
    expect_ended(server.ended(), kDone, {"draining clients=1", "stopping clients=1"});
    const Finished told = finish(playing);
    EXPECT_EQ(told.exit_code, kNotConnected) << told;
    EXPECT_TRUE(told.err.contains("disconnected: server is stopping")) << told;
  }
}

TEST(ServerStop, NotOnASignalThatMeansNothing) {
  RunningServer server;
  server.process().signal(SIGUSR1);
  EXPECT_TRUE(server.process().wait_for_output(
      [](const Output& output) { return output.err.contains("signal_ignored"); }, kPatience));
  EXPECT_EQ(server.get("/livez").status, 200U);
  expect_ended(server.stop(), kDone, {"stopped"});
}

TEST(ServerStop, WhenItIsEmptyIfThatIsAsked) {
  RunningServer server{{"--exit-when-empty", "1s"}};
  std::this_thread::sleep_for(std::chrono::milliseconds{1'500});
  EXPECT_EQ(server.get("/livez").status, 200U) << "it waits for its first client";
  EXPECT_EQ(run(tickbox({"connect", server.address(), "--seconds", "0.3"})).exit_code, kDone);
  expect_ended(server.ended(), kDone, {"empty reason=", "stopping clients=0"});
}

class HungDisk : public testing::Test {
 protected:
  HungDisk() {
    EXPECT_TRUE(server_.wait_for_output(
        [](const Output& output) { return output.err.contains(" ready "); }, kPatience));
  }

  /// Waits until the server says so.
  [[nodiscard]] bool says(std::string_view words) {
    return server_.wait_for_output(
        [words](const Output& output) { return output.err.contains(words); }, kPatience);
  }

  static void expect_given_up(const Finished& stopped) {
    expect_ended(stopped, kFailed, {"cannot close the recording in ", "the disk does not answer"});
  }

  os::TemporaryFolder folder_;
  Process server_{faulty_server({"--port", "0", "--admin-port", "0", "--max-clients", "16",
                                 "--record", folder_.file("match")},
                                "FAULT_SYNC_HELD=1")};
};

TEST_F(HungDisk, HoldsUpAStopForSecondsAlone) {
  std::this_thread::sleep_for(std::chrono::milliseconds{500});  // some ticks to be recorded
  server_.signal(SIGTERM);
  EXPECT_TRUE(says("recording_not_closed_yet"));
  expect_given_up(finish(server_));
  // All that waited was written. Only whether it has reached the medium is unknown.
  const Finished verified =
      run(tickbox({"replay", "verify", os::files_in(folder_.file("match")).at(0)}));
  EXPECT_EQ(verified.exit_code, kDone) << verified;
}

TEST_F(HungDisk, IsNotWaitedForByWhoIsToldTwice) {
  server_.signal(SIGTERM);
  EXPECT_TRUE(says("stopping"));
  server_.signal(SIGTERM);
  expect_given_up(finish(server_));
  EXPECT_FALSE(server_.output().err.contains("recording_not_closed_yet"));
}

TEST(ServerStop, AClientThatLeavesIsGoneAtOnce) {
  const RunningServer server;
  const Finished left = run(tickbox({"connect", server.address(), "--seconds", "0.5"}));
  EXPECT_EQ(left.exit_code, kDone) << left;
  EXPECT_TRUE(server.wait_for_goodbyes(1));
  EXPECT_EQ(server.metric("tickbox_disconnects_total"), 1);
}

TEST(ServerStop, AClientThatIsKilledTimesOut) {
  const RunningServer server;
  Process client{tickbox({"connect", server.address(), "--seconds", "60"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  client.signal(SIGKILL);
  EXPECT_EQ(finish(client).exit_code, 128 + SIGKILL);
  EXPECT_TRUE(server.wait_for_clients(0));
  EXPECT_EQ(server.metric("tickbox_disconnects_total", "timed_out"), 1);
}

}  // namespace
}  // namespace tickbox::integration
