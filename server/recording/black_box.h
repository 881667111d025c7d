#pragma once
// The last seconds of a room, kept in memory for the recording of a crash: worlds now and then, and
// what entered each tick since, the one that is being stepped included.
//
// Nothing is encoded while all is well. What enters a tick is copied before the step, which is all
// that a step that never ends leaves behind; a recording is made of it only when somebody asks.
// There are two stretches of kBlackBoxSeconds: one fills, the other is the one before. Where the
// lists of one are full early, the next begins early, so that nothing here ever grows.

#include "core/bytes.h"
#include "game/step.h"
#include "game/world.h"
#include "record/writer.h"
#include "server/room/input_buffer.h"
#include "server/room/room.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

/// Of one stretch, in seconds: so much of the past is there at least, and twice as much at most,
/// once the room is as old. 8 bytes of each input of each tick are kept.
inline constexpr std::uint32_t kBlackBoxSeconds = 5;

class BlackBox {
 public:
  /// `tick_rate`: per second.
  /// Cost: address space for every seat acting in every tick; memory only as they do.
  BlackBox(const Room& room, std::uint32_t tick_rate);

  /// Before room.tick(commands); one source per input.
  /// Cost: copies the lists, and the world once in kBlackBoxSeconds. No allocation once warm.
  void stepping(const Room& room, const game::TickCommands& commands,
                std::span<const InputSource> sources);

  /// After it.
  void stepped(const Room& room);

  /// Writes a recording of all that is kept. It ends with the tick that is being stepped, as
  /// unfinished, or else as any that is closed. False when the sink refused.
  /// Requires: stepping() was called. Asks for memory.
  bool write(ByteSink& sink, const record::Header& header) const;

 private:
  /// How many entries of each list are of one tick, and the hash that its step gave.
  struct TickEntry {
    std::uint64_t hash = 0;
    std::uint32_t leaves = 0;
    std::uint32_t joins = 0;
    std::uint32_t inputs = 0;
    std::uint32_t strikes = 0;
  };

  struct Stretch {
    std::optional<game::World> world;  ///< before the first tick; none: nothing yet
    std::vector<TickEntry> ticks;
    std::vector<PlayerId> leaves;
    std::vector<PlayerId> joins;
    std::vector<game::PlayerInput> inputs;
    std::vector<record::InputSource> sources;
    std::vector<game::Strike> strikes;
  };

  [[nodiscard]] bool fits(const Stretch& stretch, const game::TickCommands& commands) const;
  void begin_stretch(const game::World& world);
  bool write(record::Writer& writer, const Stretch& stretch) const;

  std::size_t ticks_max_;
  std::array<Stretch, 2> stretches_;
  std::size_t filling_ = 0;  ///< which of the two
  bool in_step_ = false;
};

}  // namespace tickbox::server
