#include "tests/integration/flood/datagrams.h"

#include "net/connect_token.h"
#include "net/handshake.h"
#include "os/process/steady_clock.h"
#include "protocol/messages.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tickbox::flood {
namespace {

/// The places of the requests in real_datagrams(). The sealed packets come after them.
enum class Real : std::uint8_t { Hello, Connect, Resume };

/// The types of sealed packets that a client sends.
constexpr std::array kSealedTypes = {net::PacketType::Input, net::PacketType::Disconnect,
                                     net::PacketType::Response, net::PacketType::DesyncReport};

/// One input of any game with at most five values, each as it is by default.
constexpr std::byte kOneInput{1};

/// Where a request has its nonce, and a sealed packet its connection id: schema/README.md.
constexpr std::size_t kNonceAt = 13;
constexpr std::size_t kConnectionAt = 1;
constexpr std::size_t kTicketAt = 45;

/// The connection ids of invented packets. A server draws its ids, so it has one of these only by
/// chance.
constexpr std::uint32_t kFirstConnection = 8'192;
constexpr std::uint64_t kConnections = 64;

/// Bits changed in a mutated datagram, at most.
constexpr std::uint64_t kFlipsMax = 4;

std::vector<std::byte> copy_of(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

net::ConnectToken make_token(const net::Address& server, Entropy& entropy) {
  net::TokenClaims claims{.client = 1};
  claims.servers.push_back(server);
  const WallTime today = os::SystemCalendar{}.now();
  return net::issue_token(claims, today, today + std::chrono::minutes{10},
                          net::KeyRing::published(), entropy);
}

/// Returns a message of this type, one of kSealedTypes.
ConstBytes message_of(net::PacketType type, protocol::MessageBuffer& buffer) {
  switch (type) {
    case net::PacketType::Disconnect:
      return protocol::encode_disconnect(net::DisconnectReason::ClientLeft, buffer);
    case net::PacketType::Response:
      return protocol::encode_path_check(1, buffer);
    case net::PacketType::DesyncReport:
      return protocol::encode_view_part(
          {.view = {.tick = {1}, .server_hash = 1, .client_hash = 2}, .bytes = {}}, buffer);
    default:
      return protocol::encode_input({.first_tick = {1}, .inputs = {kOneInput}}, buffer);
  }
}

}  // namespace

std::string_view name_of(Kind kind) {
  constexpr std::array<std::string_view, kKinds.size()> kNames = {"malformed", "hello", "connect",
                                                                  "resume", "packets"};
  return kNames.at(std::to_underlying(kind));
}

std::vector<std::vector<std::byte>> real_datagrams(const net::Address& server,
                                                   const net::ResumeTicket& ticket,
                                                   Entropy& entropy) {
  net::PacketBuffer out{};
  const auto request = [&](net::PacketType type) {
    return net::make_request(type, net::draw<net::HandshakeNonce>(entropy));
  };
  net::PacketChannel channel{{.to_server = net::draw<net::SecretKey>(entropy),
                              .to_client = net::draw<net::SecretKey>(entropy)},
                             kFirstConnection,
                             net::Direction::ToServer};
  protocol::MessageBuffer message_buffer;
  std::vector<std::vector<std::byte>> all;
  all.push_back(copy_of(net::encode_hello(request(net::PacketType::Hello), out)));
  all.push_back(copy_of(net::encode_connect(request(net::PacketType::Connect),
                                            net::draw<net::CookieBytes>(entropy),
                                            make_token(server, entropy), out)));
  all.push_back(copy_of(net::encode_resume(request(net::PacketType::Resume), ticket, out)));
  for (const net::PacketType type : kSealedTypes) {
    all.push_back(copy_of(channel.seal_packet(type, message_of(type, message_buffer), out)));
  }
  return all;
}

DatagramMaker::DatagramMaker(const MakerOptions& options, Entropy& entropy)
    : kind_(options.kind),
      rng_(options.seed),
      real_(real_datagrams(options.server, options.ticket, entropy)) {}

ConstBytes DatagramMaker::next() {
  const auto asking = [&](Real which) {
    std::vector<std::byte>& datagram = real_[std::to_underlying(which)];
    store_le<std::uint64_t>(MutableBytes{datagram}.subspan(kNonceAt), rng_.next());
    return MutableBytes{datagram};
  };
  switch (kind_) {
    case Kind::Malformed:
      return rng_.chance(1, 2) ? random(rng_.below(kMadeBytesMax + 1)) : mutated();
    case Kind::Hello:
      return asking(Real::Hello);
    case Kind::Connect:
      return asking(Real::Connect);
    case Kind::Resume: {
      const MutableBytes resume = asking(Real::Resume);
      store_le<std::uint64_t>(resume.subspan(kTicketAt + net::kTicketHeadBytes), rng_.next());
      return resume;
    }
    case Kind::Packets:
      break;
  }
  return packet();
}

ConstBytes DatagramMaker::random(std::size_t size) {
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t eight = rng_.next();
    std::memcpy(&made_[at], &eight, std::min(sizeof eight, size - at));
  }
  return ConstBytes{made_}.first(size);
}

ConstBytes DatagramMaker::mutated() {
  const std::vector<std::byte>& real = real_[rng_.below(real_.size())];
  std::ranges::copy(real, made_.begin());
  for (std::uint64_t flips = 1 + rng_.below(kFlipsMax); flips > 0; --flips) {
    const std::uint64_t bit = rng_.below(8 * real.size());
    made_[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
  constexpr std::uint64_t kCutOneIn = 4;
  const std::size_t size = rng_.chance(1, kCutOneIn) ? rng_.below(real.size()) : real.size();
  return ConstBytes{made_}.first(size);
}

ConstBytes DatagramMaker::packet() {
  constexpr std::size_t kLikeInputs = 100;
  static_cast<void>(random(kLikeInputs));
  made_[0] = static_cast<std::byte>(kSealedTypes.at(rng_.below(kSealedTypes.size())));
  const auto guess = static_cast<std::uint32_t>(rng_.below(kConnections));
  store_le<std::uint32_t>(MutableBytes{made_}.subspan(kConnectionAt), kFirstConnection + guess);
  return ConstBytes{made_}.first(kLikeInputs);
}

}  // namespace tickbox::flood
