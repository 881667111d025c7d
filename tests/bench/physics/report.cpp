#include "tests/bench/physics/report.h"

#include "tests/bench/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace tickbox::bench {
namespace {

using Json = nlohmann::ordered_json;

std::string hex(std::uint64_t hash) {
  return fmt::format("{:016x}", hash);
}

double ns_per_body(const Line& line) {
  return rounded(line.best() * 1'000 / line.n);
}

/// Where bodies come to rest, and so should.
bool ends_at_rest(SceneKind scene) {
  return scene == SceneKind::Pile || scene == SceneKind::Rest;
}

Json json_of(const Line& line) {
  const Quality& quality = line.quality;
  Json json{{"world", name_of(line.scene)},
            {"n", line.n},
            {"engine", name_of(line.engine)},
            {"us_per_tick", rounded(line.best())},
            {"overlaps", quality.at_end.pairs},
            {"tunnelled", quality.tunnelled},
            {"hash", hex(line.hash)},
            {"us_per_tick_median", rounded(line.median())},
            {"us_p99", rounded(line.p99_us)},
            {"repeats", line.us_per_tick.size()},
            {"ticks", line.ticks},
            {"repeatable", line.repeatable},
            {"deepest", quality.at_end.deepest},
            {"overlaps_most", quality.overlaps_most},
            {"deepest_ever", quality.deepest},
            {"bullets_tunnelled", quality.bullets_tunnelled}};
  if (ends_at_rest(line.scene)) {
    json["moving"] = quality.moving;
    json["largest_move"] = quality.largest_move;
  }
  return json;
}

Json json_of(const Ratio& ratio) {
  Json json{{"world", name_of(ratio.scene)},
            {"n", ratio.n},
            {"against", name_of(ratio.peer)},
            {"ratio", std::round(ratio.ratio * 10'000) / 10'000}};
  json["target"] = ratio.target ? Json(*ratio.target) : Json{};
  json["held"] = ratio.target ? Json(ratio.held()) : Json{};
  return json;
}

}  // namespace

std::string_view name_of(SceneKind kind) {
  constexpr std::array<std::string_view, 6> kNames{"", "S1", "S2", "S3", "S4", "S5"};
  return kNames.at(std::to_underlying(kind));
}

std::string table_head() {
  return fmt::format(
      "{:5} {:>6}  {:14} {:>10} {:>10} {:>10} {:>3}  {:>8} {:>8} {:>9}  {:>6} {:>9}  {}\n", "world",
      "n", "engine", "us/tick", "median", "p99", "rep", "overlaps", "deepest", "tunnelled",
      "moving", "most", "hash");
}

std::string row_of(const Line& line) {
  const Quality& quality = line.quality;
  const bool rests = ends_at_rest(line.scene);
  return fmt::format(
      "{:5} {:>6}  {:14} {:>10.1f} {:>10.1f} {:>10.1f} {:>3}  {:>8} {:>8.4f} {:>9}  {:>6} {:>9}  "
      "{}{}\n",
      name_of(line.scene), line.n, name_of(line.engine), line.best(), line.median(), line.p99_us,
      line.us_per_tick.size(), quality.at_end.pairs, quality.at_end.deepest,
      line.scene == SceneKind::Bullets ? std::to_string(quality.tunnelled) : "-",
      rests ? std::to_string(quality.moving) : "-",
      rests ? fmt::format("{:.6f}", quality.largest_move) : "-", hex(line.hash),
      line.repeatable ? "" : " (differs between repetitions)");
}

std::string ratio_table(std::span<const Line> lines, PeerBodies bodies) {
  const std::vector<Ratio> ratios = ratios_of(lines);
  if (ratios.empty()) return {};
  std::string table =
      fmt::format("Time of tickbox by the peer's (--peers {}):\n", name_of(bodies)) +
      fmt::format("{:5} {:>6}  {:14} {:>7}  {:>7}\n", "world", "n", "against", "ratio", "target");
  for (const Ratio& ratio : ratios) {
    table += fmt::format("{:5} {:>6}  {:14} {:>7.3f}  {:>7}  {}\n", name_of(ratio.scene), ratio.n,
                         name_of(ratio.peer), ratio.ratio,
                         ratio.target ? fmt::format("<={:.2f}", *ratio.target) : "-",
                         !ratio.target  ? ""
                         : ratio.held() ? "held"
                                        : "missed");
  }
  return table;
}

std::string density_table(std::span<const Line> lines) {
  std::string table = "Cost of a body at constant density (S1):\n" +
                      fmt::format("{:>7} {:>11} {:>11} {:>9} {:>10}  {}\n", "bodies", "us/tick",
                                  "p99", "overlaps", "ns/body", "hash");
  for (const Line& line : lines) {
    table += fmt::format("{:>7} {:>11.1f} {:>11.1f} {:>9} {:>10.1f}  {}\n", line.n, line.best(),
                         line.p99_us, line.quality.at_end.pairs, ns_per_body(line), hex(line.hash));
  }
  return table;
}

std::string json_of(std::span<const Line> lines, PeerBodies bodies, Document kind) {
  Json document{{"worlds", Json::array()}};
  for (const Line& line : lines) {
    document["worlds"].push_back(json_of(line));
  }
  if (kind == Document::Density) {
    document["density"] = Json::array();
    for (const Line& line : lines) {
      document["density"].push_back({{"n", line.n}, {"ns_per_body", ns_per_body(line)}});
    }
  } else {
    document["ratios"] = Json::array();
    for (const Ratio& ratio : ratios_of(lines)) {
      document["ratios"].push_back(json_of(ratio));
    }
    document["peer_bodies"] = name_of(bodies);
  }
  document["sound"] = is_sound(lines);
  return document.dump();
}

std::string csv_of(std::span<const Line> lines, PeerBodies bodies) {
  std::string csv =
      "world,n,engine,us_per_tick,us_per_tick_median,us_p99,repeats,ticks,overlaps,deepest,"
      "overlaps_most,deepest_ever,tunnelled,bullets_tunnelled,moving,largest_move,hash,peer_"
      "bodies\n";
  for (const Line& line : lines) {
    const Quality& quality = line.quality;
    const bool rests = ends_at_rest(line.scene);
    csv += fmt::format(
        "{},{},{},{:.3f},{:.3f},{:.3f},{},{},{},{:.6f},{},{:.6f},{},{},{},{},{},{}\n",
        name_of(line.scene), line.n, name_of(line.engine), line.best(), line.median(), line.p99_us,
        line.us_per_tick.size(), line.ticks, quality.at_end.pairs, quality.at_end.deepest,
        quality.overlaps_most, quality.deepest, quality.tunnelled, quality.bullets_tunnelled,
        rests ? std::to_string(quality.moving) : "",
        rests ? fmt::format("{:.6f}", quality.largest_move) : "", hex(line.hash), name_of(bodies));
  }
  return csv;
}

}  // namespace tickbox::bench
