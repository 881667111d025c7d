#include "client/connection/clock_sync.h"

#include "protocol/snapshot.h"

#include <algorithm>
#include <span>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The ends of a margin on the wire.
constexpr std::int32_t kLeastSixteenths = protocol::kMarginLeast;
constexpr std::int32_t kMostSixteenths = protocol::kMarginMost;

/// Beyond this much error nobody wants to wait for a clock that creeps: 12 ticks, or at rates under
/// 60 a fifth of a second, but not for what jitter alone makes.
constexpr std::int64_t kJumpTicks = 12;
constexpr Duration kJump = milliseconds{200};
constexpr std::int64_t kJumpTicksLeast = 3;
/// While the clock is new the first estimate may be far off, and nothing is on the screen yet.
constexpr std::size_t kNewMargins = 16;
constexpr std::int64_t kJumpTicksWhenNew = 2;
/// With fewer than this one outlier would decide.
constexpr std::size_t kMarginsToMove = 3;
/// Margins of which the middle one is typical: a quarter of a second at 60 Hz, longer than most
/// spikes.
constexpr std::size_t kTypicalMargins = 16;
/// Margins that come closer together count as one, their least: or a fast server's would be
/// forgotten before the next spike.
constexpr Duration kMarginApart = Duration{seconds{1}} / 64;

constexpr std::int64_t kFastest = 1'050;  // per mille of real time
constexpr std::int64_t kSlowest = 950;
/// In 1/16 ticks of error: from the first on it steers, down to the second. Half a tick wide.
constexpr std::int64_t kDeadZone = 4;
constexpr std::int64_t kRest = 2;
/// Per mille and tick of error. Inputs too late cost the move, inputs too early only delay: back
/// off slowly.
constexpr std::int64_t kHasten = 20;
constexpr std::int64_t kLinger = 5;

/// The most that a client's typical input may be early.
constexpr Duration kSlackMax = milliseconds{200};
/// Of it, for misses: more would put the margin aimed at, with its dead zone, beyond what the wire
/// can tell.
constexpr std::int64_t kExtraTicksMax = 6;
/// Reports of one event come within this time: a long round trip and some.
constexpr Duration kMissEvent = milliseconds{600};
/// A second event within this time is no accident.
constexpr Duration kMissMemory = seconds{10};
/// A tick more is given back after this time without a miss; after twice the time before where that
/// was wrong.
constexpr Duration kHold = seconds{60};
constexpr Duration kHoldMax = seconds{480};

/// A client that is further behind was stopped: inputs that late serve nobody. Longer than any turn
/// of a loop worth the name.
constexpr Duration kPause = milliseconds{250};

}  // namespace

ClockSync::ClockSync(std::uint32_t ticks_per_second, Tick server_tick, Duration round_trip,
                     Instant now)
    : period_(tick_duration(ticks_per_second)), next_due_(now), hold_(kHold) {
  // The answer is half a round trip old, and an input needs the other half: two ticks more for what
  // varies.
  const std::int64_t ahead = (round_trip + period_ - Duration{1}) / period_ + 2;
  next_ = server_tick + static_cast<std::uint32_t>(ahead);
  quiet_since_ = next_;
}

void ClockSync::ran() {
  next_ = next_ + 1;
  const Duration step = period_ * 1'000 / speed_per_mille_;
  next_due_ += step;
  moved_ += period_ - step;
  if (speed_per_mille_ > 1'000) {
    // While it catches up, the margins already show what is missing.
    misses_count_from_ = next_ + ticks_in(kMissEvent);
  }
  give_back();
}

std::uint32_t ClockSync::begin_turn(Instant now) {
  if (now < next_due_) return 0;
  const std::uint32_t overdue = ticks_in(now - next_due_);
  if (now - next_due_ > kPause) {
    next_ = next_ + overdue;
    next_due_ += period_ * overdue;
    misses_count_from_ = next_ + ticks_in(kMissEvent);
    return overdue;
  }
  overdue_[turns_++ % kTurns] = overdue;
  return 0;
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

void ClockSync::on_margin(std::int32_t sixteenths, Duration moved_then) {
  const Margin::End end = sixteenths <= kLeastSixteenths  ? Margin::End::Least
                          : sixteenths >= kMostSixteenths ? Margin::End::Most
                                                          : Margin::End::None;
  note({.value = period_ * sixteenths / 16 - moved_then, .end = end});
  const bool is_exact = std::abs(sixteenths) <= protocol::kMarginExact;
  exact_in_a_row_ = is_exact ? exact_in_a_row_ + 1 : 0;
  if (jumped_ && exact_in_a_row_ >= kNewMargins) forget_all_but(kNewMargins);
  if (margin_count_ >= kMarginsToMove) steer();
}

void ClockSync::note(Margin margin) {
  Margin& newest = margins_[(margin_count_ + kMargins - 1) % kMargins];
  if (margin_count_ > 0 && (next_ - noted_) * period_ < kMarginApart) {
    if (margin.value >= newest.value) return;
    newest = margin;
    if (margin.value <= worst_.value) look_for_worst();
    return;
  }
  Margin& oldest = margins_[margin_count_ % kMargins];
  const bool moves_worst =
      margin_count_ < kMargins || oldest.value <= worst_.value || margin.value <= worst_.value;
  oldest = margin;
  ++margin_count_;
  noted_ = next_;
  if (moves_worst) look_for_worst();
}

/// What led to a jump was told in whole ticks: once there is better, it is not looked at any more.
void ClockSync::forget_all_but(std::size_t newest) {
  jumped_ = false;
  const std::size_t kept = std::min(newest, held());
  std::array<Margin, kMargins> margins{};
  for (std::size_t i = 0; i < kept; ++i) {
    margins[i] = margins_[(margin_count_ - kept + i) % kMargins];
  }
  margins_ = margins;
  margin_count_ = kept;
  look_for_worst();
}

void ClockSync::steer() {
  const Margin typical = typical_margin();
  const bool is_bound = typical.end == Margin::End::Most && margin_count_ > kMarginsToMove;
  level_ = is_bound ? std::max(level_, typical.value) : typical.value;
  const Duration error =
      std::min(wanted_margin() - (worst_.value + moved_), kSlackMax - (level_ + moved_));
  if (worst_.end == Margin::End::Most || typical.end == Margin::End::Least) {
    return start_over(error);
  }
  const std::int64_t jump_ticks = margin_count_ <= kNewMargins
                                      ? kJumpTicksWhenNew
                                      : std::clamp(kJump / period_, kJumpTicksLeast, kJumpTicks);
  const Duration distance = std::chrono::abs(error);
  if (distance > period_ * jump_ticks) return jump(error);
  // Once it has left the dead zone it goes for the middle, not just back across the edge.
  steering_ = distance > (steering_ ? kRest : kDeadZone) * period_ / 16;
  const std::int64_t change = error * (error > Duration::zero() ? kHasten : kLinger) / period_;
  speed_per_mille_ =
      static_cast<std::int32_t>(steering_ ? std::clamp(1'000 + change, kSlowest, kFastest) : 1'000);
}

/// What the worst margin should be.
Duration ClockSync::wanted_margin() const {
  // Margins are those of each packet's newest input. Where every turn is so late that it sends
  // several, the oldest needs as much more.
  const Duration behind = period_ * *std::ranges::min_element(overdue_);
  return period_ + std::min(std::max(extra_, behind), extra_max());
}

Duration ClockSync::extra_max() const {
  return std::max(Duration::zero(), std::min(period_ * kExtraTicksMax, kSlackMax - period_));
}

/// Drops what says no more than was acted on. What was sent before and is still to come says the
/// same once more, asks for nothing, and is dropped as well.
void ClockSync::start_over(Duration ahead) {
  margin_count_ = 0;
  jump(ahead);
}

std::size_t ClockSync::held() const {
  return std::min(margin_count_, kMargins);
}

void ClockSync::look_for_worst() {
  std::array<Margin, std::max<std::size_t>(1, kMargins / 50) + 1> least{};
  const std::size_t rank = std::max<std::size_t>(1, held() / 50);
  std::ranges::partial_sort_copy(std::span{margins_}.first(held()),
                                 std::span{least}.first(rank + 1), {}, &Margin::value,
                                 &Margin::value);
  worst_ = least[rank];
}

/// The middle one of the newest.
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

void ClockSync::give_back() {
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
