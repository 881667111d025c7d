#pragma once
// A small match of the arena that is recorded into memory, and helpers that change its bytes.

#include "core/rng.h"
#include "game/tick_log.h"
#include "record/reader.h"
#include "record/recorded.h"
#include "record/verify.h"
#include "record/writer.h"
#include "server/room/room.h"
#include "tests/support/memory_sink.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::tests {

/// At 10 Hz a batch is one tick, so that small recordings have many records.
inline constexpr std::uint32_t kMatchTickRate = 10;
inline constexpr std::uint32_t kMatchSeats = 3;

/// The ticks in which a room is empty. All players leave in the first tick, and join in the tick
/// after the last.
struct Deserted {
  Tick first;
  Tick last;
};

/// Changes the commands that are logged for a tick. The commands that are stepped stay the same.
using Forge = std::function<void(Tick tick, game::LoggedTick& told)>;

struct RecordedMatchOptions {
  std::uint32_t tick_rate = kMatchTickRate;
  std::uint32_t seats = kMatchSeats;
  std::uint64_t seed = 1;
  bool all_stay = false;                               ///< no player leaves
  std::shared_ptr<const game::Rules> rules = nullptr;  ///< nullptr: the arena
  std::optional<Deserted> deserted{};
  Forge forge{};  ///< applied by step() and record(); may be empty
};

/// A match whose players join, leave, run and shoot, all drawn from the seed.
class RecordedMatch {
 public:
  explicit RecordedMatch(const RecordedMatchOptions& options = {});

  /// The header, with a salt drawn from the seed.
  [[nodiscard]] record::Header header() const;

  [[nodiscard]] server::Room& room() { return room_; }

  [[nodiscard]] const server::Room& room() const { return room_; }

  [[nodiscard]] const game::World& world() const { return room_.world(); }

  [[nodiscard]] const game::SharedMap& map() const { return world().map(); }

  [[nodiscard]] const game::Rules& rules() const { return room_.rules(); }

  /// Returns the commands of the next tick. Valid until the next call.
  game::TickCommands decide();

  /// The origins of these commands.
  [[nodiscard]] game::CommandOrigins origins() const {
    return {.sources = decided_.sources, .clients = decided_.clients};
  }

  /// Logs and steps one tick, and returns it; valid until the next step.
  const record::RecordedTick& step();

  /// Writes a keyframe of the world.
  void keyframe(record::Writer& writer) const;

  /// Steps `ticks` ticks into `writer`, with keyframes when it needs them.
  void record(record::Writer& writer, std::uint32_t ticks);

  /// Every tick that step() and record() played, as a reader must return it, but without the bytes.
  /// They come from the decided commands, never from the log.
  [[nodiscard]] const std::vector<record::RecordedTick>& played() const { return played_; }

 private:
  void give(const game::PlayerInput& input, game::InputSource source);
  [[nodiscard]] record::RecordedTick stepped() const;

  RecordedMatchOptions options_;
  server::Room room_;
  Rng bots_;
  game::LoggedTick decided_;  ///< with the given inputs alone, and all of their fields
  std::vector<record::RecordedTick> played_;
};

/// A finished recording of `segments` segments of `ticks_per_segment` ticks each.
[[nodiscard]] std::vector<std::byte> small_recording(
    std::uint32_t segments, std::uint32_t ticks_per_segment,
    const RecordedMatchOptions& options = {},
    record::Compression compression = record::Compression::Zstd);

/// Verifies a file with the map and rules that its header names. Requires: a readable header.
[[nodiscard]] record::VerifyResult verify(ConstBytes file,
                                          const record::VerifyOptions& options = {});

/// One record of a file.
struct Piece {
  std::size_t offset = 0;
  record::RecordHead head;

  [[nodiscard]] std::size_t end() const { return offset + record::record_bytes(head); }
};

/// Whether a reader makes ticks from such a record.
[[nodiscard]] constexpr bool holds_ticks(record::RecordType type) {
  return type == record::RecordType::Ticks || type == record::RecordType::Quiet;
}

/// The records of a file, found by their lengths alone, up to the first truncated one.
[[nodiscard]] std::vector<Piece> pieces(ConstBytes file);

/// Gives every record the checksum of its current bytes, as a forger would.
void rechecksum(std::vector<std::byte>& file);

}  // namespace tickbox::tests
