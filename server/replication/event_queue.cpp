#include "server/replication/event_queue.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::server {

bool EventQueue::add(Tick tick, const protocol::Event& event) {
  if (waiting_.full()) return false;
  Waiting& waiting = waiting_.push_back({.event = event, .happened = tick, .sent = {}});
  waiting.event.number = static_cast<std::uint16_t>(acknowledged_ + waiting_.size());
  return true;
}

void EventQueue::acknowledge(std::uint16_t number, Tick newest_snapshot) {
  const auto more = static_cast<std::uint16_t>(number - acknowledged_);
  if (more <= sent_) {
    waiting_.erase_first(more);
    sent_ -= more;
    in_transit_ -= std::min<std::size_t>(in_transit_, more);
    acknowledged_ = number;
  }
  if (in_transit_ > 0 && newest_snapshot >= waiting_[0].sent) in_transit_ = 0;
}

std::size_t EventQueue::due(Tick now) {
  if (in_transit_ > 0 && now - waiting_[0].sent >= repeat_ticks_) in_transit_ = 0;
  return waiting_.size() - in_transit_;
}

void EventQueue::tell(Tick now, std::size_t count, protocol::Events& events) {
  TICKBOX_ASSERT(count <= waiting_.size() - in_transit_);
  for (; count > 0; --count, ++in_transit_) {
    Waiting& waiting = waiting_[in_transit_];
    waiting.sent = now;
    waiting.event.ago =
        static_cast<std::uint8_t>(std::min<std::int64_t>(now - waiting.happened, 0xff));
    events.push_back(waiting.event);
  }
  sent_ = std::max(sent_, in_transit_);
}

}  // namespace tickbox::server
