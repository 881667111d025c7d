#include "client/scenario/scenario.h"

#include "client/scenario/json_document.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

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

TEST(Scenario, NamesFileLineBodyAndKeyOfWhatItDoesNotKnow) {
  EXPECT_EQ(error_of(with_body(R"(, "restitutoin": 0.5)")),
            "a.json:2: unknown key \"restitutoin\" in body 3; did you mean \"restitution\"?");
  EXPECT_EQ(error_of(with_body("", R"(, "gravty": [0, 1])")),
            "a.json:1: unknown key \"gravty\"; did you mean \"gravity\"?");
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
  EXPECT_EQ(error_of(row_of(10, 0)),
            "a.json:2: body 0 overlaps more than 8 bodies at tick 0; move them apart");
  EXPECT_EQ(error_of(row_of(4'000, 0)),
            "a.json:2: body 0 overlaps more than 8 bodies at tick 0; move them apart");
  EXPECT_EQ(error_of(row_of(100, 1)), "no error") << "bodies that touch";
  EXPECT_EQ(error_of(row_of(100, 0, ", \"sensor\": true")), "no error");
  // 1,415 bodies have more than a million pairs.
  const std::string error = error_of(row_of(1'500, 0, ", \"sensor\": true"));
  EXPECT_TRUE(error.starts_with("a.json:") &&
              error.contains(": the paths of more than 1000000 pairs of bodies touch in tick 1"))
      << error;
}

// A value takes two bytes of a file, and seventy times as many of memory.
TEST(Scenario, RefusesMoreValuesThanAreRead) {
  EXPECT_TRUE(scenario::parse_json("[1, {\"id\": [2]}]", 5));
  const auto parsed = scenario::parse_json("[1,\n{\"id\": [2]}]", 4);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().line, 2U);
  EXPECT_EQ(parsed.error().message, "the file has more than 4 values; remove some bodies or keys");
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
  EXPECT_TRUE(scenario::parse_json(object_of(64)));
  EXPECT_EQ(error_of(object_of(65)), "a.json:66: an object has more than 64 keys; remove some");
}

TEST(Scenario, RefusesMoreBodiesThanAreRead) {
  std::string text = "{ \"tick_rate\": 60, \"ticks\": 5,\n\"bodies\": [{}";
  for (std::size_t i = 0; i < scenario::kBodiesMax; ++i) {
    text += ",{}";
  }
  EXPECT_EQ(error_of(text + "] }"),
            "a.json:2: \"bodies\" has 200001 bodies, but at most 200000 are possible; remove some");
}

struct Wrong {
  const char* keys;
  const char* message;
};

TEST(Scenario, RefusesValuesOutsideTheirLimits) {
  for (
      const Wrong& wrong : {
          Wrong{
              R"(, "velocity": [0, 245761])",
              R"("velocity" must be numbers from -245760 to 245760, but is [0, 245761] in body 3)"},
          Wrong{R"(, "displacement": [4097, 0])",
                R"("displacement" must be numbers from -4096 to 4096, but is [4097, 0] in body 3)"},
          Wrong{R"(, "velocity": 3)", R"("velocity" must be a pair [x, y], but is 3 in body 3)"},
          Wrong{
              R"(, "velocity": [1, 1e300])",
              R"("velocity" must be numbers from -245760 to 245760, but is [1, 1e300] in body 3)"},
          Wrong{R"(, "mass": 0)",
                R"("mass" must be a whole number from 1 to 65535, but is 0 in body 3)"},
          Wrong{R"(, "mass": 1.5)",
                R"("mass" must be a whole number from 1 to 65535, but is 1.5 in body 3)"},
          Wrong{
              R"(, "mass": 18446744073709551615)",
              R"("mass" must be a whole number from 1 to 65535, but is 18446744073709551615 in body 3)"},
          Wrong{R"(, "restitution": 1.1)",
                R"("restitution" must be a number from 0 to 1, but is 1.1 in body 3)"},
          Wrong{R"(, "response": "slid")",
                R"("response" must be one of slide, stop, bounce, pass, but is "slid" in body 3)"},
          Wrong{R"(, "id": 3)", R"(key "id" is given twice; remove one)"},
          Wrong{R"(, "velocity": [1, 1], "displacement": [1, 1])",
                R"("velocity" and "displacement" mean the same; remove one in body 3)"},
      }) {
    EXPECT_EQ(error_of(with_body(wrong.keys)), std::string{"a.json:2: "} + wrong.message);
  }
}

TEST(Scenario, RefusesPlacesOutsideTheWorldAndSizesOfNothing) {
  const auto error_at = [](const std::string& min, const std::string& size) {
    return error_of(
        R"({"tick_rate": 60, "ticks": 1, "bodies": [{"id": 7, "kind": "static", "min": )" + min +
        R"(, "size": )" + size + "}]}");
  };
  EXPECT_EQ(error_at("[16384, -16384]", "[16383, 1]"), "no error");
  EXPECT_EQ(error_at("[16384, -16384]", "[16384, 1]"),
            "a.json:1: \"min\" and \"size\" must end below 32768 in body 7");
  EXPECT_EQ(
      error_at("[16384.1, 0]", "[1, 1]"),
      "a.json:1: \"min\" must be numbers from -16384 to 16384, but is [16384.1, 0] in body 7");
  EXPECT_EQ(error_at("[0, 0]", "[1, 0]"),
            "a.json:1: \"size\" must be numbers from 1/65536 to 16384, but is [1, 0] in body 7");
}

TEST(Scenario, RefusesTwoBodiesOfOneIdAndSetsForNobody) {
  EXPECT_EQ(error_of("{\"tick_rate\": 60, \"ticks\": 1, \"bodies\": [\n"
                     "{\"id\": 1, \"kind\": \"static\", \"min\": [0, 0], \"size\": [1, 1]},\n"
                     "{\"id\": 1, \"kind\": \"dynamic\", \"min\": [5, 0], \"size\": [1, 1]}]}"),
            "a.json:3: \"id\" 1 is given to two bodies; change one");
  EXPECT_EQ(error_of(with_body("", R"(, "set": [{"tick": 1, "id": 4, "velocity": [1, 1]}])")),
            "a.json:1: \"bodies\" has no body 4: give the id of another in set number 1");
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
  EXPECT_EQ(error_of(with_body(R"(, "velocity": [1, null])")),
            "a.json:2: \"velocity\" must be numbers from -245760 to 245760, but is [1, null] in "
            "body 3");
}

TEST(Scenario, SaysOnWhichLineATextIsNoJson) {
  const std::string error = error_of("{\n  \"ticks\": 5,\n  oops\n}");
  EXPECT_TRUE(error.starts_with("a.json:3: this is not JSON")) << error;
  EXPECT_FALSE(error.contains('\n')) << error;
  EXPECT_TRUE(error_of("").starts_with("a.json:1: this is not JSON"));
  EXPECT_EQ(error_of("[]"), "a.json:1: a scenario must be an object {…}");
  EXPECT_EQ(error_of("{}"), "a.json:1: key \"tick_rate\" is missing");
  EXPECT_EQ(error_of(std::string(100'000, '[')),
            "a.json:1: lists and objects are nested too deeply");
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
  EXPECT_EQ(
      error_of(with_kind("kinematic", R"(, "min": [1, -3])" + kPath + R"(, "speed": 2)")),
      "a.json:1: \"min\" is not the first point of \"path\", where the body begins: make them "
      "equal, or remove \"min\" in body 3");
}

TEST(ScenarioPath, KeepsTheWholeBoxInTheWorld) {
  const auto ending_at = [](const std::string& point) {
    return error_of(with_kind("kinematic", R"(, "speed": 1, "path": [[0, 0], )" + point + "]"));
  };
  EXPECT_EQ(ending_at("[16383, -16384]"), "no error");
  EXPECT_EQ(ending_at("[0, 16383.1]"),
            "a.json:1: \"path\" leaves the world at point 2: min plus size must be at most 16384; "
            "move the point in body 3");
  EXPECT_EQ(ending_at("[-16384.1, 0]"),
            "a.json:1: \"path\" must be numbers from -16384 to 16384, but is [[0, 0], [-16384.1, "
            "0]] in body 3");
}

TEST(ScenarioPath, HasBetweenOneAndManyPoints) {
  const auto of_points = [](int count) {
    std::string points;
    for (int i = 0; i < count; ++i) {
      points += i == 0 ? "[0, 0]" : ", [0, 0]";
    }
    return error_of(with_kind("kinematic", R"(, "speed": 1, "path": [)" + points + "]"));
  };
  EXPECT_EQ(of_points(1), "no error");
  EXPECT_EQ(of_points(1024), "no error");
  EXPECT_EQ(of_points(0),
            "a.json:1: \"path\" must be 1 to 1024 pairs [[x, y], …], but is [] in body 3");
  EXPECT_EQ(
      of_points(1025),
      "a.json:1: \"path\" must be 1 to 1024 pairs [[x, y], …], but is a list of 1025 in body 3");
  EXPECT_EQ(error_of(with_kind("kinematic", R"(, "speed": 1, "path": [1, 2])")),
            "a.json:1: \"path\" must be 1 to 1024 pairs [[x, y], …], but is [1, 2] in body 3");
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

struct WrongKind {
  const char* kind;
  std::string keys;
  const char* message;
};

TEST(ScenarioBody, RefusesWhatDoesNotGoTogether) {
  for (
      const WrongKind& wrong : {
          WrongKind{"dynamic", kPath + R"(, "speed": 2)",
                    R"("path" is for kinematic bodies only: remove it, or change "kind")"},
          WrongKind{"static", kPath + R"(, "speed": 2)",
                    R"("path" is for kinematic bodies only: remove it, or change "kind")"},
          WrongKind{
              "dynamic", kAtOne + R"(, "speed": 2)",
              R"("speed" is for kinematic bodies with a "path" only: remove it, or change "kind")"},
          WrongKind{"kinematic", kAtOne + R"(, "speed": 2)",
                    R"("speed" needs a "path": add one, or use "velocity")"},
          WrongKind{"kinematic", kPath, R"(key "speed" is missing beside "path": add it)"},
          WrongKind{"kinematic", kPath + R"(, "speed": 1, "velocity": [0, 0])",
                    R"("velocity" and "path" cannot be combined: remove one of them)"},
          WrongKind{"kinematic", kPath + R"(, "speed": 1, "displacement": [0, 1])",
                    R"("displacement" and "path" cannot be combined: remove one of them)"},
          WrongKind{"kinematic", R"(, "speed": 1)", R"(key "min" is missing)"},
          WrongKind{"kinematic", kPath + R"(, "speed": -1)",
                    R"("speed" must be a number from 0 to 245760, but is -1)"},
          WrongKind{"kinematic", kPath + R"(, "speed": 245761)",
                    R"("speed" must be a number from 0 to 245760, but is 245761)"},
          WrongKind{"dynamic", kAtOne + R"(, "squeeze": "crush")",
                    R"("squeeze" is for kinematic bodies only: remove it, or change "kind")"},
          WrongKind{"kinematic", kAtOne + R"(, "squeeze": "crushed")",
                    R"("squeeze" must be one of blocked, crush, but is "crushed")"},
          WrongKind{
              "dynamic", kAtOne + R"(, "one_way": "up")",
              R"("one_way" is for static and kinematic bodies only: remove it, or change "kind")"},
          WrongKind{"static", kAtOne + R"(, "one_way": "top")",
                    R"("one_way" must be one of up, down, left, right, but is "top")"},
          WrongKind{"static", kAtOne + R"(, "one_way": "up", "sensor": true)",
                    "a sensor, or a body that passes, stops no body and has no solid side: remove "
                    "\"one_way\", or make the body solid"},
          WrongKind{"static", kAtOne + R"(, "sensor": 1)",
                    R"("sensor" must be true or false, but is 1)"},
          WrongKind{"dynamic", kAtOne + R"(, "friction": 1.1)",
                    R"("friction" must be a number from 0 to 1, but is 1.1)"},
          WrongKind{"static", kAtOne + R"(, "velocity": [1, 0])",
                    "a static body does not move: remove its velocity, or make the body dynamic or "
                    "kinematic"},
      }) {
    EXPECT_EQ(error_of(with_kind(wrong.kind, wrong.keys)),
              std::string{"a.json:1: "} + wrong.message + " in body 3");
  }
}

TEST(ScenarioSet, ChangesWhoMovesByItsVelocityOnly) {
  const auto set_for = [](const std::string& id) {
    return error_of(R"({"tick_rate": 60, "ticks": 5, "bodies": [
      {"id": 1, "kind": "static", "min": [0, 0], "size": [1, 1]},
      {"id": 2, "kind": "dynamic", "min": [2, 0], "size": [1, 1]},
      {"id": 3, "kind": "kinematic", "min": [4, 0], "size": [1, 1]},
      {"id": 4, "kind": "kinematic", "path": [[6, 0]], "size": [1, 1], "speed": 0} ],
      "set": [ {"tick": 2, "velocity": [1, 0], "id": )" +
                    id + "} ]}");
  };
  EXPECT_EQ(set_for("2"), "no error");
  EXPECT_EQ(set_for("3"), "no error");
  EXPECT_EQ(set_for("1"),
            "a.json:6: body 1 is static and does not move: name another body, or make this one "
            "dynamic in set number 1");
  EXPECT_EQ(set_for("4"),
            "a.json:6: body 4 follows a path: name another body, or replace its path by a "
            "\"velocity\" in set number 1");
}

}  // namespace
}  // namespace tickbox::test
