#include "client/presentation/view_arrivals.h"

#include "core/assert.h"

#include <algorithm>
#include <functional>
#include <span>

namespace tickbox::client {
namespace {

/// Views that arrive within this time of the first came together: a turn of most loops, and what a
/// way that opens again lets through at once.
constexpr Duration kTogether = Duration{std::chrono::seconds{1}} / 64;

}  // namespace

ViewArrivals::ViewArrivals(std::uint32_t ticks_per_second)
    : period_(tick_duration(ticks_per_second)) {}

void ViewArrivals::add(Tick tick, bool has_news, Instant now) {
  if (arrival_count_ > 0 && tick > newest_ && has_news && newest_had_news_) {
    intervals_[interval_count_++ % kIntervals] = static_cast<std::uint32_t>(tick - newest_);
  }
  newest_ = tick;
  newest_had_news_ = has_news;

  const Duration late = now.time_since_epoch() - period_ * tick.value;
  if (arrival_count_ > 0 && now - arrival_began_ < kTogether) {
    Arrival& newest = arrivals_[(arrival_count_ - 1) % kArrivals];
    newest.promptest = std::min(newest.promptest, late);
    newest.latest = std::max(newest.latest, late);
    line_ = std::min(line_, late);
    if (late > latest_) look_for_latest();
    return;
  }
  Arrival& oldest = arrivals_[arrival_count_ % kArrivals];
  const bool goes_with_line = arrival_count_ >= kArrivals && oldest.promptest == line_;
  const bool moves_latest =
      arrival_count_ < kArrivals || oldest.latest >= latest_ || late > latest_;
  oldest = {.promptest = late, .latest = late};
  line_ = arrival_count_ == 0 ? late : std::min(line_, late);
  ++arrival_count_;
  arrival_began_ = now;
  if (goes_with_line) look_for_line();
  if (moves_latest) look_for_latest();
}

std::size_t ViewArrivals::held() const {
  return std::min(arrival_count_, kArrivals);
}

Duration ViewArrivals::line() const {
  TICKBOX_ASSERT(arrival_count_ > 0);
  return line_;
}

void ViewArrivals::look_for_line() {
  const auto end = arrivals_.begin() + static_cast<std::ptrdiff_t>(held());
  line_ = std::ranges::min_element(arrivals_.begin(), end, {}, &Arrival::promptest)->promptest;
}

Duration ViewArrivals::jitter() const {
  return latest_ - line();
}

void ViewArrivals::look_for_latest() {
  std::array<Arrival, kArrivals / 50 + 1> latest{};
  const std::size_t rank = held() / 50;
  std::ranges::partial_sort_copy(std::span{arrivals_}.first(held()),
                                 std::span{latest}.first(rank + 1), std::greater<>{},
                                 &Arrival::latest, &Arrival::latest);
  latest_ = latest[rank].latest;
}

Duration ViewArrivals::interval() const {
  const std::size_t known = std::min(interval_count_, kIntervals);
  if (known == 0) return period_;
  const auto end = intervals_.begin() + static_cast<std::ptrdiff_t>(known);
  return period_ * *std::ranges::min_element(intervals_.begin(), end);
}

}  // namespace tickbox::client
