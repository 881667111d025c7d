// A message under a right tag, as anybody can make one while the key is published; and the bytes as
// a whole datagram.

#include "net/handshake.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ConstBytes input = fuzz::bytes_of(data, size);
  (void)net::decode_refuse(input, net::published_key());

  const std::size_t message_size =
      std::min(input.size(), net::kRefuseBytesMax - 1 - net::kTagBytes);
  net::PacketBuffer buffer{};
  const MutableBytes datagram = MutableBytes{buffer}.first(1 + message_size + net::kTagBytes);
  datagram[0] = static_cast<std::byte>(net::PacketType::Refuse);
  std::copy_n(input.begin(), message_size, datagram.begin() + 1);
  const auto tag = net::tag_of(net::published_key(), datagram.first(1 + message_size));
  std::ranges::copy(tag, datagram.last(net::kTagBytes).begin());
  const auto read = net::decode_refuse(datagram, net::published_key());
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  fuzz::check(!net::describe(*read).empty());
  net::PacketBuffer again{};
  fuzz::check(net::decode_refuse(net::encode_refuse(*read, net::published_key(), again),
                                 net::published_key()) == *read);
  return 0;
}
