#include "client/commands/load/load_part.h"

#include "cli/exit_code.h"
#include "client/commands/load/load_output.h"
#include "core/assert.h"
#include "core/text.h"
#include "json/reader.h"
#include "os/files/file.h"
#include "os/process/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using Json = nlohmann::ordered_json;

// --- the members of each structure, in one list for both ways ---

template <class Codec>
void each_member(Codec& codec, ServerFigures& server) {
  codec("tick_ns", server.tick_ns);
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

template <class Codec>
void each_member(Codec& codec, LoadMeasured& measured) {
  each_load_figure(
      EachMember{[&](std::string_view name, Joined /*parts*/, auto& value) { codec(name, value); }},
      measured);
}

template <class Codec>
void each_member(Codec& codec, Figure& setting) {
  codec("name", setting.path);
  codec("value", setting.value);
}

template <class Codec>
void each_member(Codec& codec, LoadPart& part) {
  codec("index", part.part.index);
  codec("of", part.part.of);
  codec("settings", part.settings);
  codec("started_ms", part.started_ms);
  codec("server_version", part.server_version);
  codec("measured", part.measured);
}

// --- values as JSON, and back ---

class Encoder {
 public:
  template <class T>
  void operator()(std::string_view name, T& value) {
    json_[std::string{name}] = encode(value);
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

  static Json encode(FigureValue& value) { return Json(json::read_or_null(value_json(value))); }

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

/// Returns the value of a setting.
FigureValue value_of(const json::Value& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number()) return json.get<double>();
  return {};
}

/// Reads what may have any form.
class Decoder {
 public:
  explicit Decoder(const json::Value& json) : json_(json) {}

  template <class T>
  void operator()(std::string_view name, T& value) {
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
    return json.is_number() && read(json, value);
  }

  static bool decode(const json::Value& json, FigureValue& value) {
    value = value_of(json);
    return !json.is_structured();
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

// --- what is added ---

double tick_p99(const std::optional<ServerFigures>& server) {
  return server ? static_cast<double>(server->tick_ns.quantile(990)) : -1;
}

/// Adds what a part has measured to the sum of the parts before it.
struct AddPart {
  template <class T>
  void operator()(std::string_view /*name*/, Joined parts, T& sum, const T& part) const {
    if (parts == Joined::Sum) {
      if constexpr (requires { add(sum, part); }) return add(sum, part);
    } else if (parts == Joined::Largest) {
      if constexpr (requires { keep_larger(sum, part); }) return keep_larger(sum, part);
    } else if constexpr (std::equality_comparable<T>) {
      if (sum == T{}) sum = part;
      return;
    }
    TICKBOX_ASSERT(false);  // the list asks for what the type does not have
  }

  static void add(std::uint64_t& sum, std::uint64_t part) { sum += part; }

  static void add(double& sum, double part) { sum += part; }

  static void add(std::optional<double>& sum, std::optional<double> part) {
    if (part) sum = sum.value_or(0) + *part;
  }

  static void add(std::vector<double>& sum, const std::vector<double>& part) {
    sum.insert(sum.end(), part.begin(), part.end());
  }

  static void add(Histogram& sum, const Histogram& part) { sum.add_all(part); }

  /// Keeps the earlier one.
  static void add(std::optional<client::HashMismatch>& sum,
                  const std::optional<client::HashMismatch>& part) {
    if (part && (!sum || part->tick < sum->tick)) sum = part;
  }

  template <std::totally_ordered T>
  static void keep_larger(T& sum, const T& part) {
    sum = std::max(sum, part);
  }

  /// Keeps the figures of the part that saw the highest p99 of the server's ticks.
  static void keep_larger(std::optional<ServerFigures>& sum,
                          const std::optional<ServerFigures>& part) {
    if (tick_p99(part) > tick_p99(sum)) sum = part;
  }
};

/// Returns whether two parts have clients of the same id.
bool share_ids(const LoadMeasured& a, const LoadMeasured& b) {
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
  for (std::size_t i = 0; i < std::max(a.settings.size(), b.settings.size()); ++i) {
    const Figure first = i < a.settings.size() ? a.settings[i] : Figure{.path = "none"};
    const Figure second = i < b.settings.size() ? b.settings[i] : Figure{.path = "none"};
    if (first.path != second.path) return differ("a setting", first.path, second.path);
    const std::string value = value_json(first.value);
    if (value != value_json(second.value)) {
      return differ(first.path, value, value_json(second.value));
    }
  }
  const LoadMeasured& one = a.measured;
  const LoadMeasured& other = b.measured;
  if (one.game.empty() || other.game.empty()) return {};
  const auto game = [](const LoadMeasured& measured) {
    return fmt::format("{} {} with ticks of {:.4g} ms", measured.game, measured.game_version,
                       measured.tick_ms);
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

// --- load merge ---

/// Far more than the document of as many clients as a server has seats.
constexpr std::size_t kDocumentBytesMax = std::size_t{64} << 20;

struct MergeFlags {
  Output output;
  std::vector<std::string> files;
  std::vector<std::string> require;
  std::string report;
};

/// Returns what the parts are, as one run. The machines are not known.
LoadFacts facts_of(const std::vector<LoadPart>& parts) {
  const Figures& settings = parts.front().settings;
  const auto value = [&](std::string_view path) -> const FigureValue* {
    const auto found = std::ranges::find(settings, path, &Figure::path);
    return found != settings.end() ? &found->value : nullptr;
  };
  const auto text = [&](std::string_view path) {
    const auto* const found = value(path) ? std::get_if<std::string>(value(path)) : nullptr;
    return found != nullptr ? *found : std::string{};
  };
  const auto number = [&](std::string_view path) {
    return value(path) != nullptr ? number_of(*value(path)).value_or(0) : 0;
  };
  const std::uint64_t started =
      std::ranges::min_element(parts, {}, &LoadPart::started_ms)->started_ms;
  LoadFacts facts{
      .command = os::command_line(),
      .started = WallTime{std::chrono::milliseconds{static_cast<std::int64_t>(started)}},
      .server = text("server"),
      .clients = static_cast<std::uint64_t>(number("clients")),
      .players = text("players"),
      .ramp_seconds = number("ramp_seconds"),
      .seconds = number("seconds"),
      .seed = static_cast<std::uint64_t>(number("seed")),
      .net = {}};
  if (const std::string net = text("net"); !net.empty()) facts.net.push_back(net);
  for (const LoadPart& part : parts) {
    if (!part.server_version.empty()) facts.server_version = part.server_version;
  }
  return facts;
}

ExitCode run_merge(const MergeFlags& options) {
  const Output& output = options.output;
  std::vector<LoadPart> parts;
  for (const std::string& file : options.files) {
    const auto text = os::read_text(file, kDocumentBytesMax);
    if (!text) return output.failed(ExitCode::Failed, text.error());
    auto part = read_part(*text);
    if (!part) return output.failed(ExitCode::Failed, file + " " + part.error());
    parts.push_back(*std::move(part));
  }
  if (const auto checked = check_parts(parts, options.files); !checked) {
    return output.failed(ExitCode::WrongUsage, checked.error());
  }
  const std::vector<Requirement> requirements = requirements_of(options.require);
  LoadResult result = result_of(merge(parts), requirements);
  const LoadMeasured& measured = result.measured;
  for (const Requirement& each : requirements) {
    if (is_told_by_server(each.path) && !measured.server && !measured.was_restarted) {
      return output.failed(ExitCode::WrongUsage,
                           fmt::format("--require: {} is measured by the server, and no part has "
                                       "asked it; give --admin HOST:PORT to a part",
                                       each.path));
    }
  }
  const auto files = LoadFiles::open({.report = options.report});
  if (!files) return output.failed(ExitCode::Failed, files.error());
  (*files)->begin(facts_of(parts));
  (*files)->end(result);
  return print_result(output, result);
}

}  // namespace

std::string to_json(const LoadPart& part) {
  LoadPart visited = part;
  return Encoder::encode(visited).dump(-1, ' ', true, Json::error_handler_t::replace);
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
  const bool is_right = Decoder::decode(document["part"], part) && part.part.of <= kPartsMax &&
                        part.part.index < part.part.of;
  if (!is_right) {
    return std::unexpected{"has a part that this program cannot read; is it of the same version?"};
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
      if (!share_ids(parts[k].measured, parts[i].measured)) continue;
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

LoadMeasured merge(std::vector<LoadPart> parts) {
  std::ranges::sort(parts, {}, [](const LoadPart& part) { return part.part.index; });
  LoadMeasured sum;
  sum.generator_threads = 0;
  for (const LoadPart& part : parts) {
    each_load_figure(EachMember{AddPart{}}, sum, part.measured);
    sum.is_part_saturated = sum.is_part_saturated || is_saturated(part.measured);
  }
  const auto [first, last] = std::ranges::minmax_element(parts, {}, &LoadPart::started_ms);
  sum.apart_seconds = static_cast<double>(last->started_ms - first->started_ms) / 1e3;
  return sum;
}

std::shared_ptr<const bool> add_load_merge(cli::CommandParser& load, const Output& output,
                                           std::function<int()>& run) {
  const auto options = std::make_shared<MergeFlags>(MergeFlags{.output = output});
  options->output.name += " merge";
  auto is_given = std::make_shared<bool>(false);
  cli::CommandParser command = load.add_command(
      {.name = "merge",
       .description =
           "Join the documents of all parts of a run, made with --part and --json, into the "
           "figures "
           "of one run: counts and samples are added, and percentiles are those of all samples. "
           "Exit codes are those of load; 2 if the documents are not those of one run.",
       .example = options->output.name +
                  " 0.json 1.json 2.json 3.json --require \"rtt_ms.p99<=50\" --report load.html"},
      options->output.common);
  command.add_option("FILE", options->files,
                     "The documents, each at the end of a file: one of each part",
                     {.required = true});
  command.add_option(
      "--require", options->require,
      "Require PATH OP NUMBER of a figure of the whole run, as `load` does",
      {.value = "REQUIREMENTS", .check = {check_requirements}, .one_word_each = true});
  command.add_option("--report", options->report,
                     "Write a page of the run to this new file, for a browser. It has all figures "
                     "and distributions, and no seconds",
                     {.value = "FILE.html"});
  command.callback([options, is_given, &run] {
    *is_given = true;
    run = [options] { return cli::to_int(run_merge(*options)); };
  });
  return is_given;
}

}  // namespace tickbox::commands
