// A file of keys, as its owner may have edited it.

#include "net/key_ring.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <set>
#include <string>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(parse_key_ring)(const std::uint8_t* data, std::size_t size) {
  const auto ring = net::KeyRing::parse({reinterpret_cast<const char*>(data), size});
  if (!ring) {
    fuzz::check(!ring.error().empty() && !ring.error().contains('\n'));
    return 0;
  }
  fuzz::check(!ring->keys().empty() && ring->keys().size() <= net::kRingKeysMax);
  std::set<std::uint32_t> ids;
  for (const net::RingKey& key : ring->keys()) {
    fuzz::check(key.id != net::kPublishedKeyId && ids.insert(key.id).second);
    fuzz::check(ring->find(key.id) != nullptr && *ring->find(key.id) == key.key);
  }
  const auto again = net::KeyRing::parse(ring->text());
  fuzz::check(again && again->text() == ring->text());
  return 0;
}
