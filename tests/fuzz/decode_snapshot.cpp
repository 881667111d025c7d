// The message of a server whose packet has opened.

#include "protocol/cause_codec.h"
#include "protocol/messages.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/same_snapshot.h"

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_snapshot)(const std::uint8_t* data, std::size_t size) {
  const auto read = protocol::decode_snapshot(fuzz::bytes_of(data, size));
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  // Parts may lie over each other; what says more than a datagram holds is read, and not written.
  std::size_t content = protocol::encoded_bytes(read->causes);
  for (const game::EntityState& body : read->bodies)
    content += protocol::encoded_bytes(body);
  if (content + protocol::kSnapshotFrameBytes > net::kDatagramBytesMax) return 0;
  static protocol::MessageEncoder encoder;
  const auto again = protocol::decode_snapshot(encoder.snapshot(*read));
  fuzz::check(again && tests::same(*again, *read));
  return 0;
}
