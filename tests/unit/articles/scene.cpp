#include "tests/unit/articles/scene.h"

#include "client/scenario/trace.h"
#include "sim/step/overlaps.h"
#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

std::ostream& tickbox::operator<<(std::ostream& stream, Vec2 vector) {
  return stream << "[" << scenario::units_text(vector.x) << ", " << scenario::units_text(vector.y)
                << "]";
}

namespace tickbox::test {
namespace {

scenario::Scenario read(const std::string& file) {
  const std::string path = Scene::path_of(file);
  std::ostringstream text;
  text << std::ifstream{path}.rdbuf();
  auto scenario = scenario::parse_scenario(text.str(), path);
  if (!scenario) throw std::runtime_error{scenario.error()};
  return *std::move(scenario);
}

std::int32_t sub_units(double in_units) {
  const double exact = in_units * kUnit;
  EXPECT_EQ(exact, std::round(exact)) << in_units << " is between two sub-units";
  return static_cast<std::int32_t>(exact);
}

}  // namespace

Vec2 units(double x, double y) {
  return {sub_units(x), sub_units(y)};
}

std::ostream& operator<<(std::ostream& stream, const Met& met) {
  return stream << "{" << met.a << ", " << met.b << ", [" << met.normal.x << ", " << met.normal.y
                << "], at " << met.at.whole << " + " << met.at.rest << "/" << met.at.divisor << "}";
}

Scene::Scene(const std::string& file)
    : file_(file), scenario_(read(file)), world_(scenario::make_world(scenario_)) {}

std::string Scene::path_of(const std::string& file) {
  return tests::source_file("tests/data/articles/") + file;
}

const sim::StepReport& Scene::step() {
  tick_ = tick_ + 1;
  for (const scenario::VelocityChange& change : scenario_.changes) {
    if (change.tick == tick_) change.apply(*world_.find_mover(change.id));
  }
  report_ = stepper_.step(world_);
  if (!report_.contacts.empty()) contact_ticks_.push_back(tick_.value);
  expect_apart();
  return report_;
}

void Scene::run() {
  while (tick_.value < scenario_.ticks) {
    step();
  }
}

void Scene::expect_apart() const {
  EXPECT_EQ(sim::find_overlaps(world_), report_.overlaps) << file_ << " tick " << tick_.value;
}

Meetings Scene::met() const {
  Meetings meetings;
  for (const sim::Contact& contact : report_.contacts) {
    meetings.push_back({contact.a.value,
                        contact.b.value,
                        {contact.normal_x, contact.normal_y},
                        {contact.time, contact.time_rest, contact.time_divisor}});
  }
  return meetings;
}

const sim::Body& Scene::body(std::uint32_t id) const {
  return *world_.find_mover({id});
}

Scene stepped(const std::string& file) {
  Scene scene{file};
  scene.step();
  return scene;
}

}  // namespace tickbox::test
