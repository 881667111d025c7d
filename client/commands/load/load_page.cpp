#include "client/commands/load/load_page.h"

#include "cli/build_info.h"
#include "client/commands/html.h"
#include "client/commands/load/report_template.h"
#include "client/commands/load/requirement.h"
#include "client/commands/text.h"
#include "core/assert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace tickbox::commands {
namespace {

// Text in other texts.

/// Returns JSON that cannot end the element in which it is, nor begin a comment there.
std::string json_in_html(std::string_view json) {
  std::string safe;
  safe.reserve(json.size() + json.size() / 16);
  for (const char each : json) {
    if (each == '<') {
      safe += "\\u003c";
    } else {
      safe += each;
    }
  }
  return safe;
}

/// Returns a word as a shell reads it.
std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted{"'"};
  for (const char each : word) {
    if (each == '\'') {
      quoted += "'\\''";
    } else {
      quoted += each;
    }
  }
  return quoted + "'";
}

// What the run is.

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += shell_word(word);
  }
  return text;
}

Figures figures_of(const LoadFacts& facts) {
  const cli::BuildInfo& own = cli::build_info();
  const auto text = [](const std::string& each) {
    return each.empty() ? FigureValue{} : FigureValue{each};
  };
  Figures figures{
      {"command", text(command_text(facts.command))},
      {"started", utc_text(facts.started)},
      {"server.address", facts.server},
      {"server.version", or_null(facts.server_version)},
      {"generator.version", fmt::format("{} (commit {}, {}, simulation {})", own.version,
                                        own.commit, own.compiler, own.simulation_hash)},
      {"clients", facts.clients},
      {"players", facts.players},
      {"ramp_seconds", facts.ramp_seconds},
      {"seconds", facts.seconds},
      {"seed", facts.seed}};
  figures.push_back({"net", text(fmt::format("{}", fmt::join(facts.net, " and ")))});
  const os::Machine& machine = facts.machine;
  figures.push_back({"machine.host", text(machine.host)});
  figures.push_back({"machine.system", text(machine.system)});
  figures.push_back({"machine.processor", text(machine.processor)});
  figures.push_back({"machine.processors", machine.processors});
  figures.push_back({"machine.memory_bytes", machine.memory_bytes});
  return figures;
}

// How it ended.

struct OutcomeWords {
  LoadOutcome outcome;
  const char* headline;
  const char* look;  ///< class of the banner
};

constexpr std::array kOutcomes{
    OutcomeWords{LoadOutcome::Passed, "Passed", "good"},
    OutcomeWords{LoadOutcome::Failed, "Failed", "bad"},
    OutcomeWords{LoadOutcome::NotConnected, "Not connected", "bad"},
    OutcomeWords{LoadOutcome::Disconnected, "Disconnected", "bad"},
    OutcomeWords{LoadOutcome::Stopped, "Stopped early", "warn"},
    OutcomeWords{LoadOutcome::TooSlow, "Load generator too slow", "warn"},
    OutcomeWords{LoadOutcome::Apart, "Parts not at once", "warn"}};

const OutcomeWords& words_of(LoadOutcome outcome) {
  const auto* const found = std::ranges::find(kOutcomes, outcome, &OutcomeWords::outcome);
  TICKBOX_ASSERT(found != kOutcomes.end());
  return *found;
}

/// A distribution as JSON: the upper end of each bar, and how much is in it. The last bar of a
/// server's histogram has no end, which is null.
class Bars {
 public:
  void add(double to, double count) {
    if (count <= 0 && counts_.empty()) return;
    if (!counts_.empty()) {
      ends_ += ',';
      counts_ += ',';
    }
    ends_ += std::isfinite(to) ? fmt::format("{:.4g}", to) : "null";
    counts_ += fmt::format("{:.15g}", count);
    if (count > 0) {
      ends_used_ = ends_.size();
      counts_used_ = counts_.size();
    }
  }

  /// Returns the bars from the first to the last with anything in it.
  [[nodiscard]] std::string json() const {
    return fmt::format("{{\"to_ms\":[{}],\"count\":[{}]}}", ends_.substr(0, ends_used_),
                       counts_.substr(0, counts_used_));
  }

 private:
  std::string ends_;
  std::string counts_;
  std::size_t ends_used_ = 0;
  std::size_t counts_used_ = 0;
};

/// Returns the bars of a histogram of microseconds: ten for each power of ten.
std::string bars_of(const Histogram& microseconds) {
  constexpr int kFrom = 10;  // 10 us
  constexpr int kTo = 75;    // 31 s
  Bars bars;
  std::uint64_t below = 0;
  for (int i = kFrom; i <= kTo; ++i) {
    const double end = std::pow(10, i / 10.0);
    const std::uint64_t up_to =
        i < kTo ? microseconds.at_most(static_cast<std::uint64_t>(end)) : microseconds.count();
    bars.add(end / 1'000, static_cast<double>(up_to - below));
    below = up_to;
  }
  return bars.json();
}

std::string bars_of(const std::optional<ServerFigures>& server) {
  if (!server) return "null";
  Bars bars;
  double below = 0;
  const CumulativeBuckets& ticks = server->tick_seconds;
  for (std::size_t i = 0; i < ticks.bounds.size(); ++i) {
    bars.add(1'000 * ticks.bounds[i], ticks.counts[i] - below);
    below = ticks.counts[i];
  }
  return bars.json();
}

std::string distributions_of(const LoadReport& report) {
  return fmt::format(
      "{{\"tick_ms\":{},\"snapshot_gap_ms\":{},\"rtt_ms\":{},\"generator.late_ms\":{}}}",
      bars_of(report.server), bars_of(report.stats.snapshot_gap), bars_of(report.stats.round_trip),
      bars_of(report.lateness));
}

/// Returns "arena 2", the name and the version; null if no client has connected.
FigureValue game_of(const LoadReport& report) {
  if (report.game.empty()) return {};
  return fmt::format("{} {}", report.game, report.game_version);
}

/// Returns the last line without its end.
std::string result_of(const LoadEnd& end) {
  std::string json = to_json({{"line", std::string{"result"}},
                              {"headline", std::string{words_of(end.outcome).headline}},
                              {"why", end.why},
                              {"game", game_of(*end.report)},
                              {"tick_ms", end.report->tick_ms}});
  json.pop_back();
  return json + fmt::format(",\"document\":{},\"distributions\":{}}}", end.document,
                            distributions_of(*end.report));
}

// The samples in the page.

/// A value of one client in two characters, so that a thousand of them for ten minutes are small:
/// on a logarithmic scale from 0 to 10,000 in steps of 0.3 %. The script of the page reads it back.
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr double kStepsPerDecade = 818.8;
constexpr double kSmallest = 0.1;
constexpr std::size_t kUnknown = 64 * 64 - 1;

void write_level(std::string& out, float value) {
  std::size_t level = kUnknown;
  if (value >= 0) {
    const double steps = kStepsPerDecade * std::log10(1 + static_cast<double>(value) / kSmallest);
    level = static_cast<std::size_t>(std::clamp(std::round(steps), 0.0, kUnknown - 1.0));
  }
  out += kDigits[level / 64];
  out += kDigits[level % 64];
}

/// Returns for each figure the list of its values, in the order of time.
std::string columns_of(std::span<const LoadSample> samples) {
  std::vector<std::pair<std::string, std::string>> lists;
  for (const LoadSample& sample : samples) {
    const Figures figures = commands::figures_of(sample);
    if (lists.empty()) {
      for (const Figure& figure : figures) {
        lists.emplace_back(figure.path, "");
      }
    }
    for (std::size_t i = 0; i < figures.size(); ++i) {
      std::string& list = lists[i].second;
      list += list.empty() ? '[' : ',';
      list += value_json(figures[i].value);
    }
  }
  std::string json{"{"};
  for (const auto& [path, list] : lists) {
    if (json.size() > 1) json += ',';
    json += fmt::format("\"{}\":{}]", path, list);
  }
  return json + "}";
}

/// Returns for each figure of a client the rows of all clients.
std::string clients_of(std::span<const LoadSample> samples) {
  std::string json{"{"};
  const std::size_t clients = samples.empty() ? 0 : samples.front().clients.size();
  for (const ClientFigure& figure : client_figures()) {
    if (json.size() > 1) json += ',';
    json += fmt::format("\"{}\":[", figure.name);
    for (std::size_t i = 0; i < clients; ++i) {
      json += i > 0 ? ",\"" : "\"";
      for (const LoadSample& sample : samples) {
        write_level(json, sample.clients[i].*figure.value);
      }
      json += '"';
    }
    json += ']';
  }
  return json + "}";
}

// The page.

std::string banner(const LoadEnd& end) {
  const OutcomeWords& words = words_of(end.outcome);
  return fmt::format("<section id=\"verdict\" class=\"card {}\"><h2>{}</h2><p>{}</p></section>\n",
                     words.look, words.headline, html_text(end.why));
}

/// Returns a value as in the document, but without the ".0" of a whole number; a dash for null.
std::string number_text(const FigureValue& value) {
  if (std::holds_alternative<std::monostate>(value)) return "–";
  std::string text = value_json(value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

/// Returns how much of what a requirement allows is used, from 0 to 1; nothing where that has no
/// meaning.
std::optional<double> used_of(const RequirementResult& result) {
  const auto parsed = parse_requirements(result.text);
  if (!parsed || !result.value || parsed->front().number <= 0 || *result.value < 0) {
    return std::nullopt;
  }
  const double ratio = *result.value / parsed->front().number;
  switch (parsed->front().relation) {
    case Relation::AtMost:
    case Relation::Below:
      return std::min(1.0, ratio);
    default:
      return std::nullopt;
  }
}

std::string requirements_table(const std::vector<RequirementResult>& results) {
  if (results.empty()) {
    return "<p class=\"dim\">No requirements were given; <code>--require</code> adds some.</p>\n";
  }
  std::string table{
      "<table id=\"requirements\"><thead><tr><th>Requirement<th>Value<th class=\"wide\">"
      "Of the limit</thead>\n"};
  for (const RequirementResult& each : results) {
    const auto used = used_of(each);
    table += fmt::format(
        "<tr class=\"{}\"><th>{} <code>{}</code><td>{}<td class=\"wide\">{}</tr>\n",
        each.held ? "held" : "missed",
        each.held ? "<b title=\"held\">✓</b>" : "<b title=\"missed\">✗ missed</b>",
        html_text(each.text), each.value ? number_text(*each.value) : std::string{"not known"},
        used ? fmt::format("<meter low=\".8\" high=\".999\" optimum=\"0\" value=\"{0:.4g}\">{0:.4g}"
                           "</meter>",
                           *used)
             : "");
  }
  return table + "</table>\n";
}

/// A figure at the top of the page.
struct Tile {
  const char* name = "";
  const char* path = "";
  const char* unit = "";
  double divisor = 1;
};

std::optional<double> number_at(const Figures& figures, std::string_view path) {
  const auto found = std::ranges::find(figures, path, &Figure::path);
  return found != figures.end() ? number_of(found->value) : std::nullopt;
}

std::string short_text(std::optional<double> value) {
  if (!value) return "–";
  if (*value >= 1'000) return grouped(static_cast<std::uint64_t>(std::llround(*value)));
  return fmt::format("{:.3g}", *value);
}

std::string tiles(const Figures& figures) {
  constexpr std::array kTiles{
      Tile{"server tick, p99", "tick_ms.p99", "ms"},
      Tile{"gap between views, p99", "snapshot_gap_ms.p99", "ms"},
      Tile{"round trip, p99", "rtt_ms.p99", "ms"},
      Tile{"clients connected", "clients.connected", ""},
      Tile{"hashes compared", "state_hash.checked", ""},
      Tile{"clients that compared", "state_hash.clients_checked", ""},
      Tile{"hashes that differ", "state_hash.mismatched", ""},
      Tile{"down, each client", "bytes_per_client_per_second.down", "kB/s", 1'000},
      Tile{"server processor", "server.cpu_percent", "%"}};
  std::string text{"<dl id=\"tiles\">\n"};
  for (const Tile& tile : kTiles) {
    const auto value =
        number_at(figures, tile.path).transform([&](double each) { return each / tile.divisor; });
    const bool is_bad =
        std::string_view{tile.path} == "state_hash.mismatched" && value.value_or(0) > 0;
    text += fmt::format(
        "<div{} title=\"{}\"><dt>{}<dd>{}{}</div>\n", is_bad ? " class=\"bad\"" : "", tile.path,
        tile.name, short_text(value),
        value && *tile.unit != '\0' ? fmt::format(" <small>{}</small>", tile.unit) : "");
  }
  return text + "</dl>\n";
}

/// Returns figures as a table: a text as it is, a number as in the document.
std::string figures_table(std::string_view id, const Figures& figures) {
  std::string table = fmt::format("<table id=\"{}\">\n", id);
  for (const Figure& figure : figures) {
    const auto* const text = std::get_if<std::string>(&figure.value);
    table += fmt::format("<tr><th><code>{}</code><td>{}</tr>\n", html_text(figure.path),
                         html_text(text != nullptr ? *text : number_text(figure.value)));
  }
  return table + "</table>\n";
}

std::string heading(const LoadFacts& facts, const LoadEnd& end) {
  return fmt::format("{}{} {} · {}", end.report->game.empty() ? "" : end.report->game + " · ",
                     facts.clients, facts.clients == 1 ? "client" : "clients", facts.server);
}

/// What goes into a place of the template.
struct Filling {
  std::string_view place;
  std::string text;
};

/// Fills each place of the template, from its begin to its end, once.
std::string fill(std::string_view page, const std::vector<Filling>& fillings) {
  constexpr std::string_view kBegin = "<!-- fill ";
  constexpr std::string_view kEnd = " -->";
  std::string filled;
  for (;;) {
    const std::size_t begin = page.find(kBegin);
    filled += page.substr(0, begin);
    if (begin == std::string_view::npos) return filled;
    page.remove_prefix(begin + kBegin.size());
    const std::size_t end = page.find(kEnd);
    TICKBOX_ASSERT(end != std::string_view::npos);
    const auto found = std::ranges::find(fillings, page.substr(0, end), &Filling::place);
    TICKBOX_ASSERT(found != fillings.end());
    filled += found->text;
    page.remove_prefix(end + kEnd.size());
  }
}

}  // namespace

std::string first_line(const LoadFacts& facts) {
  Figures figures = figures_of(facts);
  figures.insert(figures.begin(), {"line", std::string{"run"}});
  return to_json(figures) + "\n";
}

std::string last_line(const LoadEnd& end) {
  return result_of(end) + "\n";
}

std::string report_page(const LoadFacts& facts, const LoadTimeline& timeline, const LoadEnd& end) {
  const std::string run = fmt::format(
      "{{\"run\":{},\"seconds_per_column\":{},\"columns\":{},\"each_client\":{},\"result\":{}}}",
      to_json(figures_of(facts)), timeline.seconds_per_sample(), columns_of(timeline.samples()),
      clients_of(timeline.samples()), result_of(end));
  Figures known = figures_of(facts);
  known.push_back({"game", game_of(*end.report)});
  const std::string name = heading(facts, end);
  const std::string subtitle = fmt::format(
      "{} for {:.4g} s, at {}", facts.players,
      end.report->seconds > 0 ? end.report->seconds : facts.seconds, utc_text(facts.started));
  return fill(report_template(),
              {{"title", html_text(fmt::format("{}: {}", words_of(end.outcome).headline, name))},
               {"heading", html_text(name)},
               {"subtitle", html_text(subtitle)},
               {"verdict", banner(end)},
               {"requirements", requirements_table(end.requirements)},
               {"tiles", tiles(*end.figures)},
               {"figures", figures_table("figures", *end.figures)},
               {"facts", figures_table("facts", known)},
               {"run", json_in_html(run)}});
}

}  // namespace tickbox::commands
