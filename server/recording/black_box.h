#pragma once
// The last seconds of a room's tick log, with keyframes, kept in memory for the recording of a
// crash. Of the tick that is being stepped, the black box has the request.
//
// There are two stretches of kBlackBoxSeconds: the one being filled, and the one before it. A
// stretch whose memory is full early ends early. The memory grows only for a larger keyframe, or
// for a tick that is larger than usual at the end of a stretch.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/log/tick_log.h"
#include "record/writer.h"
#include "server/match/match.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

/// The length of one stretch, in seconds. Once the room is that old, at least this much of the past
/// is present, and at most twice as much. It can be less if a stretch has ended early.
inline constexpr std::uint32_t kBlackBoxSeconds = 5;

/// The request of the tick that is being stepped, and where it comes from.
struct RequestedTick {
  engine::TickRequest request;
  engine::CommandOrigins origins;
};

class BlackBox {
 public:
  /// `tick_rate`: ticks per second.
  /// Cost: address space for every seat acting in every tick; physical memory only as seats act.
  BlackBox(const match::Match& match, std::uint32_t tick_rate);

  /// Begins a stretch if the present one is full, and keeps the request of the next tick until
  /// stepped(). Call it before the match ticks. Requires: the match outlives this.
  /// Cost: a keyframe once in kBlackBoxSeconds, or earlier if a stretch is full. No allocation once
  /// warm.
  void stepping(const match::Match& match, const RequestedTick& requested);

  /// Copies the tick that the match has written to its tick log last.
  void stepped(const match::Match& match);

  /// Writes a recording of everything kept. If a tick is being stepped, the recording ends with it
  /// as unfinished; otherwise it has the normal end. Returns false if the sink refused, or if
  /// stepping() was never called. Allocates memory.
  bool write(ByteSink& sink, const record::Header& header) const;

 private:
  struct Entry {
    std::uint64_t state_hash = 0;
    std::size_t bytes = 0;
    bool is_quiet = false;
  };

  struct Stretch {
    std::optional<Tick> begin;        ///< the tick of the keyframe; none: empty
    std::vector<std::byte> keyframe;  ///< the state before the first tick
    std::vector<Entry> ticks;
    std::vector<std::byte> bytes;  ///< the bytes of the ticks, one after the other
  };

  [[nodiscard]] bool is_full(const Stretch& stretch) const;
  bool write_stretch(record::Writer& writer, const Stretch& stretch) const;
  bool write_unfinished(record::Writer& writer) const;

  std::size_t ticks_max_;
  std::size_t tick_bytes_;  ///< enough for a usual tick
  std::array<Stretch, 2> stretches_;
  std::size_t filling_ = 0;              ///< the index of the stretch being filled
  const match::Match* match_ = nullptr;  ///< in the tick that is being stepped
  RequestedTick requested_;
  bool in_step_ = false;
};

}  // namespace tickbox::server
