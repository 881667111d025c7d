// A message under a right tag, as anybody can make one while the key is published; and the bytes as
// a whole datagram.

#include "net/handshake.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ConstBytes input = fuzz::bytes_of(data, size);
  (void)net::decode_connect(input, net::published_key());

  constexpr std::size_t kMessageRoom = net::kConnectBytes - 1 - net::kTagBytes;
  net::PacketBuffer datagram{};
  datagram[0] = static_cast<std::byte>(net::PacketType::Connect);
  std::copy_n(input.begin(), std::min(input.size(), kMessageRoom), datagram.begin() + 1);
  const auto tag = net::tag_of(net::published_key(), ConstBytes{datagram}.first(1 + kMessageRoom));
  std::ranges::copy(tag, datagram.begin() + 1 + kMessageRoom);
  const auto read = net::decode_connect(datagram, net::published_key());
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  net::PacketBuffer again{};
  fuzz::check(net::decode_connect(net::encode_connect(*read, net::published_key(), again),
                                  net::published_key()) == *read);
  return 0;
}
