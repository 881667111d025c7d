#pragma once
// Messages in which every field has a value of its own, so that a test fails if two fields are
// swapped.

#include "core/assert.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
#include "tests/support/virtual_time.h"
#include "tests/unit/protocol/fault.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tickbox::samples {

inline std::vector<std::byte> copy_of(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Hands `look` each copy of `bytes` that has one bit flipped, and the number of that bit.
template <class Bytes, class Look>
void with_each_bit_flipped(Bytes bytes, Look&& look) {
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto mask = static_cast<std::byte>(1U << (bit % 8));
    bytes[bit / 8] ^= mask;
    look(bytes, bit);
    bytes[bit / 8] ^= mask;
  }
}

/// Bytes counting up from `first`.
template <class Bytes>
Bytes counting(std::uint8_t first) {
  Bytes bytes{};
  std::ranges::generate(bytes, [&first] { return std::byte{first++}; });
  return bytes;
}

inline net::HandshakeNonce nonce(std::uint8_t first) {
  return counting<net::HandshakeNonce>(first);
}

/// A pair whose secret is bytes counting up from `first`.
inline net::HandshakePair pair(std::uint8_t first) {
  return net::handshake_pair(counting<net::SecretKey>(first));
}

/// The ciphers of this processor.
inline std::vector<net::Cipher> ciphers() {
  TICKBOX_ASSERT(net::crypto_ready());
  const net::Cipher best = net::best_cipher();
  if (best == net::Cipher::ChaCha20Poly1305) return {best};
  return {net::Cipher::ChaCha20Poly1305, best};
}

/// As a token or a ticket names them.
inline net::KeyPair handed_keys() {
  return {.to_server = counting<net::SecretKey>(11), .to_client = counting<net::SecretKey>(151)};
}

inline net::KeyPair session_keys(std::uint8_t first) {
  const net::HandshakePair client = pair(first);
  const net::HandshakePair server = pair(100);
  return net::derive_session_keys(handed_keys(), client.nonce, server.nonce,
                                  net::agree(client, server.nonce).value());
}

inline WallTime at_second(std::int64_t second) {
  return WallTime{std::chrono::seconds{second}};
}

inline net::Address address(std::uint8_t last, std::uint16_t port) {
  net::Address address{.ip = {}, .port = port};
  address.ip[10] = address.ip[11] = 0xff;
  address.ip[12] = 10;
  address.ip[15] = last;
  return address;
}

/// Two servers, four user bytes.
inline net::TokenClaims claims() {
  net::TokenClaims claims{.client = 0x6162636465666768, .room = 69, .servers = {}, .user = {}};
  claims.servers.push_back(address(1, 7'001));
  claims.servers.push_back(address(2, 7'002));
  for (std::uint8_t byte = 71; byte < 75; ++byte)
    claims.user.push_back(std::byte{byte});
  return claims;
}

inline constexpr std::int64_t kIssuedSecond = 1'700'000'000;
inline constexpr std::int64_t kExpiresSecond = 1'700'000'045;

/// A ring with one key, the same for the same seed.
inline net::KeyRing ring(std::uint64_t seed = 1) {
  tests::SeededEntropy entropy{seed};
  return net::KeyRing::fresh(entropy);
}

inline net::ConnectToken token(const net::KeyRing& ring,
                               const net::TokenClaims& claims = samples::claims()) {
  tests::SeededEntropy entropy{2};
  return net::issue_token(claims, at_second(kIssuedSecond), at_second(kExpiresSecond), ring,
                          entropy);
}

inline constexpr std::uint64_t kBoot = 0x8182838485868788;

inline net::Ticket ticket() {
  return {.seat = {21},
          .generation = 0x2b2c2d,
          .serial = 91,
          .room = 92,
          .client = 0x9394959697989900,
          .keys = handed_keys()};
}

inline net::SecretKey ticket_key() {
  return counting<net::SecretKey>(201);
}

inline net::ResumeTicket resume_ticket() {
  tests::SeededEntropy entropy{3};
  return {.sealed = net::seal_ticket(ticket(), kBoot, ticket_key(), entropy),
          .keys = handed_keys()};
}

inline net::ConnectRequest request(net::PacketType type) {
  return {.type = type, .protocol = 11, .schema = 0x1213141516171819, .client_nonce = nonce(1)};
}

/// Bytes counting up, as many as are wanted.
inline std::vector<std::byte> counted(std::size_t size, std::uint8_t first = 9) {
  std::vector<std::byte> bytes(size);
  std::ranges::generate(bytes, [&first] { return std::byte{first++}; });
  return bytes;
}

inline net::Accept accept() {
  return {.player = {21},
          .generation = 0x2b2c2d,
          .tick_rate = 60,
          .tick = {2'300'000},
          .game = "arena",
          .game_version = 29,
          .game_hash = 0x3132333435363738,
          .map_seats = 1'000,
          .map_hash = 0x2425262728292a2b,
          .shared_seed = 0x4142434445464748,
          .boot = kBoot,
          .room = 33,
          .ticket = counting<net::SealedTicket>(34)};
}

inline net::Refuse refuse() {
  return {.client_nonce = nonce(1), .reason = net::RefuseReason::Full, .have = 64, .limit = 65};
}

/// The room's tick when input_message() arrives.
inline constexpr Tick kInputArrival{69'800};

/// With `bytes` bytes of inputs.
inline protocol::InputMessage input_message(std::size_t bytes) {
  return {.view = protocol::ViewAck{.tick = {69'636}, .receipt = 0x3132},
          .mismatches = 42,
          .events = 61'000,
          .first_tick = {69'836},
          .inputs = counted(bytes)};
}

/// On a base that is 55 ticks older.
inline protocol::SnapshotHead head() {
  return {.report = {.tick = 5'200,
                     .input_tick = 5'300,
                     .margin = -60,
                     .substituted = 58,
                     .newest_packet = 59},
          .view_hash = 0x51525354,
          .base_age = 55};
}

inline constexpr std::size_t kEventBytes = 15;

/// With a status, events, an answer to commands, and `bytes` bytes of content.
inline protocol::Snapshot snapshot(std::size_t bytes) {
  return {.head = head(),
          .receipt = 0x6162,
          .content = counted(bytes, 101),
          .status = {{.newest_packet = 5'400, .packets_received = 5'500, .late = 5'600}},
          .events = counted(kEventBytes, 7),
          .commands = 0x5758};
}

/// Bytes with which snapshot() takes all that a datagram has for content and events.
inline constexpr std::size_t kContentOfFullSnapshot =
    net::kDatagramBytesMax - protocol::kSnapshotFrameBytes - kEventBytes;

/// The first of two, full.
inline protocol::ViewPart view_part() {
  protocol::ViewPart part = protocol::part_of(
      {.tick = {6'000}, .server_hash = 0x61626364, .client_hash = 0x65666768, .base_age = 55},
      counted(protocol::kViewPartBytes + 1), 0);
  part.arrived = 2;
  return part;
}

struct SealedKind {
  net::PacketType type;
  net::Direction direction;
};

/// Every type that travels sealed, with each direction in which it does.
inline constexpr SealedKind kSealedKinds[] = {
    {net::PacketType::Input, net::Direction::ToServer},
    {net::PacketType::Snapshot, net::Direction::ToClient},
    {net::PacketType::Disconnect, net::Direction::ToServer},
    {net::PacketType::Disconnect, net::Direction::ToClient},
    {net::PacketType::Challenge, net::Direction::ToClient},
    {net::PacketType::Response, net::Direction::ToServer},
    {net::PacketType::Drain, net::Direction::ToClient},
    {net::PacketType::DesyncReport, net::Direction::ToServer},
    {net::PacketType::DesyncState, net::Direction::ToClient}};

inline net::Direction opposite(net::Direction direction) {
  return direction == net::Direction::ToServer ? net::Direction::ToClient
                                               : net::Direction::ToServer;
}

/// A message as one of this type carries, as long as it can be.
inline std::vector<std::byte> message_of(net::PacketType type) {
  protocol::MessageBuffer message_buffer;
  if (type == net::PacketType::Input)
    return copy_of(protocol::encode_input(input_message(protocol::kInputBytesMax), message_buffer));
  if (type == net::PacketType::Snapshot)
    return copy_of(protocol::encode_snapshot(snapshot(kContentOfFullSnapshot), message_buffer));
  if (type == net::PacketType::DesyncReport || type == net::PacketType::DesyncState)
    return copy_of(protocol::encode_view_part(view_part(), message_buffer));
  if (type == net::PacketType::Disconnect)
    return copy_of(protocol::encode_disconnect(net::DisconnectReason::Kicked, message_buffer));
  if (type == net::PacketType::Drain)
    return copy_of(
        protocol::encode_drain({.left = std::chrono::milliseconds{30'000}}, message_buffer));
  return copy_of(protocol::encode_path_check(0x7172737475767778, message_buffer));
}

}  // namespace tickbox::samples
