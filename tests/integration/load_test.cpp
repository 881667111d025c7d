// Many clients of one process against a real server.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/support/sanitizers.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::integration::load_test {
namespace {

using Strings = std::vector<std::string>;

/// Keys that the document must have, because scripts read them.
const Strings& document_keys() {
  static const Strings kKeys = {"clients.asked",
                                "clients.connected",
                                "clients.dropped",
                                "clients.rejoined",
                                "clients.moved",
                                "outage_ms.p50",
                                "outage_ms.p99",
                                "outage_ms.max",
                                "snapshots_per_client_per_second.min",
                                "snapshots_per_client_per_second.p50",
                                "snapshot_gap_ms.p50",
                                "snapshot_gap_ms.p99",
                                "snapshot_gap_ms.p999",
                                "tick_ms.p50",
                                "tick_ms.p99",
                                "tick_ms.p999",
                                "tick_ms.max",
                                "tick_overruns",
                                "ticks_skipped",
                                "joining.tick_ms_max",
                                "joining.overruns",
                                "tick_rate_held",
                                "bytes_per_client_per_second.down",
                                "bytes_per_client_per_second.up",
                                "loss.up",
                                "loss.down",
                                "inputs.substituted_share",
                                "prediction.corrected_share",
                                "rtt_ms.p50",
                                "rtt_ms.p99",
                                "state_hash.clients_checked",
                                "state_hash.checked",
                                "state_hash.mismatched",
                                "prediction.checked",
                                "prediction.exact",
                                "prediction.corrected",
                                "prediction.error_p99",
                                "prediction.error_max",
                                "server.cpu_percent",
                                "server.rss_bytes",
                                "generator.threads",
                                "generator.cpu_percent",
                                "generator.late_p99_ms",
                                "generator.late_max_ms",
                                "generator.late_share",
                                "requirements",
                                "verdict"};
  return kKeys;
}

/// Runs until the generator was not held up, but not more often than `most`.
Finished run_conclusively(const Command& command, int most) {
  Finished finished = run(command);
  for (int attempt = 1; attempt < most && finished.exit_code == kInconclusive; ++attempt) {
    finished = run(command);
  }
  return finished;
}

/// Two clients for a moment.
Finished load_shortly(const RunningServer& server, const Strings& more) {
  Command command = tickbox(
      {"load", server.address(), "--clients", "2", "--ramp", "0", "--seconds", "0.5", "--json"});
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  return run_conclusively(command, 10);
}

/// As many as a generator that a sanitizer slows down, beside other tests, can play.
constexpr int kMany = tests::kHasSanitizer ? 4 : 20;

void expect_many_play_and_verify(int threads) {
  const RunningServer server{slow_server()};
  const Finished loaded =
      run_conclusively(tickbox({"load", server.address(), "--clients", std::to_string(kMany),
                                "--seconds", "3", "--threads", std::to_string(threads), "--admin",
                                "http://" + server.admin() + "/metrics", "--json"}),
                       2);
  const bool conclusive = loaded.exit_code != kInconclusive;
  ASSERT_EQ(loaded.exit_code, conclusive ? kDone : kInconclusive) << loaded;
  const Document document{loaded.out};
  EXPECT_EQ(document.missing(document_keys()), Strings{});
  EXPECT_EQ(document.number("clients.asked"), kMany);
  EXPECT_EQ(document.number("clients.connected"), kMany);
  EXPECT_EQ(document.number("clients.dropped"), 0);
  EXPECT_GE(document.number("state_hash.checked"), (conclusive ? 20 : 1) * kMany);
  EXPECT_EQ(document.number("state_hash.clients_checked"), kMany);
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
  EXPECT_GT(document.number("tick_ms.p99"), 0);
  EXPECT_GT(document.number("joining.tick_ms_max"), 0);
  EXPECT_GT(document.number("server.rss_bytes"), 0);
  EXPECT_EQ(document.number("generator.threads"), threads);
  EXPECT_GT(document.number("snapshots_per_client_per_second.min"), 0);
  EXPECT_EQ(document.text("verdict"), conclusive ? "passed" : "inconclusive");
  EXPECT_FALSE((loaded.out + loaded.err).contains('\x1b')) << loaded;
  EXPECT_TRUE(server.wait_for_goodbyes(kMany));
  EXPECT_GE(server.metric("tickbox_connections_total", "accepted"), kMany);
}

TEST(Load, ManyClientsPlayAndVerify) {
  expect_many_play_and_verify(1);
}

TEST(Load, ManyClientsOnThreeThreadsAreOneRun) {
  expect_many_play_and_verify(3);
}

// As an Indexed Job starts them: with the same words, and each with its index.
TEST(Load, FourPartsAreMergedIntoOneRun) {
  constexpr int kClients = tests::kHasSanitizer ? 8 : 40;
  const os::TemporaryFolder folder;
  const RunningServer server{slow_server()};
  std::vector<std::unique_ptr<Process>> parts;
  for (int i = 0; i < 4; ++i) {
    Command command =
        tickbox({"load", server.address(), "--part", "auto/4", "--clients",
                 std::to_string(kClients), "--seconds", "3", "--admin", server.admin(), "--json"});
    command.environment = {"JOB_COMPLETION_INDEX=" + std::to_string(i)};
    parts.push_back(std::make_unique<Process>(command));
  }
  Strings files;
  double checked = 0;
  std::vector<Document> documents;
  for (const auto& part : parts) {
    const Finished played = finish(*part);
    ASSERT_TRUE(played.exit_code == kDone || played.exit_code == kInconclusive) << played;
    files.push_back(folder.write(std::to_string(files.size()), played.err + played.out));
    documents.emplace_back(played.out);
    EXPECT_EQ(documents.back().number("clients.connected"), kClients / 4);
    checked += documents.back().number("state_hash.checked");
  }
  EXPECT_EQ(server.metric("tickbox_connections_total", "accepted"), kClients);
  const auto merge = [&](const Strings& some, const Strings& more) {
    Strings words{"load", "merge"};
    words.insert(words.end(), some.begin(), some.end());
    words.insert(words.end(), more.begin(), more.end());
    return run(tickbox(words));
  };
  const std::string page = folder.file("page.html");
  const Finished merged = merge({files[2], files[0], files[3], files[1]},
                                {"--json", "--report", page, "--require", "clients.dropped==0",
                                 "--require", "rtt_ms.p50>0,tick_ms.max>0"});
  ASSERT_TRUE(merged.exit_code == kDone || merged.exit_code == kInconclusive) << merged;
  const Document document{merged.out};
  EXPECT_EQ(document.missing(document_keys()), Strings{});
  EXPECT_EQ(document.number("clients.asked"), kClients);
  EXPECT_EQ(document.number("clients.connected"), kClients);
  EXPECT_EQ(document.number("state_hash.clients_checked"), kClients);
  EXPECT_EQ(document.number("state_hash.checked"), checked);
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
  const auto among_parts = [&](const char* path) {
    return std::ranges::any_of(documents, [&](const Document& part) {
      return part.number(path) == document.number(path);
    });
  };
  for (const char* const path : {"tick_ms.p99", "server.rss_bytes", "ticks_skipped"}) {
    EXPECT_TRUE(among_parts(path)) << path << " is of one server";
  }
  const auto by_p99 = [](const Document& part) { return part.number("rtt_ms.p99"); };
  EXPECT_LE(document.number("rtt_ms.p99"), by_p99(std::ranges::max(documents, {}, by_p99)));
  EXPECT_GE(document.number("rtt_ms.p99"), by_p99(std::ranges::min(documents, {}, by_p99)));
  EXPECT_TRUE(os::text_of(page).contains(R"("line":"result","headline":)")) << "its last line";

  EXPECT_EQ(merge(files, {"--require", "clients.connected<4"}).exit_code,
            merged.exit_code == kDone ? kCheckFailed : kInconclusive);
  expect_wrong_usage(tickbox({"load", "merge", files[0], files[1], files[3]}),
                     {"part 2/4 is missing"});
  expect_wrong_usage(tickbox({"load", "merge", files[0], files[1], files[2], files[2]}),
                     {"are both part 2/4"});
  expect_ended(merge({folder.write("text", "none")}, {}), kFailed, {"load --part I/N --json"});
}

/// Which of six clients, of which one in six checks, had a gap between snapshots and a round trip
/// in any second: the full ones, and those that were connected.
std::string clients_of(const RunningServer& server, const char* threads) {
  const os::TemporaryFolder folder;
  const Finished loaded =
      run(tickbox({"load", server.address(), "--clients", "6", "--ramp", "0", "--seconds", "2",
                   "--verify", "1/6", "--threads", threads, "--client", "1000", "--results",
                   folder.file("results"), "--json"}));
  EXPECT_TRUE(loaded.exit_code == kDone || loaded.exit_code == kInconclusive) << loaded;
  std::vector<bool> full(6);
  std::vector<bool> connected(6);
  std::istringstream results{os::text_of(folder.file("results"))};
  for (std::string line; std::getline(results, line);) {
    const auto second = nlohmann::json::parse(line);
    if (second["line"] != "second") continue;
    for (std::size_t i = 0; i < 6; ++i) {
      const auto& each = second["each_client"];
      full[i] = full[i] || !each["snapshot_gap_ms"][i].is_null();
      connected[i] = connected[i] || !each["rtt_ms"][i].is_null();
    }
  }
  const Document document{loaded.out};
  EXPECT_FALSE(document.is_null("snapshot_gap_ms.p99")) << "of a client of the last thread";
  std::string words = document.text("clients.first_id") + ":";
  for (std::size_t i = 0; i < 6; ++i) {
    words += full[i] ? " full" : connected[i] ? " light" : " none";
  }
  return words;
}

TEST(Load, TheClientsOfSeveralThreadsAreThoseOfOne) {
  const RunningServer server{slow_server()};
  for (const char* const threads : {"1", "3"}) {
    EXPECT_EQ(clients_of(server, threads), "1000: light light light light light full") << threads;
  }
}

TEST(Load, RefusesANumberOfThreadsThatIsNone) {
  for (const char* const threads : {"0", "65", "-1", "1.5", "all"}) {
    expect_one_line(run(tickbox({"load", "127.0.0.1:1", "--threads", threads})), kWrongUsage,
                    {"--threads", threads});
  }
}

TEST(Load, WithoutTheAdminSideTheServersFiguresAreNull) {
  const RunningServer server{slow_server()};
  const Finished loaded = load_shortly(server, {});
  ASSERT_EQ(loaded.exit_code, kDone) << loaded;
  const Document document{loaded.out};
  for (const char* figure : {"tick_ms.p50", "tick_ms.p99", "tick_overruns", "tick_rate_held",
                             "server.cpu_percent", "server.rss_bytes"}) {
    EXPECT_TRUE(document.is_null(figure)) << figure;
  }
}

TEST(Load, ARequirementThatIsMissedIsAFailedCheck) {
  const RunningServer server{slow_server()};
  const Finished loaded = load_shortly(server, {"--require", "clients.connected==2", "--require",
                                                "snapshots_per_client_per_second.p50>=1000"});
  expect_ended(loaded, kCheckFailed, {"1 of 2 requirements missed"});
  EXPECT_EQ(Document{loaded.out}.text("verdict"), "failed");
}

TEST(Load, RequiresSharesOfWhatItCounts) {
  const RunningServer server{slow_server()};
  const Finished loaded = run_conclusively(
      tickbox({"load", server.address(), "--clients", "2", "--ramp", "0", "--seconds", "2", "--net",
               "loss=30%", "--require", "loss.down>0.05,loss.down<0.6", "--require",
               "inputs.substituted_share<=1,prediction.corrected_share<=1"}),
      10);
  EXPECT_EQ(loaded.exit_code, kDone) << loaded;
}

TEST(Load, PlaysWithADifferentLinkForAPartOfTheClients) {
  const RunningServer server{slow_server()};
  const Finished loaded =
      run_conclusively(tickbox({"load", server.address(), "--clients", "4", "--ramp", "0",
                                "--seconds", "2", "--net", "25%:4g,delay=200ms,loss=0%,burst=1",
                                "--require", "rtt_ms.p50<200,rtt_ms.p99>=200"}),
                       10);
  EXPECT_EQ(loaded.exit_code, kDone) << loaded;
}

TEST(Load, ChecksThePartOfItsClientsThatIsAskedFor) {
  const RunningServer server{slow_server()};
  Command command = tickbox({"load", server.address(), "--clients", "4", "--ramp", "0", "--seconds",
                             "1", "--verify", "1/2", "--require", "state_hash.mismatched==0"});
  const Finished people = run_conclusively(command, 10);
  ASSERT_EQ(people.exit_code, kDone) << people;
  EXPECT_TRUE(people.out.contains("no hash of 2 of 4 clients differs")) << people;
  command.arguments.emplace_back("--json");
  const Finished loaded = run_conclusively(command, 10);
  ASSERT_EQ(loaded.exit_code, kDone) << loaded;
  const Document document{loaded.out};
  EXPECT_EQ(document.number("state_hash.clients_checked"), 2);
  EXPECT_EQ(document.number("clients.connected"), 4);
  EXPECT_GT(document.number("state_hash.checked"), 0);
  EXPECT_GT(document.number("snapshots_per_client_per_second.min"), 0);
  EXPECT_GT(document.number("prediction.checked"), 0);
}

TEST(Load, ARequirementOnHashesFailsWhereNoneWasChecked) {
  const RunningServer server{slow_server()};
  const Finished loaded =
      load_shortly(server, {"--verify", "0", "--require", "state_hash.mismatched==0"});
  expect_ended(loaded, kCheckFailed, {"no hash was checked", "--verify", "1/1"});
  const Document document{loaded.out};
  EXPECT_EQ(document.number("state_hash.checked"), 0);
  EXPECT_EQ(document.number("clients.connected"), 2);
  EXPECT_TRUE(document.is_null("snapshot_gap_ms.p99"));
  EXPECT_EQ(load_shortly(server, {"--verify", "0"}).exit_code, kDone);
}

TEST(Load, RefusesAPartThatIsNone) {
  for (const char* const part : {"1/0", "2/3", "0.5", "1/", "/4", "-1", "1/-4", "1/4097", "all"}) {
    expect_one_line(run(tickbox({"load", "127.0.0.1:1", "--verify", part})), kWrongUsage,
                    {"--verify", part, "1/16"});
  }
  for (const char* const bot : {"chase", "hunt", "mix"}) {
    expect_one_line(run(tickbox({"load", "127.0.0.1:1", "--verify", "1/4", "--bot", bot})),
                    kWrongUsage, {"--verify", bot, "1/1"});
  }
}

TEST(Load, AnAdminSideThatDoesNotAnswerEndsItAtTheStart) {
  RunningServer server;
  const std::string admin = server.admin();
  ASSERT_EQ(server.stop().exit_code, kDone);
  expect_one_line(run(tickbox({"load", server.address(), "--admin", admin, "--seconds", "1"})),
                  kNotConnected, {"cannot read the metrics at --admin"});
}

// Before the fix, the document said that the generator had used nearly a whole processor: it had
// measured the moment between two looks.
TEST(Load, WhereNobodyConnectsNothingIsMeasured) {
  RunningServer server;
  const std::string address = server.address();
  ASSERT_EQ(server.stop().exit_code, kDone);
  const Finished loaded = run(
      tickbox({"load", address, "--clients", "2", "--ramp", "0", "--seconds", "0.5", "--json"}));
  EXPECT_EQ(loaded.exit_code, kNotConnected) << loaded;
  const Document document{loaded.out};
  for (const char* figure : {"generator.cpu_percent", "rtt_ms.p50", "snapshot_gap_ms.p50",
                             "bytes_per_client_per_second.up"}) {
    EXPECT_TRUE(document.is_null(figure)) << figure;
  }
}

/// Ends a load of a minute by a signal, once this number of its clients plays.
Finished stop_load(const RunningServer& server, int playing, const Strings& more) {
  Command command = tickbox(
      {"load", server.address(), "--threads", "2", "--ramp", "0", "--seconds", "60", "--json"});
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  Process load{command};
  EXPECT_TRUE(server.wait_for_clients(playing));
  load.signal(SIGTERM);
  return finish(load);
}

// A load that a time limit ends must not count as a passed check.
TEST(Load, StoppedBeforeItsTimeIsUpItJudgesNothing) {
  const RunningServer server{slow_server()};
  const Finished finished =
      stop_load(server, 3, {"--clients", "3", "--require", "state_hash.mismatched==0"});
  EXPECT_EQ(finished.exit_code, kInconclusive) << finished;
  EXPECT_TRUE(finished.err.contains("before its time was up")) << finished;
  EXPECT_EQ(Document{finished.out}.text("verdict"), "inconclusive");
}

/// Searches among at most eight clients, with steps that are short.
Finished find_shortly(const RunningServer& server, const std::string& required) {
  return run_conclusively(
      tickbox({"load", server.address(), "--clients", "8", "--threads", "2", "--ramp", "0",
               "--seconds", "0.2", "--find", required, "--json"}),
      10);
}

TEST(Load, FindsTheMostClientsWithWhichARequirementHolds) {
  // Few seats: a client then makes a small map, so that it is in time in a short step.
  const RunningServer server{{"--tick-rate", "20", "--max-clients", "16"}};
  const Finished found = find_shortly(server, "clients.connected<=3");
  ASSERT_EQ(found.exit_code, kDone) << found;
  const Document document{found.out};
  EXPECT_EQ(document.missing({"find.steps"}), Strings{});
  EXPECT_EQ(document.number("find.clients"), 3);
  EXPECT_EQ(document.text("find.limit"), "server");
  EXPECT_EQ(document.number("clients.connected"), 3);
  for (const char* const note :
       {"2 clients: held, clients.connected<=3 is 2", "4 clients: not held (limit: server)"}) {
    EXPECT_TRUE(found.err.contains(note)) << found;
  }
  EXPECT_TRUE(server.wait_for_goodbyes(1 + 2 + 4 + 3));
  expect_ended(find_shortly(server, "clients.connected<1"), kCheckFailed,
               {"not every requirement holds with 1", "The limit is the server"});
}

TEST(Load, FindsNoMoreThanTheServerHasSeatsFor) {
  const RunningServer server{{"--tick-rate", "20", "--max-clients", "3"}};
  const Finished found = find_shortly(server, "clients.dropped==0");
  ASSERT_EQ(found.exit_code, kDone) << found;
  EXPECT_TRUE(found.err.contains("3 clients, all that the server has seats for")) << found;
  const Document document{found.out};
  EXPECT_EQ(document.number("find.clients"), 3);
  EXPECT_EQ(document.text("find.limit"), "seats");
}

TEST(Load, StoppedInItsSearchItSaysWhatItKnows) {
  const RunningServer server{slow_server()};
  const Finished finished =
      stop_load(server, 1, {"--clients", "8", "--find", "clients.dropped==0"});
  EXPECT_EQ(finished.exit_code, kInconclusive) << finished;
  EXPECT_TRUE(finished.err.contains("stopped before the end of the search")) << finished;
  const Document document{finished.out};
  EXPECT_TRUE(document.is_null("find.clients"));
  EXPECT_TRUE(document.is_null("find.limit"));
}

/// Ends a server by a signal and starts it again on its port, while clients play that connect
/// again.
void expect_rejoined(int signal, const std::string& seconds, double outage_ms_min,
                     double outage_ms_max) {
  Strings arguments = slow_server();
  RunningServer first{arguments};
  arguments.insert(arguments.end(), {"--port", port_of(first.address())});
  Process load{
      tickbox({"load", first.address(), "--clients", "4", "--threads", "2", "--ramp", "0",
               "--seconds", seconds, "--rejoin", "--require", "outage_ms.max>0", "--json"})};
  ASSERT_TRUE(first.wait_for_clients(4));
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  first.process().signal(signal);
  (void)finish(first.process());
  const RunningServer second{arguments};
  const Finished loaded = finish(load);
  EXPECT_TRUE(loaded.exit_code == kDone || loaded.exit_code == kInconclusive) << loaded;
  const Document document{loaded.out};
  EXPECT_EQ(document.number("clients.connected"), 4) << loaded;
  EXPECT_EQ(document.number("clients.dropped"), 0) << loaded;
  EXPECT_EQ(document.number("clients.rejoined"), 4) << loaded;
  EXPECT_GE(document.number("outage_ms.p50"), outage_ms_min) << loaded;
  EXPECT_LE(document.number("outage_ms.max"), outage_ms_max) << loaded;
  EXPECT_EQ(document.number("state_hash.mismatched"), 0) << loaded;
  EXPECT_EQ(second.metric("tickbox_connections_total", "accepted"), 4);
}

// Before, a restart ended the run: "4 of 4 clients were disconnected".
TEST(Load, ItsClientsConnectAgainAfterARestart) {
  expect_rejoined(SIGTERM, "6", 1, 4'000);
}

// A server that was killed says nothing: its clients wait for it, and then try to resume.
TEST(Load, ItsClientsConnectAgainAfterACrash) {
  expect_rejoined(SIGKILL, "12", 5'000, 10'000);
}

TEST(Load, WithoutRejoinARestartEndsItAndTheOutageCounts) {
  RunningServer server{slow_server()};
  Process load{tickbox(
      {"load", server.address(), "--clients", "2", "--ramp", "0", "--seconds", "9", "--json"})};
  ASSERT_TRUE(server.wait_for_clients(2));
  ASSERT_EQ(server.stop().exit_code, kDone);
  const Finished loaded = finish(load);
  EXPECT_EQ(loaded.exit_code, kNotConnected) << loaded;
  EXPECT_EQ(Document{loaded.out}.number("clients.dropped"), 2);
  EXPECT_EQ(Document{loaded.out}.number("clients.rejoined"), 0);
}

// Before the fix, a run passed without a word about the ticks that the server had skipped.
TEST(Load, SaysThatTheServerSkippedTicks) {
  RunningServer server;
  Process load{tickbox({"load", server.address(), "--clients", "2", "--ramp", "0", "--seconds", "3",
                        "--admin", server.admin()})};
  EXPECT_TRUE(server.wait_for_clients(2));
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  server.process().signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds{1});
  server.process().signal(SIGCONT);
  const Finished loaded = finish(load);
  // A busy machine may hold up the generator, too.
  if (loaded.exit_code == kInconclusive) GTEST_SKIP() << loaded;
  EXPECT_EQ(loaded.exit_code, kDone) << loaded;
  EXPECT_TRUE(loaded.out.contains("% of the ticks due and skipped ")) << loaded;
  const std::string log = server.stop().err;
  EXPECT_TRUE(log.contains("ticks_slipped count=")) << log;
  EXPECT_TRUE(log.contains(" inputs_discarded=")) << log;
}

/// Two clients for three seconds, in one of which their process stands still.
Finished load_with_a_pause(const RunningServer& server, const std::string& required) {
  Process load{tickbox({"load", server.address(), "--clients", "2", "--ramp", "0", "--seconds", "3",
                        "--admin", server.admin(), "--require", required, "--json"})};
  EXPECT_TRUE(server.wait_for_clients(2));
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  load.signal(SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds{1});
  load.signal(SIGCONT);
  return finish(load);
}

// Before the fix, the server was blamed for a pause of the generator (exit 3).
TEST(Load, ThatStoodStillJudgesNothingThatItMeasured) {
  const RunningServer server{slow_server()};
  const Finished loaded = load_with_a_pause(server, "snapshot_gap_ms.p999<=200");
  EXPECT_EQ(loaded.exit_code, kInconclusive) << loaded;
  EXPECT_GE(Document{loaded.out}.number("generator.late_max_ms"), 900);
  EXPECT_GE(Document{loaded.out}.number("generator.late_share"), 0.25);
}

// The server's own figures do not depend on the generator's clock.
TEST(Load, ThatStoodStillJudgesWhatTheServerMeasured) {
  const RunningServer server{slow_server()};
  const Finished loaded = load_with_a_pause(server, "tick_ms.p50<=0");
  EXPECT_EQ(loaded.exit_code, kCheckFailed) << loaded;
}

}  // namespace
}  // namespace tickbox::integration::load_test
