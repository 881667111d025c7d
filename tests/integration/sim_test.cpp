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

TEST_F(Sim, TheExampleRunsAndIsTheSameTwice) {
  const Finished first = run(tickbox({"sim", kExample, "--json"}));
  const Finished second = run(tickbox({"sim", kExample, "--json"}));
  ASSERT_EQ(first.exit_code, kDone) << first;
  const Document document{first.out};
  EXPECT_EQ(document.missing({"ticks", "hash", "contacts", "overlaps_left", "freezes", "events_max",
                              "step_us.p50", "step_us.p99"}),
            std::vector<std::string>{});
  EXPECT_EQ(document.number("ticks"), 120);
  EXPECT_EQ(document.number("overlaps_left"), 0);
  EXPECT_GT(document.number("contacts"), 0);
  EXPECT_EQ(document.text("hash"), Document{second.out}.text("hash"));
  EXPECT_EQ(first.err, "");
}

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

TEST_F(Sim, ATraceHasALinePerTickAndThenTheDocument) {
  const Finished traced = run(tickbox({"sim", kExample, "--trace", "-", "--ticks", "5", "--json"}));
  ASSERT_EQ(traced.exit_code, kDone) << traced;
  EXPECT_EQ(line_count(traced.out), 7U) << "ticks 0 to 5 and the document\n" << traced.out;
  EXPECT_EQ(Document{traced.out}.number("ticks"), 5);
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

// The dot at 20,000 px/s passes the wall where overlaps are looked for at the end of a tick only.
TEST_F(Sim, ComparedWithADiscreteStepItSaysWhatTunnels) {
  const std::string dots = tests::source_file("tests/data/articles/dots.json");
  const Finished plain = run(tickbox({"sim", dots, "--json"}));
  const Document document = document_of(tickbox({"sim", dots, "--compare", "discrete", "--json"}));
  EXPECT_EQ(document.text("compare.with"), "discrete");
  EXPECT_EQ(document.number("compare.discrete.crossings"), 1);
  EXPECT_EQ(document.number("compare.tickbox.crossings"), 0);
  EXPECT_EQ(document.text("hash"), Document{plain.out}.text("hash"));
  EXPECT_EQ(Document{plain.out}.missing({"compare"}), std::vector<std::string>{"compare"});

  expect_ended(run(tickbox({"sim", dots, "--compare", "box2d"})), kWrongUsage, {"--compare"});
}

TEST_F(Sim, AMissingFileFailsAndIsNamed) {
  const std::string file = folder_.file("missing.json");
  expect_one_line(run(tickbox({"sim", file})), kFailed, {file});
}

TEST_F(Sim, AnUnknownKeyNamesBodyAndKey) {
  const std::string file = folder_.write("wrong.json",
                                         R"({"tick_rate": 60, "ticks": 1, "bodies": [
          {"id": 42, "kind": "dynamic", "min": [0, 0], "size": [1, 1], "bounciness": 1}]})");
  expect_one_line(run(tickbox({"sim", file})), kWrongUsage, {"body 42", "bounciness"});
}

TEST_F(Sim, APathThatADynamicBodyCannotFollowIsWrongUsage) {
  const std::string file = folder_.write("wrong.json",
                                         R"({"tick_rate": 60, "ticks": 1, "bodies": [
          {"id": 42, "kind": "dynamic", "size": [1, 1], "path": [[0, 0], [4, 0]], "speed": 1}]})");
  expect_ended(run(tickbox({"sim", file})), kWrongUsage, {"body 42", "\"path\""});
}

TEST_F(Sim, WhatIsNoJsonIsWrongUsage) {
  expect_one_line(run(tickbox({"sim", folder_.write("wrong.json", "{\"ticks\": ")})), kWrongUsage,
                  {});
}

}  // namespace
}  // namespace tickbox::integration
