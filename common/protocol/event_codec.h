#pragma once
// Events as bytes. One record can hold the events of one shot: a hit, the shooter's score and the
// victim's spawn. It has their player and time only once.
//
//   number u16 of the first event, the others are consecutive; then records to the end, each of
//   one to three events:
//   ago << 3 | form u8; ago 31: one byte more, ago − 31
//   subject, what: numbers (numbers.h), as form says:
//     0, 1, 2  an event of that kind
//     3        a hit, and its subject's score: one number more
//     4        the same, and the spawn of the player that was hit: two numbers more

#include "core/bytes.h"
#include "net/drop_reason.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <expected>
#include <vector>

namespace tickbox::protocol {

/// Returns the most bytes of `events` events.
[[nodiscard]] constexpr std::size_t event_bytes_max(std::size_t events) {
  return events == 0 ? 0 : 2 + events * (2 + 3 + 3);
}

/// Returns the encoded size of `events`; 0 for none.
[[nodiscard]] std::size_t encoded_bytes(const Events& events);

/// Encodes `events` into `out` and replaces its content; empty for no events. Requires:
/// consecutive numbers.
/// Cost: no allocation once `out` is warm.
void encode_events(const Events& events, std::vector<std::byte>& out);

/// Decodes events. Fails: Malformed, for no events, for too many, and for any bytes other than
/// encode_events() writes of them. Events that fit one record must share it.
[[nodiscard]] std::expected<Events, net::DropReason> decode_events(ConstBytes bytes);

}  // namespace tickbox::protocol
