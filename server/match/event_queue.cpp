#include "server/match/event_queue.h"

#include "core/assert.h"
#include "engine/bits.h"

#include <algorithm>

namespace tickbox::server {
namespace {

/// As many and as large events never allocate.
constexpr std::size_t kUsualEvents = 32;
constexpr std::size_t kUsualEventBytes = 16;

std::uint32_t age_of(Tick happened, Tick now) {
  return static_cast<std::uint32_t>(std::min<std::int64_t>(now - happened, views::kEventAgeMax));
}

}  // namespace

EventQueue::EventQueue(std::uint32_t repeat_ticks) : repeat_ticks_(repeat_ticks) {
  waiting_.reserve(kUsualEvents);
  bytes_.reserve(kUsualEvents * kUsualEventBytes);
}

bool EventQueue::add(Tick tick, ConstBytes bytes, std::size_t first, std::size_t bits) {
  if (waiting_.size() == kEventsWaitingMax) return false;
  waiting_.push_back({.happened = tick,
                      .bits = static_cast<std::uint32_t>(bits),
                      .first = static_cast<std::uint32_t>(bytes_.size())});
  engine::BitWriter out{bytes_};
  engine::copy_bits(bytes, first, bits, out);
  return true;
}

void EventQueue::acknowledge(std::uint16_t number, Tick newest_snapshot) {
  const auto more = static_cast<std::uint16_t>(number - acknowledged_);
  if (more > 0 && more <= sent_) {
    remove_first(more);
    sent_ -= more;
    in_transit_ -= std::min<std::size_t>(in_transit_, more);
    acknowledged_ = number;
  }
  if (in_transit_ > 0 && newest_snapshot >= waiting_.front().sent) in_transit_ = 0;
}

void EventQueue::remove_first(std::size_t events) {
  const std::size_t bytes = events < waiting_.size() ? waiting_[events].first : bytes_.size();
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(events));
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(bytes));
  for (Waiting& waiting : waiting_) {
    waiting.first -= static_cast<std::uint32_t>(bytes);
  }
}

EventQueue::Due EventQueue::due(Tick now, std::size_t bytes_max) {
  if (in_transit_ > 0 && now - waiting_.front().sent >= std::int64_t{repeat_ticks_})
    in_transit_ = 0;
  const std::size_t most = std::min(waiting_.size() - in_transit_, views::kSnapshotEventsMax);
  std::size_t bits = views::kEventListBits;
  Due due;
  for (; due.count < most; ++due.count) {
    const Waiting& waiting = waiting_[in_transit_ + due.count];
    bits += views::event_head_bits(age_of(waiting.happened, now)) + waiting.bits;
    if (bits > 8 * bytes_max) break;
    due.bytes = (bits + 7) / 8;
  }
  return due;
}

void EventQueue::write(Tick now, std::size_t count, std::vector<std::byte>& out) {
  out.clear();
  if (count == 0) return;
  TICKBOX_ASSERT(count <= waiting_.size() - in_transit_);
  engine::BitWriter writer{out};
  writer.write(static_cast<std::uint16_t>(acknowledged_ + in_transit_ + 1), 16);
  for (; count > 0; --count, ++in_transit_) {
    Waiting& waiting = waiting_[in_transit_];
    waiting.sent = now;
    views::write_event_head(age_of(waiting.happened, now), writer);
    engine::copy_bits(bytes_, 8 * std::size_t{waiting.first}, waiting.bits, writer);
  }
  writer.write(0, 1);
  sent_ = std::max(sent_, in_transit_);
}

}  // namespace tickbox::server
