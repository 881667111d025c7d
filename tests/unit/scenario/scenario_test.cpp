// What a scenario file may say, and what is answered to one that is wrong.

#include "scenario/scenario.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tickbox::test {
namespace {

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

struct Wrong {
  const char* keys;
  const char* message;
};

TEST(Scenario, RefusesValuesOutsideTheirLimits) {
  for (
      const Wrong& wrong : {
          Wrong{
              R"(, "velocity": [0, 245761])",
              R"("velocity" must be numbers from -245760 to 245760, and is [0, 245761] in body 3)"},
          Wrong{R"(, "displacement": [4097, 0])",
                R"("displacement" must be numbers from -4096 to 4096, and is [4097, 0] in body 3)"},
          Wrong{R"(, "velocity": 3)", R"("velocity" must be a pair [x, y], and is 3 in body 3)"},
          Wrong{
              R"(, "velocity": [1, 1e300])",
              R"("velocity" must be numbers from -245760 to 245760, and is [1, 1e300] in body 3)"},
          Wrong{R"(, "mass": 0)",
                R"("mass" must be a whole number from 1 to 65535, and is 0 in body 3)"},
          Wrong{R"(, "mass": 1.5)",
                R"("mass" must be a whole number from 1 to 65535, and is 1.5 in body 3)"},
          Wrong{
              R"(, "mass": 18446744073709551615)",
              R"("mass" must be a whole number from 1 to 65535, and is 18446744073709551615 in body 3)"},
          Wrong{R"(, "restitution": 1.1)",
                R"("restitution" must be a number from 0 to 1, and is 1.1 in body 3)"},
          Wrong{R"(, "response": "slid")",
                R"("response" must be one of slide, stop, bounce, pass, and is "slid" in body 3)"},
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
  EXPECT_EQ(error_at("[16384, -16384]", "[16384, 1]"), "no error");
  EXPECT_EQ(
      error_at("[16384.1, 0]", "[1, 1]"),
      "a.json:1: \"min\" must be numbers from -16384 to 16384, and is [16384.1, 0] in body 7");
  EXPECT_EQ(error_at("[0, 0]", "[1, 0]"),
            "a.json:1: \"size\" must be numbers from 1/65536 to 16384, and is [1, 0] in body 7");
}

TEST(Scenario, RefusesTwoBodiesOfOneIdAndSetsForNobody) {
  EXPECT_EQ(error_of("{\"tick_rate\": 60, \"ticks\": 1, \"bodies\": [\n"
                     "{\"id\": 1, \"kind\": \"static\", \"min\": [0, 0], \"size\": [1, 1]},\n"
                     "{\"id\": 1, \"kind\": \"dynamic\", \"min\": [5, 0], \"size\": [1, 1]}]}"),
            "a.json:3: \"id\" 1 is given to two bodies; give one of them another");
  EXPECT_EQ(error_of(with_body("", R"(, "set": [{"tick": 1, "id": 4, "velocity": [1, 1]}])")),
            "a.json:1: there is no body 4: name one of \"bodies\" in the set at place 1");
}

// More than a few, as short lists keep their order by any sort.
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

TEST(Scenario, SaysOnWhichLineATextIsNoJson) {
  const std::string error = error_of("{\n  \"ticks\": 5,\n  oops\n}");
  EXPECT_TRUE(error.starts_with("a.json:3: this is no JSON")) << error;
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  EXPECT_TRUE(error_of("").starts_with("a.json:1: this is no JSON"));
  EXPECT_EQ(error_of("[]"), "a.json:1: a scenario must be an object {…}");
  EXPECT_EQ(error_of("{}"), "a.json:1: key \"tick_rate\" is missing");
  EXPECT_EQ(error_of(std::string(100'000, '[')),
            "a.json:1: lists and objects are nested too deeply");
}

}  // namespace
}  // namespace tickbox::test
