#include "server/host/fleet/player_list.h"

#include "core/assert.h"

#include <utility>

namespace tickbox::server {

void PlayerList::set(std::set<std::string> values) {
  values_ = std::move(values);
  changes_.clear();
}

const ListChange* PlayerList::next(std::span<const std::uint64_t> players) {
  if (changes_.empty()) {
    std::set<std::string> wanted;
    for (const std::uint64_t client : players) {
      wanted.insert(std::to_string(client));
    }
    for (const std::string& value : values_) {
      if (!wanted.contains(value)) changes_.push_back({ListChange::Kind::Remove, value});
    }
    for (const std::string& value : wanted) {
      if (!values_.contains(value)) changes_.push_back({ListChange::Kind::Add, value});
    }
    if (changes_.size() > kChangesMost) changes_.resize(kChangesMost);
  }
  return changes_.empty() ? nullptr : &changes_.front();
}

bool PlayerList::apply_next() {
  TICKBOX_ASSERT(!changes_.empty());
  const ListChange& change = changes_.front();
  if (change.kind == ListChange::Kind::Add) {
    values_.insert(change.value);
  } else {
    values_.erase(change.value);
  }
  changes_.pop_front();
  return changes_.empty();
}

}  // namespace tickbox::server
