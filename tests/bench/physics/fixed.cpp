#include "tests/bench/physics/fixed.h"

#include "core/hash.h"
#include "sim/step.h"
#include "tests/bench/frame.h"
#include "tests/bench/physics/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tickbox::bench {
namespace {

constexpr std::array kCases{FixedCase::None, FixedCase::AtRest, FixedCase::Changing,
                            FixedCase::Among, FixedCase::Taken};
constexpr std::array<std::string_view, kCases.size()> kCaseNames{
    "none", "at rest", "at rest, changing", "among movers", "among movers, changing"};
constexpr std::uint32_t kFirstSensor = 1'000'000;
constexpr std::int32_t kPitch = kUnit / 2;
constexpr std::uint32_t kScatter = 1'237;  ///< no factor in common with the number of sensors
constexpr int kWarmUp = 120;
constexpr int kTicks = 1'000;

/// Sensors a quarter of a unit wide in rows of 128, in the hall of the movers or far below it.
sim::Body sensor(std::uint32_t number, bool is_far) {
  constexpr std::uint32_t kPerRow = 128;
  constexpr std::int32_t kFar = 500 * kUnit;
  const auto column = static_cast<std::int32_t>(number % kPerRow);
  const auto row = static_cast<std::int32_t>(number / kPerRow % 62);
  sim::Body body{.id = {kFirstSensor + number}, .kind = sim::Kind::Fixed};
  body.min = {column * kPitch + kPitch / 4, row * kPitch + kPitch / 4 + (is_far ? kFar : 0)};
  body.size = {kUnit / 4, kUnit / 4};
  body.sensor = true;
  return body;
}

std::uint64_t hash_of_movers(const sim::PhysicsWorld& world) {
  StreamHasher hasher;
  for (const sim::Body& body : world.movers()) {
    for (const std::int32_t number : {body.min.x, body.min.y, body.velocity.x, body.velocity.y}) {
      hasher.add(number);
    }
  }
  return hasher.digest();
}

struct Repetition {
  double us_per_tick = 0;
  double add_us = 0;
  std::uint64_t motion = 0;
  std::size_t overlaps = 0;
};

Repetition repeat(FixedCase which) {
  Scene scene = make_scene(SceneKind::Platformer, kFixedMovers);
  sim::PhysicsWorld world = make_world(scene);
  for (sim::Body& body : world.movers()) {
    body.layers |= 1;  // as the sensors
    body.collides_with = 0xffff;
  }
  const bool is_far = which == FixedCase::AtRest || which == FixedCase::Changing;
  const bool changes = which == FixedCase::Changing || which == FixedCase::Taken;
  std::vector<sim::Body> present;
  for (std::uint32_t i = 0; which != FixedCase::None && i < kFixedSensors; ++i) {
    present.push_back(sensor(i * kScatter % kFixedSensors, is_far));
  }
  sim::Body spare = sensor(kFixedSensors, is_far);
  Repetition result;
  StepClock clock;
  clock.start();
  for (const sim::Body& body : present) {
    world.add(body);
  }
  result.add_us = clock.elapsed_us();

  sim::PhysicsStepper stepper;
  double sum_us = 0;
  for (int tick = 0; tick < kWarmUp + kTicks; ++tick) {
    scene.steer(tick, [&](std::size_t body, double vx) {
      world.movers()[body].velocity.x =
          static_cast<std::int32_t>(std::lround(vx / kTicksPerSecond * kUnit));
    });
    if (changes) {
      sim::Body& taken = present[static_cast<std::size_t>(tick) * kScatter % present.size()];
      world.remove(taken.id);
      world.add(spare);
      std::swap(taken, spare);
    }
    clock.start();
    const sim::StepReport& report = stepper.step(world);
    const double took_us = clock.elapsed_us();
    if (tick < kWarmUp) continue;
    sum_us += took_us;
    result.overlaps += report.begin.size() + report.end.size();
  }
  result.us_per_tick = sum_us / kTicks;
  result.motion = hash_of_movers(world);
  return result;
}

}  // namespace

bool FixedResult::is_sound() const {
  return repeatable && std::ranges::all_of(lines, [&](const FixedLine& line) {
           return line.motion == lines.front().motion;
         });
}

FixedResult measure_fixed(int repeats) {
  FixedResult result;
  for (const FixedCase which : kCases) {
    result.lines.push_back({.which = which});
  }
  for (int repetition = 0; repetition < repeats; ++repetition) {
    for (FixedLine& line : result.lines) {
      const Repetition done = repeat(line.which);
      if (repetition == 0) {
        line.add_us = done.add_us;
        line.motion = done.motion;
        line.overlaps = done.overlaps;
      }
      result.repeatable = result.repeatable && line.motion == done.motion;
      line.add_us = std::min(line.add_us, done.add_us);
      line.us_per_tick.push_back(done.us_per_tick);
      line.ratios.push_back(done.us_per_tick / result.lines.front().us_per_tick.back());
    }
  }
  for (FixedLine& line : result.lines) {
    std::ranges::sort(line.us_per_tick);
    std::ranges::sort(line.ratios);
  }
  return result;
}

std::string fixed_table(const FixedResult& result) {
  std::string table = fmt::format("{} movers, {} fixed sensors:\n", kFixedMovers, kFixedSensors) +
                      fmt::format("{:24} {:>9} {:>8} {:>10} {:>10}\n", "sensors", "us/tick",
                                  "ratio", "begin+end", "add all us");
  for (const FixedLine& line : result.lines) {
    table += fmt::format("{:24} {:>9.3f} {:>8.3f} {:>10} {:>10.0f}\n",
                         kCaseNames.at(std::to_underlying(line.which)), line.best(), line.ratio(),
                         line.overlaps, line.add_us);
  }
  return table;
}

std::string json_of(const FixedResult& result) {
  nlohmann::ordered_json document{{"fixed", nlohmann::ordered_json::array()}};
  for (const FixedLine& line : result.lines) {
    document["fixed"].push_back({{"sensors", kCaseNames.at(std::to_underlying(line.which))},
                                 {"us_per_tick", line.best()},
                                 {"ratio", line.ratio()},
                                 {"overlaps", line.overlaps},
                                 {"add_us", line.add_us}});
  }
  document["sound"] = result.is_sound();
  return document.dump();
}

}  // namespace tickbox::bench
