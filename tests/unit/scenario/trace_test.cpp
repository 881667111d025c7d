// Trace lines, letter by letter.

#include "client/scenario/trace.h"

#include "client/scenario/scenario.h"
#include "core/text.h"
#include "sim/step.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace tickbox::test {
namespace {

TEST(Trace, WritesEveryDecimalOfALength) {
  EXPECT_EQ(scenario::units_text(0), "0");
  EXPECT_EQ(scenario::units_text(kUnit), "1");
  EXPECT_EQ(scenario::units_text(-kUnit / 2), "-0.5");
  EXPECT_EQ(scenario::units_text(1), "0.0000152587890625");
  EXPECT_EQ(scenario::units_text(-kWorldLimit + 1), "-16383.9999847412109375");
  EXPECT_EQ(scenario::units_text(-kWorldLimit), "-16384");
}

TEST(Trace, WritesAHashInSixteenDigits) {
  EXPECT_EQ(hash_text(0x00ab'cdef'0123'4567ULL), "00abcdef01234567");
}

TEST(Trace, WritesALinePerTick) {
  const auto scenario = scenario::parse_scenario(
      R"({"tick_rate": 1, "ticks": 1, "bodies": [
           {"id": 1, "kind": "static", "min": [4, 0], "size": [1, 9]},
           {"id": 2, "kind": "dynamic", "min": [1, 0], "size": [1, 1], "velocity": [8, 0.5]}]})",
      "a.json");
  ASSERT_TRUE(scenario.has_value()) << scenario.error();
  sim::PhysicsWorld world = scenario::make_world(*scenario);
  std::string lines;
  scenario::append_trace_line(lines, Tick{0}, world, {});
  const std::string first_hash = hash_text(state_hash(world));
  sim::PhysicsStepper stepper;
  const sim::StepReport& report = stepper.step(world);
  scenario::append_trace_line(lines, Tick{1}, world, report);
  EXPECT_EQ(lines,
            "{\"tick\":0,\"hash\":\"" + first_hash +
                "\",\"bodies\":[{\"id\":2,\"min\":[1,0],\"velocity\":[8,0.5]}],\"contacts\":[],"
                "\"overlaps\":[],\"crushed\":[],\"frozen\":[],\"blocked\":[],\"left\":[],\"begin\":"
                "[],\"end\":[]}\n"
                "{\"tick\":1,\"hash\":\"" +
                hash_text(state_hash(world)) +
                "\",\"bodies\":[{\"id\":2,\"min\":[3,0.5],\"velocity\":[0,0.5]}],\"contacts\":[{"
                "\"a\":1,\"b\":2,"
                "\"normal\":[1,0],\"time\":0.25}],"
                "\"overlaps\":[],\"crushed\":[],\"frozen\":[],\"blocked\":[],\"left\":[],\"begin\":"
                "[],\"end\":[]}\n");
}

TEST(Trace, ListsWhateverAStepReports) {
  const sim::PhysicsWorld world{{}, std::make_shared<const sim::Statics>(std::vector<sim::Body>{})};
  const sim::StepReport report{.frozen = {{5}},
                               .left = {{6}, {7}},
                               .overlaps = {{{1}, {2}}},
                               .blocked = {{4}},
                               .crushed = {{3}},
                               .begin = {{{8}, {9}}, {{8}, {10}}},
                               .end = {{{8}, {9}}}};
  std::string line;
  scenario::append_trace_line(line, Tick{4}, world, report);
  EXPECT_EQ(line, "{\"tick\":4,\"hash\":\"" + hash_text(state_hash(world)) +
                      "\",\"bodies\":[],\"contacts\":[],\"overlaps\":[[1,2]],\"crushed\":[3],"
                      "\"frozen\":[5],\"blocked\":[4],\"left\":[6,7],\"begin\":[[8,9],[8,10]],"
                      "\"end\":[[8,9]]}\n");
}

}  // namespace
}  // namespace tickbox::test
