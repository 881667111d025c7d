#pragma once
// A small match, of the arena unless said otherwise, that is recorded into memory, and helpers that
// change its bytes.

#include "core/rng.h"
#include "engine/log/tick_log.h"
#include "record/reader.h"
#include "record/verify.h"
#include "server/match/match.h"
#include "tests/support/memory_sink.h"
#include "tests/support/writer.h"

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// What is logged for a tick.
struct Told {
  engine::TickRecord record;
  std::vector<engine::PlayerSource> sources;
  std::optional<std::vector<std::byte>> bytes{};  ///< replaces those of the record
};

/// Changes the first input that is logged for a tick, as if its player had turned round. Requires:
/// a tick of the arena with an input.
void turn_round(Told& told);

/// Changes what is logged for a tick. What is stepped stays the same.
using Forge = std::function<void(Tick tick, Told& told)>;

struct RecordedMatchOptions {
  std::uint32_t tick_rate = kMatchTickRate;
  std::uint32_t seats = kMatchSeats;
  std::uint64_t seed = 1;
  bool all_stay = false;            ///< no player leaves
  bool idles = false;               ///< a tick that nothing enters without players is idle
  bool forgets = false;             ///< played() has the last tick alone
  const GameTable* game = nullptr;  ///< nullptr: the arena
  std::optional<Deserted> deserted{};
  Forge forge{};  ///< applied by record(); may be empty
};

/// A tick as it was played: what a recording must give back. It comes from what was decided and
/// stepped, never from what a reader has read.
struct PlayedTick {
  Tick tick;
  std::uint64_t state_hash = 0;
  bool is_quiet = false;
  bool is_idle = false;
  std::vector<std::byte> bytes;  ///< of the tick log
  engine::TickRecord record;
  std::vector<Player> leaves;
  std::vector<Player> joins;
  std::vector<std::uint64_t> clients;
  std::vector<engine::PlayerSource> sources;   ///< of every player in the room, by seat
  std::vector<std::vector<std::byte>> inputs;  ///< of the same players
};

/// Returns whether a reader has given back what was played.
[[nodiscard]] bool is_as_played(const record::EncodedTick& tick, const PlayedTick& played);

/// A match whose players join, leave and press whatever their inputs have, all drawn from the seed.
class RecordedMatch {
 public:
  /// What enters a tick, and where it comes from.
  struct Decided {
    engine::TickRequest request;
    engine::TickOrigins origins;
  };

  explicit RecordedMatch(const RecordedMatchOptions& options = {});
  RecordedMatch(const RecordedMatch&) = delete;
  RecordedMatch& operator=(const RecordedMatch&) = delete;

  /// The header, with a salt drawn from the seed.
  [[nodiscard]] record::Header header() const;

  [[nodiscard]] server::Match& match() { return match_; }

  [[nodiscard]] const server::Match& match() const { return match_; }

  [[nodiscard]] const engine::World& world() const { return match_.world(); }

  [[nodiscard]] const engine::SharedMap& map() const { return world().map(); }

  [[nodiscard]] const GameTable& game() const { return world().game(); }

  /// Decides what enters the next tick. Valid until the next call.
  Decided decide();

  /// Returns the bytes of a tick that was decided and whose step never ended.
  [[nodiscard]] std::vector<std::byte> requested_bytes() const;

  /// Steps and logs the tick that was decided, and returns it; valid until the next step.
  const PlayedTick& play();

  /// Decides and plays a tick.
  const PlayedTick& step() {
    decide();
    return play();
  }

  /// Returns a keyframe of the world.
  [[nodiscard]] std::vector<std::byte> keyframe() const;

  /// Writes a keyframe of the world.
  void keyframe(Writer& writer) const { writer.keyframe(world().tick, keyframe()); }

  /// Steps `ticks` ticks into `writer`, with keyframes when it needs them.
  void record(Writer& writer, std::uint32_t ticks);

  /// Every tick that was played, or the last one.
  [[nodiscard]] const std::vector<PlayedTick>& played() const { return played_; }

 private:
  void decide_input(Player player);
  void strike(std::span<const engine::FiredRay> rays, std::vector<engine::Strike>& strikes);
  [[nodiscard]] Decided decided() const;
  [[nodiscard]] bool is_idle(const engine::TickRequest& request) const;
  [[nodiscard]] PlayedTick played_tick() const;
  [[nodiscard]] std::vector<std::byte> told_bytes(const PlayedTick& tick);

  RecordedMatchOptions options_;
  server::Match match_;
  Rng bots_;
  Rng judge_dice_;
  engine::JudgeRays judge_;
  engine::TickLog told_;  ///< of what `forge` has made of the ticks

  // What was decided.
  std::vector<Player> leaves_;
  std::vector<engine::Join> joins_;
  std::vector<engine::PlayerInput> inputs_;
  std::vector<std::byte> input_values_;
  std::vector<engine::PlayerSource> sources_;
  std::vector<std::uint64_t> clients_;

  std::vector<PlayedTick> played_;
};

/// A finished recording of `segments` segments of `ticks_per_segment` ticks each.
[[nodiscard]] std::vector<std::byte> small_recording(
    std::uint32_t segments, std::uint32_t ticks_per_segment,
    const RecordedMatchOptions& options = {},
    record::Compression compression = record::Compression::Zstd);

/// The game and the map of a recording.
struct Played {
  const GameTable* game = nullptr;
  engine::SharedMap map;
};

/// Returns the game and the map that a header names. Requires: a header of the arena.
[[nodiscard]] Played played_in(const record::Header& header);

/// Verifies a file with the map and game that its header names. Requires: a readable header, of the
/// arena.
[[nodiscard]] record::VerifyResult verify(ConstBytes file,
                                          const record::VerifyOptions& options = {});

/// One record of a file.
struct Piece {
  std::size_t offset = 0;
  record::RecordHead head;

  [[nodiscard]] std::size_t end() const { return offset + record::record_bytes(head); }
};

/// Whether a reader makes ticks from a record of this type.
[[nodiscard]] constexpr bool holds_ticks(record::RecordType type) {
  return type == record::RecordType::Ticks || type == record::RecordType::Quiet ||
         type == record::RecordType::Idle;
}

/// Returns the records of a file, found by their lengths alone, up to the first truncated one.
[[nodiscard]] std::vector<Piece> pieces(ConstBytes file);

/// Gives every record the checksum of its current bytes, as a forger would.
void rechecksum(std::vector<std::byte>& file);

}  // namespace tickbox::tests
