// A sealed packet's message to who audits.

#include "protocol/messages.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_audit)(const std::uint8_t* data, std::size_t size) {
  const auto read = protocol::decode_audit(fuzz::bytes_of(data, size));
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  static protocol::MessageEncoder encoder;
  const ConstBytes bytes{read->bytes.data(), read->bytes.size()};
  const auto again = protocol::decode_audit(encoder.audit(read->head, bytes, read->status));
  fuzz::check(again && again->head == read->head && again->status == read->status &&
              std::ranges::equal(again->bytes, read->bytes));
  return 0;
}
