#pragma once
// The figures that the documents of `connect` and `load` share, and how a list of figures is
// written.
//
// Such a list is a function that shows every entry to a visitor, once, with the member of one
// object or of several. The document, the sum of two objects, the parts of a load and the help are
// each a visitor, so that a figure is a member and an entry, and stands nowhere else:
//
//   count(entry, members…)                 a number, which is a figure as it is
//   quantiles(entry, quantiles, members…)  a histogram, of which some quantiles are figures
//   derived(entry, value, objects…)        a figure that is computed from the object
//   several(entry, add, objects…)          figures below the path, of which the values tell how
//   many raw(name, parts, members…)             no figure, but measured: others are computed from
//   it

#include "cli/exit_code.h"
#include "client/client_stats.h"
#include "client/commands/document.h"
#include "core/fixed.h"
#include "core/histogram.h"
#include "net/reasons.h"
#include "tickbox/game_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {

/// The documents that have a figure: that of a run, that of each second of a load, or both.
enum class In : std::uint8_t { Run, Second, Both };

/// What a value and the next one make together.
enum class Joined : std::uint8_t {
  Sum,
  Largest,
  First,  ///< that is not empty
  Last,
};

/// A figure, or the quantiles of a histogram.
struct FigureEntry {
  std::string_view path{};  ///< "clients.asked"; of quantiles "rtt_ms" for "rtt_ms.p50"
  std::string_view help{};  ///< empty: it is explained with the entry before
  In in = In::Run;
  Joined seconds = Joined::Largest;  ///< what two seconds make; of quantiles the worse one stays
  Joined parts = Joined::Sum;        ///< what two parts of a run make of the member
};

struct Quantile {
  std::string_view name{};  ///< that ends the path, such as ".p99"
  std::uint32_t per_mille = 0;
};

struct Quantiles {
  std::span<const Quantile> list{};
  double unit = 1;  ///< that the figure counts, such as 1,000 of microseconds for milliseconds
};

inline constexpr std::array kHalfToAll = {Quantile{".p50", 500}, Quantile{".p99", 990},
                                          Quantile{".max", 1'000}};
inline constexpr std::array kHalfToThousandth = {Quantile{".p50", 500}, Quantile{".p99", 990},
                                                 Quantile{".p999", 999}, Quantile{".max", 1'000}};
inline constexpr std::array kErrors = {Quantile{"_p99", 990}, Quantile{"_max", 1'000}};

/// A figure as a document has it.
struct ListedFigure {
  Figure figure{};
  FigureEntry entry{};
};

/// The visitor that makes the figures of one object.
class FigureLister {
 public:
  void count(const FigureEntry& entry, std::uint64_t value) { add(entry, "", value); }

  void quantiles(const FigureEntry& entry, const Quantiles& quantiles, const Histogram& values) {
    for (const auto& [name, per_mille] : quantiles.list) {
      add(entry, name,
          values.count() > 0
              ? FigureValue{static_cast<double>(values.quantile(per_mille)) / quantiles.unit}
              : FigureValue{});
    }
  }

  template <class Value, class Object>
  void derived(const FigureEntry& entry, const Value& value, const Object& object) {
    add(entry, "", value(object));
  }

  template <class Several, class Object>
  void several(const FigureEntry& entry, const Several& figures, const Object& object) {
    for (Figure& each : figures(object)) {
      add(entry, each.path, std::move(each.value));
    }
  }

  template <class... Members>
  void raw(std::string_view /*name*/, Joined /*parts*/, const Members&... /*of*/) {}

  /// Returns what was listed.
  [[nodiscard]] std::vector<ListedFigure> finish() { return std::move(listed_); }

 private:
  void add(const FigureEntry& entry, std::string_view name, FigureValue value) {
    listed_.push_back({{std::string{entry.path}.append(name), std::move(value)}, entry});
  }

  std::vector<ListedFigure> listed_;
};

/// The visitor that calls `member(name, parts, members…)` for all that is measured, figures or not.
template <class Member>
class EachMember {
 public:
  explicit EachMember(Member member) : member_(std::move(member)) {}

  template <class... Of>
  void count(const FigureEntry& entry, Of&... of) {
    member_(entry.path, entry.parts, of...);
  }

  template <class... Of>
  void quantiles(const FigureEntry& entry, const Quantiles& /*quantiles*/, Of&... of) {
    member_(entry.path, entry.parts, of...);
  }

  template <class... Of>
  void raw(std::string_view name, Joined parts, Of&... of) {
    member_(name, parts, of...);
  }

  template <class... All>
  void derived(const FigureEntry& /*entry*/, const All&... /*all*/) {}

  template <class... All>
  void several(const FigureEntry& /*entry*/, const All&... /*all*/) {}

 private:
  Member member_;
};

/// Returns an id as text, because not every reader of JSON keeps 64 bits of a number.
[[nodiscard]] FigureValue id_or_null(std::optional<std::uint64_t> id);

/// Returns the number of desyncs and the first of them, in words. Requires: there is one.
[[nodiscard]] std::string mismatches_in_words(const client::ClientStats& stats);

/// Returns what to add to a verdict of success about players that are hardly in control: the server
/// replaced at least a twentieth of their inputs, or that part of their predictions was corrected.
/// Else returns nothing.
[[nodiscard]] std::string bad_play_in_words(const client::ClientStats& stats);

/// The smallest number of packets for which a loss is reported. A status of fewer packets is from
/// the start of the session, and says nothing about its loss.
inline constexpr std::uint64_t kLossPacketsMin = 100;

/// Returns the share of a client's packets that did not reach the server; nothing before the server
/// has reported on kLossPacketsMin packets.
[[nodiscard]] std::optional<double> loss_up(const client::ClientStats& stats);

/// Returns the share of the server's packets that did not reach the clients; nothing without any.
[[nodiscard]] std::optional<double> loss_down(const client::ClientStats& stats);

/// Returns part / whole; null of nothing.
[[nodiscard]] FigureValue share_or_null(std::uint64_t part, std::uint64_t whole);

/// Returns first_mismatch: null without a desync, else {tick,entity,field,expected,got}. The last
/// four are null if the desync could not be traced. entity is null as well if the room's state
/// differs.
[[nodiscard]] Figures first_mismatch(const client::ClientStats& stats);

/// Shows the figures of the statistics of clients to a visitor.
template <class Visit, class... Stats>
void each_stats_figure(Visit&& visit, Stats&... of) {
  using client::ClientStats;
  visit.count({"state_hash.checked",
               "Views whose hash was compared with the server's; those that differed; the first of "
               "them. Of `load` with --verify: those of the full clients, as for prediction and "
               "snapshot_gap_ms. No requirement on hashes holds if none was compared.",
               In::Both, Joined::Sum},
              of.hashes_checked...);
  visit.count({"state_hash.mismatched", "", In::Both, Joined::Sum}, of.hashes_mismatched...);
  visit.several({"state_hash.first_mismatch"}, first_mismatch, of...);
  visit.raw("first_mismatch", Joined::Sum, of.first_mismatch...);
  visit.count({"prediction.checked",
               "Predictions of the own bodies in which nothing else had a part, and how many were "
               "exact. One is not where an input was late and the server used another.",
               In::Both, Joined::Sum},
              of.untouched.checked...);
  visit.count({"prediction.exact", "", In::Both, Joined::Sum}, of.untouched.exact...);
  visit.count({"prediction.corrected",
               "Corrected predictions, also as a share (0 to 1) of all predictions; the errors of "
               "all predictions, in units.",
               In::Both, Joined::Sum},
              of.corrected...);
  visit.derived(
      {"prediction.corrected_share"},
      [](const ClientStats& stats) {
        return share_or_null(stats.corrected, stats.untouched.checked + stats.touched.checked);
      },
      of...);
  visit.quantiles({"prediction.error"}, {kErrors, kUnit}, of.prediction_error...);
  visit.count({"prediction.touched.checked", "The same counts for the other predictions.", In::Both,
               Joined::Sum},
              of.touched.checked...);
  visit.count({"prediction.touched.exact", "", In::Both, Joined::Sum}, of.touched.exact...);
  visit.count({"inputs.sent",
               "Inputs sent; inputs that arrived too late; ticks in which the server repeated an "
               "older input or used a neutral one, also as a share (0 to 1) of the inputs sent, at "
               "most 1; inputs sent that no tick used, because the server paused or the session "
               "was replaced."},
              of.inputs_sent...);
  visit.count({"inputs.late"}, of.inputs_late...);
  visit.count({"inputs.substituted"}, of.inputs_substituted...);
  visit.derived(
      {"inputs.substituted_share"},
      [](const ClientStats& stats) {
        return share_or_null(std::min(stats.inputs_substituted, stats.inputs_sent),
                             stats.inputs_sent);
      },
      of...);
  visit.count({"inputs.discarded"}, of.inputs_discarded...);
  visit.quantiles({"rtt_ms",
                   "Round trip time of all packets with inputs: those that waited for a silent "
                   "server count with the time that they waited.",
                   In::Both},
                  {kHalfToAll, 1'000}, of.round_trip...);
  visit.derived(
      {"loss.up",
       "Share of packets (0 to 1) that did not arrive, in the newest session of each "
       "client, and the number of packets behind it. loss.up is null below 100 packets."},
      [](const ClientStats& stats) { return or_null(loss_up(stats)); }, of...);
  visit.derived(
      {"loss.down"}, [](const ClientStats& stats) { return or_null(loss_down(stats)); }, of...);
  visit.count({"loss.up_packets"}, of.up_sent...);
  visit.count({"loss.down_packets"}, of.down_sent...);
  visit.raw("up_arrived", Joined::Sum, of.up_arrived...);
  visit.raw("down_arrived", Joined::Sum, of.down_arrived...);
}

/// Adds those figures.
void add_stats(Figures& figures, const client::ClientStats& stats);

/// Adds events, the events that this client received: Seat counts the new states of players, the
/// others have the names of the game's events. `game`: nullptr if the server has named none.
void add_events(Figures& figures, const client::ClientStats& stats, const GameTable* game);

/// Adds interpolation{delay_ms,extrapolated,unforeseen}. delay_ms is the mean time from the
/// promptest view's arrival until its tick is shown. extrapolated is the share of ticks that showed
/// the others beyond the newest view. unforeseen is the share that did so and turned out wrong.
void add_interpolation(Figures& figures, const client::ClientStats& stats);

/// The end of a command.
struct CommandEnd {
  cli::ExitCode code = cli::ExitCode::Done;
  std::string error{};                         ///< in one line. Requires: not empty unless Done
  std::optional<net::RefuseReason> refused{};  ///< the reason if the server refused the client
};

/// Adds exit; error if exit is not 0; and refused, with the name of the reason in the server's
/// metrics.
void add_end(Figures& figures, const CommandEnd& end);

}  // namespace tickbox::commands
