// The causes of a snapshot, after the age of its base in one byte. What is read says nothing in two
// ways: written again it is the same bytes.

#include "protocol/cause_codec.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_causes)(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ConstBytes bytes = fuzz::bytes_of(data + 1, size - 1);
  const auto read = protocol::decode_causes(bytes, data[0]);
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  // What no base is old enough for does not fit its bits either.
  if (data[0] > protocol::kBaseAgeMax) return 0;
  static protocol::CauseBytes buffer;
  const ConstBytes again = protocol::encode_causes(*read, buffer);
  fuzz::check(std::ranges::equal(again, bytes));
  fuzz::check(protocol::encoded_bytes(*read) == bytes.size());
  return 0;
}
