#pragma once
// Events as bytes.
//
//   number u16 of the first, the others follow one by one; then to the end, each
//   ago << 2 | kind u8; ago 63: one byte more, ago − 63
//   subject, what: numbers (numbers.h)

#include "core/bytes.h"
#include "net/drop_reason.h"
#include "net/snapshot.h"

#include <cstddef>
#include <expected>
#include <vector>

namespace tickbox::net {

/// What so many events take at most.
[[nodiscard]] constexpr std::size_t event_bytes_max(std::size_t events) {
  return events == 0 ? 0 : 2 + events * (2 + 3 + 3);
}

/// What `events` take; 0 for none.
[[nodiscard]] std::size_t encoded_bytes(const Events& events);

/// Replaces `out`; nothing for no events.  Requires: numbered one after the other.
/// Cost: no allocation once `out` is warm.
void encode_events(const Events& events, std::vector<std::byte>& out);

/// Fails: Malformed, for none and for too many, and for any other bytes than are written of what
/// they say.
[[nodiscard]] std::expected<Events, DropReason> decode_events(ConstBytes bytes);

}  // namespace tickbox::net
