#pragma once
// How steadily views arrive: how often, and how late against the ticks they show.
//
// A view of tick t that arrives at a moment a is late by a − t ticks of time, up to a constant that
// nobody knows and nobody needs: the promptest of the recent views is the line that the others are
// late by. What a picture needs is the latest of views that come together, as before it there was
// nothing newer; so a burst after a hiccup is one late arrival, not twenty, and one alone decides
// nothing.

#include "core/clock.h"
#include "core/ids.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::client {

class ViewArrivals {
 public:
  explicit ViewArrivals(std::uint32_t ticks_per_second);

  /// `has_news`: the view came because there was something to tell. Only between two such views
  /// do ticks say how often a server sends; with no news it keeps silent for a while.
  void add(Tick tick, bool has_news, Instant now);

  /// From tick 0 on the server to tick 0 on this clock, as the promptest recent view has it: its
  /// link's least delay is in it.  Requires: one was added.
  [[nodiscard]] Duration line() const;

  /// What all but the latest 2 % of arrivals keep within, from line().  Requires: one was added.
  [[nodiscard]] Duration jitter() const;

  /// Between the ticks of views while there is news: one tick until more is known.
  [[nodiscard]] Duration interval() const;

 private:
  /// Arrivals remembered: two seconds of them, and enough at 10 a second to know the latest 2 %.
  static constexpr std::size_t kArrivals = 128;

  /// Intervals remembered. Lost and quiet views make some longer, so the shortest tells; none is
  /// longer than this many are in a row.
  static constexpr std::size_t kIntervals = 32;

  /// Views that arrived together.
  struct Arrival {
    Duration promptest{};
    Duration latest{};
  };

  [[nodiscard]] std::size_t held() const;
  void look_for_line();
  void look_for_latest();

  Duration period_;
  std::array<Arrival, kArrivals> arrivals_{};
  std::size_t arrival_count_ = 0;  ///< ever
  Instant arrival_began_;          ///< the newest of arrivals_
  Duration line_{};                ///< the promptest of arrivals_
  Duration latest_{};              ///< of all but the latest 2 % of arrivals_

  std::array<std::uint32_t, kIntervals> intervals_{};  ///< ticks
  std::size_t interval_count_ = 0;                     ///< ever
  Tick newest_;
  bool newest_had_news_ = false;
};

}  // namespace tickbox::client
