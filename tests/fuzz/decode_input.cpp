// The message of a client whose packet has opened.

#include "protocol/messages.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_input)(const std::uint8_t* data, std::size_t size) {
  const auto read = protocol::decode_input(fuzz::bytes_of(data, size));
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  protocol::MessageEncoder encoder;
  const auto again = protocol::decode_input(encoder.input(*read));
  fuzz::check(again && again->ack_bits == read->ack_bits &&
              again->newest_snapshot == read->newest_snapshot &&
              again->mismatches == read->mismatches && again->first_tick == read->first_tick &&
              std::ranges::equal(again->inputs, read->inputs));
  return 0;
}
