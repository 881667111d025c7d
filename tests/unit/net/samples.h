#pragma once
// Messages in which every field has a value of its own, so that two that are swapped show.

#include "game/entity_state.h"
#include "net/handshake.h"
#include "net/messages.h"
#include "net/packet.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::net::samples {

inline std::vector<std::byte> copy_of(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// 32 bytes counting up from `first`.
template <class Bytes>
Bytes counting(std::uint8_t first) {
  Bytes bytes{};
  std::ranges::generate(bytes, [&first] { return std::byte{first++}; });
  return bytes;
}

inline HandshakeNonce nonce(std::uint8_t first) {
  return counting<HandshakeNonce>(first);
}

inline SessionKeys session_keys(std::uint8_t first) {
  return derive_session_keys(published_key(), nonce(first), nonce(100));
}

inline game::EntityState entity(std::uint16_t number) {
  const auto n = static_cast<std::int32_t>(number);
  return {.id = game::player_body({number}, 7),
          .min = {.x = 1'000 + n, .y = -2'000 - n},
          .velocity = {.x = -30 - n, .y = 40 + n},
          .traits = {.kind = game::EntityKind::Player,
                     .held = {.move = static_cast<std::uint8_t>(1 + number % 8),
                              .buttons = game::kButtonShoot,
                              .aim = static_cast<std::uint16_t>(500 + number)},
                     .timer = static_cast<std::uint8_t>(60 + number)}};
}

inline std::vector<game::EntityState> entities(std::size_t count) {
  std::vector<game::EntityState> all;
  for (std::uint16_t i = 0; i < count; ++i)
    all.push_back(entity(i));
  return all;
}

inline Connect connect() {
  return {.protocol = 11, .schema = 0x1213141516171819, .client_nonce = nonce(1)};
}

inline Accept accept() {
  return {.player = {21},
          .body = game::player_body({21}, 3),
          .tick_rate = 60,
          .tick = {2'300'000},
          .rules = "arena",
          .map_seats = 1'000,
          .map_hash = 0x2425262728292a2b};
}

inline Refuse refuse() {
  return {.client_nonce = nonce(1), .reason = RefuseReason::Full, .have = 64, .limit = 65};
}

inline InputMessage input_message(std::size_t inputs) {
  InputMessage message{.ack_bits = 0x3132333435363738,
                       .newest_snapshot = {4'100},
                       .mismatches = 42,
                       .first_tick = {4'300},
                       .inputs = {}};
  for (std::size_t i = 0; i < inputs; ++i) {
    message.inputs.push_back({.move = static_cast<std::uint8_t>(i % 9),
                              .buttons = static_cast<std::uint8_t>(i % 2),
                              .aim = static_cast<std::uint16_t>(900 + i)});
  }
  return message;
}

/// The head of fragment 1 of 3.
inline SnapshotHead head() {
  return {.view_hash = 0x5152535455565758,
          .tick = {5'200},
          .input_tick = {5'300},
          .newest_packet = 5'400,
          .packets_received = 5'500,
          .ack_delay = 5'600,
          .view_size = 100,
          .substituted = 5'800,
          .late = 5'900,
          .margin = -60,
          .touched = 61,
          .fragment = 1,
          .fragments = 3};
}

}  // namespace tickbox::net::samples
