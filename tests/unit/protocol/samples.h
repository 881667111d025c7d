#pragma once
// Messages in which every field has a value of its own, so that a test fails if two of them
// are swapped.

#include "game/entity_state.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "protocol/audit_codec.h"
#include "protocol/messages.h"
#include "protocol/snapshot_codec.h"
#include "protocol/view_parts.h"
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
  return net::handshake_pair(counting<net::Key>(first));
}

/// As a token or a ticket names them.
inline net::KeyPair handed_keys() {
  return {.to_server = counting<net::Key>(11), .to_client = counting<net::Key>(151)};
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

/// Every right, two servers, four user bytes.
inline net::TokenClaims claims() {
  net::TokenClaims claims{.client = 0x6162636465666768,
                          .room = 69,
                          .rights = net::kRightsKnown,
                          .servers = {},
                          .user = {}};
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
          .body = game::player_body({21}, 3),
          .serial = 91,
          .room = 92,
          .client = 0x9394959697989900,
          .keys = handed_keys()};
}

inline net::Key ticket_key() {
  return counting<net::Key>(201);
}

inline net::ResumeTicket resume_ticket() {
  tests::SeededEntropy entropy{3};
  return {.sealed = net::seal_ticket(ticket(), kBoot, ticket_key(), entropy),
          .keys = handed_keys()};
}

inline net::ConnectRequest request(net::PacketType type) {
  return {.type = type, .protocol = 11, .schema = 0x1213141516171819, .client_nonce = nonce(1)};
}

inline game::EntityState entity(std::uint16_t number) {
  const auto n = static_cast<std::int32_t>(number);
  return {.id = game::player_body({number}, 7),
          .min = {.x = 1'000 + n, .y = -2'000 - n},
          .velocity = {.x = -30 - n, .y = 40 + n},
          .traits = {.kind = game::EntityKind::Player,
                     .move = static_cast<std::uint8_t>(1 + number % 8),
                     .timer = static_cast<std::uint8_t>(60 + number)}};
}

inline std::vector<game::EntityState> entities(std::size_t count) {
  std::vector<game::EntityState> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    all.push_back(entity(static_cast<std::uint16_t>(i)));
  return all;
}

inline net::Accept accept() {
  return {.player = {21},
          .body = game::player_body({21}, 3),
          .tick_rate = 60,
          .tick = {2'300'000},
          .rules = "arena",
          .map_seats = 1'000,
          .map_hash = 0x2425262728292a2b,
          .boot = kBoot,
          .room = 33,
          .ticket = counting<net::SealedTicket>(34)};
}

inline net::Refuse refuse() {
  return {.client_nonce = nonce(1), .reason = net::RefuseReason::Full, .have = 64, .limit = 65};
}

/// The room's tick when input_message() arrives.
inline constexpr Tick kInputArrival{69'800};

inline protocol::InputMessage input_message(std::size_t inputs) {
  protocol::InputMessage message{.view = protocol::ViewAck{.tick = {69'636}, .receipt = 0x3132},
                                 .mismatches = 42,
                                 .events = 61'000,
                                 .first_tick = {69'836},
                                 .inputs = {}};
  for (std::size_t i = 0; i < inputs; ++i) {
    message.inputs.push_back({.move = static_cast<std::uint8_t>(i % 9),
                              .buttons = static_cast<std::uint8_t>(i % 2),
                              .aim = static_cast<std::uint16_t>(900 + i),
                              .look_back = static_cast<std::uint8_t>(250 - i)});
  }
  return message;
}

/// On a base of 55 ticks before.
inline protocol::SnapshotHead head() {
  return {.report = {.tick = 5'200,
                     .input_tick = 5'300,
                     .margin = -60,
                     .substituted = 58,
                     .newest_packet = 59},
          .view_hash = 0x51525354,
          .base_age = 55};
}

inline constexpr std::size_t kCauseBytes = 35;

/// Of every kind, in kCauseBytes.
inline protocol::Causes causes() {
  protocol::Causes causes;
  causes.inputs.push_back({.ago = 20, .base_index = 3, .move = 5});
  causes.inputs.push_back({.ago = 2, .base_index = 9, .move = 8});
  causes.shots.push_back({.ago = 7, .base_index = 4, .aim = 700});
  causes.shots.push_back({.ago = 7, .base_index = 6, .aim = 1'001, .weapon = game::Weapon::Ray});
  causes.teleports.push_back({.ago = 1, .base_index = 10, .place = 4'000});
  for (const std::uint8_t member : std::to_array<std::uint8_t>(
           {11, 12, 13, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199, 200, 201, 250}))
    causes.exits.push_back(member);
  return causes;
}

inline constexpr std::size_t kEventBytes = 15;

/// Returns one event of each kind. The numbers wrap from 65,535 to 0. Encoded, they take
/// kEventBytes bytes.
inline protocol::Events events() {
  protocol::Events events;
  events.push_back({.number = 0xffff,
                    .subject = {100},
                    .what = 101,
                    .ago = 102,
                    .kind = protocol::EventKind::Hit});
  events.push_back({.number = 0,
                    .subject = {103},
                    .what = 60'104,
                    .ago = 255,
                    .kind = protocol::EventKind::Score});
  events.push_back(
      {.number = 1, .subject = {105}, .what = 106, .ago = 0, .kind = protocol::EventKind::Spawn});
  return events;
}

/// With a status, and bodies of both widths: the first four entities are narrow.
inline protocol::Snapshot snapshot(std::size_t bodies) {
  protocol::Snapshot snapshot{.head = head(),
                              .receipt = 0x6162,
                              .causes = causes(),
                              .bodies = {},
                              .status = {},
                              .events = {}};
  for (const game::EntityState& body : entities(bodies))
    snapshot.bodies.push_back(body);
  snapshot.status = {.newest_packet = 5'400, .packets_received = 5'500, .late = 5'600};
  snapshot.events = events();
  return snapshot;
}

/// Bodies with which snapshot() takes all that a datagram has for causes, bodies and events.
inline constexpr std::size_t kBodiesOfFullSnapshot = 47;
static_assert(kCauseBytes + kEventBytes + std::size_t{4} * 16 + (kBodiesOfFullSnapshot - 4) * 24 ==
              net::kDatagramBytesMax - protocol::kSnapshotFrameBytes);

inline protocol::AuditHead audit_head() {
  return {.report = {.tick = 6'100,
                     .input_tick = 6'200,
                     .margin = -61,
                     .substituted = 62,
                     .newest_packet = 63},
          .run = 64,
          .segment = 6'500};
}

/// The first of two, full.
inline protocol::ViewPart view_part() {
  protocol::ViewPart part = protocol::part_of(
      {.tick = {6'000}, .server_hash = 0x61626364, .client_hash = 0x65666768, .base_age = 55},
      entities(protocol::kViewPartBodies + 1), 0);
  part.arrived = 2;
  return part;
}

/// Every type that travels sealed, with each direction in which it does.
struct SealedKind {
  net::PacketType type;
  net::Direction direction;
};

inline constexpr SealedKind kSealedKinds[] = {
    {net::PacketType::Input, net::Direction::ToServer},
    {net::PacketType::Snapshot, net::Direction::ToClient},
    {net::PacketType::Disconnect, net::Direction::ToServer},
    {net::PacketType::Disconnect, net::Direction::ToClient},
    {net::PacketType::Challenge, net::Direction::ToClient},
    {net::PacketType::Response, net::Direction::ToServer},
    {net::PacketType::Audit, net::Direction::ToClient},
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
    return copy_of(
        protocol::encode_input(input_message(protocol::kInputsPerMessageMax), message_buffer));
  if (type == net::PacketType::Snapshot)
    return copy_of(protocol::encode_snapshot(snapshot(kBodiesOfFullSnapshot), message_buffer));
  if (type == net::PacketType::Audit)
    return copy_of(protocol::encode_audit(audit_head(),
                                          std::vector<std::byte>(protocol::kAuditSegmentBytesMax),
                                          snapshot(0).status, message_buffer));
  if (type == net::PacketType::DesyncReport || type == net::PacketType::DesyncState)
    return copy_of(protocol::encode_view_part(view_part(), message_buffer));
  if (type == net::PacketType::Disconnect)
    return copy_of(protocol::encode_disconnect(net::DisconnectReason::Kicked, message_buffer));
  return copy_of(protocol::encode_path_check(0x7172737475767778, message_buffer));
}

}  // namespace tickbox::samples
