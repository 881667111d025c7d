// A small program with a command, asked in every right and wrong way.

#include "os/command_line.h"

#include "os/build_info.h"
#include "os/values.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <stdlib.h>
#include <vector>

namespace tickbox::os {
namespace {

using namespace std::chrono_literals;

/// What a server and a command of ours look like.
struct Program {
  CLI::App app;
  CommonFlags common;
  CommonFlags load_common;
  int port = 7777;
  Duration drain = 5s;
  std::string rules = "arena";
  int clients = 1;
  int seconds = 10;
  CLI::App* load = nullptr;
  std::string out;
  std::string err;

  Program() {
    prepare(app, "A test server.", "tickbox-test --port 0", common);
    add_config(app);
    app.add_option("--port", port, "UDP port")->check(CLI::Range(0, 65535));
    app.add_option("--rules", rules, "Rules")->check(CLI::IsMember({"arena", "platformer"}));
    add_value<Duration>(app, "--drain-timeout", drain, parse_duration, "How long to drain");
    load = app.add_subcommand("load", "Load a server");
    prepare(*load, "Load a server.", "tickbox-test load --clients 8", load_common);
    load->add_option("--clients", clients, "Clients");
    auto* const replay = app.add_subcommand("replay", "Replay");
    replay->add_option("--seconds", seconds, "Seconds");
    replay->require_subcommand(1);
    replay->add_subcommand("info", "Info");
    replay->add_subcommand("verify", "Verify");
  }

  std::optional<ExitCode> run(std::vector<const char*> words) {
    words.insert(words.begin(), "/somewhere/tickbox-test");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const auto code = parse_or_exit_code(app, static_cast<int>(words.size()), words.data());
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
  Program program;
  const auto code = program.run(std::move(words));
  EXPECT_EQ(code, ExitCode::WrongUsage);
  EXPECT_EQ(program.out, "");
  EXPECT_EQ(std::ranges::count(program.err, '\n'), 1) << program.err;
  return program.err;
}

TEST(CommandLine, GoesOnWithDefaults) {
  Program program;
  EXPECT_EQ(program.run({}), std::nullopt);
  EXPECT_EQ(program.port, 7777);
  EXPECT_EQ(program.drain, 5s);
  EXPECT_FALSE(program.common.json);
  EXPECT_EQ(program.out + program.err, "");
}

TEST(CommandLine, TakesValuesWithABlankOrAnEqualsSign) {
  Program program;
  EXPECT_EQ(program.run({"--port=1", "--drain-timeout", "250ms", "--json"}), std::nullopt);
  EXPECT_EQ(program.port, 1);
  EXPECT_EQ(program.drain, 250ms);
  EXPECT_TRUE(program.common.json);
}

TEST(CommandLine, HelpShowsExampleAndEnvironment) {
  Program program;
  EXPECT_EQ(program.run({"--help"}), ExitCode::Done);
  EXPECT_NE(program.out.find("tickbox-test --port 0"), std::string::npos) << program.out;
  EXPECT_NE(program.out.find("TICKBOX_DRAIN_TIMEOUT"), std::string::npos) << program.out;
  EXPECT_EQ(program.err, "");
}

TEST(CommandLine, HelpOfACommandIsItsOwn) {
  Program program;
  EXPECT_EQ(program.run({"load", "--help"}), ExitCode::Done);
  EXPECT_NE(program.out.find("tickbox-test load --clients 8"), std::string::npos) << program.out;
  EXPECT_NE(program.out.find("TICKBOX_CLIENTS"), std::string::npos) << program.out;
}

TEST(CommandLine, VersionIsOneLine) {
  Program program;
  EXPECT_EQ(program.run({"--version"}), ExitCode::Done);
  EXPECT_EQ(program.out, version_text() + "\n");
}

TEST(CommandLine, NamesTheNearestOption) {
  EXPECT_EQ(refused({"--prot", "1"}),
            "tickbox-test: unknown option --prot; did you mean --port?\n");
  EXPECT_EQ(refused({"--prot=1"}), "tickbox-test: unknown option --prot; did you mean --port?\n");
  EXPECT_EQ(refused({"load", "--client", "1"}),
            "tickbox-test: unknown option --client; did you mean --clients?\n");
  EXPECT_EQ(refused({"--zzzzzzzzz"}), "tickbox-test: unknown option --zzzzzzzzz; see --help\n");
}

TEST(CommandLine, NamesTheNearestCommand) {
  EXPECT_EQ(refused({"laod"}), "tickbox-test: unknown command laod; did you mean load?\n");
  EXPECT_EQ(refused({"replay", "verfy"}),
            "tickbox-test: unknown command verfy; did you mean verify?\n");
  EXPECT_EQ(refused({"replay"}), "tickbox-test: no command given; try info, verify\n");
}

TEST(CommandLine, WithoutANearCommandItNamesAll) {
  EXPECT_EQ(refused({"bogus"}), "tickbox-test: unknown command bogus; there are load, replay\n");
}

// Help of the program was printed, as if all were well.
TEST(CommandLine, HelpOfACommandThatIsNoneIsRefused) {
  EXPECT_EQ(refused({"laod", "--help"}),
            "tickbox-test: unknown command laod; did you mean load?\n");
  EXPECT_EQ(refused({"--help", "bogus"}),
            "tickbox-test: unknown command bogus; there are load, replay\n");
  EXPECT_EQ(refused({"replay", "verfy", "--help"}),
            "tickbox-test: unknown command verfy; did you mean verify?\n");
  Program program;
  EXPECT_EQ(program.run({"load", "word", "--help"}), ExitCode::Done) << "no command was to come";
}

TEST(CommandLine, WrongUsageIsADocumentTooWhereOneIsWanted) {
  Program program;
  EXPECT_EQ(program.run({"load", "--json", "--clients", "abc"}), ExitCode::WrongUsage);
  EXPECT_EQ(program.out,
            "{\"error\":\"cannot read --clients = abc as a value of its kind; see --help\","
            "\"exit\":2}\n");
  EXPECT_EQ(std::ranges::count(program.err, '\n'), 1) << program.err;

  const Variable json{"TICKBOX_JSON", "1"};
  Program by_variable;
  EXPECT_EQ(by_variable.run({"--prot", "1"}), ExitCode::WrongUsage);
  EXPECT_TRUE(by_variable.out.ends_with("\"exit\":2}\n")) << by_variable.out;
}

// "unknown option -o; did you mean --to?" was said of an option of the very command.
TEST(CommandLine, AnOptionOfTheCommandBeforeItIsToldWhereItBelongs) {
  Program program;
  program.load->add_option("-o,--out", program.rules, "A file");
  program.load->add_option("--to", program.clients, "A tick");
  EXPECT_EQ(program.run({"-o", "F", "load"}), ExitCode::WrongUsage);
  EXPECT_EQ(program.err, "tickbox-test: -o is an option of load; give it behind that command\n");
}

TEST(CommandLine, SaysWhichValueIsWrong) {
  EXPECT_EQ(refused({"load", "--clients", "abc"}),
            "tickbox-test: cannot read --clients = abc as a value of its kind; see --help\n");
  EXPECT_NE(refused({"--port", "70000"}).find("--port: "), std::string::npos);
  EXPECT_EQ(refused({"--drain-timeout", "10"}),
            "tickbox-test: --drain-timeout: '10' is no duration; try 250ms, 10s or 5m\n");
  EXPECT_NE(refused({"--rules", "chess"}).find("arena"), std::string::npos);
  EXPECT_EQ(refused({"--port"}), "tickbox-test: --port needs a value; see --help\n");
  EXPECT_NE(refused({"--json=maybe"}).find("--json"), std::string::npos);
}

TEST(CommandLine, AnOptionGivenTwiceIsAnError) {
  EXPECT_NE(refused({"--port", "1", "--port", "2"}).find("--port"), std::string::npos);
}

TEST(CommandLine, FlagBeatsVariableBeatsFileBeatsDefault) {
  const TemporaryFolder folder;
  const std::string config = folder.write(
      "c.toml", "port = 3\ndrain-timeout = \"3s\"\nrules = \"platformer\"\nquiet = true\n");
  const Variable port{"TICKBOX_PORT", "2"};
  const Variable drain{"TICKBOX_DRAIN_TIMEOUT", "2s"};
  for (const bool config_first : {true, false}) {
    Program program;
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
  const TemporaryFolder folder;
  const std::string config = folder.write("c.toml", "port = 3\nrules = \"platformer\"\n");
  const Variable file{"TICKBOX_CONFIG", config.c_str()};
  const Variable port{"TICKBOX_PORT", "2"};
  Program program;
  EXPECT_EQ(program.run({}), std::nullopt) << program.err;
  EXPECT_EQ(program.port, 2);
  EXPECT_EQ(program.rules, "platformer");
}

TEST(CommandLine, AFaultyFileNamesFileLineAndKey) {
  const TemporaryFolder folder;
  const auto refused_file = [&](const char* text) {
    const std::string path = folder.write("c.toml", text);
    const std::string line = refused({"--config", path.c_str()});
    EXPECT_TRUE(line.starts_with("tickbox-test: " + path + ':')) << line;
    return line.substr(std::min(line.size(), std::string{"tickbox-test: "}.size() + path.size()));
  };
  EXPECT_EQ(refused_file("port = 1\nrulse = \"arena\"\n"),
            ":2: unknown key rulse; did you mean rules?\n");
  EXPECT_EQ(refused_file("# first\n\nport = \"x\"\n"),
            ":3: --port: Value x not in range 0 to 65535; see --help\n");
  EXPECT_NE(refused_file("port = 70000").find("--port"), std::string::npos);
  EXPECT_EQ(refused_file("config = \"d.toml\""),
            ":1: unknown key config; see --help for the names\n");
  EXPECT_EQ(refused_file("help = true"), ":1: unknown key help; see --help for the names\n");
}

TEST(CommandLine, AMissingFileIsAnError) {
  EXPECT_EQ(refused({"--config", "/nowhere.toml"}),
            "tickbox-test: cannot read /nowhere.toml: no such file or directory; check the path\n");
}

TEST(CommandLine, VariablesAreJudgedLikeFlags) {
  const Variable port{"TICKBOX_PORT", "abc"};
  EXPECT_EQ(refused({}), "tickbox-test: --port: Value abc not in range 0 to 65535; see --help\n");
}

TEST(CommandLine, ACommandReadsItsOwnVariables) {
  const Variable clients{"TICKBOX_CLIENTS", "9"};
  Program program;
  EXPECT_EQ(program.run({"load"}), std::nullopt) << program.err;
  EXPECT_EQ(program.clients, 9);
}

// A variable of one command used to stop another one that does not know it.
TEST(CommandLine, AVariableOfAnotherCommandIsNotLookedAt) {
  const Variable seconds{"TICKBOX_SECONDS", "abc"};
  Program program;
  EXPECT_EQ(program.run({"load"}), std::nullopt) << program.err;
}

TEST(CommandLine, EnvironmentNamesFollowTheFlags) {
  EXPECT_EQ(environment_name("--tick-rate"), "TICKBOX_TICK_RATE");
  EXPECT_EQ(environment_name("--port"), "TICKBOX_PORT");
}

}  // namespace
}  // namespace tickbox::os
