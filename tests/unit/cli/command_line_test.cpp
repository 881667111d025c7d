// A small program with commands, called with right and wrong arguments.

#include "cli/command_line.h"

#include "cli/build_info.h"
#include "core/text.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <sstream>
#include <stdlib.h>
#include <vector>

namespace tickbox::cli {
namespace {

using namespace std::chrono_literals;

/// What a server and a command of ours look like.
struct TestProgram {
  CommonFlags common;
  CommonFlags load_common;
  CommonFlags replay_common;
  Program program{{.description = "A test server.", .example = "tickbox-test --port 0"}, common};
  int port = 7777;
  Duration drain = 5s;
  std::vector<Duration> waits;
  std::string rules = "arena";
  int clients = 1;
  int seconds = 10;
  CommandParser load = program.add_command(
      {.name = "load", .description = "Load a server.", .example = "tickbox-test load --clients 8"},
      load_common);
  std::string out;
  std::string err;

  TestProgram() {
    program.add_config();
    program.add_option("--port", port, "UDP port", {.check = between(0, 65535)});
    const auto check = [](const std::string& text) {
      const bool is_known = text == "arena" || text == "platformer";
      return is_known ? std::string{} : "give arena or platformer";
    };
    program.add_option("--rules", rules, "Rules", {.check = {check}});
    program.add_option("--drain-timeout", drain, parse_duration, "Drain for this time");
    program.add_option("--wait", waits, parse_duration, "Wait for this time");
    load.add_option("--clients", clients, "Clients");
    CommandParser replay = program.add_command(
        {.name = "replay", .description = "Replay", .example = "none"}, replay_common);
    replay.add_option("--seconds", seconds, "Seconds");
    replay.require_command();
    replay.add_command({.name = "info", .description = "Info", .example = "none"}, replay_common);
    replay.add_command({.name = "verify", .description = "Verify", .example = "none"},
                       replay_common);
  }

  std::optional<ExitCode> run(std::vector<const char*> words) {
    words.insert(words.begin(), "/somewhere/tickbox-test");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const auto code = program.parse(static_cast<int>(words.size()), words.data());
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return code;
  }
};

/// Sets a variable for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_{name} { setenv(name, value, 1); }

  ~Variable() { unsetenv(name_); }

  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// The one line of a usage error.
std::string refused(std::vector<const char*> words) {
  TestProgram program;
  const auto code = program.run(std::move(words));
  EXPECT_EQ(code, ExitCode::WrongUsage);
  EXPECT_EQ(program.out, "");
  EXPECT_EQ(std::ranges::count(program.err, '\n'), 1) << program.err;
  return program.err;
}

/// Expects the line of a usage error to name each of these.
void expect_refused(const std::vector<const char*>& words, const std::vector<std::string>& names) {
  const std::string line = refused(words);
  EXPECT_TRUE(line.starts_with("tickbox-test: ")) << line;
  for (const std::string& name : names) {
    EXPECT_TRUE(line.contains(name)) << line;
  }
}

TEST(CommandLine, GoesOnWithDefaults) {
  TestProgram program;
  EXPECT_EQ(program.run({}), std::nullopt);
  EXPECT_EQ(program.port, 7777);
  EXPECT_EQ(program.drain, 5s);
  EXPECT_FALSE(program.common.json);
  EXPECT_EQ(program.out + program.err, "");
}

TEST(CommandLine, TakesValuesWithABlankOrAnEqualsSign) {
  TestProgram program;
  EXPECT_EQ(program.run({"--port=1", "--drain-timeout", "250ms", "--json"}), std::nullopt);
  EXPECT_EQ(program.port, 1);
  EXPECT_EQ(program.drain, 250ms);
  EXPECT_TRUE(program.common.json);
}

TEST(CommandLine, HelpShowsExampleAndEnvironment) {
  TestProgram program;
  EXPECT_EQ(program.run({"--help"}), ExitCode::Done);
  EXPECT_NE(program.out.find("tickbox-test --port 0"), std::string::npos) << program.out;
  EXPECT_NE(program.out.find("TICKBOX_DRAIN_TIMEOUT"), std::string::npos) << program.out;
  EXPECT_EQ(program.err, "");
}

TEST(CommandLine, HelpOfACommandIsItsOwn) {
  TestProgram program;
  EXPECT_EQ(program.run({"load", "--help"}), ExitCode::Done);
  EXPECT_NE(program.out.find("tickbox-test load --clients 8"), std::string::npos) << program.out;
  EXPECT_NE(program.out.find("TICKBOX_CLIENTS"), std::string::npos) << program.out;
}

TEST(CommandLine, TheUsualAliasesOfHelpAndVersionAreKnown) {
  const auto said = [](std::vector<const char*> words) {
    TestProgram program;
    EXPECT_EQ(program.run(std::move(words)), ExitCode::Done);
    return program.out;
  };
  const std::string help = said({"--help"});
  EXPECT_NE(help, said({"load", "--help"}));
  EXPECT_EQ(said({"-h"}), help);
  EXPECT_EQ(said({"help"}), help);
  EXPECT_EQ(said({"load", "-h"}), said({"load", "--help"}));
  EXPECT_EQ(said({"help", "load"}), said({"load", "--help"}));
  EXPECT_EQ(said({"help", "replay", "info"}), said({"replay", "info", "--help"}));
  for (const char* const version : {"--version", "-V", "version"}) {
    EXPECT_EQ(said({version}), version_text() + "\n");
  }
  expect_refused({"help", "lod"}, {" lod;", "mean load?"});
}

TEST(CommandLine, HelpOfATopicIsItsText) {
  TestProgram program;
  program.program.add_topic("figures", "What they mean.\n");
  EXPECT_EQ(program.run({"help", "figures"}), ExitCode::Done);
  EXPECT_EQ(program.out, "What they mean.\n");
}

// Before the fix, topics were missing among the names that help suggests.
TEST(CommandLine, HelpSuggestsTopicsToo) {
  const auto refused_help = [](std::vector<const char*> words) {
    TestProgram program;
    program.program.add_topic("figures", "What they mean.\n");
    EXPECT_EQ(program.run(std::move(words)), ExitCode::WrongUsage);
    return program.err;
  };
  EXPECT_TRUE(refused_help({"help", "figure"}).contains("mean figures?"));
  EXPECT_TRUE(refused_help({"help", "bogus"}).contains("load, replay, figures"));
  EXPECT_TRUE(refused_help({"help", "replay", "figure"}).contains("info, verify\n"))
      << "a topic is the program's";
  EXPECT_TRUE(refused_help({"figure"}).contains("load, replay\n")) << "a topic is no command";
}

// Before the fix, help showed a value that must be given with a default: "--tick T=0 REQUIRED".
TEST(CommandLine, HelpShowsNoDefaultOfAnOptionThatIsRequired) {
  CommonFlags flags;
  Program program{{.name = "one", .description = "Options.", .example = "none"}, flags};
  int tick = 0;
  program.add_option("--tick", tick, "Tick", {.required = true, .value = "T"});
  EXPECT_NE(program.help().find("--tick T (required)"), std::string::npos) << program.help();
}

TEST(CommandLine, NamesWhatIsWrongAndWhatIsNear) {
  expect_refused({"--prot", "1"}, {"--prot;", "mean --port?"});
  expect_refused({"--prot=1"}, {"--prot;", "mean --port?"});
  expect_refused({"load", "--client", "1"}, {"--client;", "mean --clients?"});
  expect_refused({"--zzzzzzzzz"}, {"--zzzzzzzzz", "--help"});
  expect_refused({"laod"}, {"laod", "mean load?"});
  expect_refused({"replay", "verfy"}, {"verfy", "mean verify?"});
  expect_refused({"replay"}, {"a command is missing", "info, verify"});
  expect_refused({"bogus"}, {"bogus", "load, replay"});
  expect_refused({"load", "--clients", "abc"}, {"--clients", "abc"});
  expect_refused({"--port", "70000"}, {"--port: "});
  expect_refused({"--drain-timeout", "10d"}, {"--drain-timeout", "'10d'", "250ms"});
  expect_refused({"--rules", "chess"}, {"arena"});
  expect_refused({"--port"}, {"--port"});
  expect_refused({"--port", "1", "--port", "2"}, {"--port"});
  expect_refused({"--json=maybe"}, {"--json"});
  expect_refused({"--config", "/nowhere.toml"}, {"/nowhere.toml"});
}

// Before the fix, the help of the program was printed instead, as if all were well.
TEST(CommandLine, AnOptionThatIsGoneNamesItsSuccessor) {
  const auto refused = [](const std::vector<const char*>& words, const std::string& told) {
    TestProgram test;
    test.program.add_gone("--window", "--port N takes its place");
    EXPECT_FALSE(test.program.help().contains("window"));
    EXPECT_EQ(test.run(words), ExitCode::WrongUsage);
    EXPECT_EQ(test.err, "tickbox-test: --window: this option is gone; --port N takes its place" +
                            told + "\n");
  };
  refused({"--window", "5"}, "");
  const Variable variable{"TICKBOX_WINDOW", "5"};
  refused({}, " (TICKBOX_WINDOW is set)");
}

TEST(CommandLine, HelpOfACommandThatIsNoneIsRefused) {
  expect_refused({"laod", "--help"}, {"laod", "mean load?"});
  expect_refused({"--help", "bogus"}, {"bogus", "load, replay"});
  expect_refused({"replay", "verfy", "--help"}, {"verfy", "mean verify?"});
  TestProgram program;
  EXPECT_EQ(program.run({"load", "word", "--help"}), ExitCode::Done) << "no command was to come";
}

TEST(CommandLine, WrongUsageIsADocumentTooWhereOneIsWanted) {
  TestProgram program;
  EXPECT_EQ(program.run({"load", "--json", "--clients", "abc"}), ExitCode::WrongUsage);
  EXPECT_TRUE(program.out.starts_with("{\"error\":\"Could not convert: --clients")) << program.out;
  EXPECT_TRUE(program.out.ends_with("\"exit\":2}\n")) << program.out;
  EXPECT_EQ(std::ranges::count(program.err, '\n'), 1) << program.err;

  const Variable json{"TICKBOX_JSON", "1"};
  TestProgram by_variable;
  EXPECT_EQ(by_variable.run({"--prot", "1"}), ExitCode::WrongUsage);
  EXPECT_TRUE(by_variable.out.ends_with("\"exit\":2}\n")) << by_variable.out;
}

// Before the fix, the message was "unknown option -o; did you mean --to?", although the command has
// this option.
TEST(CommandLine, AnOptionOfTheCommandBeforeItIsToldWhereItBelongs) {
  TestProgram program;
  program.load.add_option("-o,--out", program.rules, "A file");
  program.load.add_option("--to", program.clients, "A tick");
  EXPECT_EQ(program.run({"-o", "F", "load"}), ExitCode::WrongUsage);
  EXPECT_TRUE(program.err.contains("-o is an option of load")) << program.err;
}

TEST(CommandLine, FlagBeatsVariableBeatsFileBeatsDefault) {
  const os::TemporaryFolder folder;
  const std::string config = folder.write(
      "c.toml", "port = 3\ndrain-timeout = \"3s\"\nrules = \"platformer\"\nquiet = true\n");
  const Variable port{"TICKBOX_PORT", "2"};
  const Variable drain{"TICKBOX_DRAIN_TIMEOUT", "2s"};
  for (const bool config_first : {true, false}) {
    TestProgram program;
    const auto code = config_first ? program.run({"--config", config.c_str(), "--port", "1"})
                                   : program.run({"--port", "1", "--config", config.c_str()});
    EXPECT_EQ(code, std::nullopt) << program.err;
    EXPECT_EQ(program.port, 1);
    EXPECT_EQ(program.drain, 2s);
    EXPECT_EQ(program.rules, "platformer");
    EXPECT_TRUE(program.common.quiet);
    EXPECT_FALSE(program.common.json);
  }
}

TEST(CommandLine, TheFileMayBeNamedByAVariable) {
  const os::TemporaryFolder folder;
  const std::string config = folder.write("c.toml", "port = 3\nrules = \"platformer\"\n");
  const Variable file{"TICKBOX_CONFIG", config.c_str()};
  const Variable port{"TICKBOX_PORT", "2"};
  TestProgram program;
  EXPECT_EQ(program.run({}), std::nullopt) << program.err;
  EXPECT_EQ(program.port, 2);
  EXPECT_EQ(program.rules, "platformer");
}

TEST(CommandLine, AFaultyFileNamesFileLineAndKey) {
  const os::TemporaryFolder folder;
  const auto expect_refused_at = [&](const char* text, const std::string& line,
                                     const std::string& key) {
    const std::string path = folder.write("c.toml", text);
    expect_refused({"--config", path.c_str()}, {path + ':' + line + ':', key});
  };
  expect_refused_at("port = 1\nrulse = \"arena\"\n", "2", "mean rules?");
  expect_refused_at("# first\n\nport = \"x\"\n", "3", "--port: Value x");
  expect_refused_at("port = 70000", "1", "--port");
  expect_refused_at("config = \"d.toml\"", "1", "config");
  expect_refused_at("help = true", "1", "help");
}

// Before the fix, a flag whose value was a text was true, whatever the text said.
TEST(CommandLine, AFlagInAFileIsTrueOrFalse) {
  const os::TemporaryFolder folder;
  const std::string file = folder.write("c.toml", "quiet = \"yes\"\n");
  expect_refused({"--config", file.c_str()}, {file + ":1:", "quiet = true"});
}

TEST(CommandLine, AListInAFileIsForAnOptionThatMayBeRepeated) {
  const os::TemporaryFolder folder;
  const std::string waits = folder.write("waits.toml", "wait = [\"1s\", \"2s\"]\n");
  TestProgram program;
  EXPECT_EQ(program.run({"--config", waits.c_str()}), std::nullopt) << program.err;
  EXPECT_EQ(program.waits, (std::vector<Duration>{1s, 2s}));
  const std::string ports = folder.write("ports.toml", "port = [1, 2]\n");
  expect_refused({"--config", ports.c_str()}, {ports + ":1:", "port = VALUE"});
}

TEST(CommandLine, VariablesAreJudgedLikeFlagsAndNamed) {
  const Variable clients{"TICKBOX_CLIENTS", "many"};
  expect_refused({"load"}, {"many", "(TICKBOX_CLIENTS is set)"});
  const Variable drain{"TICKBOX_DRAIN_TIMEOUT", "10d"};
  expect_refused({}, {"'10d'", "(TICKBOX_DRAIN_TIMEOUT is set)"});
  expect_refused({"--port=def"}, {"--port", "def"});
}

// Before the fix, a server in a pod beside a Service named tickbox did not start: Kubernetes sets
// these variables there.
TEST(CommandLine, AServiceLinkOfKubernetesIsIgnoredWithOneWarning) {
  const Variable host{"TICKBOX_SERVICE_HOST", "10.96.3.4"};
  const Variable service_port{"TICKBOX_SERVICE_PORT", "7777"};
  const Variable port{"TICKBOX_PORT", "udp://10.96.3.4:7777"};
  const Variable port_udp{"TICKBOX_PORT_7777_UDP", "udp://10.96.3.4:7777"};
  TestProgram program;
  EXPECT_EQ(program.run({"load"}), std::nullopt);
  EXPECT_EQ(program.port, 7777) << "the default";
  EXPECT_EQ(std::ranges::count(program.err, '\n'), 1) << program.err;
  EXPECT_TRUE(program.err.contains("warning: TICKBOX_PORT ")) << program.err;
}

// Before the change, a mistyped variable changed nothing, without a word.
TEST(CommandLine, AVariableOfNoOptionIsWarnedOf) {
  const Variable mistyped{"TICKBOX_PROT", "1"};
  const Variable of_a_command{"TICKBOX_CLIENTS", "9"};
  TestProgram program;
  EXPECT_EQ(program.run({"load"}), std::nullopt);
  EXPECT_EQ(program.clients, 9);
  EXPECT_TRUE(program.err.contains("warning: TICKBOX_PROT ")) << program.err;
  EXPECT_TRUE(program.err.contains("mean TICKBOX_PORT?")) << program.err;
}

// Before the fix, a variable of one command stopped another command that does not know it.
TEST(CommandLine, AVariableOfAnotherCommandIsNotLookedAt) {
  const Variable seconds{"TICKBOX_SECONDS", "abc"};
  TestProgram program;
  EXPECT_EQ(program.run({"load"}), std::nullopt) << program.err;
}

/// Returns what a program with these options prints about the words, or nothing if it continues.
template <class Add>
std::string complaint_about(std::vector<const char*> words, const Add& add) {
  CommonFlags flags;
  Program program{{.name = "one", .description = "Options.", .example = "none"}, flags};
  add(program);
  words.insert(words.begin(), "one");
  testing::internal::CaptureStderr();
  const auto code = program.parse(static_cast<int>(words.size()), words.data());
  const std::string err = testing::internal::GetCapturedStderr();
  EXPECT_EQ(code.has_value(), !err.empty());
  return err;
}

TEST(CommandLine, EachKindOfValueIsRead) {
  std::string text;
  std::vector<std::string> texts;
  double share = 0;
  std::uint16_t port = 0;
  std::uint32_t count = 0;
  std::uint64_t seed = 0;
  std::optional<std::uint32_t> rate;
  std::optional<std::uint64_t> hash;
  bool on = false;
  const auto add_all = [&](Program& program) {
    program.add_option("TEXT", text, "A word");
    program.add_option("--texts", texts, "Words", {.one_word_each = true});
    program.add_option("--share", share, "A number", {.check = between(0.5, 1.5)});
    program.add_option("--port", port, "A port");
    program.add_option("--count", count, "A count", {.check = between(1U, 9U)});
    program.add_option("--seed", seed, "A seed");
    program.add_option("--rate", rate, "A rate");
    program.add_option("--hash", hash, "A hash");
    program.add_option("--on", on, "On");
  };
  EXPECT_EQ(complaint_about({"word", "--texts", "a", "--texts", "b", "--share", "0.75", "--port",
                             "65535", "--count", "9", "--seed", "18446744073709551615", "--rate",
                             "4294967295", "--hash", "18446744073709551615", "--on"},
                            add_all),
            "");
  EXPECT_EQ(text, "word");
  EXPECT_EQ(texts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(share, 0.75);
  EXPECT_EQ(port, 65'535);
  EXPECT_EQ(count, 9U);
  EXPECT_EQ(seed, 18'446'744'073'709'551'615U);
  EXPECT_EQ(rate, 4'294'967'295U);
  EXPECT_EQ(hash, 18'446'744'073'709'551'615U);
  EXPECT_TRUE(on);
  EXPECT_TRUE(complaint_about({"--share", "2"}, add_all).contains("--share: Value 2 not in range"));
  EXPECT_TRUE(complaint_about({"--count", "10"}, add_all).contains("range 1 to 9"));
  EXPECT_TRUE(complaint_about({"--port", "65536"}, add_all).contains("range 0 to 65535"));
  EXPECT_NE(complaint_about({"--rate", "4294967296"}, add_all), "");
}

TEST(CommandLine, OptionsMustBeWhatTheyWereDeclaredToBe) {
  int a = 0;
  int b = 0;
  std::string word;
  const auto add_all = [&](Program& program) {
    program.add_option("--a", a, "A");
    program.add_option("--b", b, "B", {.excludes = {"--a"}});
    const auto fault = [](const std::string& text) {
      return text == "no" ? std::string{"'no' is not taken"} : std::string{};
    };
    program.add_option("WORD", word, "A word", {.required = true, .check = {fault, "WORD"}});
  };
  EXPECT_EQ(complaint_about({"yes", "--a", "1"}, add_all), "");
  EXPECT_TRUE(complaint_about({"--a", "1"}, add_all).contains("WORD is required"));
  EXPECT_TRUE(
      complaint_about({"yes", "--a", "1", "--b", "2"}, add_all).contains("--a excludes --b"));
  EXPECT_TRUE(complaint_about({"no"}, add_all).contains("WORD: 'no'"));
}

TEST(CommandLine, SeveralValuesAreGivenOneByOneOrJoined) {
  std::vector<Duration> times;
  const auto add_times = [&](Program& program) {
    program.add_option("--time", times, parse_duration, "Times", {.value = "D"});
  };
  EXPECT_EQ(complaint_about({"--time", "1s", "--time", "2s,3s"}, add_times), "");
  EXPECT_EQ(times, (std::vector<Duration>{1s, 2s, 3s}));
  EXPECT_TRUE(complaint_about({"--time", "1s,2d"}, add_times).contains("--time: '2d'"));
}

TEST(CommandLine, AnEmptyValueIsRefused) {
  std::string text;
  std::vector<Duration> times;
  const auto add_both = [&](Program& program) {
    program.add_option("--text", text, "A text");
    program.add_option("--time", times, parse_duration, "Times");
  };
  EXPECT_EQ(complaint_about({"--text", ""}, add_both),
            "one: --text: has an empty value; see --help\n");
  EXPECT_TRUE(complaint_about({"--time", ""}, add_both).contains("--time: has an empty value"));
}

TEST(CommandLine, HelpIsBrokenIntoLinesAndGroups) {
  CommonFlags flags;
  Program program{{.name = "program",
                   .description = "Do one thing. And another thing, which takes more words than "
                                  "fit into one line of any terminal that is as narrow as most.",
                   .example = "program --clients 100"},
                  flags};
  std::uint32_t clients = 32;
  std::uint16_t port = 7777;
  std::string file;
  std::vector<std::string> texts;
  program.add_option("FILE", file, "The file", {.required = true});
  program.begin_group("Players");
  program.add_option("--clients", clients, "Number of clients", {.check = between(1U, 9U)});
  program.add_option("--port", port, "Port of the server (0: a free one)",
                     {.excludes = {"--clients"}});
  program.add_option("--a-name-that-is-so-long-that-it-needs-two-lines", texts, "Texts",
                     {.value = "SOMETHING", .default_text = "nothing at all"});
  program.add_command({.name = "sub", .description = "Do a part. Not all.", .example = "none"},
                      flags);
  const std::string help = program.help();
  std::istringstream lines{help};
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), kHelpWidth) << line;
  }
  EXPECT_TRUE(help.contains("\n  FILE (required)\n    The file\n")) << help;
  EXPECT_TRUE(
      help.contains("\n\nPlayers:\n  --clients N (default: 32; not with --port) "
                    "[TICKBOX_CLIENTS]\n    Number of clients (1 to 9)\n"))
      << help;
  EXPECT_TRUE(help.contains("    Port of the server (0: a free one) (0 to 65535)\n")) << help;
  EXPECT_TRUE(help.contains("SOMETHING ... (default:\n      nothing at all)")) << help;
  EXPECT_TRUE(help.contains("\n  sub       Do a part\n")) << help;
}

TEST(CommandLine, TellsWhatWasGiven) {
  TestProgram program;
  bool called = false;
  program.load.callback([&] { called = true; });
  EXPECT_EQ(program.run({"--json", "--quiet=false", "load", "--clients", "2"}), std::nullopt);
  EXPECT_TRUE(called);
  EXPECT_TRUE(program.program.is_on("--json"));
  EXPECT_FALSE(program.program.is_on("--quiet"));
  EXPECT_FALSE(program.program.is_on("--nonsense"));
  EXPECT_TRUE(program.program.is_given("--quiet"));
  EXPECT_FALSE(program.program.is_given("--port"));
  TestProgram other;
  other.load.callback([] { FAIL() << "this command was not given"; });
  EXPECT_EQ(other.run({}), std::nullopt);
}

}  // namespace
}  // namespace tickbox::cli
