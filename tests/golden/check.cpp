#include "tests/golden/check.h"

#include <algorithm>
#include <iostream>
#include <optional>

namespace tickbox::golden {
namespace {

/// How the hashes of a tick differ, apart from the motion's, in words.
std::string difference_of(const TickHashes& found, const TickHashes& expected) {
  if (found.state != expected.state) {
    return "the state is " + hex(found.state) + ", the file has " + hex(expected.state);
  }
  if (found.report != expected.report) {
    return "the state is the same, the report is " + hex(found.report) + ", the file has " +
           hex(expected.report);
  }
  return "the state and the report are the same";
}

/// Where `scene` first differs from what was recorded of it, and whether it moves differently, in
/// words.
std::optional<std::string> first_difference(const NamedScene& named, const GoldenScene& recorded,
                                            std::uint32_t ticks) {
  const auto scene = named.make();
  std::optional<std::string> first;
  for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
    const TickHashes found = scene->step();
    const TickHashes& expected = recorded.ticks[tick - 1];
    if (!first && found != expected) {
      first =
          "differs first at tick " + std::to_string(tick) + ": " + difference_of(found, expected);
    }
    if (found.motion != expected.motion) {
      return *first + "; the motion differs first at tick " + std::to_string(tick) + ": it is " +
             hex(found.motion) + ", the file has " + hex(expected.motion);
    }
  }
  if (first) *first += "; the motion of all " + std::to_string(ticks) + " ticks is the same";
  return first;
}

std::optional<std::string> judge(const NamedScene& named, const Golden& golden,
                                 std::uint32_t ticks) {
  const auto recorded = std::ranges::find(golden, named.name, &GoldenScene::name);
  if (recorded == golden.end()) return "is not in the file";
  if (recorded->ticks.size() != kTicks) {
    return "has " + std::to_string(recorded->ticks.size()) + " ticks in the file instead of " +
           std::to_string(kTicks);
  }
  return first_difference(named, *recorded, ticks);
}

}  // namespace

Golden play_all(std::uint32_t ticks) {
  Golden golden;
  for (const NamedScene& named : scenes()) {
    GoldenScene& played = golden.emplace_back(GoldenScene{std::string{named.name}, {}});
    const auto scene = named.make();
    for (std::uint32_t tick = 1; tick <= ticks; ++tick) {
      played.ticks.push_back(scene->step());
    }
  }
  return golden;
}

std::size_t count_different(const Golden& golden, const std::string& path, std::uint32_t ticks) {
  std::size_t different = 0;
  for (const NamedScene& named : scenes()) {
    const auto difference = judge(named, golden, ticks);
    if (difference) {
      ++different;
      std::cerr << path << ": " << named.name << " " << *difference << '\n' << std::flush;
    } else {
      std::cout << named.name << ": " << ticks << " ticks agree" << '\n' << std::flush;
    }
  }
  for (const GoldenScene& recorded : golden) {
    if (std::ranges::find(scenes(), recorded.name, &NamedScene::name) == scenes().end()) {
      ++different;
      std::cerr << path << ": there is no scene " << recorded.name << " any more" << '\n'
                << std::flush;
    }
  }
  return different;
}

}  // namespace tickbox::golden
