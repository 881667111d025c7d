#include "engine/state_hasher.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tickbox::engine {

std::uint64_t StateHasher::hash_rows(const World& world) {
  std::swap(before_, now_);
  std::swap(hashes_before_, hashes_);
  const std::size_t stride = world.stride();
  now_.rows.resize(world.size());
  now_.states.resize(world.size() * stride);
  hashes_.resize(world.size());
  // Both are sorted by id.
  std::size_t before = 0;
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < world.size(); ++row) {
    const sim::Body& body = world.body(row);
    while (before < before_.rows.size() && before_.rows[before].id < body.id) {
      ++before;
    }
    const bool was_there = before < before_.rows.size() && before_.rows[before].id == body.id;
    hashes_[row] = was_there && is_unchanged(world, row, before) ? hashes_before_[before]
                                                                 : entity_hash(world, row);
    sum += hashes_[row];
    now_.rows[row] = {.id = body.id,
                      .carrier = body.carrier,
                      .min = body.min,
                      .velocity = body.velocity,
                      .info = world.infos()[row]};
    const ConstBytes state = world.state(row);
    std::memcpy(now_.states.data() + row * stride, state.data(), state.size());
  }
  return sum;
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
