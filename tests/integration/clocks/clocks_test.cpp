// The programs while their clocks leap and stand still during play: a calendar that is put right or
// wrong, and a steady clock that leaps, as after a suspension of the machine, or that stands.

#include "tests/integration/clocks/moved_clocks.h"
#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::integration {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

using Strings = std::vector<std::string>;

constexpr int kClients = 8;
constexpr double kTickRate = 60;
/// That of server::TickPacer: ticks beyond it slip.
constexpr double kCatchUpMax = 8;
/// The ticks that may pass unseen: figures are published ten times a second, and asking takes time.
constexpr double kUnseen = 60;
constexpr hours kTenYears{24 * 3'652};

Instant now() {
  return std::chrono::steady_clock::now();
}

double seconds_since(Instant moment) {
  return std::chrono::duration<double>{now() - moment}.count();
}

Command clients(const std::string& address, const Strings& more = {}) {
  Command command = tickbox({"load", address, "--clients", std::to_string(kClients), "--ramp", "0",
                             "--seconds", "600", "--json"});
  command.arguments.insert(command.arguments.end(), more.begin(), more.end());
  return command;
}

/// The ticks that a server has run, and those that it has let slip, at some moment.
struct Reading {
  Instant at;
  double ran = 0;
  double slipped = 0;
};

Reading read(const RunningServer& server) {
  return {.at = now(),
          .ran = server.metric("tickbox_ticks_total"),
          .slipped = server.metric("tickbox_ticks_slipped_total")};
}

/// No figure is less than nothing, or more than such a match can come to: a count of 10^10, or sums
/// of durations of more than what has passed. But late inputs have negative margins, and the round
/// trips of one moment are summed over all views and clients.
void expect_sane_metrics(const RunningServer& server, double seconds_passed) {
  std::istringstream lines{server.get("/metrics").body};
  int samples = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const double value = std::stod(line.substr(line.find_last_of(' ') + 1));
    const bool is_margin = line.starts_with("tickbox_input_margin_ticks_sum");
    const bool is_time = (line.contains("seconds_sum") || line.contains("_seconds_total")) &&
                         !line.starts_with("tickbox_client_rtt_seconds_sum");
    EXPECT_TRUE(std::isfinite(value) && (value >= 0 || is_margin)) << line;
    EXPECT_LE(value, is_time ? seconds_passed : 1e10) << line;
    ++samples;
  }
  EXPECT_GT(samples, 50);
}

/// Waits until it has run `ticks` more.
void expect_ticks(const RunningServer& server, double ticks) {
  const Reading from = read(server);
  EXPECT_TRUE(eventually([&] { return read(server).ran >= from.ran + ticks; }));
  EXPECT_EQ(server.get("/livez").status, 200U);
}

/// Expects that as many inputs arrive in time as all clients send in a second.
void expect_inputs(const RunningServer& server) {
  const double given = server.metric("tickbox_inputs_total", "given");
  EXPECT_TRUE(eventually([&] {
    return server.metric("tickbox_inputs_total", "given") >= given + kClients * kTickRate;
  }));
}

/// Expects that the ticks run and the ticks reported as slipped are together the ticks due, however
/// slow the machine is.
void expect_right_rate(const RunningServer& server) {
  const Reading from = read(server);
  std::this_thread::sleep_for(seconds{2});
  const Reading to = read(server);
  const double counted = to.ran + to.slipped - from.ran - from.slipped;
  EXPECT_NEAR(counted, kTickRate * std::chrono::duration<double>{to.at - from.at}.count(), kUnseen);
}

/// Expects that all clients are still there, in their first sessions, and have seen what the server
/// has.
void expect_undisturbed(const RunningServer& server, Process& load) {
  EXPECT_EQ(server.metric("tickbox_clients"), kClients);
  EXPECT_EQ(server.metric("tickbox_disconnects_total", "timed_out"), 0);
  EXPECT_EQ(server.metric("tickbox_connections_total", "resumed"), 0);
  EXPECT_EQ(server.metric("tickbox_state_hash_mismatches_total"), 0);
  load.signal(SIGINT);
  const Finished played = finish(load);
  EXPECT_EQ(played.exit_code, kInconclusive) << played;
  const Document document{played.out};
  EXPECT_EQ(document.number("clients.connected"), kClients) << played;
  EXPECT_EQ(document.number("clients.dropped"), 0) << played;
  EXPECT_GT(document.number("state_hash.checked"), 100) << played;
  EXPECT_EQ(document.number("state_hash.mismatched"), 0) << played;
}

/// Expects that the files in the order of their names are the parts in order, that each ends where
/// the next begins, and that each tick has its hash. Returns the names.
Strings expect_whole_recordings(const std::string& folder) {
  Strings names;
  double last_tick = 0;
  for (const std::string& file : os::recordings_in(folder)) {
    SCOPED_TRACE(file);
    const Finished told = run(tickbox({"replay", "info", file, "--json"}));
    const Finished verified = run(tickbox({"replay", "verify", file, "--json"}));
    EXPECT_EQ(verified.exit_code, kDone) << verified;
    EXPECT_TRUE(Document{verified.out}.truth("complete"));
    EXPECT_EQ(Document{verified.out}.number("mismatched"), 0);
    const Document info{told.out};
    EXPECT_EQ(info.number("header.part"), static_cast<double>(names.size()));
    EXPECT_EQ(info.number("gaps"), 0);
    EXPECT_EQ(info.number("first_tick"), last_tick);
    last_tick = info.number("last_tick");
    names.push_back(std::filesystem::path{file}.filename().string());
  }
  EXPECT_GT(last_tick, 0);
  return names;
}

/// The year that the calendar shows after this time from now.
std::string year_in(Duration ahead) {
  const auto then = std::chrono::system_clock::now() +
                    std::chrono::duration_cast<std::chrono::system_clock::duration>(ahead);
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(then)};
  return std::to_string(static_cast<int>(day.year()));
}

bool has_any(const Strings& texts, const std::string& start) {
  return std::ranges::any_of(texts,
                             [&](const std::string& each) { return each.starts_with(start); });
}

/// A key file, and tokens issued with it.
class Keys {
 public:
  explicit Keys(const os::TemporaryFolder& folder) : folder_(folder) {
    EXPECT_EQ(run(tickbox({"token", "keygen", "--out", file()})).exit_code, kDone);
  }

  [[nodiscard]] std::string file() const { return folder_.file("keys"); }

  [[nodiscard]] std::string issue(const std::string& name, const std::string& server,
                                  const Strings& environment = {}) const {
    Command command = tickbox({"token", "issue", "--key-file", file(), "--client", "77", "--server",
                               server, "--expires", "10m", "--out", folder_.file(name)});
    command.environment = environment;
    const Finished issued = run(command);
    EXPECT_EQ(issued.exit_code, kDone) << issued;
    return folder_.file(name);
  }

 private:
  const os::TemporaryFolder& folder_;
};

Finished connect(const RunningServer& server, const std::string& token) {
  return run(
      tickbox({"connect", server.address(), "--token", token, "--seconds", "0.2", "--json"}));
}

void expect_refused(const Finished& finished, const std::string& reason) {
  EXPECT_EQ(finished.exit_code, kNotConnected) << finished;
  EXPECT_TRUE(last_line(finished.err).contains(reason)) << finished;
}

/// Expects that the server, whatever its calendar shows, admits a client with a good token once,
/// and one with an expired token never.
void expect_right_access(const RunningServer& server, const Keys& keys, const std::string& expired,
                         int round) {
  const std::string good = keys.issue("good" + std::to_string(round), server.address());
  const Finished played = connect(server, good);
  EXPECT_EQ(played.exit_code, kDone) << played;
  expect_refused(connect(server, good), "used");
  expect_refused(connect(server, expired), "expired");
}

TEST(Clocks, ACalendarThatIsPutForwardAndBackChangesNamesAndNothingElse) {
  const os::TemporaryFolder folder;
  const Keys keys{folder};
  MovedClocks calendar{folder.file("clocks")};
  const Instant start = now();
  RunningServer server{{"--key-file", keys.file(), "--max-clients", "16", "--record",
                        folder.file("recordings"), "--record-rotate-time", "1s"},
                       calendar.environment()};
  ASSERT_EQ(calendar.processes(), 1U);
  MovedClocks an_hour_ago{folder.file("hour")};
  an_hour_ago.put_calendar(-hours{1});
  const std::string expired = keys.issue("expired", server.address(), an_hour_ago.environment());
  Process load{clients(server.address(), {"--key-file", keys.file()})};
  ASSERT_TRUE(server.wait_for_clients(kClients));
  int round = 0;
  for (const Duration ahead :
       std::vector<Duration>{hours{1}, -hours{1}, -kTenYears, kTenYears, -kTenYears, hours{0}}) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    calendar.put_calendar(ahead);
    expect_ticks(server, 1.5 * kTickRate);
    expect_right_access(server, keys, expired, round++);
  }
  expect_right_rate(server);
  // The jumps make no tick slip. Only a busy machine does.
  EXPECT_LE(server.metric("tickbox_ticks_slipped_total"), kTickRate * seconds_since(start));
  EXPECT_TRUE(eventually(
      [&] { return server.metric("tickbox_disconnects_total", "client_left") == round; }));
  expect_sane_metrics(server, seconds_since(start));
  expect_undisturbed(server, load);
  expect_ended(server.stop(), kDone, {'\n' + year_in(-kTenYears)});
  const Strings names = expect_whole_recordings(folder.file("recordings"));
  EXPECT_GE(names.size(), 6U);
  EXPECT_TRUE(has_any(names, year_in(kTenYears)));
  EXPECT_FALSE(has_any(names, year_in(-kTenYears))) << "it would stand before those made earlier";
}

/// Clients that play on a server whose clocks can be moved, and which records.
struct RecordedMatch {
  const os::TemporaryFolder folder;
  MovedClocks clocks{folder.file("clocks")};
  const Instant start = now();
  RunningServer server{{"--max-clients", "16", "--record", folder.file("recordings")},
                       clocks.environment()};
  Process load{clients(server.address())};

  /// `leapt`: how far the server's steady clock was moved ahead in all.
  void expect_good_end(Duration leapt) {
    expect_right_rate(server);
    expect_sane_metrics(server,
                        seconds_since(start) + std::chrono::duration<double>{leapt}.count());
    expect_undisturbed(server, load);
    const Finished stopped = server.stop();
    EXPECT_EQ(stopped.exit_code, kDone) << stopped;
    EXPECT_EQ(expect_whole_recordings(folder.file("recordings")).size(), 1U);
  }
};

TEST(Clocks, ASteadyClockThatLeapsIsToldAsSlippedTimeAndNotMadeUpFor) {
  RecordedMatch match;
  MovedClocks& clocks = match.clocks;
  const RunningServer& server = match.server;
  ASSERT_EQ(clocks.processes(), 1U);
  ASSERT_TRUE(server.wait_for_clients(kClients));
  Duration leapt{};
  for (const Duration ahead :
       std::vector<Duration>{seconds{2}, seconds{4}, seconds{20}, hours{1}}) {
    SCOPED_TRACE(testing::Message() << ahead.count() << " ns");
    const double missed = kTickRate * std::chrono::duration<double>{ahead}.count();
    const Reading before = read(server);
    clocks.leap(ahead);
    leapt += ahead;
    EXPECT_TRUE(eventually(
        [&] { return read(server).slipped >= before.slipped + missed - kCatchUpMax - 1; }));
    expect_ticks(server, kTickRate);
    const Reading after = read(server);
    const double passed = kTickRate * seconds_since(before.at);
    EXPECT_LE(after.ran - before.ran, passed + kCatchUpMax + kUnseen / 2);
    EXPECT_LE(after.slipped - before.slipped, missed + passed);
  }
  match.expect_good_end(leapt);
}

// The server's clients run on meanwhile. Afterwards they are ahead by the time that the server did
// not notice.
TEST(Clocks, ASteadyClockThatStandsForTwoSecondsIsWaitedFor) {
  RecordedMatch match;
  MovedClocks& clocks = match.clocks;
  const RunningServer& server = match.server;
  ASSERT_EQ(clocks.processes(), 1U);
  ASSERT_TRUE(server.wait_for_clients(kClients));
  expect_ticks(server, kTickRate);
  clocks.stop_steady();
  std::this_thread::sleep_for(milliseconds{300});
  const Reading before = read(server);
  std::this_thread::sleep_for(milliseconds{1'700});
  EXPECT_EQ(read(server).ran, before.ran) << "its clock stands";
  clocks.go_on();
  expect_ticks(server, 2 * kTickRate);
  // The players find their time again: their inputs are taken as before.
  expect_inputs(server);
  match.expect_good_end({});
}

// The same on the players' side: a notebook that wakes, a phone that gets the time from its
// network.
TEST(Clocks, PlayersWhoseClocksLeapAndStandStillPlayOn) {
  const os::TemporaryFolder folder;
  MovedClocks clocks{folder.file("clocks")};
  RunningServer server{{"--max-clients", "16"}};
  Command command = clients(server.address());
  command.environment = clocks.environment();
  Process load{command};
  ASSERT_TRUE(server.wait_for_clients(kClients));
  ASSERT_EQ(clocks.processes(), 1U);
  const auto play_on = [&] {
    expect_ticks(server, kTickRate);
    expect_inputs(server);
    EXPECT_EQ(server.metric("tickbox_clients"), kClients);
  };
  for (const Duration ahead : std::vector<Duration>{kTenYears, -kTenYears, hours{0}}) {
    clocks.put_calendar(ahead);
    play_on();
  }
  for (const Duration ahead : std::vector<Duration>{milliseconds{200}, seconds{1}, seconds{4}}) {
    clocks.leap(ahead);
    play_on();
  }
  clocks.stop_steady();
  std::this_thread::sleep_for(seconds{2});
  clocks.go_on();
  play_on();
  expect_undisturbed(server, load);
  EXPECT_EQ(server.stop().exit_code, kDone);
}

// The server keeps the body of a silent client for 30 s. Before the fix, the client that woke later
// was refused for its ticket, and left.
TEST(Clocks, AClientThatIsSuspendedUntilItsSeatIsGivenUpComesBack) {
  const os::TemporaryFolder folder;
  MovedClocks clocks{folder.file("clocks")};
  RunningServer server{{"--max-clients", "16"}, clocks.environment()};
  Process client{tickbox({"connect", server.address(), "--seconds", "600", "--json"})};
  ASSERT_TRUE(server.wait_for_clients(1));
  client.signal(SIGSTOP);
  // What leaps by more than a second is no silence of the client.
  for (Duration leapt{}; leapt < seconds{36}; leapt += milliseconds{900}) {
    clocks.leap(milliseconds{900});
    std::this_thread::sleep_for(milliseconds{50});
  }
  EXPECT_TRUE(
      eventually([&] { return server.metric("tickbox_disconnects_total", "timed_out") == 1; }));
  client.signal(SIGCONT);
  EXPECT_TRUE(eventually(
      [&] { return server.metric("tickbox_connections_total", "refused_ticket_over") == 1; }));
  EXPECT_TRUE(server.wait_for_clients(1));
  expect_ticks(server, kTickRate);
  client.signal(SIGTERM);
  const Document document{finish(client).out};
  EXPECT_EQ(document.number("state_hash.mismatched"), 0);
  EXPECT_GT(document.number("state_hash.checked"), 0);
}

}  // namespace
}  // namespace tickbox::integration
