// The events of a snapshot. What is read says nothing in two ways: written again it is the same
// bytes.

#include "protocol/event_codec.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <vector>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_events)(const std::uint8_t* data, std::size_t size) {
  const ConstBytes bytes = fuzz::bytes_of(data, size);
  const auto read = protocol::decode_events(bytes);
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  static std::vector<std::byte> again;
  protocol::encode_events(*read, again);
  fuzz::check(std::ranges::equal(again, bytes));
  fuzz::check(protocol::encoded_bytes(*read) == bytes.size());
  return 0;
}
