#include "tests/bench/net/measure.h"

#include "tests/bench/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace tickbox::bench {
namespace {

double run_once(const Case& each, StepClock& clock) {
  constexpr double kNanoseconds = 1'000;
  each.prepare();
  clock.start();
  each.run();
  return clock.elapsed_us() * kNanoseconds / kBatch;
}

/// What lies below is noise.
double to_a_tenth(double ns) {
  return std::round(ns * 10) / 10;
}

}  // namespace

std::vector<Line> measure(std::span<const Case> cases, int repeats) {
  StepClock clock;
  std::map<std::size_t, Case> yardsticks;
  std::map<std::size_t, double> best;
  std::vector<Line> lines;
  for (const Case& each : cases) {
    lines.push_back({.name = each.name, .bytes = each.bytes});
    if (!yardsticks.contains(each.bytes)) yardsticks[each.bytes] = yardstick(each.bytes);
  }
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (const auto& [bytes, each] : yardsticks) {
      const double ns = run_once(each, clock);
      best[bytes] = repeat == 0 ? ns : std::min(best[bytes], ns);
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
      lines[i].ns.push_back(run_once(cases[i], clock));
      lines[i].sound = cases[i].came_true() && lines[i].sound;
    }
  }
  for (Line& line : lines) {
    std::ranges::sort(line.ns);
    line.yardstick_ns = best[line.bytes];
  }
  return lines;
}

bool is_sound(std::span<const Line> lines) {
  return std::ranges::all_of(lines, &Line::sound);
}

std::string table_of(std::span<const Line> lines) {
  std::string table =
      fmt::format("{:32} {:>6} {:>9} {:>9} {:>7}\n", "packet", "bytes", "ns", "median", "ratio");
  for (const Line& line : lines) {
    table += fmt::format("{:32} {:>6} {:>9.0f} {:>9.0f} {:>7.1f}{}\n", line.name, line.bytes,
                         line.best(), line.median(), line.ratio(),
                         line.sound ? "" : "  was treated otherwise");
  }
  return table;
}

std::string json_of(std::span<const Line> lines) {
  nlohmann::ordered_json document{{"packets", nlohmann::ordered_json::array()}};
  for (const Line& line : lines) {
    document["packets"].push_back({{"name", line.name},
                                   {"bytes", line.bytes},
                                   {"ns", to_a_tenth(line.best())},
                                   {"ns_median", to_a_tenth(line.median())},
                                   {"ns_yardstick", to_a_tenth(line.yardstick_ns)},
                                   {"ratio", to_a_tenth(line.ratio())},
                                   {"repeats", line.ns.size()},
                                   {"sound", line.sound}});
  }
  document["sound"] = is_sound(lines);
  return document.dump();
}

}  // namespace tickbox::bench
