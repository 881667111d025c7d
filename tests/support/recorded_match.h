#pragma once
// A small match of the arena that is recorded into memory, and what tests do to its bytes.

#include "core/rng.h"
#include "record/reader.h"
#include "record/recorded.h"
#include "record/verify.h"
#include "record/writer.h"
#include "server/room/input_buffer.h"
#include "server/room/room.h"
#include "tests/support/memory_sink.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace tickbox::tests {

/// At 10 Hz a batch is one tick, which gives small recordings with many records.
inline constexpr std::uint32_t kMatchTickRate = 10;
inline constexpr std::uint32_t kMatchSeats = 3;

struct RecordedMatchOptions {
  std::uint32_t tick_rate = kMatchTickRate;
  std::uint32_t seats = kMatchSeats;
  std::uint64_t seed = 1;
  bool all_stay = false;                               ///< nobody leaves
  std::shared_ptr<const game::Rules> rules = nullptr;  ///< none: the arena
};

/// Players come, go, run about and shoot, all drawn from the seed.
class RecordedMatch {
 public:
  explicit RecordedMatch(const RecordedMatchOptions& options = {});

  /// With a salt of the seed.
  [[nodiscard]] record::Header header() const;

  [[nodiscard]] server::Room& room() { return room_; }

  [[nodiscard]] const game::World& world() const { return room_.world(); }

  [[nodiscard]] const game::SharedMap& map() const { return world().map(); }

  [[nodiscard]] const game::Rules& rules() const { return room_.rules(); }

  /// What enters the next tick, in sources() one for each input. Lasts until the next call.
  game::TickCommands decide();

  [[nodiscard]] const std::vector<server::InputSource>& sources() const { return sources_; }

  /// Steps one tick and returns it; valid until the next.
  const record::RecordedTick& step();

  /// Steps `ticks` ticks into `writer`, with keyframes when it needs them.
  void record(record::Writer& writer, std::uint32_t ticks);

  /// Everything that step() and record() played.
  [[nodiscard]] const std::vector<record::RecordedTick>& played() const { return played_; }

 private:
  RecordedMatchOptions options_;
  server::Room room_;
  Rng bots_;
  record::RecordedTick next_;
  std::vector<server::InputSource> sources_;
  std::vector<record::RecordedTick> played_;
};

/// A finished recording of `segments` segments of `ticks_per_segment` ticks each.
[[nodiscard]] std::vector<std::byte> small_recording(std::uint32_t segments,
                                                     std::uint32_t ticks_per_segment,
                                                     const RecordedMatchOptions& options = {});

/// Verifies with the map and rules that the header names.  Requires: a header that can be read.
[[nodiscard]] record::VerifyResult verify(ConstBytes file,
                                          const record::VerifyOptions& options = {});

/// One record of a file.
struct Piece {
  std::size_t offset = 0;
  record::RecordHead head;

  [[nodiscard]] std::size_t end() const { return offset + record::record_bytes(head); }
};

/// The records of a file, by their lengths alone, up to the first that is cut.
[[nodiscard]] std::vector<Piece> pieces(ConstBytes file);

/// Gives every record the checksum that belongs to what it says now: as a forger would.
void rechecksum(std::vector<std::byte>& file);

}  // namespace tickbox::tests
