// Scenario files through the program.

#include "tests/integration/document.h"
#include "tests/integration/programs.h"
#include "tests/support/paths.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

namespace tickbox::integration {
namespace {

const std::string kExample = tests::source_file("tests/data/scenarios/goomba.json");

using Sim = os::FolderTest;

TEST_F(Sim, AScenarioIsReadFromStdin) {
  const std::string program = tickbox({}).program;
  const Finished piped =
      run({.program = "/bin/sh",
           .arguments = {"-c", "exec \"$0\" sim - --json <\"$1\"", program, kExample}});
  ASSERT_EQ(piped.exit_code, kDone) << piped;
  EXPECT_EQ(Document{piped.out}.text("hash"),
            Document{run(tickbox({"sim", kExample, "--json"})).out}.text("hash"));
  EXPECT_EQ(Document{piped.out}.number("exit"), kDone);
}

// Before the fix, a scenario that was named as its own trace by mistake was overwritten.
TEST_F(Sim, ATraceTakesThePlaceOfNoFile) {
  const std::string scenario = os::text_of(kExample);
  const std::string file = folder_.write("scenario.json", scenario);
  expect_ended(run(tickbox({"sim", file, "--trace", file})), kFailed,
               {"existing files are not overwritten"});
  EXPECT_EQ(os::text_of(file), scenario);
  EXPECT_EQ(run(tickbox({"sim", file, "--trace", folder_.file("new"), "--ticks", "5"})).exit_code,
            kDone);
  EXPECT_EQ(line_count(os::text_of(folder_.file("new"))), 6U);
}

TEST_F(Sim, ATraceMayGoToWhatIsNoFile) {
  EXPECT_EQ(run(tickbox({"sim", kExample, "--trace", "/dev/null"})).exit_code, kDone);
  expect_ended(run(tickbox({"sim", kExample, "--trace", "/dev/full"})), kFailed, {"no space left"});
  const Finished piped =
      run(tickbox({"sim", kExample, "--trace", "/dev/stdout", "--ticks", "5", "--json"}));
  EXPECT_EQ(piped.exit_code, kDone) << piped;
  EXPECT_EQ(line_count(piped.out), 7U) << piped;
  const std::string file = folder_.file("out");
  const Command tracing =
      tickbox({"sim", kExample, "--trace", "/dev/stdout", "--ticks", "5", "--json"});
  Command into_file{.program = "/bin/sh",
                    .arguments = {"-c", R"(exec "$0" "$@" >>)" + file, tracing.program}};
  into_file.arguments.insert(into_file.arguments.end(), tracing.arguments.begin(),
                             tracing.arguments.end());
  ASSERT_EQ(run(into_file).exit_code, kDone);
  ASSERT_EQ(run(into_file).exit_code, kDone);
  EXPECT_EQ(line_count(os::text_of(file)), 14U) << os::text_of(file);
}

// Before the fix, --json had an effect only after the command.
TEST_F(Sim, JsonMayStandBeforeTheCommand) {
  const Finished finished = run(tickbox({"--json", "sim", kExample}));
  ASSERT_EQ(finished.exit_code, kDone) << finished;
  EXPECT_EQ(Document{finished.out}.number("ticks"), 120);
}

}  // namespace
}  // namespace tickbox::integration
