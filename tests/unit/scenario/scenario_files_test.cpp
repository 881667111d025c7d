// The scenario files of tests/data, stepped as `tickbox sim` does: each tick that `expected.json`
// beside them names is as it says, value for value.

#include "client/scenario/scenario.h"
#include "sim/step.h"
#include "sim/step/overlaps.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tickbox::test {
namespace {

using nlohmann::json;

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  return text.str();
}

/// In units. A sub-unit is 2^-16 of one, so the numbers are exact.
json in_units(Vec2 vector) {
  return {static_cast<double>(vector.x) / kUnit, static_cast<double>(vector.y) / kUnit};
}

/// The moment of a contact as a share of the tick: "7/16".
std::string share_of(const sim::Contact& contact) {
  const std::int64_t part = std::int64_t{contact.time} * contact.time_divisor + contact.time_rest;
  const std::int64_t whole = sim::kFineSteps * contact.time_divisor;
  const std::int64_t common = std::gcd(part, whole);
  if (part == 0) return "0";
  return std::to_string(part / common) + '/' + std::to_string(whole / common);
}

json list_of(const std::vector<BodyId>& ids) {
  json list = json::array();
  for (const BodyId id : ids) {
    list.push_back(id.value);
  }
  return list;
}

json list_of(const std::vector<sim::BodyPair>& pairs) {
  json list = json::array();
  for (const sim::BodyPair& pair : pairs) {
    list.push_back({pair.low.value, pair.high.value});
  }
  return list;
}

json list_of(const std::vector<sim::Contact>& contacts) {
  json list = json::array();
  for (const sim::Contact& contact : contacts) {
    list.push_back({contact.a.value,
                    contact.b.value,
                    {contact.normal_x, contact.normal_y},
                    share_of(contact)});
  }
  return list;
}

/// The value of `key`, in the form in which the file expects it.
json actual(const std::string& key, const json& expected, const sim::PhysicsWorld& world,
            const sim::StepReport& report) {
  if (key == "contacts") return list_of(report.contacts);
  if (key == "separated") return list_of(report.separated);
  if (key == "overlaps") return list_of(report.overlaps);
  if (key == "begin") return list_of(report.begin);
  if (key == "end") return list_of(report.end);
  if (key == "blocked") return list_of(report.blocked);
  if (key == "crushed") return list_of(report.crushed);
  if (key == "frozen") return list_of(report.frozen);
  if (key == "left") return list_of(report.left);
  if (key != "min" && key != "velocity") throw std::runtime_error{"unknown key " + key};
  json values = json::object();
  for (const auto& body : expected.items()) {
    const sim::Body* found = world.find({std::stoul(body.key())});
    values[body.key()] =
        found == nullptr ? json{} : in_units(key == "min" ? found->min : found->velocity);
  }
  return values;
}

struct SceneFile {
  std::string folder;
  json expected;

  friend std::ostream& operator<<(std::ostream& out, const SceneFile& scene) {
    return out << scene.folder << '/' << scene.expected.at("file");
  }
};

std::vector<SceneFile> scene_files() {
  std::vector<SceneFile> files;
  for (const std::string folder : {"articles", "scenarios"}) {
    const std::string path = tests::source_file("tests/data/") + folder + "/expected.json";
    for (const json& scene : json::parse(text_of(path))) {
      files.push_back({folder, scene});
    }
  }
  return files;
}

class ScenarioFile : public testing::TestWithParam<SceneFile> {};

TEST_P(ScenarioFile, DoesWhatIsExpected) {
  const json& expected = GetParam().expected;
  const std::string path = tests::source_file("tests/data/") + GetParam().folder + '/' +
                           expected.at("file").get<std::string>();
  const auto scenario = scenario::parse_scenario(text_of(path), path);
  ASSERT_TRUE(scenario) << scenario.error();
  sim::PhysicsWorld world = scenario::make_world(*scenario);
  sim::PhysicsStepper stepper;
  std::size_t checked = 0;
  for (Tick tick{1}; tick.value <= scenario->ticks; tick = tick + 1) {
    SCOPED_TRACE("tick " + std::to_string(tick.value));
    for (const scenario::VelocityChange& change : scenario->changes) {
      if (change.tick == tick) change.apply(*world.find_mover(change.id));
    }
    const sim::StepReport& report = stepper.step(world);
    ASSERT_EQ(sim::find_overlaps(world), report.overlaps);
    for (const json& of_tick : expected.at("ticks")) {
      if (of_tick.at("tick") != tick.value) continue;
      ++checked;
      for (const auto& [key, value] : of_tick.items()) {
        if (key == "tick") continue;
        EXPECT_EQ(actual(key, value, world, report), value) << key << ": " << expected.at("why");
      }
    }
  }
  EXPECT_EQ(checked, expected.at("ticks").size()) << "the file ends earlier";
}

INSTANTIATE_TEST_SUITE_P(Data, ScenarioFile, testing::ValuesIn(scene_files()),
                         [](const testing::TestParamInfo<SceneFile>& scene) {
                           const std::string file = scene.param.expected.at("file");
                           return scene.param.folder + '_' + file.substr(0, file.find('.'));
                         });

TEST(ScenarioFiles, AreAllExpectedToDoSomething) {
  for (const std::string folder : {"articles", "scenarios"}) {
    std::set<std::string> expected{"expected.json", "README.md"};
    for (const SceneFile& scene : scene_files()) {
      if (scene.folder == folder) expected.insert(scene.expected.at("file"));
    }
    std::set<std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator{tests::source_file("tests/data/") + folder}) {
      files.insert(entry.path().filename());
    }
    EXPECT_EQ(files, expected);
  }
}

}  // namespace
}  // namespace tickbox::test
