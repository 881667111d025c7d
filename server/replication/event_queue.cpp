#include "server/replication/event_queue.h"

#include "core/assert.h"

#include <algorithm>

namespace tickbox::server {

bool EventQueue::add(Tick tick, const protocol::Event& event) {
  if (waiting_.full()) return false;
  Waiting& waiting = waiting_.push_back({.event = event, .happened = tick, .told = {}});
  waiting.event.number = static_cast<std::uint16_t>(acknowledged_ + waiting_.size());
  return true;
}

void EventQueue::acknowledge(std::uint16_t number, Tick newest_snapshot) {
  const auto more = static_cast<std::uint16_t>(number - acknowledged_);
  if (more <= told_) {
    waiting_.erase_first(more);
    told_ -= more;
    hoped_ -= std::min<std::size_t>(hoped_, more);
    acknowledged_ = number;
  }
  if (hoped_ > 0 && newest_snapshot >= waiting_[0].told) hoped_ = 0;
}

std::size_t EventQueue::due(Tick now) {
  if (hoped_ > 0 && now - waiting_[0].told >= repeat_ticks_) hoped_ = 0;
  return waiting_.size() - hoped_;
}

void EventQueue::tell(Tick now, std::size_t count, protocol::Events& events) {
  TICKBOX_ASSERT(count <= waiting_.size() - hoped_);
  for (; count > 0; --count, ++hoped_) {
    Waiting& waiting = waiting_[hoped_];
    waiting.told = now;
    waiting.event.ago =
        static_cast<std::uint8_t>(std::min<std::int64_t>(now - waiting.happened, 0xff));
    events.push_back(waiting.event);
  }
  told_ = std::max(told_, hoped_);
}

}  // namespace tickbox::server
