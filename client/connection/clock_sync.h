#pragma once
// The clock of the client's ticks. It runs ahead of the server's clock just far enough for inputs
// to arrive in time.
//
// Every snapshot reports how long before its use the newest input
// arrived (the margin). The spread of recent margins shows the jitter of the path. The clock aims
// for one spare tick on all but the latest 2 % of margins. It gets there by running faster or
// slower than the server; only a large error makes it jump. A single margin never moves it. Late
// inputs are lost, so it catches up fast; early ones only add delay, so it falls back slowly.
//
// The margins also show the rate of the server's clock (drift.h). This clock follows that rate by
// itself. While the rate keeps changing, it aims for more than one spare tick.
//
// Margins do not show lost packets, or packets that arrive all at once after a blocked path opens.
// The server reports these as missed inputs. When misses recur, the clock adds one tick. Later it
// tries to run without that tick, less often after each failure.
//
// The wire limits margins to ±67 ticks: at a limit the true margin may be beyond it. If the clock's
// margins are at a limit, the true error is unknown. The clock then moves by the known part and
// measures again.
//
// After a pause of the server, or of the client's clock, the numbers of the ticks are wrong by the
// pause, and the phase is right. A room that had the input of tick n before it stepped tick r uses
// it n − r ticks later at least, and all ticks up to r are over. One head proves that the clock is
// behind, or far ahead. That it is somewhat ahead takes two in a row, because one packet may come
// early. The clock then goes on from another tick at once. Its margins and its next due time stay
// as they are.

#include "client/connection/drift.h"
#include "core/clock.h"
#include "core/ids.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tickbox::client {

class ClockSync {
 public:
  /// `server_tick`: the room's tick when the server answered; `round_trip`: of that answer.
  ClockSync(std::uint32_t ticks_per_second, Tick server_tick, Duration round_trip, Instant now);

  /// Returns the next tick to run; next_due() returns its due time.
  [[nodiscard]] Tick next() const { return next_; }

  [[nodiscard]] Instant next_due() const { return next_due_; }

  /// Reports that the tick next() has been run.
  void ran();

  /// Begins a turn, in which the client runs the due ticks. After a pause, skips all due ticks but
  /// the newest, because their inputs would arrive too late. Returns the number of skipped ticks; 0
  /// without a pause.
  std::uint32_t begin_turn(Instant now);

  /// What makes the margins of packets comparable.
  struct Reading {
    Instant due;          ///< next_due()
    Duration moved{};     ///< how far this clock has been moved ahead in total, by itself
    Duration followed{};  ///< the same, by the rate of the server's clock
  };

  /// The client stores it with each sent packet and passes it on with that packet's margin.
  [[nodiscard]] Reading reading() const {
    return {.due = next_due_, .moved = moved_, .followed = followed_};
  }

  /// Takes a margin that the server measured, in 1/16 ticks, for a packet sent at `then`.
  /// protocol::kMarginLeast and protocol::kMarginMost may mean any value beyond.
  void on_margin(std::int32_t sixteenths, const Reading& then);

  /// Takes the tick `room` of a head, and whether this clock is ahead or behind by a pause. Such a
  /// clock continues from another tick. Requires: begin_turn() of this turn was called. `sent`: the
  /// newest input of a packet that the server had received when it wrote the head, sent at `then`.
  void on_room(Tick room, Tick sent, const Reading& then);

  /// Reports that the server substituted an input, because it was lost or late.
  void on_missed();

  /// Returns how many of its newest inputs a packet still brings in time, if it arrives somewhat
  /// earlier than a typical one; at least two. Nothing while too few margins are known.
  [[nodiscard]] std::optional<std::uint32_t> inputs_in_time() const;

 private:
  /// The number of margins kept: two seconds at 60 Hz, and enough at 10 Hz to find the latest 2 %.
  static constexpr std::size_t kMargins = 128;

  /// The number of turns that must all be late before the clock adds margin for this.
  static constexpr std::size_t kTurns = 8;

  struct Margin {
    /// The limit of the wire that the margin is at; the true value may be beyond.
    enum class End : std::uint8_t { None, Least, Most };

    Duration value{};  ///< margin as if the clock had never moved by itself
    End end = End::None;
  };

  void continue_from(Tick tick);
  void add_margin(Margin margin);
  void keep_newest(std::size_t newest);
  void steer();
  void start_over(Duration ahead);
  void jump(Duration ahead);
  void lower_extra();
  [[nodiscard]] std::size_t held() const;
  [[nodiscard]] Duration wanted_margin() const;
  [[nodiscard]] Duration extra_max() const;
  void find_worst();
  [[nodiscard]] Margin typical_margin() const;
  [[nodiscard]] std::uint32_t ticks_in(Duration duration) const;

  Duration period_;
  Tick next_;
  Instant next_due_;
  Duration moved_{};
  Duration followed_{};
  Drift drift_{std::chrono::milliseconds{
      100}};  ///< of the margins, as if the clock had neither moved nor followed
  std::int32_t speed_per_mille_ = 1'000;
  bool steering_ = false;
  std::array<std::uint32_t, kTurns> overdue_{};  ///< ticks overdue at each of the newest turns
  std::size_t turns_ = 0;                        ///< count of all turns

  std::array<Margin, kMargins> margins_{};
  std::size_t margin_count_ = 0;      ///< since start_over(), without those that were forgotten
  Margin worst_;                      ///< margin that all but the worst 2 % (at least one) reach
  std::array<Duration, 3> newest_{};  ///< of all margins, as Margin::value
  std::size_t newest_count_ = 0;
  std::size_t exact_in_a_row_ = 0;  ///< newest margins in a row that are exact to 1/16 tick
  bool jumped_ = false;             ///< margins_ still has the margins that led to a jump
  Tick noted_;                      ///< tick at which the newest of margins_ began
  Duration level_{};                ///< typical margin, as if the clock had never moved
  Duration ahead_{};                ///< how far the newest packet was ahead of a typical one

  Duration extra_{};               ///< margin beyond one tick, added after misses
  std::optional<Tick> last_miss_;  ///< tick at which the newest miss was reported
  Tick misses_count_from_;         ///< earlier misses have a known cause, or were already handled
  Tick quiet_since_;               ///< tick of the newest miss or change of extra_
  Duration hold_;                  ///< time without a miss before a trial with less extra_
  bool trial_ = false;             ///< a trial is running
};

}  // namespace tickbox::client
