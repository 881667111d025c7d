#include "server/match/body_slots.h"

#include <algorithm>

namespace tickbox::server {

void BodySlots::reserve(std::size_t slots) {
  slots_.reserve(slots);
  for (std::vector<SlotId>* list : {&free_, &remembered_, &present_, &before_, &spawned_}) {
    list->reserve(slots);
  }
}

void BodySlots::update(Tick tick, std::span<const BodyId> ids,
                       FunctionRef<bool(BodyId)> was_removed) {
  ++version_;
  free_old_slots(tick);
  before_.swap(present_);
  present_.clear();
  spawned_.clear();
  const auto despawn = [&](SlotId slot) {
    slots_[slot].despawned = tick;
    slots_[slot].removed_by_server = was_removed(slots_[slot].id);
    remembered_.push_back(slot);
  };
  auto old = before_.begin();
  for (const BodyId id : ids) {
    for (; old != before_.end() && slots_[*old].id < id; ++old) {
      despawn(*old);
    }
    if (old != before_.end() && slots_[*old].id == id) {
      present_.push_back(*old++);
    } else {
      spawned_.push_back(allocate_slot(tick, id));
      present_.push_back(spawned_.back());
    }
    slots_[present_.back()].index = static_cast<std::uint32_t>(present_.size() - 1);
  }
  for (; old != before_.end(); ++old) {
    despawn(*old);
  }
}

void BodySlots::update_unchanged(Tick tick) {
  free_old_slots(tick);
  before_.clear();
  spawned_.clear();
}

SlotId BodySlots::add_transient(Tick tick, BodyId id) {
  ++version_;
  const SlotId slot = allocate_slot(tick, id);
  slots_[slot].despawned = tick;
  slots_[slot].removed_by_server = true;
  remembered_.push_back(slot);
  spawned_.push_back(slot);
  return slot;
}

SlotId BodySlots::allocate_slot(Tick tick, BodyId id) {
  SlotId slot = static_cast<SlotId>(slots_.size());
  if (free_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  slots_[slot] = {.id = id, .spawned = tick};
  return slot;
}

void BodySlots::free_old_slots(Tick tick) {
  const auto is_recent = [&](SlotId slot) {
    return tick - slots_[slot].despawned <= std::int64_t{protocol::kTicksRemembered};
  };
  const auto first = std::ranges::find_if(remembered_, is_recent);
  free_.insert(free_.end(), remembered_.begin(), first);
  remembered_.erase(remembered_.begin(), first);
}

SlotId BodySlots::find(BodyId id) const {
  for (const std::vector<SlotId>* slots : {&present_, &before_}) {
    const auto found =
        std::ranges::lower_bound(*slots, id, {}, [this](SlotId slot) { return slots_[slot].id; });
    if (found != slots->end() && slots_[*found].id == id) return *found;
  }
  return kNoSlot;
}

}  // namespace tickbox::server
