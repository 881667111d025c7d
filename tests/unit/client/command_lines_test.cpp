// The command line of `tickbox` as a whole: what is said of an option that another command has.

#include "client/apps/connect.h"
#include "client/apps/load.h"
#include "client/apps/replay.h"
#include "client/apps/sim.h"
#include "client/apps/token.h"
#include "os/command_line.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace tickbox::apps {
namespace {

using Words = std::vector<std::string>;

struct Program {
  CLI::App app;
  os::CommonFlags flags;
  std::function<int()> run;

  Program() {
    os::prepare(app, "tests", "none", flags);
    app.name("tickbox");
    app.require_subcommand(0, 1);
    add_connect(app, run);
    add_load(app, run);
    add_replay(app, run);
    add_sim(app, run);
    add_token(app, run);
  }

  /// What is said on stderr of these words.
  std::string said_of(const Words& words) {
    std::vector<const char*> argv{"tickbox"};
    for (const std::string& word : words) {
      argv.push_back(word.c_str());
    }
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    (void)os::parse_or_exit_code(app, static_cast<int>(argv.size()), argv.data());
    testing::internal::GetCapturedStdout();
    return testing::internal::GetCapturedStderr();
  }
};

struct Names {
  std::vector<Words> commands;
  std::set<std::string> options;
};

void gather(const CLI::App& app, const Words& path, Names& names) {
  names.commands.push_back(path);
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.options.insert("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      names.options.insert("-" + name);
    }
  }
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    Words longer = path;
    longer.push_back(command->get_name());
    gather(*command, longer, names);
  }
}

// "unknown option --port; did you mean --port?"
TEST(CommandLines, NoOptionIsUnknownAndMeantAtOnce) {
  Names names;
  gather(Program{}.app, {}, names);
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
        const std::string said = Program{}.said_of(words);
        EXPECT_FALSE(said.contains("mean " + option + "?")) << said;
        EXPECT_FALSE(said.contains("unknown option " + option + ";") && option == "-o") << said;
      }
    }
  }
}

TEST(CommandLines, AnOptionIsToldToTheCommandThatIsGiven) {
  EXPECT_EQ(Program{}.said_of({"replay", "-o", "x", "repair"}),
            "tickbox: -o is an option of repair; give it behind that command\n");
  EXPECT_EQ(Program{}.said_of({"replay", "--from", "5", "trace", "F"}),
            "tickbox: --from is an option of trace; give it behind that command\n");
}

}  // namespace
}  // namespace tickbox::apps
