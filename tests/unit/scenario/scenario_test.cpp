#include "client/scenario/scenario.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::test {
namespace {

// What a scenario file may say, and what is answered to one that is wrong.

/// A scenario of one body, id 3, with `keys` added, and `head` added to the scenario.
std::string with_body(const std::string& keys, const std::string& head = "") {
  return "{ \"tick_rate\": 60, \"ticks\": 5" + head +
         ", \"bodies\": [\n{\"id\": 3, \"kind\": \"dynamic\", \"min\": [1, 2], \"size\": [1, 1]" +
         keys + "} ] }";
}

std::string error_of(const std::string& text) {
  const auto scenario = scenario::parse_scenario(text, "a.json");
  return scenario ? "no error" : scenario.error();
}

/// Expects an error at this place of the file, a path or ":" and a line, that names each of these.
void expect_error(const std::string& text, const std::string& place,
                  const std::vector<std::string>& names) {
  const std::string error = error_of(text);
  const std::string start = place.empty() || place.starts_with(':') ? place : ": " + place;
  EXPECT_TRUE(error.starts_with("a.json" + start + ": ")) << error;
  EXPECT_FALSE(error.contains('\n')) << error;
  for (const std::string& name : names) {
    EXPECT_TRUE(error.contains(name)) << error;
  }
}

/// Expects an error in the first body that names each of these.
void expect_error_in_body(const std::string& text, const std::vector<std::string>& names) {
  const std::string error = error_of(text);
  EXPECT_TRUE(error.starts_with("a.json: bodies[0]")) << error;
  EXPECT_FALSE(error.contains('\n')) << error;
  for (const std::string& name : names) {
    EXPECT_TRUE(error.contains(name)) << error;
  }
}

sim::Body body_of(const std::string& keys) {
  const auto scenario = scenario::parse_scenario(with_body(keys), "a.json");
  EXPECT_TRUE(scenario.has_value()) << scenario.error();
  return scenario && !scenario->movers.empty() ? scenario->movers[0] : sim::Body{};
}

TEST(Scenario, HasTheDefaultsOfABody) {
  const sim::Body body = body_of("");
  EXPECT_EQ(body.id, BodyId{3});
  EXPECT_EQ(body.min, (Vec2{65'536, 131'072}));
  EXPECT_EQ(body.response, sim::Response::Slide);
  EXPECT_EQ(body.mass, 1);
  EXPECT_EQ(body.restitution, 0);
  EXPECT_EQ(body.gravity_scale, 256);
  EXPECT_EQ(body.layers, 1);
  EXPECT_EQ(body.collides_with, 0xffff);
}

TEST(Scenario, RoundsToTheNearestOfWhatABodyCanHave) {
  EXPECT_EQ(body_of(R"(, "velocity": [3, -12])").velocity,
            (Vec2{3'277, -13'107}));  // 3276.8, 13107.2
  EXPECT_EQ(body_of(R"(, "displacement": [3, -0.00001])").velocity, (Vec2{196'608, -1}));
  EXPECT_EQ(body_of(R"(, "restitution": 0.3)").restitution, 77);  // 76.8
  EXPECT_EQ(body_of(R"(, "gravity_scale": 0.5)").gravity_scale, 128);
}

TEST(Scenario, ReadsGravityPerTickSquared) {
  const auto scenario = scenario::parse_scenario(
      with_body("", R"(, "gravity": [0, 30], "border": "remove")"), "a.json");
  ASSERT_TRUE(scenario.has_value()) << scenario.error();
  EXPECT_EQ(scenario->settings.gravity, (Vec2{0, 546}));
  EXPECT_EQ(scenario->settings.border, sim::Border::Remove);
}

TEST(Scenario, NamesFileBodyAndKeyOfWhatItDoesNotKnow) {
  expect_error(with_body(R"(, "restitutoin": 0.5)"), "bodies[0]",
               {"\"restitutoin\"", "mean \"restitution\"?"});
  expect_error(with_body("", R"(, "gravty": [0, 1])"), "", {"\"gravty\"", "mean \"gravity\"?"});
}

/// A scenario of `count` boxes, each `step` units to the right of the one before.
std::string row_of(std::size_t count, double step, const std::string& keys = "") {
  std::string text = "{ \"tick_rate\": 60, \"ticks\": 5, \"bodies\": [";
  for (std::size_t i = 0; i < count; ++i) {
    text += std::string{i == 0 ? "" : ","} + "\n{\"id\": " + std::to_string(i) +
            ", \"kind\": \"dynamic\", \"min\": [" + std::to_string(static_cast<double>(i) * step) +
            ", 0], \"size\": [1, 1]" + keys + "}";
  }
  return text + "] }";
}

// Before the fix, 263 KB of boxes in one place took minutes and gigabytes.
TEST(Scenario, RefusesTooManyBodiesInOnePlace) {
  EXPECT_EQ(error_of(row_of(9, 0)), "no error");
  for (const std::size_t bodies : {std::size_t{10}, std::size_t{4'000}}) {
    expect_error(row_of(bodies, 0), "", {"body 0", "8 bodies"});
  }
  EXPECT_EQ(error_of(row_of(100, 1)), "no error") << "bodies that touch";
  EXPECT_EQ(error_of(row_of(100, 0, ", \"sensor\": true")), "no error");
  // 1,415 bodies have more than a million pairs.
  const std::string error = error_of(row_of(1'500, 0, ", \"sensor\": true"));
  EXPECT_TRUE(error.starts_with("a.json: ") && error.contains("1000000 pairs")) << error;
}

// Before the limit, an object of 50,000 keys took seconds: each was compared with all before it.
TEST(Scenario, RefusesMoreKeysInAnObjectThanAreRead) {
  const auto object_of = [](int keys) {
    std::string text = "{";
    for (int i = 0; i < keys; ++i) {
      text += (i == 0 ? "\n\"k" : ",\n\"k") + std::to_string(i) + "\": 0";
    }
    return text + "}";
  };
  expect_error(object_of(64), "", {"unknown key"});
  expect_error(object_of(65), ":66", {"64 keys"});
}

TEST(Scenario, RefusesMoreBodiesThanAreRead) {
  std::string text = "{ \"tick_rate\": 60, \"ticks\": 5,\n\"bodies\": [{}";
  for (std::size_t i = 0; i < scenario::kBodiesMax; ++i) {
    text += ",{}";
  }
  expect_error(text + "] }", "bodies", {"200001 bodies", "200000"});
}

TEST(Scenario, RefusesValuesOutsideTheirLimits) {
  struct Wrong {
    const char* keys;
    std::vector<std::string> names;
  };

  for (const Wrong& wrong : {
           Wrong{R"(, "velocity": [0, 245761])", {"velocity", "-245760 to 245760", "[0,245761]"}},
           Wrong{R"(, "velocity": 3)", {"velocity", "[x, y]", "is 3"}},
           Wrong{R"(, "velocity": [1, 1e300])", {"velocity", "[1,1e+300]"}},
           Wrong{R"(, "velocity": [1, null])", {"velocity", "[1,null]"}},
           Wrong{R"(, "displacement": [4097, 0])", {"displacement", "-4096 to 4096"}},
           Wrong{R"(, "mass": 0)", {"mass", "1 to 65535", "is 0"}},
           Wrong{R"(, "mass": 1.5)", {"mass", "is 1.5"}},
           Wrong{R"(, "mass": 18446744073709551615)", {"mass", "18446744073709551615"}},
           Wrong{R"(, "restitution": 1.1)", {"restitution", "0 to 1", "1.1"}},
           Wrong{R"(, "response": "slid")", {"response", "slide, stop, bounce, pass", "slid"}},
           Wrong{R"(, "velocity": [1, 1], "displacement": [1, 1])", {"velocity", "displacement"}},
       }) {
    expect_error_in_body(with_body(wrong.keys), wrong.names);
  }
}

TEST(Scenario, RefusesPlacesOutsideTheWorldAndSizesOfNothing) {
  const auto at = [](const std::string& min, const std::string& size) {
    return R"({"tick_rate": 60, "ticks": 1, "bodies": [{"id": 7, "kind": "static", "min": )" + min +
           R"(, "size": )" + size + "}]}";
  };
  EXPECT_EQ(error_of(at("[16384, -16384]", "[16383, 1]")), "no error");
  expect_error(at("[16384, -16384]", "[16384, 1]"), "bodies[0].size", {"min", "32768"});
  expect_error(at("[16384.1, 0]", "[1, 1]"), "bodies[0].min", {"[16384.1,0]"});
  expect_error(at("[0, 0]", "[1, 0]"), "bodies[0].size", {"1/65536 to 16384"});
}

TEST(Scenario, RefusesTwoBodiesOfOneIdAndSetsForNobody) {
  expect_error(
      "{\"tick_rate\": 60, \"ticks\": 1, \"bodies\": [\n"
      "{\"id\": 1, \"kind\": \"static\", \"min\": [0, 0], \"size\": [1, 1]},\n"
      "{\"id\": 1, \"kind\": \"dynamic\", \"min\": [5, 0], \"size\": [1, 1]}]}",
      "bodies[1].id", {"\"id\" 1"});
  expect_error(with_body("", R"(, "set": [{"tick": 1, "id": 4, "velocity": [1, 1]}])"), "set[0].id",
               {"body 4"});
}

// There are sixty sets, as any sort keeps the order of a short list.
TEST(Scenario, AppliesSetsOfOneTickInTheOrderOfTheFile) {
  constexpr int kSets = 60;
  std::string sets;
  for (int n = 0; n < kSets; ++n) {
    sets += (n == 0 ? R"({"tick": )" : R"(, {"tick": )") + std::to_string(3 - n % 3) +
            R"(, "id": 3, "displacement": [)" + std::to_string(n) + ", 0]}";
  }
  const auto scenario =
      scenario::parse_scenario(with_body("", R"(, "set": [)" + sets + "]"), "a.json");
  ASSERT_TRUE(scenario.has_value()) << scenario.error();
  ASSERT_EQ(scenario->changes.size(), std::size_t{kSets});
  for (int n = 0; n < kSets; ++n) {
    const scenario::VelocityChange& change = scenario->changes[static_cast<std::size_t>(n)];
    const int place = 3 * (n % 20) + 2 - n / 20;
    EXPECT_EQ(change.tick, Tick{static_cast<std::uint32_t>(1 + n / 20)});
    EXPECT_EQ(change.velocity, (Vec2{place * kUnit, 0}));
  }
}

// A body that falls could not be made to walk: a set replaced both components.
TEST(Scenario, ASetKeepsTheComponentThatIsNull) {
  const auto scenario = scenario::parse_scenario(
      with_body("", R"(, "set": [{"tick": 1, "id": 3, "displacement": [2, null]},
                                 {"tick": 2, "id": 3, "velocity": [null, 60]}])"),
      "a.json");
  ASSERT_TRUE(scenario.has_value()) << scenario.error();
  sim::Body body{.velocity = {5, 7}};
  scenario->changes[0].apply(body);
  EXPECT_EQ(body.velocity, (Vec2{2 * kUnit, 7}));
  scenario->changes[1].apply(body);
  EXPECT_EQ(body.velocity, (Vec2{2 * kUnit, kUnit}));
}

TEST(Scenario, SaysOnWhichLineATextIsNotRead) {
  expect_error("{\n  \"ticks\": 5,\n  oops\n}", ":3", {"JSON"});
  expect_error("", ":1", {"JSON"});
  expect_error(with_body(R"(, "id": 3)"), ":2", {"\"id\" is given twice"});
  expect_error("[]", "", {"object"});
  expect_error("{}", "", {"\"tick_rate\""});
  expect_error(std::string(100'000, '['), ":1", {"nested"});
}

// What makes a body of a scenario more than a box that falls: paths, one-way sides, sensors,
// friction; and which of these exclude each other.

/// A scenario of one body, id 3, of `kind`, one unit large, with `keys` added.
std::string with_kind(const std::string& kind, const std::string& keys) {
  return R"({"tick_rate": 60, "ticks": 5, "bodies": [{"id": 3, "size": [1, 1], "kind": ")" + kind +
         "\"" + keys + "}]}";
}

scenario::Scenario read(const std::string& text) {
  const auto scenario = scenario::parse_scenario(text, "a.json");
  EXPECT_TRUE(scenario.has_value()) << scenario.error();
  return scenario.value_or(scenario::Scenario{});
}

const std::string kAtOne = R"(, "min": [1, 2])";
const std::string kPath = R"(, "path": [[1, 2], [1, -3]])";

TEST(ScenarioPath, BeginsWhereItsBodyIs) {
  const scenario::Scenario scenario =
      read(with_kind("kinematic", kPath + R"(, "speed": 2, "squeeze": "crush")"));
  ASSERT_EQ(scenario.movers.size(), 1U);
  ASSERT_EQ(scenario.paths.size(), 1U);
  const sim::Body& body = scenario.movers[0];
  EXPECT_EQ(body.kind, sim::Kind::Kinematic);
  EXPECT_EQ(body.min, (Vec2{65'536, 131'072}));
  EXPECT_EQ(body.path, 0);
  EXPECT_EQ(body.squeeze, sim::Squeeze::Crush);
  EXPECT_EQ(scenario.paths[0].speed(), 2'185);  // 2,184.5 sub-units per tick
  EXPECT_EQ(scenario.paths[0].length(), 5 * kUnit);
}

TEST(ScenarioPath, MayBeRepeatedByMinButNotContradicted) {
  EXPECT_EQ(error_of(with_kind("kinematic", kAtOne + kPath + R"(, "speed": 2)")), "no error");
  expect_error(with_kind("kinematic", R"(, "min": [1, -3])" + kPath + R"(, "speed": 2)"),
               "bodies[0].min", {"path"});
}

TEST(ScenarioPath, KeepsTheWholeBoxInTheWorld) {
  const auto ending_at = [](const std::string& point) {
    return with_kind("kinematic", R"(, "speed": 1, "path": [[0, 0], )" + point + "]");
  };
  EXPECT_EQ(error_of(ending_at("[16383, -16384]")), "no error");
  expect_error(ending_at("[0, 16383.1]"), "bodies[0].path", {"point 2", "16384"});
  expect_error(ending_at("[-16384.1, 0]"), "bodies[0].path", {"[-16384.1,0]"});
}

TEST(ScenarioPath, HasBetweenOneAndManyPoints) {
  const auto of_points = [](int count) {
    std::string points;
    for (int i = 0; i < count; ++i) {
      points += i == 0 ? "[0, 0]" : ", [0, 0]";
    }
    return with_kind("kinematic", R"(, "speed": 1, "path": [)" + points + "]");
  };
  EXPECT_EQ(error_of(of_points(1)), "no error");
  EXPECT_EQ(error_of(of_points(1024)), "no error");
  expect_error(of_points(0), "bodies[0].path", {"1 to 1024"});
  expect_error(of_points(1025), "bodies[0].path", {"1025"});
  expect_error(with_kind("kinematic", R"(, "speed": 1, "path": [1, 2])"), "bodies[0].path",
               {"[1,2]"});
}

TEST(ScenarioPath, IsNumberedByIdsNotByTheOrderOfTheFile) {
  const std::string lift = R"("kind": "kinematic", "size": [1, 1], "speed": 60, "path": )";
  const std::string low = R"({"id": 2, )" + lift + "[[0, 0], [1, 0]]}";
  const std::string high = R"({"id": 9, )" + lift + "[[4, 0], [9, 0]]}";
  const auto hash_of = [](const std::string& bodies) {
    return state_hash(
        scenario::make_world(read(R"({"tick_rate": 60, "ticks": 1, "bodies": [)" + bodies + "]}")));
  };
  EXPECT_EQ(hash_of(low + ", " + high), hash_of(high + ", " + low));
}

TEST(ScenarioBody, IsKinematicWithoutAPathByItsVelocity) {
  const sim::Body body =
      read(with_kind("kinematic", kAtOne + R"(, "velocity": [0, 60])")).movers.at(0);
  EXPECT_EQ(body.kind, sim::Kind::Kinematic);
  EXPECT_EQ(body.path, sim::kNoPath);
  EXPECT_EQ(body.velocity, (Vec2{0, kUnit}));
  EXPECT_EQ(body.squeeze, sim::Squeeze::Blocked);
}

TEST(ScenarioBody, HasOneSolidSideOrAll) {
  const auto side_of = [](const std::string& word) {
    return read(with_kind("static", kAtOne + R"(, "one_way": ")" + word + "\""))
        .statics.at(0)
        .one_way;
  };
  EXPECT_EQ(side_of("up"), sim::OneWay::Up);
  EXPECT_EQ(side_of("down"), sim::OneWay::Down);
  EXPECT_EQ(side_of("left"), sim::OneWay::Left);
  EXPECT_EQ(side_of("right"), sim::OneWay::Right);
  EXPECT_EQ(read(with_kind("static", kAtOne)).statics.at(0).one_way, sim::OneWay::None);
}

TEST(ScenarioBody, SensesAndPasses) {
  EXPECT_TRUE(read(with_kind("static", kAtOne + R"(, "sensor": true)")).statics.at(0).sensor);
  EXPECT_FALSE(read(with_kind("dynamic", kAtOne + R"(, "sensor": false)")).movers.at(0).sensor);
  EXPECT_EQ(read(with_kind("dynamic", kAtOne + R"(, "response": "pass")")).movers.at(0).response,
            sim::Response::Pass);
}

TEST(ScenarioBody, RubsByNearestStepAndNeverWholly) {
  const auto friction_of = [](const std::string& share) {
    return read(with_kind("dynamic", kAtOne + R"(, "friction": )" + share)).movers.at(0).friction;
  };
  EXPECT_EQ(friction_of("0"), 0);
  EXPECT_EQ(friction_of("0.3"), 77);  // 76.8
  EXPECT_EQ(friction_of("1"), 255);
}

TEST(ScenarioBody, RefusesWhatDoesNotGoTogether) {
  struct Wrong {
    const char* kind;
    std::string keys;
    std::vector<std::string> names;
  };

  for (const Wrong& wrong : {
           Wrong{"dynamic", kPath + R"(, "speed": 2)", {"\"path\"", "kinematic"}},
           Wrong{"static", kPath + R"(, "speed": 2)", {"\"path\"", "kinematic"}},
           Wrong{"dynamic", kAtOne + R"(, "speed": 2)", {"\"speed\"", "\"path\""}},
           Wrong{"kinematic", kAtOne + R"(, "speed": 2)", {"\"speed\"", "\"path\""}},
           Wrong{"kinematic", kPath, {"\"speed\" is missing"}},
           Wrong{"kinematic",
                 kPath + R"(, "speed": 1, "velocity": [0, 0])",
                 {"\"velocity\"", "\"path\""}},
           Wrong{"kinematic",
                 kPath + R"(, "speed": 1, "displacement": [0, 1])",
                 {"\"displacement\"", "\"path\""}},
           Wrong{"kinematic", R"(, "speed": 1)", {"\"min\" is missing"}},
           Wrong{"kinematic", kPath + R"(, "speed": -1)", {"\"speed\"", "0 to 245760", "-1"}},
           Wrong{"kinematic", kPath + R"(, "speed": 245761)", {"\"speed\"", "245761"}},
           Wrong{"dynamic", kAtOne + R"(, "squeeze": "crush")", {"\"squeeze\"", "kinematic"}},
           Wrong{"kinematic",
                 kAtOne + R"(, "squeeze": "crushed")",
                 {"\"squeeze\"", "blocked, crush", "\"crushed\""}},
           Wrong{"dynamic", kAtOne + R"(, "one_way": "up")", {"\"one_way\"", "static"}},
           Wrong{"static", kAtOne + R"(, "one_way": "top")", {"\"one_way\"", "\"top\""}},
           Wrong{"static", kAtOne + R"(, "one_way": "up", "sensor": true)", {"\"one_way\""}},
           Wrong{"static", kAtOne + R"(, "sensor": 1)", {"\"sensor\"", "true or false"}},
           Wrong{"dynamic", kAtOne + R"(, "friction": 1.1)", {"\"friction\"", "0 to 1", "1.1"}},
           Wrong{"static", kAtOne + R"(, "velocity": [1, 0])", {"static", "velocity"}},
       }) {
    expect_error_in_body(with_kind(wrong.kind, wrong.keys), wrong.names);
  }
}

TEST(ScenarioSet, ChangesWhoMovesByItsVelocityOnly) {
  const auto set_for = [](const std::string& id) {
    return R"({"tick_rate": 60, "ticks": 5, "bodies": [
      {"id": 1, "kind": "static", "min": [0, 0], "size": [1, 1]},
      {"id": 2, "kind": "dynamic", "min": [2, 0], "size": [1, 1]},
      {"id": 3, "kind": "kinematic", "min": [4, 0], "size": [1, 1]},
      {"id": 4, "kind": "kinematic", "path": [[6, 0]], "size": [1, 1], "speed": 0} ],
      "set": [ {"tick": 2, "velocity": [1, 0], "id": )" +
           id + "} ]}";
  };
  EXPECT_EQ(error_of(set_for("2")), "no error");
  EXPECT_EQ(error_of(set_for("3")), "no error");
  expect_error(set_for("1"), "set[0].id", {"body 1", "static"});
  expect_error(set_for("4"), "set[0].id", {"body 4", "path"});
}

}  // namespace
}  // namespace tickbox::test
