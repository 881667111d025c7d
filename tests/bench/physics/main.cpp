// tickbox-bench-physics: the physics in fixed worlds, beside Box2D and Chipmunk in the same run.

#include "cli/command_line.h"
#include "core/text.h"
#include "os/process/system_error.h"
#include "tests/bench/frame.h"
#include "tests/bench/physics/fixed.h"
#include "tests/bench/physics/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>

namespace tickbox::bench {
namespace {

using cli::ExitCode;

constexpr std::string_view kName = "tickbox-bench-physics";

constexpr std::array kScenes{SceneKind::Arena, SceneKind::Platformer, SceneKind::Bullets,
                             SceneKind::Pile, SceneKind::Rest};
constexpr std::array kEngines{EngineKind::Tickbox, EngineKind::Box2d, EngineKind::Chipmunk,
                              EngineKind::Box2dSleeping, EngineKind::ChipmunkSleeping};
constexpr std::array kPeerBodies{PeerBodies::Tiles, PeerBodies::Boxes, PeerBodies::Plain};
constexpr std::array kDensitySizes{100, 1'000, 10'000, 100'000};

struct Options {
  cli::CommonFlags flags{};
  std::vector<SceneKind> scenes{kScenes.begin(), kScenes.end()};
  std::vector<int> sizes{};           ///< empty: each world's own
  std::vector<EngineKind> engines{};  ///< empty: each world's own
  Effort effort{};
  std::string csv{};
  bool density = false;
  bool fixed = false;
};

template <class T>
using Parsed = std::expected<T, std::string>;

/// Calls `parse_one` for each of the words between commas.
template <class T, class ParseOne>
Parsed<std::vector<T>> parse_list(std::string_view text, ParseOne&& parse_one) {
  std::vector<T> items;
  for (;;) {
    const std::size_t comma = text.find(',');
    const Parsed<T> item = parse_one(text.substr(0, comma));
    if (!item) return std::unexpected{item.error()};
    if (std::ranges::find(items, *item) == items.end()) items.push_back(*item);
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

/// The one of `known` that has this name.
template <class Known>
auto parse_name(std::string_view text, const Known& known) -> Parsed<typename Known::value_type> {
  std::vector<std::string_view> names;
  for (const auto each : known) {
    if (name_of(each) == text) return each;
    names.push_back(name_of(each));
  }
  const auto near = nearest_name(text, names);
  return std::unexpected{
      near ? fmt::format("unknown name '{}'; did you mean {}?", text, *near)
           : fmt::format("unknown name '{}'; there are {}", text, fmt::join(names, ", "))};
}

Parsed<int> parse_count(std::string_view text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1 || count > kBodiesMax) {
    return std::unexpected{fmt::format("'{}' is no whole number from 1 to {}", text, kBodiesMax)};
  }
  return count;
}

Parsed<std::vector<SceneKind>> parse_scenes(std::string_view text) {
  return parse_list<SceneKind>(text, [](auto word) { return parse_name(word, kScenes); });
}

Parsed<std::vector<EngineKind>> parse_engines(std::string_view text) {
  return parse_list<EngineKind>(text, [](auto word) { return parse_name(word, kEngines); });
}

Parsed<std::vector<int>> parse_sizes(std::string_view text) {
  return parse_list<int>(text, parse_count);
}

Parsed<std::optional<int>> parse_number(std::string_view text) {
  const Parsed<int> number = parse_count(text);
  if (!number) return std::unexpected{number.error()};
  return std::optional{*number};
}

Parsed<PeerBodies> parse_peer_bodies(std::string_view text) {
  return parse_name(text, kPeerBodies);
}

void add_options(cli::Program& program, Options& options) {
  program.add_option("--worlds", options.scenes, parse_scenes,
                     "Which worlds, of S1, S2, S3, S4, S5 (default: all)");
  program.add_option("--n", options.sizes, parse_sizes,
                     "Numbers of bodies, for every world (default: 1000,10000; S4 1000; S5 10000)");
  program.add_option(
      "--engines", options.engines, parse_engines,
      "Of tickbox, box2d, chipmunk, box2d-sleep, chipmunk-sleep (default: the first three; in S5 "
      "all, as there sleeping helps)");
  program.add_option(
      "--repeats", options.effort.repeats, parse_number,
      "Repetitions of every engine (default: up to 7, as time allows; with --fixed 25)");
  program.add_option("--ticks", options.effort.ticks, parse_number,
                     "Measured ticks, after the warm-up (default: each world's own)");
  program.add_option(
      "--peers", options.effort.peer_bodies, parse_peer_bodies,
      "How peers make bodies: tiles, as the worlds are written, one by one on one static body and "
      "without friction; boxes, with our merged rectangles; or plain, tiles with the peer's "
      "default "
      "friction (default: tiles)");
  program.add_option("--csv", options.csv, "Write the lines to this file as well", {.value = "F"});
  program.add_option("--density", options.density,
                     "Only Tickbox in S1, with 100 to 100,000 bodies: the cost of one",
                     {.excludes = {"--worlds", "--n", "--engines", "--peers"}});
  program.add_option(
      "--fixed", options.fixed,
      "Only Tickbox: 64 movers with and without 4,000 fixed sensors, by turns in one run",
      {.excludes = {"--worlds", "--n", "--engines", "--peers", "--density", "--ticks", "--csv"}});
}

std::vector<int> sizes_for(const Options& options, SceneKind scene) {
  if (!options.sizes.empty()) return options.sizes;
  if (scene == SceneKind::Pile) return {1'000};
  if (scene == SceneKind::Rest) return {10'000};
  return {1'000, 10'000};
}

std::vector<EngineKind> engines_for(const Options& options, SceneKind scene) {
  if (!options.engines.empty()) return options.engines;
  if (scene == SceneKind::Rest) return {kEngines.begin(), kEngines.end()};
  return {EngineKind::Tickbox, EngineKind::Box2d, EngineKind::Chipmunk};
}

std::vector<Subject> subjects_of(const Options& options) {
  std::vector<Subject> subjects;
  if (options.density) {
    for (const int n : kDensitySizes) {
      subjects.push_back({.scene = SceneKind::Arena, .n = n, .engines = {EngineKind::Tickbox}});
    }
    return subjects;
  }
  for (const SceneKind scene : options.scenes) {
    for (const int n : sizes_for(options, scene)) {
      subjects.push_back({.scene = scene, .n = n, .engines = engines_for(options, scene)});
    }
  }
  return subjects;
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::vector<Line> measure_all(const Options& options) {
  // One line where an engine is first met in a world: its repetitions are soon done.
  const OnRepetition tell = [&](const Subject& subject, EngineKind engine, int repetition) {
    if (options.flags.quiet || repetition > 1) return;
    fmt::print(stderr, "running {} n={} {}\n", name_of(subject.scene), subject.n, name_of(engine));
  };
  std::vector<Line> lines;
  if (!options.density) print(table_head());
  for (const Subject& subject : subjects_of(options)) {
    for (Line& line : measure(subject, options.effort, tell)) {
      if (!options.density) print(row_of(line));
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

int run_fixed(const Options& options) {
  warn_of_slow_build(kName);
  constexpr int kRepeats = 25;
  const FixedResult result = measure_fixed(options.effort.repeats.value_or(kRepeats));
  print(fixed_table(result));
  if (options.flags.json) print(json_of(result) + "\n");
  return exit_code_of(kName, result.is_sound(),
                      "fixed sensors changed how movers move, or a repetition ended differently");
}

int run(const Options& options) {
  // Opened before anything is measured: nobody should learn after minutes that a folder is missing.
  std::FILE* const csv = options.csv.empty() ? nullptr : std::fopen(options.csv.c_str(), "wb");
  const auto csv_error = [&] {
    fmt::print(stderr,
               "{}: cannot write {}: {}; name a file in a folder that exists and has room\n", kName,
               options.csv, os::reason_of(errno));
    return cli::to_int(ExitCode::Failed);
  };
  if (!options.csv.empty() && csv == nullptr) return csv_error();
  warn_of_slow_build(kName);

  const std::vector<Line> lines = measure_all(options);
  print(options.density ? density_table(lines)
                        : "\n" + ratio_table(lines, options.effort.peer_bodies));
  if (csv != nullptr) {
    const std::string text = csv_of(lines, options.effort.peer_bodies);
    const bool written = std::fwrite(text.data(), 1, text.size(), csv) == text.size();
    if (std::fclose(csv) != 0 || !written) return csv_error();
  }
  if (options.flags.json) {
    print(json_of(lines, options.effort.peer_bodies,
                  options.density ? Document::Density : Document::Worlds) +
          "\n");
  }
  return exit_code_of(kName, is_sound(lines),
                      "tickbox left an overlap, let a body tunnel, or ended differently in a "
                      "repetition; see its lines");
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{
      {.description = "Times Tickbox's physics in fixed worlds beside Box2D and Chipmunk, on one "
                      "thread and by turns, and judges what each makes of them.",
       .example = "tickbox-bench-physics --worlds S1,S3 --n 1000 --csv physics.csv"},
      options.flags};
  bench::add_options(program, options);
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  return options.fixed ? bench::run_fixed(options) : bench::run(options);
}
