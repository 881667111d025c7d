#pragma once
// When the client's ticks are due: so far ahead of the server's that its inputs arrive in time, and
// no further.
//
// Every snapshot tells how long before its use the newest input had arrived (the margin). Recent
// margins show how unsteady the way is: the clock aims where all but the latest 2 % of them still
// leave one tick to spare. It gets there by running a little faster or slower, which nobody sees,
// and only a large error makes it jump. One margin alone never moves it.
//
// What margins cannot show are packets that never come, or that come all at once when a way opens
// again. Those are told as missed inputs: when they recur, the clock leaves one tick more, and
// tries again later, and ever more rarely, whether it can do without.
//
// Margins end on the wire at 67 ticks: one at either end says "at least". A clock whose margins all
// stand there is lost. It moves by what is known, and looks anew.

#include "core/clock.h"
#include "core/ids.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tickbox::client {

class ClockSync {
 public:
  /// `server_tick`: of the room when its answer was made; `round_trip`: of that answer.
  ClockSync(std::uint32_t ticks_per_second, Tick server_tick, Duration round_trip, Instant now);

  /// The next tick to run, and when.
  [[nodiscard]] Tick next() const { return next_; }

  [[nodiscard]] Instant next_due() const { return next_due_; }

  /// Says that the tick of next() has been run.
  void ran();

  /// Says that the client is about to run what is due. After a pause, leaves out all ticks that are
  /// due but the newest: their inputs would come too late. How many; 0 unless there was one.
  std::uint32_t begin_turn(Instant now);

  /// How far this clock has been moved ahead so far. Goes with each packet sent, and comes back
  /// with its margin.
  [[nodiscard]] Duration moved() const { return moved_; }

  /// A margin that the server measured, in 1/16 ticks, for a packet sent when moved() was
  /// `moved_then`. protocol::kMarginLeast and protocol::kMarginMost may stand for anything beyond.
  void on_margin(std::int32_t sixteenths, Duration moved_then);

  /// The server had to make up an input, or got one late.
  void on_missed();

 private:
  /// Some two seconds of them at 60 Hz, and enough at 10 a second to know the latest 2 %.
  static constexpr std::size_t kMargins = 128;

  /// Turns that must all be late before the clock makes room for it.
  static constexpr std::size_t kTurns = 8;

  struct Margin {
    /// Of what the wire can tell: it may be anything beyond.
    enum class End : std::uint8_t { None, Least, Most };

    Duration value{};  ///< as it would be had the clock never moved
    End end = End::None;
  };

  void note(Margin margin);
  void forget_all_but(std::size_t newest);
  void steer();
  void start_over(Duration ahead);
  void jump(Duration ahead);
  void give_back();
  [[nodiscard]] std::size_t held() const;
  [[nodiscard]] Duration wanted_margin() const;
  [[nodiscard]] Duration extra_max() const;
  void look_for_worst();
  [[nodiscard]] Margin typical_margin() const;
  [[nodiscard]] std::uint32_t ticks_in(Duration duration) const;

  Duration period_;
  Tick next_;
  Instant next_due_;
  Duration moved_{};
  std::int32_t speed_per_mille_ = 1'000;
  bool steering_ = false;
  std::array<std::uint32_t, kTurns> overdue_{};  ///< ticks, at the newest turns
  std::size_t turns_ = 0;                        ///< ever

  std::array<Margin, kMargins> margins_{};
  std::size_t margin_count_ = 0;    ///< since it started over
  Margin worst_;                    ///< the one that all but the worst 2 % of margins_ reach
  std::size_t exact_in_a_row_ = 0;  ///< of the newest, those told to 1/16 ticks
  bool jumped_ = false;             ///< and still looks at what led to it
  Tick noted_;                      ///< when the newest of margins_ was begun
  Duration level_{};                ///< the typical margin, had the clock never moved

  Duration extra_{};               ///< beyond one tick of margin, after misses
  std::optional<Tick> last_miss_;  ///< when the newest miss was told
  Tick misses_count_from_;         ///< what is told before is known, or already acted on
  Tick quiet_since_;               ///< the newest miss or change of extra_
  Duration hold_;                  ///< quiet for so long, it tries to do with less
  bool trial_ = false;             ///< it does
};

}  // namespace tickbox::client
