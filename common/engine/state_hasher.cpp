#include "engine/state_hasher.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tickbox::engine {

std::uint64_t StateHasher::hash_rows(const World& world) {
  std::swap(before_, now_);
  const std::span<const std::uint32_t> active = world.active_rows();
  now_.rows.resize(active.size());
  now_.states.resize(active.size() * world.stride());
  std::uint64_t sum = world.resting_sum();
  std::size_t before = 0;
  for (std::size_t at = 0; at < active.size(); ++at) {
    sum += hash_active(world, active[at], at, before);
  }
  return sum;
}

/// Returns the hash of an active row, and keeps it as the one `at` this place. `before`: the place
/// among those of the last call from which to look for it; both lists are sorted by id.
std::uint64_t StateHasher::hash_active(const World& world, std::size_t row, std::size_t at,
                                       std::size_t& before) {
  const sim::Body& body = world.body(row);
  while (before < before_.rows.size() && before_.rows[before].id < body.id) {
    ++before;
  }
  const bool was_there = before < before_.rows.size() && before_.rows[before].id == body.id;
  const std::uint64_t hash = was_there && is_unchanged(world, row, before)
                                 ? before_.rows[before].hash
                                 : entity_hash(world, row);
  now_.rows[at] = {.id = body.id,
                   .carrier = body.carrier,
                   .min = body.min,
                   .velocity = body.velocity,
                   .info = world.infos()[row],
                   .hash = hash};
  const ConstBytes state = world.state(row);
  std::memcpy(now_.states.data() + at * world.stride(), state.data(), state.size());
  return hash;
}

bool StateHasher::is_unchanged(const World& world, std::size_t row, std::size_t before) const {
  const sim::Body& body = world.body(row);
  const RowInfo& info = world.infos()[row];
  const Row& was = before_.rows[before];
  // A kinematic body counts the ticks of its path.
  const bool is_same = body.min == was.min && body.velocity == was.velocity &&
                       body.carrier == was.carrier && body.kind != sim::Kind::Kinematic &&
                       info.kind == was.info.kind && info.parent == was.info.parent &&
                       info.is_new == was.info.is_new && info.owner == was.info.owner &&
                       info.parent == Parent::Collides;
  const ConstBytes state = world.state(row);
  const ConstBytes state_before =
      ConstBytes{before_.states}.subspan(before * world.stride(), state.size());
  return is_same && std::memcmp(state.data(), state_before.data(), state.size()) == 0;
}

}  // namespace tickbox::engine
