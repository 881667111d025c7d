// The datagrams of a handshake: what a stranger sends, and what a server answers.

#include "net/handshake.h"

#include "tests/fuzz/best_cipher.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <array>
#include <expected>
#include <string>

using namespace tickbox;

namespace {

/// Whether something was read; all else must have another length or type.
template <class Message>
bool is_read(const std::expected<Message, net::DropReason>& read) {
  fuzz::check(read || read.error() == net::DropReason::TooShort ||
              read.error() == net::DropReason::TooLong ||
              read.error() == net::DropReason::UnknownType);
  return read.has_value();
}

/// A datagram of this type with the input behind it, cut or padded to the right length.
template <std::size_t size>
std::array<std::byte, size> datagram_of(net::PacketType type, ConstBytes input) {
  std::array<std::byte, size> datagram{};
  datagram[0] = static_cast<std::byte>(type);
  std::ranges::copy(fuzz::padded<size - 1>(input), datagram.begin() + 1);
  return datagram;
}

// Encodes a request of any of the three types; they begin alike.
ConstBytes encode(const net::ConnectRequest& request, net::PacketBuffer& out) {
  if (request.type == net::PacketType::Hello) return net::encode_hello(request, out);
  if (request.type == net::PacketType::Resume) return net::encode_resume(request, {}, out);
  return net::encode_connect(request, {}, {}, out);
}

void read_request(ConstBytes datagram) {
  const auto request = net::decode_request(datagram);
  if (!is_read(request)) return;
  net::PacketBuffer out{};
  const ConstBytes again = encode(*request, out);
  fuzz::check(again.size() == datagram.size() && net::decode_request(again) == *request);
  if (request->type == net::PacketType::Connect) {
    fuzz::check(std::ranges::equal(net::cookie_of(datagram), datagram.subspan(45, 12)));
    fuzz::check(std::ranges::equal(net::sealed_token_of(datagram), datagram.subspan(57, 411)));
  }
  if (request->type == net::PacketType::Resume) {
    fuzz::check(std::ranges::equal(net::sealed_ticket_of(datagram), datagram.subspan(45, 135)));
    fuzz::check(std::ranges::equal(net::cookie_of(datagram), datagram.subspan(180, 12)));
  }
  if (net::is_proven(datagram, net::published_key())) {
    net::PacketBuffer altered{};
    std::ranges::copy(datagram, altered.begin());
    altered[altered.size() / 2] ^= std::byte{1};
    fuzz::check(!net::is_proven(altered, net::published_key()));
  }
}

// What a stranger sends first: the bytes as a whole datagram, and with zeros up to the length that
// a request must have.
TICKBOX_FUZZ_TARGET(decode_request)(ConstBytes input) {
  read_request(input);
  read_request(fuzz::padded<net::kDatagramBytesMax>(input));
}

bool reads_cookie(ConstBytes datagram) {
  const auto answer = net::decode_cookie(datagram);
  if (!is_read(answer)) return false;
  net::PacketBuffer out{};
  fuzz::check(
      std::ranges::equal(net::encode_cookie(answer->client_nonce, answer->cookie, out), datagram));
  return true;
}

// The answer to a HELLO: the bytes as a whole datagram, and behind the right type, at the right
// length.
TICKBOX_FUZZ_TARGET(decode_cookie)(ConstBytes input) {
  (void)reads_cookie(input);
  fuzz::check(reads_cookie(datagram_of<net::kCookieDatagramBytes>(net::PacketType::Cookie, input)));
}

void read_refuse(ConstBytes datagram) {
  const auto refuse = net::decode_refuse(datagram);
  if (!refuse) return;
  net::PacketBuffer out{};
  fuzz::check(
      std::ranges::equal(net::encode_refuse(*refuse, out), datagram.first(net::kRefuseBytes)));
  if (net::has_proof(datagram)) (void)net::is_refused_by_server(datagram, net::published_key());
  fuzz::check(net::name_of(refuse->reason) != "unknown");
  const std::string words = net::describe(*refuse);
  fuzz::check(words != "refused" && !words.contains('\n'));
}

// How a server says no: the bytes as a whole datagram, and behind the right type, at the right
// length.
TICKBOX_FUZZ_TARGET(decode_refuse)(ConstBytes input) {
  read_refuse(input);
  read_refuse(datagram_of<net::kRefuseBytes>(net::PacketType::Refuse, input));
  read_refuse(datagram_of<net::kProvenRefuseBytes>(net::PacketType::Refuse, input));
}

net::KeyPair handed_keys() {
  return {.to_server = net::published_key(), .to_client = net::published_key()};
}

// A message sealed as a server seals its ACCEPT.
void read_sealed_accept(ConstBytes message, const net::HandshakePair& client, net::Cipher cipher) {
  static const net::HandshakePair kServer =
      net::handshake_pair(net::derive_next_key(net::published_key()));
  static const net::KeyPair kSession = net::derive_session_keys(
      handed_keys(), client.nonce, kServer.nonce, net::agree(client, kServer.nonce).value());
  constexpr std::size_t kHeadBytes = 1 + 4 + net::kNonceBytes;
  const std::size_t message_size =
      std::min(message.size(), net::kAcceptBytesMax - kHeadBytes - net::kTagBytes);
  net::PacketBuffer buffer{};
  const MutableBytes datagram =
      MutableBytes{buffer}.first(kHeadBytes + message_size + net::kTagBytes);
  datagram[0] = static_cast<std::byte>(static_cast<unsigned>(net::PacketType::Accept) |
                                       static_cast<unsigned>(cipher) << net::kTypeBits);
  std::ranges::copy(kServer.nonce, datagram.subspan(kHeadBytes - net::kNonceBytes).begin());
  net::seal(cipher, kSession.to_client, 0, datagram.first(kHeadBytes), message.first(message_size),
            datagram.subspan(kHeadBytes));
  const auto read = net::decode_accept(datagram, handed_keys(), client, cipher);
  if (!read) {
    fuzz::check(read.error() == net::DropReason::Malformed);
    return;
  }
  fuzz::check(read->keys == kSession && read->cipher == cipher);
  net::PacketBuffer out{};
  const ConstBytes again =
      net::encode_accept(read->accept, 0, kServer.nonce, kSession, out, cipher);
  const auto same = net::decode_accept(again, handed_keys(), client, cipher);
  fuzz::check(same && same->accept == read->accept);
}

// The bytes as a whole datagram, and as the message of an ACCEPT.
TICKBOX_FUZZ_TARGET(decode_accept)(ConstBytes input) {
  static const net::HandshakePair kClient = net::handshake_pair(net::published_key());
  (void)net::decode_accept(input, handed_keys(), kClient, fuzz::best_cipher());
  read_sealed_accept(input, kClient, net::Cipher::ChaCha20Poly1305);
  read_sealed_accept(input, kClient, fuzz::best_cipher());
}

}  // namespace
