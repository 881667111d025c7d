// A message sealed as a server seals its ACCEPT; and the bytes as a whole datagram.

#include "net/handshake.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

TICKBOX_FUZZ_TARGET(decode_accept)(const std::uint8_t* data, std::size_t size) {
  const ConstBytes input = fuzz::bytes_of(data, size);
  static const net::KeyPair kKeys{.to_server = net::published_key(),
                                  .to_client = net::published_key()};
  const net::HandshakeNonce client_nonce{};
  const net::HandshakeNonce server_nonce{};
  static const net::KeyPair kSession = net::derive_session_keys(kKeys, client_nonce, server_nonce);
  (void)net::decode_accept(input, kKeys, client_nonce);

  constexpr std::size_t kHeadBytes = 1 + 4 + net::kNonceBytes;
  const std::size_t message_size =
      std::min(input.size(), net::kAcceptBytesMax - kHeadBytes - net::kTagBytes);
  net::PacketBuffer buffer{};
  const MutableBytes datagram =
      MutableBytes{buffer}.first(kHeadBytes + message_size + net::kTagBytes);
  datagram[0] = static_cast<std::byte>(net::PacketType::Accept);
  net::seal(kSession.to_client, 0, datagram.first(kHeadBytes), input.first(message_size),
            datagram.subspan(kHeadBytes));
  const auto read = net::decode_accept(datagram, kKeys, client_nonce);
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return 0;
  }
  fuzz::check(read->keys == kSession);
  net::PacketBuffer out{};
  const ConstBytes again = net::encode_accept(read->accept, 0, server_nonce, kSession, out);
  const auto same = net::decode_accept(again, kKeys, client_nonce);
  fuzz::check(same && same->accept == read->accept);
  return 0;
}
