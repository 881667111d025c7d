// The command line of `tickbox` as a whole: its messages on options of other commands, and the help
// on figures.

#include "cli/command_line.h"
#include "client/commands/commands.h"
#include "client/commands/load/load_figures.h"
#include "core/assert.h"
#include "games/catalog.h"
#include "os/process/standard_output.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using Words = std::vector<std::string>;

struct Program {
  cli::CommonFlags flags;
  cli::Program program{{.name = "tickbox", .description = "tests", .example = "none"}, flags};
  std::function<int()> run;

  Program() {
    program.allow_command();
    add_connect(program, games::all_games(), run);
    add_load(program, games::all_games(), run);
    add_replay(program, games::all_games(), {}, run);
    add_sim(program, run);
    add_token(program, run);
  }

  struct Said {
    std::string out;
    std::string err;
  };

  /// What is printed for these words.
  Said said_of(const Words& words) {
    std::vector<const char*> argv{"tickbox"};
    for (const std::string& word : words) {
      argv.push_back(word.c_str());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    (void)program.parse(static_cast<int>(argv.size()), argv.data());
    std::string out = testing::internal::GetCapturedStdout();
    return {std::move(out), testing::internal::GetCapturedStderr()};
  }
};

struct Names {
  std::vector<Words> commands;
  std::set<std::string> options;
};

/// Reads the names from --help. The line of an option begins with the option's names, the line of a
/// command with the command's name.
void gather(const Words& path, Names& names) {
  names.commands.push_back(path);
  Words words = path;
  words.emplace_back("--help");
  std::istringstream help{Program{}.said_of(words).out};
  bool is_command = false;
  for (std::string line; std::getline(help, line);) {
    if (!line.starts_with("  ")) is_command = line == "Subcommands:";
    if (!line.starts_with("  ") || line.starts_with("   ")) continue;
    std::string name = line.substr(2, line.find(' ', 2) - 2);
    if (is_command) {
      words.back() = name;
      gather(words, names);
    } else if (name.starts_with('-')) {
      const std::size_t comma = name.find(',');
      names.options.insert(name.substr(0, comma));
      if (comma != std::string::npos) names.options.insert(name.substr(comma + 1));
    }
  }
}

// Before the fix, the message was "unknown option --port; did you mean --port?".
TEST(CommandLines, NoOptionIsUnknownAndMeantAtOnce) {
  Names names;
  gather({}, names);
  ASSERT_GT(names.commands.size(), 12U);
  ASSERT_GT(names.options.size(), 20U);
  for (const Words& path : names.commands) {
    for (const std::string& option : names.options) {
      if (option == "--help" || option == "--version") continue;
      Words behind = path;
      behind.insert(behind.end(), {option, "1"});
      Words before{option, "1"};
      before.insert(before.end(), path.begin(), path.end());
      for (const Words& words : {behind, before}) {
        const std::string said = Program{}.said_of(words).err;
        EXPECT_FALSE(said.contains("mean " + option + "?")) << said;
        EXPECT_FALSE(said.contains("unknown option " + option + ";") && option == "-o") << said;
      }
    }
  }
}

/// Returns the names that the text explains: its lines with an indent of two. ".late" after
/// "inputs.sent" is "inputs.late".
std::set<std::string> explained_names(const std::string& help) {
  std::set<std::string> names;
  std::string group;
  static const std::regex kLine{R"re(\n  ([a-z.][^\n]*))re"};
  static const std::regex kName{"[a-z0-9_.]+"};
  for (std::sregex_iterator line{help.begin(), help.end(), kLine}; line != std::sregex_iterator{};
       ++line) {
    const std::string words = (*line)[1];
    for (std::sregex_iterator word{words.begin(), words.end(), kName};
         word != std::sregex_iterator{}; ++word) {
      const std::string name = word->str();
      if (!name.starts_with('.')) group = name.substr(0, name.find('.'));
      names.insert(name.starts_with('.') ? group + name : name);
    }
  }
  return names;
}

TEST(CommandLines, HelpExplainsEveryFigureThatCanBeRequired) {
  Program program;
  add_figures_help(program.program);
  const std::string help = program.said_of({"help", "figures"}).out;
  const std::set<std::string> names = explained_names(help);
  EXPECT_TRUE(names.contains("clients.dropped"));
  for (const Figure& figure : figures_of(LoadMeasured{})) {
    EXPECT_TRUE(std::ranges::any_of(names, [&](const std::string& name) {
      return figure.path == name || figure.path.starts_with(name + ".");
    })) << figure.path;
  }
}

TEST(CommandLines, AnOptionIsToldToTheCommandThatIsGiven) {
  EXPECT_EQ(Program{}.said_of({"replay", "-o", "x", "inputs"}).err,
            "tickbox: -o is an option of inputs; give it after that command\n");
  EXPECT_EQ(Program{}.said_of({"replay", "--from", "5", "trace", "F"}).err,
            "tickbox: --from is an option of trace; give it after that command\n");
}

TEST(CommandLines, ACommandOfLoadNeedsNoServerAndLoadDoes) {
  EXPECT_EQ(Program{}.said_of({"load", "merge", "0.json", "1.json"}).err, "");
  EXPECT_EQ(Program{}.said_of({"load", "merge"}).err, "tickbox: FILE is required; see --help\n");
  const auto refused = [](const Words& words) {
    Program program;
    const std::string said = program.said_of(words).err;
    if (!said.empty()) return said;
    testing::internal::CaptureStderr();
    EXPECT_EQ(program.run(), 2);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(refused({"load"}), "tickbox load: HOST:PORT is required; see --help\n");
  const Words load{"load", "127.0.0.1:7777"};
  const auto with = [&load](Words more) {
    more.insert(more.begin(), load.begin(), load.end());
    return more;
  };
  EXPECT_TRUE(refused(with({"--part", "4/4"})).contains("\"4/4\" is no part"));
  EXPECT_TRUE(refused(with({"--part", "0/4", "--clients", "3"}))
                  .contains("--part: 3 clients are too few for 4 parts"));
  EXPECT_TRUE(refused(with({"--part", "0/4", "--find", "rtt_ms.p99<=8"}))
                  .contains("--part excludes --find"));
}

TEST(ClientProgram, ReportsAFailedAssertionWithoutTheLockOfStderr) {
  std::string words[] = {"tickbox", "--version"};
  char* argv[] = {words[0].data(), words[1].data(), nullptr};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_client(2, argv, {.games = games::all_games()}), 0);
  (void)testing::internal::GetCapturedStdout();
  EXPECT_EQ(set_assert_handler(&print_failed_condition), &os::report_failed_condition);
}

}  // namespace
}  // namespace tickbox::commands
