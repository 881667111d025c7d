#include "client/connection/clock_sync.h"

#include "protocol/snapshot.h"

#include <algorithm>
#include <span>
#include <utility>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The limits of a margin on the wire.
constexpr std::int32_t kLeastSixteenths = protocol::kMarginLeast;
constexpr std::int32_t kMostSixteenths = protocol::kMarginMost;

/// The error at which the clock jumps instead of steering, which would take too long: 12 ticks, or
/// 200 ms at rates under 60 Hz. It is at least 3 ticks, more than jitter alone causes.
constexpr std::int64_t kJumpTicks = 12;
constexpr Duration kJump = milliseconds{200};
constexpr std::int64_t kJumpTicksLeast = 3;
/// The same for a new clock, with at most kNewMargins margins: the first estimate may be far off,
/// and nothing is on the screen yet.
constexpr std::size_t kNewMargins = 16;
constexpr std::int64_t kJumpTicksWhenNew = 2;
/// The number of margins needed to move the clock: with fewer, one outlier would decide.
constexpr std::size_t kMarginsToMove = 3;
/// The number of newest margins whose median is the typical margin: a quarter of a second at 60 Hz,
/// longer than most spikes.
constexpr std::size_t kTypicalMargins = 16;
/// Margins that arrive closer together than this count as one, the least of them. Otherwise a fast
/// server's margins would be forgotten before the next spike.
constexpr Duration kMarginApart = Duration{seconds{1}} / 64;

constexpr std::int64_t kFastest = 1'250;  // per mille of the server's rate
constexpr std::int64_t kSlowest = 950;
/// In 1/16 ticks of error: steering starts beyond kDeadZone and stops at kRest. The dead zone is
/// half a tick wide.
constexpr std::int64_t kDeadZone = 4;
constexpr std::int64_t kRest = 2;
/// The change of speed in per mille per tick of error. A late input costs the move, an early one
/// only adds delay, so the clock slows down gently. A server that runs 8.5 % faster than known is
/// followed with 0.85 ticks of error, less than the spare one.
constexpr std::int64_t kHasten = 100;
constexpr std::int64_t kLinger = 5;

/// The largest lead of a client's typical input.
constexpr Duration kSlackMax = milliseconds{200};
/// The maximum part of kSlackMax, in ticks, that missed inputs or late turns add to the one spare
/// tick.
constexpr std::int64_t kExtraTicksMax = 6;
/// Reports of one event arrive within this time: a long round trip plus a reserve.
constexpr Duration kMissEvent = milliseconds{600};
/// A second event within this time is not an accident.
constexpr Duration kMissMemory = seconds{10};
/// The time without a miss after which one extra tick is given back. It doubles each time that this
/// was wrong.
constexpr Duration kHold = seconds{60};
constexpr Duration kHoldMax = seconds{480};

/// A client that is further behind than this was stopped, and its late inputs are useless. This is
/// longer than a turn of any reasonable loop. If one packet is further ahead, its server was
/// stopped.
constexpr Duration kPause = milliseconds{250};
/// A client that is further ahead than this, and than a tick and a half, by two packets in a row,
/// goes back: its server has skipped ticks. Jitter, or a copy on a faster path, makes one packet
/// early, but hardly two, and hardly by kPause.
constexpr Duration kAhead = milliseconds{50};

/// Jitter: a packet can be earlier than a typical one by this, in 1/16 ticks.
constexpr std::int64_t kEarlierSixteenths = 8;
/// The least result of inputs_in_time(): the next packet makes up for a lost one.
constexpr std::int64_t kInputsLeast = 2;

}  // namespace

ClockSync::ClockSync(std::uint32_t ticks_per_second, Tick server_tick, Duration round_trip,
                     Instant now)
    : period_(tick_duration(ticks_per_second)), next_due_(now), hold_(kHold) {
  // The answer is half a round trip old, and an input needs the other half. Two more ticks cover
  // the variation.
  const std::int64_t ahead = (round_trip + period_ - Duration{1}) / period_ + 2;
  next_ = server_tick + static_cast<std::uint32_t>(ahead);
  quiet_since_ = next_;
}

void ClockSync::ran() {
  next_ = next_ + 1;
  const Duration even = drift_.without(period_);
  const Duration step = even * 1'000 / speed_per_mille_;
  next_due_ += step;
  moved_ += even - step;
  followed_ += period_ - even;
  if (speed_per_mille_ > 1'000) {
    // While the clock catches up, the margins already show what is missing.
    misses_count_from_ = next_ + ticks_in(kMissEvent);
  }
  lower_extra();
}

std::uint32_t ClockSync::begin_turn(Instant now) {
  if (now < next_due_) return 0;
  const Duration even = drift_.without(period_);
  const auto overdue = static_cast<std::uint32_t>((now - next_due_) / even);
  if (now - next_due_ > kPause) {
    next_due_ += even * overdue;
    followed_ += (period_ - even) * overdue;
    continue_from(next_ + overdue);
    return overdue;
  }
  overdue_[turns_++ % kTurns] = overdue;
  return 0;
}

void ClockSync::on_room(Tick room, Tick sent, const Reading& then) {
  if ((room + 1 - next_) * period_ > kPause) return continue_from(room + 1);
  // The packet has waited for the head for a tick or less, so without a pause this is about zero.
  const bool is_new = margin_count_ < kMarginsToMove;
  const Duration typical =
      is_new ? period_ : std::max(period_, std::min(level_ + moved_, kSlackMax));
  const Duration ahead = (sent - room) * period_ + moved_ - then.moved - typical;
  const Duration before = std::exchange(ahead_, ahead);
  const Duration proven = is_new || ahead > kPause ? ahead : std::min(ahead, before);
  if (proven > std::max(kAhead, period_ * 3 / 2))
    continue_from({next_.value - ticks_in(proven + period_ / 2)});
}

void ClockSync::continue_from(Tick tick) {
  next_ = tick;
  ahead_ = {};
  noted_ = std::min(noted_, next_);
  quiet_since_ = std::min(quiet_since_, next_);
  if (last_miss_) last_miss_ = std::min(*last_miss_, next_);
  misses_count_from_ = next_ + ticks_in(kMissEvent);
}

void ClockSync::jump(Duration ahead) {
  next_due_ -= ahead;
  moved_ += ahead;
  jumped_ = true;
  speed_per_mille_ = 1'000;
  steering_ = false;
  misses_count_from_ = next_ + ticks_in(kMissEvent);
}

// --- margins ---

void ClockSync::on_margin(std::int32_t sixteenths, const Reading& then) {
  const Margin::End end = sixteenths <= kLeastSixteenths  ? Margin::End::Least
                          : sixteenths >= kMostSixteenths ? Margin::End::Most
                                                          : Margin::End::None;
  const Duration unmoved = period_ * sixteenths / 16 - then.moved;
  add_margin({.value = unmoved, .end = end});
  newest_[newest_count_++ % newest_.size()] = unmoved;
  const bool is_exact = std::abs(sixteenths) <= protocol::kMarginExact;
  if (end == Margin::End::None) {
    drift_.add(then.due, unmoved - then.followed, is_exact ? period_ / 16 : period_);
  }
  exact_in_a_row_ = is_exact ? exact_in_a_row_ + 1 : 0;
  if (jumped_ && exact_in_a_row_ >= kNewMargins) keep_newest(kNewMargins);
  if (margin_count_ >= kMarginsToMove) steer();
}

void ClockSync::add_margin(Margin margin) {
  Margin& newest = margins_[(margin_count_ + kMargins - 1) % kMargins];
  if (margin_count_ > 0 && (next_ - noted_) * period_ < kMarginApart) {
    if (margin.value >= newest.value) return;
    newest = margin;
    if (margin.value <= worst_.value) find_worst();
    return;
  }
  Margin& oldest = margins_[margin_count_ % kMargins];
  const bool moves_worst =
      margin_count_ < kMargins || oldest.value <= worst_.value || margin.value <= worst_.value;
  oldest = margin;
  ++margin_count_;
  noted_ = next_;
  if (moves_worst) find_worst();
}

/// Keeps only the `newest` margins. Those that led to a jump may be in whole ticks, so they are
/// dropped once there are enough exact ones.
void ClockSync::keep_newest(std::size_t newest) {
  jumped_ = false;
  const std::size_t kept = std::min(newest, held());
  std::array<Margin, kMargins> margins{};
  for (std::size_t i = 0; i < kept; ++i) {
    margins[i] = margins_[(margin_count_ - kept + i) % kMargins];
  }
  margins_ = margins;
  margin_count_ = kept;
  find_worst();
}

void ClockSync::steer() {
  const Margin typical = typical_margin();
  const bool is_bound = typical.end == Margin::End::Most && margin_count_ > kMarginsToMove;
  level_ = is_bound ? std::max(level_, typical.value) : typical.value;
  // When the way becomes longer, or the server faster, the newest margins show it first.
  const Duration worst = std::min(worst_.value, std::ranges::max(newest_));
  const Duration error =
      std::min(wanted_margin() - (worst + moved_), kSlackMax - (level_ + moved_));
  if (worst_.end == Margin::End::Most || typical.end == Margin::End::Least) {
    return start_over(error);
  }
  const bool is_new = margin_count_ <= kNewMargins;
  const std::int64_t jump_ticks =
      is_new ? kJumpTicksWhenNew : std::clamp(kJump / period_, kJumpTicksLeast, kJumpTicks);
  const Duration distance = std::chrono::abs(error);
  const bool is_late = is_new && error > period_;  // no input is in time before the clock has moved
  if (is_late || distance > period_ * jump_ticks) return jump(error);
  // Once the error has left the dead zone, the clock steers to the middle, not only back to the
  // edge.
  steering_ = distance > (steering_ ? kRest : kDeadZone) * period_ / 16;
  const std::int64_t change = error * (error > Duration::zero() ? kHasten : kLinger) / period_;
  speed_per_mille_ =
      static_cast<std::int32_t>(steering_ ? std::clamp(1'000 + change, kSlowest, kFastest) : 1'000);
}

/// Returns the target of the worst margin.
Duration ClockSync::wanted_margin() const {
  // A margin is that of a packet's newest input. If every turn is so late that it sends several
  // inputs, the oldest one needs that much more.
  const Duration behind = period_ * *std::ranges::min_element(overdue_);
  return period_ + drift_.unrest() + std::min(std::max(extra_, behind), extra_max());
}

Duration ClockSync::extra_max() const {
  return std::max(Duration::zero(), std::min(period_ * kExtraTicksMax, kSlackMax - period_));
}

/// Drops the margins that this move has already used. Margins of packets sent before the move still
/// arrive. They count the move (`moved_then`), so they ask for no other one, and are dropped later.
void ClockSync::start_over(Duration ahead) {
  margin_count_ = 0;
  jump(ahead);
}

std::size_t ClockSync::held() const {
  return std::min(margin_count_, kMargins);
}

void ClockSync::find_worst() {
  std::array<Margin, std::max<std::size_t>(1, kMargins / 50) + 1> least{};
  const std::size_t rank = std::max<std::size_t>(1, held() / 50);
  std::ranges::partial_sort_copy(std::span{margins_}.first(held()),
                                 std::span{least}.first(rank + 1), {}, &Margin::value,
                                 &Margin::value);
  worst_ = least[rank];
}

/// Returns the median of the newest margins.
ClockSync::Margin ClockSync::typical_margin() const {
  std::array<Margin, kTypicalMargins> newest{};
  const std::size_t count = std::min(held(), kTypicalMargins);
  for (std::size_t i = 0; i < count; ++i) {
    newest[i] = margins_[(margin_count_ - 1 - i) % kMargins];
  }
  const auto at = newest.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::ranges::nth_element(newest.begin(), at, newest.begin() + static_cast<std::ptrdiff_t>(count),
                           {}, &Margin::value);
  return *at;
}

std::optional<std::uint32_t> ClockSync::inputs_in_time() const {
  if (margin_count_ < kMarginsToMove) return std::nullopt;
  const Duration margin = level_ + moved_ + period_ * kEarlierSixteenths / 16;
  return static_cast<std::uint32_t>(std::max(margin / period_ + 1, kInputsLeast));
}

// --- misses ---

void ClockSync::on_missed() {
  if (margin_count_ <= kNewMargins || next_ < misses_count_from_) return;
  const bool again = last_miss_ && next_ - *last_miss_ <= ticks_in(kMissMemory);
  last_miss_ = next_;
  quiet_since_ = next_;
  misses_count_from_ = next_ + ticks_in(kMissEvent);
  if (!again && !trial_) return;
  if (trial_) hold_ = std::min(hold_ * 2, kHoldMax);
  trial_ = false;
  extra_ = std::min(extra_ + period_, extra_max());
}

void ClockSync::lower_extra() {
  if (next_ - quiet_since_ < ticks_in(hold_)) return;
  if (trial_) hold_ = std::max(hold_ / 2, kHold);
  trial_ = extra_ > Duration::zero();
  extra_ = std::max(extra_ - period_, Duration::zero());
  quiet_since_ = next_;
}

std::uint32_t ClockSync::ticks_in(Duration duration) const {
  return static_cast<std::uint32_t>(duration / period_);
}

}  // namespace tickbox::client
