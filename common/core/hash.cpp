#define XXH_INLINE_ALL

#include "core/hash.h"

#include <new>
#include <xxhash.h>

namespace tickbox {
namespace {

static_assert(sizeof(XXH3_state_t) <= 576 && alignof(XXH3_state_t) <= 64);

XXH3_state_t* state_in(std::byte* storage) {
  return std::launder(reinterpret_cast<XXH3_state_t*>(storage));
}

}  // namespace

std::uint64_t hash_bytes(ConstBytes bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

StreamHasher::StreamHasher(std::uint64_t seed) {
  auto* state = new (state_.data()) XXH3_state_t;
  XXH3_INITSTATE(state);
  XXH3_64bits_reset_withSeed(state, seed);
}

void StreamHasher::add_bytes(ConstBytes bytes) {
  XXH3_64bits_update(state_in(state_.data()), bytes.data(), bytes.size());
}

std::uint64_t StreamHasher::digest() const {
  return XXH3_64bits_digest(reinterpret_cast<const XXH3_state_t*>(state_.data()));
}

}  // namespace tickbox
