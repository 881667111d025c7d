#include "server/room/body_slots.h"

#include <algorithm>

namespace tickbox::server {

void Lives::reserve(std::size_t lives) {
  lives_.reserve(lives);
  for (std::vector<LifeId>* list : {&free_, &ended_, &present_, &before_, &born_, &gone_}) {
    list->reserve(lives);
  }
}

void Lives::update(Tick tick, std::span<const game::EntityState> entities) {
  give_back(tick);
  before_.swap(present_);
  present_.clear();
  born_.clear();
  gone_.clear();
  auto old = before_.begin();
  const auto end_before = [&](BodyId id) {
    for (; old != before_.end() && lives_[*old].id < id; ++old) {
      gone_.push_back(*old);
    }
  };
  for (const game::EntityState& entity : entities) {
    end_before(entity.id);
    if (old != before_.end() && lives_[*old].id == entity.id) {
      present_.push_back(*old++);
    } else {
      born_.push_back(begin(tick, entity.id));
      present_.push_back(born_.back());
    }
    lives_[present_.back()].index = static_cast<std::uint32_t>(present_.size() - 1);
  }
  for (; old != before_.end(); ++old) {
    gone_.push_back(*old);
  }
  for (const LifeId life : gone_) {
    lives_[life].gone = tick;
    // Players are never killed: they leave.
    lives_[life].left = game::has_kind(lives_[life].id, game::EntityKind::Player);
    ended_.push_back(life);
  }
}

LifeId Lives::begin(Tick tick, BodyId id) {
  LifeId life = static_cast<LifeId>(lives_.size());
  if (free_.empty()) {
    lives_.emplace_back();
  } else {
    life = free_.back();
    free_.pop_back();
  }
  lives_[life] = {.id = id, .born = tick};
  return life;
}

void Lives::give_back(Tick tick) {
  const auto is_remembered = [&](LifeId life) {
    return tick - lives_[life].gone <= std::int64_t{protocol::kTicksRemembered};
  };
  const auto first = std::ranges::find_if(ended_, is_remembered);
  free_.insert(free_.end(), ended_.begin(), first);
  ended_.erase(ended_.begin(), first);
}

LifeId Lives::find(BodyId id) const {
  for (const std::vector<LifeId>* lives : {&present_, &before_}) {
    const auto found =
        std::ranges::lower_bound(*lives, id, {}, [this](LifeId life) { return lives_[life].id; });
    if (found != lives->end() && lives_[*found].id == id) return *found;
  }
  return kNoLife;
}

}  // namespace tickbox::server
