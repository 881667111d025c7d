// A part of a wrong view, from a client or from a server whose packet has opened; and what becomes
// of it where it is put beside others.

#include "protocol/messages.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_view_part)(const std::uint8_t* data, std::size_t size) {
  const auto read = protocol::decode_view_part(fuzz::bytes_of(data, size));
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  protocol::MessageEncoder encoder;
  const auto again = protocol::decode_view_part(encoder.view_part(*read));
  fuzz::check(again && again->view == read->view && again->part == read->part &&
              again->parts == read->parts && again->arrived == read->arrived &&
              std::ranges::equal(again->bodies, read->bodies));
  if (read->parts == 0) return 0;
  protocol::ViewParts parts;
  fuzz::check(parts.take(*read) && parts.take(*read));
  fuzz::check(parts.is_whole() == (read->parts == 1));
  if (parts.is_whole()) fuzz::check(std::ranges::equal(parts.members(), read->bodies));
  return 0;
}
