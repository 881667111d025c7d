#include "client/commands/load/merge/load_part.h"

#include "core/text.h"
#include "core/values.h"
#include "json/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace tickbox::commands {
namespace {

using Json = nlohmann::ordered_json;

// --- the members of each structure, in one list for both ways ---

template <class Codec>
void each_member(Codec& codec, CumulativeBuckets& buckets) {
  codec("bounds", buckets.bounds);
  codec("counts", buckets.counts);
}

template <class Codec>
void each_member(Codec& codec, ServerFigures& server) {
  codec("tick_seconds", server.tick_seconds);
  codec("overruns", server.overruns);
  codec("skipped", server.skipped);
  codec("rate_held", server.rate_held);
  codec("cpu_percent", server.cpu_percent);
  codec("resident_bytes", server.resident_bytes);
}

template <class Codec>
void each_member(Codec& codec, engine::FieldDifference& field) {
  codec("field", field.field);
  codec("expected", field.expected);
  codec("got", field.got);
}

template <class Codec>
void each_member(Codec& codec, engine::WorldDifference& difference) {
  codec("entity", difference.entity);
  codec("subject", difference.subject);
  codec("first_fields", difference.first_fields);
}

template <class Codec>
void each_member(Codec& codec, client::HashMismatch& mismatch) {
  codec("tick", mismatch.tick.value);
  codec("expected", mismatch.expected);
  codec("got", mismatch.got);
  codec("difference", mismatch.difference);
}

/// All of which the figures of a run are made.
template <class Codec>
void each_member(Codec& codec, LoadReport& report) {
  codec("first_client", report.first_client);
  codec("clients_asked", report.clients_asked);
  codec("clients_connected", report.clients_connected);
  codec("clients_dropped", report.clients_dropped);
  codec("clients_checked", report.clients_checked);
  codec("clients_rejoined", report.clients_rejoined);
  codec("clients_moved", report.clients_moved);
  codec("matches_ended", report.matches_ended);
  codec("seconds", report.seconds);
  codec("was_stopped", report.was_stopped);
  codec("snapshot_rates", report.snapshot_rates);
  client::ClientStats& stats = report.stats;
  codec("prediction_error", stats.prediction_error);
  codec("round_trip_us", stats.round_trip);
  codec("snapshot_gap_us", stats.snapshot_gap);
  codec("hashes_checked", stats.hashes_checked);
  codec("hashes_mismatched", stats.hashes_mismatched);
  codec("first_mismatch", stats.first_mismatch);
  codec("untouched_checked", stats.untouched.checked);
  codec("untouched_exact", stats.untouched.exact);
  codec("touched_checked", stats.touched.checked);
  codec("touched_exact", stats.touched.exact);
  codec("corrected", stats.corrected);
  codec("inputs_sent", stats.inputs_sent);
  codec("inputs_late", stats.inputs_late);
  codec("inputs_substituted", stats.inputs_substituted);
  codec("inputs_discarded", stats.inputs_discarded);
  codec("up_sent", stats.up_sent);
  codec("up_arrived", stats.up_arrived);
  codec("down_sent", stats.down_sent);
  codec("down_arrived", stats.down_arrived);
  codec("bytes_down", report.bytes_down);
  codec("bytes_up", report.bytes_up);
  codec("was_restarted", report.was_restarted);
  codec("server", report.server);
  codec("joining", report.joining);
  codec("generator_threads", report.generator_threads);
  codec("generator_cpu_percent", report.generator_cpu_percent);
  codec("outages_us", report.outages);
  codec("lateness_us", report.lateness);
  codec("late_share", report.late_share);
  codec("tick_ms", report.tick_ms);
  codec("game", report.game);
  codec("game_version", report.game_version);
}

template <class Codec>
void each_member(Codec& codec, LoadPart& part) {
  codec("index", part.part.index);
  codec("of", part.part.of);
  codec("started_ms", part.started_ms);
  codec("server_version", part.server_version);
  codec("reason", part.measured.reason);
  codec("refused", part.measured.refused);
  codec("measured", part.measured.report);
}

// --- values as JSON, and back ---

class Encoder {
 public:
  template <class T>
  void operator()(const char* name, T& value) {
    json_[name] = encode(value);
  }

  /// Returns a structure, or a value that JSON has as it is.
  template <class T>
  static Json encode(T& value) {
    if constexpr (requires(Encoder codec) { each_member(codec, value); }) {
      Encoder codec;
      each_member(codec, value);
      return std::move(codec.json_);
    } else {
      return value;
    }
  }

  /// The last bucket of a server has no end, which is null.
  static Json encode(double& value) { return std::isfinite(value) ? Json(value) : Json(); }

  static Json encode(BodyId& id) { return std::to_string(id.value); }

  static Json encode(net::RefuseReason& reason) { return std::string{net::name_of(reason)}; }

  /// Returns a list of [last value, number of values], of the buckets that have any.
  static Json encode(Histogram& histogram) {
    Json buckets = Json::array();
    histogram.for_each_bucket([&](std::uint64_t last, std::uint64_t count) {
      buckets.push_back(Json::array({last, count}));
    });
    return buckets;
  }

  template <class T>
  static Json encode(std::vector<T>& values) {
    Json list = Json::array();
    for (T& value : values) {
      list.push_back(encode(value));
    }
    return list;
  }

  template <class T>
  static Json encode(std::optional<T>& value) {
    return value ? encode(*value) : Json();
  }

 private:
  Json json_ = Json::object();
};

/// Reads what may have any form.
class Decoder {
 public:
  explicit Decoder(const json::Value& json) : json_(json) {}

  template <class T>
  void operator()(const char* name, T& value) {
    if (!is_right_) return;
    const auto found = json_.find(name);
    is_right_ = found != json_.end() && decode(*found, value);
  }

  /// Returns false if the value has another form.
  template <class T>
  static bool decode(const json::Value& json, T& value) {
    if constexpr (requires(Decoder codec) { each_member(codec, value); }) {
      Decoder codec{json};
      if (json.is_object()) each_member(codec, value);
      return json.is_object() && codec.is_right_;
    } else if constexpr (std::same_as<T, std::string>) {
      return json.is_string() && read(json, value);
    } else if constexpr (std::same_as<T, bool>) {
      return json.is_boolean() && read(json, value);
    } else {
      return json.is_number_unsigned() &&
             json.get<std::uint64_t>() <= std::numeric_limits<T>::max() && read(json, value);
    }
  }

  static bool decode(const json::Value& json, double& value) {
    value = std::numeric_limits<double>::infinity();
    return json.is_null() || (json.is_number() && read(json, value));
  }

  static bool decode(const json::Value& json, BodyId& id) {
    const auto value = json.is_string()
                           ? parse_as<std::uint64_t>(json.get_ref<const std::string&>())
                           : std::nullopt;
    id.value = value.value_or(0);
    return value.has_value();
  }

  static bool decode(const json::Value& json, net::RefuseReason& reason) {
    std::string name;
    if (!decode(json, name)) return false;
    for (std::size_t i = 1; i < net::kRefuseReasons; ++i) {
      reason = static_cast<net::RefuseReason>(i);
      if (net::name_of(reason) == name) return true;
    }
    return false;
  }

  static bool decode(const json::Value& json, Histogram& histogram) {
    std::vector<std::vector<std::uint64_t>> buckets;
    if (!decode(json, buckets)) return false;
    for (const auto& bucket : buckets) {
      if (bucket.size() != 2) return false;
      histogram.add(bucket[0], bucket[1]);
    }
    return true;
  }

  template <class T>
  static bool decode(const json::Value& json, std::vector<T>& values) {
    if (!json.is_array()) return false;
    values.resize(json.size());
    return std::ranges::equal(
        json, values, [](const json::Value& each, T& value) { return decode(each, value); });
  }

  template <class T>
  static bool decode(const json::Value& json, std::optional<T>& value) {
    return json.is_null() || decode(json, value.emplace());
  }

 private:
  template <class T>
  static bool read(const json::Value& json, T& value) {
    value = json.get<T>();
    return true;
  }

  const json::Value& json_;
  bool is_right_ = true;
};

/// Returns a setting, or the value of another figure.
FigureValue value_of(const json::Value& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number()) return json.get<double>();
  return {};
}

/// Whether the buckets of a histogram have their ends.
bool has_ends(const std::optional<ServerFigures>& server) {
  return !server || server->tick_seconds.bounds.size() == server->tick_seconds.counts.size();
}

// --- what is added ---

/// Returns the figures of the part that saw the highest p99 of the server's ticks.
std::optional<ServerFigures> worst_of(const std::vector<LoadPart>& parts,
                                      std::optional<ServerFigures> LoadReport::* server) {
  const auto tick_p99 = [&](const LoadPart& part) {
    const auto& seen = part.measured.report.*server;
    return seen ? seen->tick_seconds.quantile(0.99).value_or(0) : -1;
  };
  return std::ranges::max_element(parts, {}, tick_p99)->measured.report.*server;
}

void add(LoadReport& sum, const LoadReport& part) {
  sum.clients_asked += part.clients_asked;
  sum.clients_connected += part.clients_connected;
  sum.clients_dropped += part.clients_dropped;
  sum.clients_checked += part.clients_checked;
  sum.clients_rejoined += part.clients_rejoined;
  sum.clients_moved += part.clients_moved;
  sum.matches_ended = std::max(sum.matches_ended, part.matches_ended);
  sum.was_stopped = sum.was_stopped || part.was_stopped;
  sum.snapshot_rates.insert(sum.snapshot_rates.end(), part.snapshot_rates.begin(),
                            part.snapshot_rates.end());
  sum.stats.add_all(part.stats);
  sum.bytes_down += part.bytes_down;
  sum.bytes_up += part.bytes_up;
  sum.was_restarted = sum.was_restarted || part.was_restarted;
  sum.generator_threads += part.generator_threads;
  if (part.generator_cpu_percent) {
    sum.generator_cpu_percent = sum.generator_cpu_percent.value_or(0) + *part.generator_cpu_percent;
  }
  sum.outages.add_all(part.outages);
  sum.lateness.add_all(part.lateness);
  sum.late_share = std::max(sum.late_share, part.late_share);
  sum.is_part_saturated = sum.is_part_saturated || is_saturated(part);
  if (part.clients_connected > 0) {
    sum.tick_ms = part.tick_ms;
    sum.game = part.game;
    sum.game_version = part.game_version;
  }
}

/// Returns whether two parts have clients of the same id.
bool share_ids(const LoadReport& a, const LoadReport& b) {
  return a.first_client && b.first_client && *a.first_client < *b.first_client + b.clients_asked &&
         *b.first_client < *a.first_client + a.clients_asked;
}

/// Returns the first setting that differs, with both values; empty if none does.
std::string difference_of(const LoadPart& a, const LoadPart& b) {
  const auto differ = [](std::string_view name, const std::string& first,
                         const std::string& second) {
    return fmt::format("{} is {} and {}", name, first, second);
  };
  if (a.part.of != b.part.of) {
    return differ("the number of parts", std::to_string(a.part.of), std::to_string(b.part.of));
  }
  for (std::size_t i = 0; i < std::min(a.settings.size(), b.settings.size()); ++i) {
    const Figure& first = a.settings[i];
    const Figure& second = b.settings[i];
    if (first.path != second.path) return differ("a setting", first.path, second.path);
    const std::string value = value_json(first.value);
    if (value != value_json(second.value)) {
      return differ(first.path, value, value_json(second.value));
    }
  }
  const LoadReport& one = a.measured.report;
  const LoadReport& other = b.measured.report;
  if (one.game.empty() || other.game.empty()) return {};
  const auto game = [](const LoadReport& report) {
    return fmt::format("{} {} with ticks of {:.4g} ms", report.game, report.game_version,
                       report.tick_ms);
  };
  return game(one) != game(other) ? differ("the game", game(one), game(other)) : std::string{};
}

/// Returns the last line that is a JSON object; null if none is among the last lines.
json::Value last_object(std::string_view text) {
  for (int i = 0; i <= kLinesAfterPart && !text.empty(); ++i) {
    text = trimmed(text);
    const std::size_t begin = text.rfind('\n') + 1;
    if (text.substr(begin).starts_with('{')) {
      json::Value document = json::read_or_null(text.substr(begin));
      if (document.is_object()) return document;
    }
    text = text.substr(0, begin);
  }
  return nullptr;
}

}  // namespace

std::string to_json(const LoadPart& part) {
  LoadPart visited = part;
  Json json = Encoder::encode(visited);
  json["settings"] = Json::object();
  for (const Figure& setting : part.settings) {
    json["settings"][setting.path] = Json(json::read_or_null(value_json(setting.value)));
  }
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::expected<LoadPart, std::string> read_part(std::string_view text) {
  const json::Value document = last_object(text);
  if (document.is_null()) {
    return std::unexpected{"does not end with the document of `load --part I/N --json`"};
  }
  if (!document.contains("part")) {
    const auto error = document.find("error");
    return std::unexpected{
        error != document.end() && error->is_string()
            ? fmt::format("is of a run that has not begun: {}", error->get<std::string>())
            : std::string{"has the document of a whole run or of another command; play the parts "
                          "with `load --part I/N --json`"}};
  }
  LoadPart part;
  const json::Value& json = document["part"];
  const bool is_right = Decoder::decode(json, part) && json.contains("settings") &&
                        json["settings"].is_object() && has_ends(part.measured.report.server) &&
                        has_ends(part.measured.report.joining) && part.part.of <= kPartsMax &&
                        part.part.index < part.part.of;
  if (!is_right) {
    return std::unexpected{"has a part that this program cannot read; is it of the same version?"};
  }
  for (const auto& [name, value] : json["settings"].items()) {
    part.settings.push_back({name, value_of(value)});
  }
  return part;
}

std::expected<void, std::string> check_parts(const std::vector<LoadPart>& parts,
                                             const std::vector<std::string>& names) {
  std::vector<std::size_t> file_of(parts.front().part.of, parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string difference = difference_of(parts.front(), parts[i]);
    if (!difference.empty()) {
      return std::unexpected{
          fmt::format("{} and {} are of different runs: {}", names.front(), names[i], difference)};
    }
    std::size_t& file = file_of[parts[i].part.index];
    if (file != parts.size()) {
      return std::unexpected{
          fmt::format("{} and {} are both part {}", names[file], names[i], to_text(parts[i].part))};
    }
    file = i;
    for (std::size_t k = 0; k < i; ++k) {
      if (!share_ids(parts[k].measured.report, parts[i].measured.report)) continue;
      return std::unexpected{fmt::format(
          "{} and {} have clients of the same ids; give all parts the same --client, or none",
          names[k], names[i])};
    }
  }
  const auto missing = std::ranges::find(file_of, parts.size());
  if (missing == file_of.end()) return {};
  return std::unexpected{fmt::format("part {}/{} is missing: give the documents of all parts",
                                     missing - file_of.begin(), file_of.size())};
}

LoadMeasured merge(const std::vector<LoadPart>& parts) {
  LoadMeasured all;
  LoadReport& sum = all.report;
  sum.generator_threads = 0;
  double client_seconds = 0;
  for (const LoadPart& part : parts) {
    const LoadReport& report = part.measured.report;
    add(sum, report);
    client_seconds += report.seconds * static_cast<double>(report.clients_connected);
    sum.seconds = std::max(sum.seconds, report.seconds);
    if (part.part.index == 0) sum.first_client = report.first_client;
    if (all.reason.empty()) {
      all.reason = part.measured.reason;
      all.refused = part.measured.refused;
    }
  }
  // Traffic is by client and second, and the parts may have measured for different times.
  if (client_seconds > 0) sum.seconds = client_seconds / static_cast<double>(sum.clients_connected);
  const auto [first, last] = std::ranges::minmax_element(parts, {}, &LoadPart::started_ms);
  all.apart_seconds = static_cast<double>(last->started_ms - first->started_ms) / 1e3;
  sum.server = worst_of(parts, &LoadReport::server);
  sum.joining = worst_of(parts, &LoadReport::joining);
  return all;
}

}  // namespace tickbox::commands
