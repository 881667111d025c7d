#pragma once
// Events of any game as bits: what clients are sent beside the movement of bodies. FORMAT.md is the
// standard.

#include "core/bytes.h"
#include "engine/bits.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::views {

/// The most events in one snapshot.
inline constexpr std::size_t kSnapshotEventsMax = 16;

/// The age that means itself or more, in ticks.
inline constexpr std::uint32_t kEventAgeMax = 255;

/// An event of a match. `bytes`: the value in memory, aligned, valid as long as its owner says.
struct Event {
  std::uint8_t kind = 0;  ///< 0: the state of `player`; n + 1: the game's event n
  Player player;          ///< of kind 0
  ConstBytes bytes;
};

/// Returns the type of an event's value. Requires: a kind of this game.
[[nodiscard]] const TypeInfo& type_of(const GameTable& game, std::uint8_t kind);

/// Writes the value of an event, without its age.
void write_event(const GameTable& game, const Event& event, engine::BitWriter& out);

/// Returns the bits of write_event_head().
[[nodiscard]] std::size_t event_head_bits(std::uint32_t age);

/// The bits of the list beside its events.
inline constexpr std::size_t kEventListBits = 16 + 1 + 7;

/// Writes the head of an event: that it follows, and its age.
void write_event_head(std::uint32_t age, engine::BitWriter& out);

/// An event that was received.
struct ReceivedEvent {
  std::uint16_t number = 0;
  std::uint8_t age = 0;  ///< ticks before the snapshot's
  std::uint8_t kind = 0;
  Player player;          ///< of kind 0
  std::size_t first = 0;  ///< of its value in ReceivedEvents::bytes
};

/// The events of one snapshot; keeps its memory.
struct ReceivedEvents {
  std::vector<ReceivedEvent> events;
  std::vector<std::byte> bytes;  ///< values in memory, aligned

  void clear() {
    events.clear();
    bytes.clear();
  }

  [[nodiscard]] Event event(const GameTable& game, std::size_t i) const {
    const ReceivedEvent& of = events[i];
    return {.kind = of.kind,
            .player = of.player,
            .bytes = ConstBytes{bytes}.subspan(of.first, type_of(game, of.kind).bytes)};
  }
};

/// Reads the events of a snapshot; no bytes are no events. Fails: false, for bits that no server
/// writes.
[[nodiscard]] bool read_events(const GameTable& game, ConstBytes bits, ReceivedEvents& out);

}  // namespace tickbox::views
