// Wrong usage: nothing is started, and one line names what is wrong. Help and version are no error.

#include "core/bytes.h"
#include "engine/identity.h"
#include "games/bomber/bomber.h"
#include "tests/integration/document.h"
#include "tests/integration/programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::integration {
namespace {

void expect_help(const Command& command) {
  const Finished finished = run(command);
  EXPECT_EQ(finished.exit_code, kDone) << finished;
  EXPECT_TRUE(finished.out.contains("Example: ")) << finished.out;
  EXPECT_TRUE(finished.out.contains("TICKBOX_")) << finished.out;
  EXPECT_EQ(finished.err, "");
}

/// The calls for help on both programs and each of their commands.
std::vector<Command> all_helps() {
  std::vector<Command> helps = {tickbox({"--help"}), tickbox_server({"--help"}),
                                tickbox_server({"health", "--help"})};
  for (const char* command : {"connect", "load", "replay", "sim", "token"}) {
    helps.push_back(tickbox({command, "--help"}));
  }
  for (const char* command : {"info", "verify", "state", "trace", "diff", "cut", "inputs"}) {
    helps.push_back(tickbox({"replay", command, "--help"}));
  }
  for (const char* command : {"keygen", "issue", "inspect"}) {
    helps.push_back(tickbox({"token", command, "--help"}));
  }
  return helps;
}

TEST(Usage, HelpOfBothProgramsAndEachCommandGoesToStdout) {
  for (const Command& help : all_helps()) {
    expect_help(help);
  }
}

TEST(Usage, VersionOfBothProgramsGoesToStdout) {
  for (const Command& command : {tickbox({"--version"}), tickbox_server({"--version"})}) {
    const Finished finished = run(command);
    EXPECT_EQ(finished.exit_code, kDone) << finished;
    EXPECT_TRUE(finished.out.contains("0.2.0")) << finished.out;
    EXPECT_TRUE(finished.out.contains("simulation")) << finished.out;
    EXPECT_EQ(finished.err, "");
  }
}

TEST(Usage, AWrongValueNamesItsFlag) {
  expect_wrong_usage(tickbox_server({"--port", "65536"}), {"--port", "65536"});
  expect_wrong_usage(tickbox_server({"--tick-rate", "fast"}), {"--tick-rate", "fast"});
  expect_wrong_usage(tickbox_server({"--game", "chess"}),
                     {"--game", "'chess' is not a game of this server; it has arena"});
  expect_wrong_usage(tickbox_server({"--map", "tower"}), {"--map", "arena"});
  expect_wrong_usage(tickbox_server({"--game", "platformer", "--map", "cave"}),
                     {"--map", "\"cave\" is not a map of platformer; it has meadow, tower"});
  expect_wrong_usage(tickbox_server({"--max-clients", "0"}), {"--max-clients"});
  expect_wrong_usage(tickbox_server({"--log-level", "loud"}), {"--log-level", "loud"});
  expect_wrong_usage(tickbox_server({"--port"}), {"--port"});
}

// Before the fix, negative numbers were read as numbers near 2^64, and a server was started.
TEST(Usage, NegativeSeedsAndTicksAreWrongValues) {
  expect_wrong_usage(tickbox_server({"--ticks", "-1"}), {"--ticks", "-1"});
  expect_wrong_usage(tickbox_server({"--seed", "-1"}), {"--seed", "-1"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--seed", "-1"}), {"--seed", "-1"});
}

TEST(Usage, AnArgumentTooManyIsNoUnknownCommand) {
  expect_wrong_usage(tickbox({"replay", "info", "one.tickbox", "two.tickbox"}),
                     {"unexpected argument two.tickbox"});
}

TEST(Usage, WithJsonItIsADocumentToo) {
  for (const Command& command :
       {tickbox({"--json"}), tickbox({"connect", "nowhere", "--json"}),
        tickbox({"--json", "replay"}),
        tickbox({"load", "127.0.0.1:1", "--json", "--clients", "2", "--token", "F"}),
        tickbox_server({"--json", "--tick-rate", "30", "--snapshot-rate", "31"})}) {
    const Finished finished = run(command);
    EXPECT_EQ(finished.exit_code, kWrongUsage) << finished;
    EXPECT_EQ(line_count(finished.out), 1U) << finished;
    const Document document{finished.out};
    EXPECT_EQ(document.number("exit"), kWrongUsage);
    EXPECT_TRUE(finished.err.contains(document.text("error"))) << finished;
  }
}

TEST(Usage, TickboxWithoutACommandSaysWhatThereIs) {
  const Finished finished = run(tickbox({}));
  EXPECT_EQ(finished.exit_code, kWrongUsage) << finished;
  EXPECT_EQ(finished.out, "");
  for (const char* command : {"connect", "load", "replay", "sim", "token"}) {
    EXPECT_TRUE(finished.err.contains(command)) << finished.err;
  }
}

TEST(Usage, WithoutKeysOnlyLoopbackIsServedAndTheServerSaysWhy) {
  for (const auto& [flag, why] :
       {std::pair{"--bind", "without keys"}, std::pair{"--admin-bind", "no authentication"}}) {
    expect_wrong_usage(tickbox_server({flag, "0.0.0.0"}),
                       {flag, "0.0.0.0", "not a loopback address"});
    expect_wrong_usage(tickbox_server({flag, "192.0.2.1"}), {flag, "192.0.2.1", why});
    expect_wrong_usage(tickbox_server({flag, "::"}), {flag, "not a loopback address"});
  }
}

TEST(Usage, MoreSnapshotsThanTicksAreNotToBeHad) {
  expect_ended(run(tickbox_server({"--tick-rate", "30", "--snapshot-rate", "31"})), kWrongUsage,
               {"--snapshot-rate: 31 cannot be above the tick rate (30)"});
  expect_ended(run(tickbox_server({"--tick-rate", "30", "--snapshot-rate-far", "31"})), kWrongUsage,
               {"--snapshot-rate-far: 31 cannot be above", "(30)"});
  expect_ended(run(tickbox_server({"--snapshot-rate", "20", "--snapshot-rate-far", "21"})),
               kWrongUsage, {"--snapshot-rate-far: 21 cannot be above", "(20)"});
}

TEST(Usage, SnapshotsSoRareThatNoneBuildsOnAnotherAreRefused) {
  for (const char* const flag : {"--snapshot-rate", "--snapshot-rate-far"}) {
    expect_ended(run(tickbox_server({"--tick-rate", "240", flag, "7"})), kWrongUsage,
                 {flag, "give at least 8"});
  }
}

// "nan" is within any range, as a comparison sees it.
TEST(Usage, TimesAreInRange) {
  for (const char* text : {"nan", "inf", "10d", "-1", ""}) {
    expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--seconds", text}), {"--seconds"});
    expect_wrong_usage(tickbox({"load", "127.0.0.1:7777", "--ramp", text}), {"--ramp"});
  }
}

// Before the fix, `--record "$FOLDER"` recorded nothing if the variable was not set.
TEST(Usage, AValueThatIsEmptyIsNotTakenForNone) {
  expect_wrong_usage(tickbox_server({"--record", "", "--ticks", "1"}), {"--record", "empty"});
  expect_wrong_usage(tickbox_server({"--key-file", "", "--ticks", "1"}), {"--key-file", "empty"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--resume", ""}), {"--resume"});
}

TEST(Usage, ConnectRefusesABadLinkAddressOrBot) {
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--net", "lag=80ms"}), {"--net", "lag"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--net", "loss=120%"}),
                     {"--net", "120%"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--net", "5g"}), {"--net", "4g, dsl"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--net", "25%:4g"}),
                     {"--net", "without a share"});
  expect_wrong_usage(
      tickbox({"load", "127.0.0.1:7777", "--net", "60%:4g", "--net", "50%:loss=5%,delay=80ms"}),
      {"--net", "more than 100%"});
  expect_wrong_usage(tickbox({"load", "127.0.0.1:7777", "--net", "4g", "--net", "dsl"}),
                     {"--net", "shares"});
  expect_wrong_usage(tickbox({"load", "127.0.0.1:7777", "--net", "1.2:4g"}),
                     {"--net", "\"1.2\"", "25%"});
  expect_wrong_usage(tickbox({"load", "127.0.0.1:7777", "--bot", "half:still"}), {"--bot", "25%"});
  expect_wrong_usage(tickbox({"load", "127.0.0.1:7777", "--bot", "50%:cheat"}), {"--bot", "cheat"});
  expect_wrong_usage(
      tickbox({"load", "127.0.0.1:7777", "--bot", "60%:still", "--bot", "60%:stress"}),
      {"--bot", "100%", "25%:still"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--bot", "50%:still"}),
                     {"--bot", "without a share"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1"}), {"127.0.0.1"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:70000"}), {"70000"});
  expect_wrong_usage(tickbox({"connect"}), {"HOST:PORT"});
  expect_wrong_usage(tickbox({"connect", "127.0.0.1:7777", "--bot", "cheat"}), {"--bot", "cheat"});
}

TEST(Usage, LoadRequiresNoFigureOfTheServerWithoutItsAdminSide) {
  expect_wrong_usage(tickbox({"load", "127.0.0.1:7777", "--require", "tick_ms.p99<=8"}),
                     {"tick_ms.p99", "--admin"});
}

TEST(Usage, LoadRepeatsNothingWithoutInputs) {
  expect_wrong_usage(tickbox({"load", "127.0.0.1:7777", "--rounds", "2"}),
                     {"--rounds", "--inputs"});
  expect_wrong_usage(tickbox({"load", "127.0.0.1:7777", "--inputs", "G", "--rounds", "0"}),
                     {"--rounds"});
}

TEST(Usage, LoadFindsNothingWithWhatItCannotUse) {
  const auto refuses = [](const std::vector<std::string>& more,
                          const std::vector<std::string>& words) {
    std::vector<std::string> arguments{"load", "127.0.0.1:7777", "--find"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_wrong_usage(tickbox(arguments), words);
  };
  refuses({"tick_ms.p99<=8"}, {"--find", "tick_ms.p99", "--admin"});
  refuses({"rtt_ms.p99"}, {"--find", "rtt_ms.p99", "no operator"});
  refuses({"rtt_ms.p98<=8"}, {"--find", "rtt_ms.p98", "did you mean rtt_ms.p9"});
  refuses({"rtt_ms.p99<=8", "--require", "rtt_ms.p50<=8"}, {"--find", "--require"});
  refuses({"rtt_ms.p99<=8", "--inputs", "inputs.jsonl"}, {"--find", "--inputs"});
  refuses({"rtt_ms.p99<=8", "--rejoin"}, {"--find", "--rejoin"});
  refuses({"rtt_ms.p99<=8", "--token", "token.json"}, {"--find", "--token", "--key-file"});
}

TEST(Usage, TheDescriptorOfAGameIsBytesOnStdoutAndNoServerStarts) {
  const Finished finished = run(tickbox_server({"--game", "bomber", "--descriptor"}));
  EXPECT_EQ(finished.exit_code, kDone) << finished;
  std::vector<std::byte> descriptor;
  engine::encode_descriptor(games::bomber(), descriptor);
  EXPECT_TRUE(std::ranges::equal(as_bytes_of(finished.out), descriptor));
  EXPECT_EQ(finished.err, "");
  expect_ended(run(tickbox_server({"--descriptor", "--json"})), kWrongUsage, {"prints bytes"});
}

TEST(Usage, NothingIsColouredWhereThereIsNoTerminal) {
  for (Command command :
       {tickbox({"--help"}), tickbox({}), tickbox({"connect", "--help"}),
        tickbox({"sim", "no such file"}), tickbox_server({"--help"}),
        tickbox_server({"--prt", "1"}), tickbox_server({"health", "--admin", "1"})}) {
    command.environment = {"TERM=xterm-256color", "COLORTERM=truecolor"};
    const Finished finished = run(command);
    EXPECT_FALSE((finished.out + finished.err).contains('\x1b')) << finished;
  }
}

}  // namespace
}  // namespace tickbox::integration
