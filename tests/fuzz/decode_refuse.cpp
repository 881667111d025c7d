// How a server says no: the bytes as a whole datagram, and behind the right type, at the right
// length.

#include "net/handshake.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

namespace {

void read(ConstBytes datagram) {
  const auto refuse = net::decode_refuse(datagram);
  if (!refuse) return;
  net::PacketBuffer out{};
  fuzz::check(std::ranges::equal(net::encode_refuse(*refuse, out), datagram));
  fuzz::check(net::name_of(refuse->reason) != "unknown");
  const std::string words = net::describe(*refuse);
  fuzz::check(words != "refused" && !words.contains('\n'));
}

}  // namespace

TICKBOX_FUZZ_TARGET(decode_refuse)(const std::uint8_t* data, std::size_t size) {
  const ConstBytes input = fuzz::bytes_of(data, size);
  read(input);
  std::array<std::byte, net::kRefuseBytes> datagram{};
  datagram[0] = static_cast<std::byte>(net::PacketType::Refuse);
  std::copy_n(input.begin(), std::min(input.size(), datagram.size() - 1), datagram.begin() + 1);
  read(datagram);
  return 0;
}
