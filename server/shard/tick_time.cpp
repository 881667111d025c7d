#include "server/shard/tick_time.h"

#include "core/assert.h"
#include "core/text.h"

#include <algorithm>
#include <limits>

namespace tickbox::server {
namespace {

/// The most that one tick counts, in periods: a stall says nothing of the ticks to come.
constexpr std::int64_t kPeriodsMax = 2;

/// The most work that one tick counts, about a second of it: its product with a period is a number.
constexpr std::uint64_t kWorkMax = 1ULL << 26;

constexpr std::int64_t kThousand = 1'000;

}  // namespace

TickPacer::TickPacer(Instant start, std::uint32_t ticks_per_second)
    : start_(start), rate_(ticks_per_second) {
  TICKBOX_ASSERT(ticks_per_second > 0);
}

Instant TickPacer::deadline(std::int64_t tick) const {
  return start_ + std::chrono::seconds{tick / rate_} +
         Duration{tick % rate_ * 1'000'000'000 / rate_};
}

std::int64_t TickPacer::due(Instant now, std::uint64_t left) {
  behind_ = std::max(Duration::zero(), now - next());
  std::int64_t ticks = 0;
  while (ticks < kCatchUpMax && deadline(ticks_ + ticks + 1) <= now) {
    ++ticks;
  }
  const Duration behind = now - deadline(ticks_ + ticks + 1);
  if (ticks == kCatchUpMax && behind >= Duration::zero()) {
    const std::int64_t beyond =
        behind.count() / tick_duration(static_cast<std::uint32_t>(rate_)).count() + 1;
    slipped_ += static_cast<std::uint64_t>(beyond);
    start_ += Duration{beyond * 1'000'000'000 / rate_};
  }
  return left < static_cast<std::uint64_t>(ticks) ? static_cast<std::int64_t>(left) : ticks;
}

std::string_view name_of(Overload level) {
  static constexpr std::string_view kNames[] = {"none", "fewer_snapshots", "refuses_joins"};
  return name_among<Overload::RefusesJoins>(kNames, level);
}

void Lasting::count(bool begins, bool continues) {
  if (is_on_) {
    ticks_ = continues ? 0 : ticks_ + 1;
  } else if (begins) {
    ++ticks_;
  } else if (ticks_ > 0) {
    --ticks_;
  }
  if (ticks_ < (is_on_ ? ends_after_ : begins_after_)) return;
  is_on_ = !is_on_;
  ticks_ = 0;
}

// Snapshots are rarer after a quarter of a second, and joins are refused after a second. Both end
// after two seconds.
LoadControl::LoadControl(std::uint32_t tick_rate, std::uint64_t work_max)
    : period_(tick_duration(tick_rate).count()),
      work_max_(work_max),
      work_limit_(work_max),
      is_short_(std::max(1U, tick_rate / 4), 2 * tick_rate),
      is_over_(tick_rate, 2 * tick_rate) {}

void LoadControl::add_tick(const TickTime& time, const PlanWork& work) {
  const std::int64_t most = kPeriodsMax * period_;
  const std::int64_t sending = std::min(time.sending.count(), most);
  add(sending_, sending);
  add(rest_, std::min(time.rest.count(), most - sending));
  add(wanted_, static_cast<std::int64_t>(std::min(work.wanted, kWorkMax)));
  add(done_, static_cast<std::int64_t>(std::min(work.done, kWorkMax)));
  work_limit_ = std::min(work_max_, work_in_time());
  const bool is_short =
      work_limit_ < work_max_ && work_limit_ < static_cast<std::uint64_t>(wanted_ / kTicksMeant);
  is_short_.count(is_short, is_short);
  is_over_.count(load() >= kLoadRefuses, load() >= kLoadAdmits);
}

/// Returns the work for which the time that is left for sending suffices, at the cost of the work
/// done lately.
std::uint64_t LoadControl::work_in_time() const {
  const std::int64_t left =
      std::max<std::int64_t>(0, period_ * kLoadWanted / kThousand - rest_ / kTicksMeant);
  if (done_ == 0 || sending_ == 0) return std::numeric_limits<std::uint64_t>::max();
  return static_cast<std::uint64_t>(done_ * left / sending_);
}

std::uint32_t LoadControl::load() const {
  return static_cast<std::uint32_t>(kThousand * (sending_ + rest_) / (kTicksMeant * period_));
}

Overload LoadControl::level() const {
  if (is_over_.is_on()) return Overload::RefusesJoins;
  return is_short_.is_on() ? Overload::FewerSnapshots : Overload::None;
}

}  // namespace tickbox::server
