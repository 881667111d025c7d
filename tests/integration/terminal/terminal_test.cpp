// A person plays on a terminal: what is drawn, what the keys do, and how it ends.

#include "tests/integration/running_server.h"
#include "tests/integration/terminal/pane.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tickbox::integration::terminal_test {
namespace {

using Strings = std::vector<std::string>;
using std::chrono::milliseconds;

/// A shell script that plays, and writes to files how it ended and the settings of the terminal
/// before and after. The number of the game's process is in `pid`.
std::string play(const RunningServer& server, const Strings& more = {}) {
  Strings arguments = {"connect", server.address(), "--seconds", "100"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return "trap : INT TERM HUP\nstty -a > before\n"
         "bash -c 'echo $$ > pid; exec \"$@\"' - " +
         in_shell(tickbox(arguments)) +
         "\necho $? > code; stty -a > after; echo ended > ended; sleep 100";
}

/// Expects that the game has ended, and its exit code.
void expect_exit(const Pane& pane, const std::string& code) {
  EXPECT_EQ(pane.line_of("ended"), "ended") << pane.text();
  EXPECT_EQ(pane.line_of("code"), code) << pane.text();
}

/// Expects the terminal as it was before.
void expect_restored(const Pane& pane) {
  EXPECT_EQ(os::text_of(pane.file("before")), os::text_of(pane.file("after")));
  EXPECT_EQ(pane.variable("alternate_on"), "0");
  EXPECT_EQ(pane.variable("cursor_flag"), "1");
  EXPECT_EQ(pane.variable("wrap_flag"), "1");
}

void signal(const Pane& pane, int number) {
  kill(static_cast<pid_t>(std::stoi(pane.line_of("pid"))), number);
}

/// The characters of a row: bytes, of which the continuations of UTF-8 are left out.
std::string columns_of(const std::string& row) {
  std::string columns;
  for (const char byte : row) {
    if ((static_cast<unsigned char>(byte) & 0xc0U) != 0x80U) columns += byte;
  }
  return columns;
}

/// The column and row of the first '@' of the world; outside of the pane if there is none.
struct Place {
  std::size_t column = 1'000;
  std::size_t row = 1'000;
};

Place own_place(const Strings& rows) {
  for (std::size_t row = 1; row + 1 < rows.size(); ++row) {
    const std::size_t column = columns_of(rows[row]).find('@');
    if (column != std::string::npos) return {.column = column, .row = row};
  }
  return {};
}

/// The most columns that moved_left() finds.
constexpr std::size_t kMovedMax = 35;

/// Compares ten cells in the middle of a row with those from column `from` on, as the row was
/// before. Returns how many are equal, without blanks and the own body.
std::size_t agreeing(std::string_view was, std::string_view is, std::size_t from) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const std::size_t to = kMovedMax + i;
    if (from + i >= was.size() || to >= is.size()) return count;
    const bool is_world = is[to] != ' ' && is[to] != '@';
    if (is_world && was[from + i] == is[to]) ++count;
  }
  return count;
}

/// By how many columns the world has moved to the left: those for which most cells agree.
int moved_left(const Strings& before, const Strings& after) {
  std::size_t best = kMovedMax;
  std::size_t agreed_best = 0;
  for (std::size_t from = 0; from <= 2 * kMovedMax; ++from) {
    std::size_t agreed = 0;
    for (std::size_t row = 1; row + 1 < std::min(before.size(), after.size()); ++row) {
      agreed += agreeing(columns_of(before[row]), columns_of(after[row]), from);
    }
    if (agreed > agreed_best) {
      agreed_best = agreed;
      best = from;
    }
  }
  return static_cast<int>(best) - static_cast<int>(kMovedMax);
}

/// Holds keys, as a keyboard repeats them, until the rows are as wanted. Returns whether they came
/// to be.
bool hold_until(const Pane& pane, const Strings& keys,
                const std::function<bool(const Strings& rows)>& wanted) {
  return eventually([&] {
    pane.press(keys);
    return wanted(pane.rows());
  });
}

// With this seed the player appears where it can walk to both sides.
TEST(Terminal, APersonSeesTheWorldAndMoves) {
  const RunningServer server{{"--seed", "1"}};
  const Pane pane{play(server)};
  ASSERT_TRUE(pane.wait_for("@")) << pane.text();
  ASSERT_TRUE(pane.wait_for("hash ok at tick")) << pane.text();
  const Strings before = pane.rows();
  EXPECT_TRUE(before[0].contains("rtt")) << before[0];
  EXPECT_EQ(before[23], " q quit  d s a w move  → ↓ ← ↑ shoot  l k j i ray");
  EXPECT_NEAR(static_cast<double>(own_place(before).column), 40, 1);
  EXPECT_NEAR(static_cast<double>(own_place(before).row), 12, 1);
  Strings after;
  EXPECT_TRUE(hold_until(pane, {"d"}, [&](const Strings& rows) {
    after = rows;
    return moved_left(before, rows) > 1;
  })) << pane.text();
  EXPECT_NEAR(static_cast<double>(own_place(after).column), 40, 1) << "the camera follows";
  EXPECT_TRUE(hold_until(pane, {"a"}, [&](const Strings& rows) {
    return moved_left(after, rows) < -1;
  })) << pane.text();
  pane.press({"q"});
  expect_exit(pane, "0");
  expect_restored(pane);
  EXPECT_TRUE(pane.text().contains("everything held")) << pane.text();
  EXPECT_TRUE(server.wait_for_goodbyes(1));
}

/// Whether the first '@' is in the middle of the pane.
bool is_in_the_middle(const Strings& rows, PaneSize size) {
  const Place own = own_place(rows);
  const auto middle = [](int cells) { return static_cast<std::size_t>(cells / 2); };
  return own.column >= middle(size.columns) - 1 && own.column <= middle(size.columns) + 1 &&
         own.row >= middle(size.rows) - 1 && own.row <= middle(size.rows) + 1;
}

/// Whether the world has a glyph.
bool shows(const Strings& rows, char glyph) {
  for (std::size_t row = 1; row + 1 < rows.size(); ++row) {
    if (rows[row].contains(glyph)) return true;
  }
  return false;
}

TEST(Terminal, ThePlatformerIsShownAndAKeyBeginsAgain) {
  const RunningServer server{{"--game", "platformer", "--seed", "1"}};
  const Pane pane{play(server)};
  ASSERT_TRUE(pane.wait_for("@")) << pane.text();
  ASSERT_TRUE(pane.wait_for("hash ok at tick")) << pane.text();
  ASSERT_TRUE(eventually([&] { return is_in_the_middle(pane.rows(), {}); })) << pane.text();
  const Strings before = pane.rows();
  EXPECT_EQ(before[23], " q quit  a ← d → run  w space jump  r restart");
  EXPECT_TRUE(shows(before, 'o')) << "coins\n" << pane.text();
  EXPECT_TRUE(hold_until(pane, {"d"}, [&](const Strings& rows) {
    return moved_left(before, rows) > 1;
  })) << pane.text();
  pane.press({"r"});
  EXPECT_TRUE(eventually([&] {
    const Strings rows = pane.rows();
    return moved_left(before, rows) == 0 && is_in_the_middle(rows, {});
  })) << pane.text();
  pane.press({"q"});
  expect_exit(pane, "0");
  EXPECT_TRUE(pane.text().contains("everything held")) << pane.text();
}

TEST(Terminal, TheNextMatchIsPlayed) {
  const RunningServer server{faulty_server({"--tick-rate", "20"}, "FAULT_MATCH_TICKS=30")};
  const Pane pane{play(server), {.columns = 140, .rows = 30}};
  ASSERT_TRUE(pane.wait_for("arena, player 0, match 3")) << pane.text();
  ASSERT_TRUE(pane.wait_for("@")) << pane.text();
  pane.press({"q"});
  expect_exit(pane, "0");
  expect_restored(pane);
  EXPECT_TRUE(pane.text().contains(" ended\n")) << pane.text();
}

TEST(Terminal, TheTowerIsAnotherMapOfThePlatformer) {
  const RunningServer server{{"--game", "platformer", "--map", "tower"}};
  const Pane pane{play(server, {"--bot", "race"})};
  ASSERT_TRUE(pane.wait_for("@")) << pane.text();
  EXPECT_TRUE(eventually([&] { return shows(pane.rows(), '='); })) << "a lift\n" << pane.text();
  pane.press({"q"});
  expect_exit(pane, "0");
  EXPECT_TRUE(pane.text().contains("everything held")) << pane.text();
}

TEST(Terminal, TheBomberIsShown) {
  const RunningServer server{{"--game", "bomber", "--seed", "1", "--max-clients", "8"}};
  const Pane pane{play(server)};
  ASSERT_TRUE(pane.wait_for("@")) << pane.text();
  ASSERT_TRUE(pane.wait_for("hash ok at tick")) << pane.text();
  ASSERT_TRUE(eventually([&] { return is_in_the_middle(pane.rows(), {}); })) << pane.text();
  const Strings before = pane.rows();
  EXPECT_EQ(before[23], " q quit  d s a w walk  space bomb");
  EXPECT_TRUE(shows(before, '#')) << "bricks\n" << pane.text();
  EXPECT_TRUE(hold_until(pane, {"d"}, [&](const Strings& rows) {
    return moved_left(before, rows) > 0;
  })) << pane.text();
  EXPECT_TRUE(eventually([&] { return is_in_the_middle(pane.rows(), {}); })) << pane.text();
  // A bomb is seen once the player has left its place.
  EXPECT_TRUE(
      hold_until(pane, {"space", "a"}, [&](const Strings& rows) { return shows(rows, 'o'); }))
      << "a bomb\n"
      << pane.text();
  pane.press({"q"});
  expect_exit(pane, "0");
  EXPECT_TRUE(pane.text().contains("everything held")) << pane.text();
}

/// Sends bytes as a terminal does.
void send(const Pane& pane, std::string_view bytes) {
  Strings keys = {"-H"};
  for (const char byte : bytes) {
    keys.push_back(fmt::format("{:02x}", static_cast<unsigned>(byte)));
  }
  pane.press(keys);
}

// On a terminal that reports releases, one event each for the press and the release.
TEST(Terminal, AKeyIsDownUntilAReportedRelease) {
  const RunningServer server{{"--seed", "1"}};
  const Pane pane{play(server)};
  ASSERT_TRUE(pane.wait_for("hash ok at tick"));
  const Strings before = pane.rows();
  send(pane, "\x1b[?11u");
  send(pane, "\x1b[100;1:1u");
  EXPECT_TRUE(eventually([&] { return moved_left(before, pane.rows()) > 6; })) << pane.text();
  send(pane, "\x1b[100;1:3u");
  EXPECT_TRUE(eventually([&] {
    const Strings rows = pane.rows();
    std::this_thread::sleep_for(milliseconds{300});
    return moved_left(rows, pane.rows()) == 0;
  })) << pane.text();
  send(pane, "\x1b[99;5u");
  expect_exit(pane, "0");
  expect_restored(pane);
}

TEST(Terminal, TheOwnBodyIsMarkedInColoursAndWithout) {
  const RunningServer server;
  const Pane colours{play(server)};
  const Pane none{play(server), {}, {"NO_COLOR=1"}};
  ASSERT_TRUE(colours.wait_for("@"));
  ASSERT_TRUE(none.wait_for("@"));
  const std::string shown = colours.text(Pane::Style::Shown);
  EXPECT_TRUE(shown.contains("48;2;255;255;255m@")) << shown;
  const std::string plain = none.text(Pane::Style::Shown);
  EXPECT_TRUE(plain.contains("\x1b[7m@")) << plain;
  EXPECT_FALSE(plain.contains("[38;")) << plain;
  EXPECT_FALSE(plain.contains("[48;")) << plain;
  none.press({"q"});
  colours.press({"q"});
  expect_exit(none, "0");
  expect_exit(colours, "0");
  expect_restored(none);
}

class TerminalSizes : public testing::TestWithParam<const char*> {};

// With room for 1,000 players, the default, the bomber has 8,000 bricks, too many for a client
// under ThreadSanitizer.
TEST_P(TerminalSizes, IsDrawnAgainAfterEachChange) {
  const RunningServer server{{"--game", GetParam(), "--max-clients", "8"}};
  const Pane pane{play(server), {.columns = 200, .rows = 60}};
  ASSERT_TRUE(pane.wait_for("@"));
  for (const PaneSize size : {PaneSize{100, 30}, PaneSize{40, 10}, PaneSize{80, 24}}) {
    pane.resize(size);
    const auto is_drawn = [&] {
      const Strings rows = pane.rows();
      return rows.size() == static_cast<std::size_t>(size.rows) && is_in_the_middle(rows, size) &&
             std::ranges::any_of(rows,
                                 [](const std::string& row) { return row.starts_with(" q quit"); });
    };
    EXPECT_TRUE(eventually(is_drawn)) << size.columns << "\n" << pane.text();
  }
  pane.resize({.columns = 30, .rows = 8});
  EXPECT_TRUE(pane.wait_for("This terminal has 30x8 charact\ners; 40x10 are needed."))
      << pane.text();
  pane.resize({.columns = 200, .rows = 60});
  EXPECT_TRUE(pane.wait_for("hash ok at tick"));
  pane.press({"q"});
  expect_exit(pane, "0");
  expect_restored(pane);
}

INSTANTIATE_TEST_SUITE_P(Games, TerminalSizes, testing::Values("arena", "platformer", "bomber"));

TEST(Terminal, CtrlCLeavesTheGame) {
  const RunningServer server;
  const Pane pane{play(server)};
  ASSERT_TRUE(pane.wait_for("@"));
  pane.press({"C-c"});
  expect_exit(pane, "0");
  expect_restored(pane);
  EXPECT_TRUE(server.wait_for_goodbyes(1));
}

TEST(Terminal, SignalsThatEndItRestoreIt) {
  const RunningServer server;
  for (const int number : {SIGTERM, SIGHUP}) {
    SCOPED_TRACE(number);
    const Pane pane{play(server)};
    ASSERT_TRUE(pane.wait_for("@"));
    signal(pane, number);
    expect_exit(pane, "0");
    expect_restored(pane);
  }
}

TEST(Terminal, SignalsThatKillItRestoreIt) {
  const RunningServer server;
  for (const int number : {SIGABRT, SIGSEGV, SIGQUIT, SIGUSR1}) {
    SCOPED_TRACE(number);
    const Pane pane{"ulimit -c 0\n" + play(server)};
    ASSERT_TRUE(pane.wait_for("@"));
    signal(pane, number);
    expect_exit(pane, std::to_string(128 + number));
    expect_restored(pane);
  }
}

TEST(Terminal, CtrlZGivesTheTerminalBackAndAShellContinuesIt) {
  const RunningServer server;
  const std::string client = in_shell(tickbox({"connect", server.address(), "--seconds", "100"}));
  const Pane pane{"set -m; stty -a > before\n" + client +
                  "\nstty -a > after; echo stopped > stopped; read line; fg > /dev/null\n"
                  "echo $? > code; stty -a > after; echo ended > ended; sleep 100"};
  ASSERT_TRUE(pane.wait_for("@"));
  pane.press({"C-z"});
  ASSERT_EQ(pane.line_of("stopped"), "stopped") << pane.text();
  expect_restored(pane);
  pane.press({"Enter"});
  EXPECT_TRUE(pane.wait_for("@")) << pane.text();
  EXPECT_EQ(pane.variable("alternate_on"), "1");
  pane.press({"q"});
  expect_exit(pane, "0");
  expect_restored(pane);
}

// SIGSTOP cannot be handled, so a shell may have changed the terminal meanwhile.
TEST(Terminal, IsTakenAgainAfterAStopThatCannotBeHandled) {
  const RunningServer server;
  const Pane pane{play(server)};
  ASSERT_TRUE(pane.wait_for("@"));
  signal(pane, SIGSTOP);
  send(pane, "xyz");
  signal(pane, SIGCONT);
  EXPECT_TRUE(eventually([&] { return pane.rows().back().starts_with(" q quit"); }));
  EXPECT_EQ(pane.variable("alternate_on"), "1");
  pane.press({"q"});
  expect_exit(pane, "0");
  expect_restored(pane);
}

TEST(Terminal, AServerThatEndsIsReportedOnTheRestoredTerminal) {
  RunningServer server;
  const Pane pane{play(server)};
  ASSERT_TRUE(pane.wait_for("@"));
  EXPECT_EQ(server.stop().exit_code, kDone);
  expect_exit(pane, "4");
  expect_restored(pane);
  EXPECT_TRUE(pane.text().contains("disconnected: ")) << pane.text();
}

TEST(Terminal, AServerThatDoesNotAnswerIsReportedWhileItIsAwaited) {
  const RunningServer server;
  const Pane pane{"stty -a > before\n" +
                  in_shell(tickbox({"connect", "127.0.0.1:9", "--seconds", "100"})) +
                  "\necho $? > code; stty -a > after; echo ended > ended; sleep 100"};
  EXPECT_TRUE(pane.wait_for("connecting to 127.0.0.1:9")) << pane.text();
  expect_exit(pane, "4");
  expect_restored(pane);
}

TEST(Terminal, ABotThatIsNamedPlays) {
  const RunningServer server;
  const Pane pane{play(server, {"--bot", "wander"})};
  ASSERT_TRUE(pane.wait_for("@"));
  EXPECT_TRUE(pane.wait_for("q quit  the bot wander plays")) << pane.text();
  pane.press({"q"});
  expect_exit(pane, "0");
  expect_restored(pane);
}

TEST(Terminal, NothingIsDrawnWhereItIsNotWanted) {
  const RunningServer server;
  const auto client = [&](const Strings& more) {
    Strings arguments = {"connect", server.address(), "--seconds", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return in_shell(tickbox(arguments));
  };
  const Strings commands = {client({"--quiet"}), client({"--json"}), "TERM=dumb " + client({}),
                            client({}) + " | cat", client({}) + " < /dev/null"};
  for (const std::string& command : commands) {
    const Pane pane{"stty -a > before\n" + command +
                    " > output\nstty -a > after; cat -v output; echo ended > ended; sleep 100"};
    bool was_drawn = false;
    EXPECT_TRUE(eventually([&] {
      was_drawn = was_drawn || pane.variable("alternate_on") == "1";
      return os::text_of(pane.file("ended")) == "ended\n";
    })) << command;
    EXPECT_FALSE(was_drawn) << command;
    EXPECT_FALSE(os::text_of(pane.file("output")).contains('\x1b')) << command;
    expect_restored(pane);
  }
}

// A process in the background may not change the terminal. Before the fix, `connect` tried to, and
// was stopped.
TEST(Terminal, InTheBackgroundABotPlays) {
  const RunningServer server;
  const Pane pane{"set -m; stty -a > before\n" +
                  in_shell(tickbox({"connect", server.address(), "--seconds", "1"})) +
                  " &\nwait $!; echo $? > code; stty -a > after; echo ended > ended; sleep 100"};
  expect_exit(pane, "0");
  expect_restored(pane);
  EXPECT_TRUE(pane.text().contains("everything held")) << pane.text();
}

}  // namespace
}  // namespace tickbox::integration::terminal_test
