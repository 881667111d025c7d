// The goodbye of a peer whose packet has opened.

#include "protocol/messages.h"
#include "tests/fuzz/fuzz_target.h"

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_disconnect)(const std::uint8_t* data, std::size_t size) {
  const auto read = protocol::decode_disconnect(fuzz::bytes_of(data, size));
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  protocol::MessageEncoder encoder;
  fuzz::check(protocol::decode_disconnect(encoder.disconnect(*read)) == *read);
  return 0;
}
