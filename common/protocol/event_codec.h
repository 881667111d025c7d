#pragma once
// Events as bytes. What one shot brings about, a hit, the shooter's score and the victim's
// appearance elsewhere, says who and when only once.
//
//   number u16 of the first, the others follow one by one; then to the end, of one to three each
//   ago << 3 | form u8; ago 31: one byte more, ago − 31
//   subject, what: numbers (numbers.h), as form says:
//     0, 1, 2  an event of that kind
//     3        a hit, and its subject's score: one number more
//     4        the same, and the spawn of whom it hit: two numbers more

#include "core/bytes.h"
#include "net/drop_reason.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <expected>
#include <vector>

namespace tickbox::protocol {

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
/// they say: what can be told in one is not told in two.
[[nodiscard]] std::expected<Events, net::DropReason> decode_events(ConstBytes bytes);

}  // namespace tickbox::protocol
