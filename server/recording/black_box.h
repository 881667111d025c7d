#pragma once
// The last seconds of a room, kept in memory for the recording of a crash: the tick log, with a
// keyframe now and then, the tick that is being stepped included.
//
// What enters a tick is taken over before the step, which is all that a step that never ends leaves
// behind. There are two stretches of kBlackBoxSeconds: one fills, the other is the one before.
// Where one is full early, the next begins early, so that nothing here ever grows.

#include "core/bytes.h"
#include "core/ids.h"
#include "game/tick_log.h"
#include "record/writer.h"
#include "server/room/room.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

/// Of one stretch, in seconds: so much of the past is there at least, and twice as much at most,
/// once the room is as old.
inline constexpr std::uint32_t kBlackBoxSeconds = 5;

class BlackBox {
 public:
  /// `tick_rate`: per second.
  /// Cost: address space for every seat acting in every tick; memory only as they do.
  BlackBox(const Room& room, std::uint32_t tick_rate);

  /// Begins a stretch where the present one is full. Before the room's log takes the next tick.
  void prepare(const Room& room);

  /// After the log took a tick, before the room steps it.  Requires: prepare() was called for it.
  /// Cost: a copy of the tick's bytes, and a keyframe once in kBlackBoxSeconds. No allocation once
  /// warm.
  void stepping(const game::TickLog& log);

  /// After the step.
  void stepped(const Room& room);

  /// Writes a recording of all that is kept. It ends with the tick that is being stepped, as
  /// unfinished, or else as any that is closed. False when the sink refused.
  /// Requires: stepping() was called. Asks for memory.
  bool write(ByteSink& sink, const record::Header& header) const;

 private:
  struct Entry {
    std::uint64_t state_hash = 0;
    std::size_t bytes = 0;
    bool is_quiet = false;
  };

  struct Stretch {
    std::optional<Tick> begin;        ///< the keyframe's; none: nothing yet
    std::vector<std::byte> keyframe;  ///< before the first tick
    std::vector<Entry> ticks;
    std::vector<std::byte> bytes;  ///< of the ticks, one after the other
  };

  [[nodiscard]] bool is_full(const Stretch& stretch) const;
  bool write(record::Writer& writer, const Stretch& stretch) const;

  std::size_t ticks_max_;
  std::size_t tick_bytes_max_;
  std::array<Stretch, 2> stretches_;
  std::size_t filling_ = 0;  ///< which of the two
  bool in_step_ = false;
};

}  // namespace tickbox::server
