#pragma once
// A small match of the arena that is recorded into memory, and what tests do to its bytes.

#include "core/bytes.h"
#include "game/map.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"
#include "record/format.h"
#include "record/reader.h"
#include "record/recorded.h"
#include "record/verify.h"
#include "record/writer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tickbox::test {

/// Keeps what it takes; refuses while told to.
class MemorySink final : public ByteSink {
 public:
  bool write(ConstBytes record) override;

  void refuse_from_now_on() { refuses_ = true; }

  void take_again() { refuses_ = false; }

  std::vector<std::byte> bytes;
  std::vector<std::size_t> writes;  ///< the length of each

 private:
  bool refuses_ = false;
};

/// At 10 Hz a batch is one tick, which gives small recordings with many records.
inline constexpr std::uint32_t kMatchTickRate = 10;
inline constexpr std::uint32_t kMatchSeats = 3;

struct MatchOptions {
  std::uint32_t tick_rate = kMatchTickRate;
  std::uint32_t seats = kMatchSeats;
  std::uint64_t seed = 1;
};

/// Players come, go, run about and shoot, all drawn from the seed.
class Match {
 public:
  explicit Match(const MatchOptions& options = {});

  [[nodiscard]] record::Header header() const;

  [[nodiscard]] const game::World& world() const { return world_; }

  [[nodiscard]] const game::SharedMap& map() const { return map_; }

  [[nodiscard]] const game::Rules& rules() const { return *rules_; }

  /// Everything that was played.
  [[nodiscard]] const std::vector<record::RecordedTick>& played() const { return played_; }

  /// Steps one tick and returns it; valid until the next.
  const record::RecordedTick& step();

  /// Steps `ticks` ticks into `writer`, with keyframes when it needs them.
  void record(record::Writer& writer, std::uint32_t ticks);

 private:
  MatchOptions options_;
  game::SharedMap map_;
  std::shared_ptr<const game::Rules> rules_;
  game::World world_;
  game::Stepper stepper_;
  Rng bots_;
  std::vector<record::RecordedTick> played_;
};

/// A finished recording of `segments` segments of `ticks_per_segment` ticks each, of a Match of
/// these options.
[[nodiscard]] std::vector<std::byte> small_recording(std::uint32_t segments,
                                                     std::uint32_t ticks_per_segment,
                                                     const MatchOptions& options = {});

/// One record of a file.
struct Piece {
  std::size_t offset = 0;
  record::RecordHead head;

  [[nodiscard]] std::size_t end() const { return offset + record::record_bytes(head); }
};

/// The records of an undamaged file, by their lengths alone.
[[nodiscard]] std::vector<Piece> pieces(ConstBytes file);

/// Gives every record the checksum that belongs to what it says now: as a forger would.
void rechecksum(std::vector<std::byte>& file);

/// What a walk over a file saw.
struct Walk {
  std::uint32_t keyframes = 0;
  std::uint32_t ticks = 0;
  std::uint32_t trailers = 0;
  std::uint32_t unfinished = 0;
  std::uint32_t damages = 0;
  bool ends_early = false;
  Tick last_tick;

  friend bool operator==(const Walk&, const Walk&) = default;
};

/// Walks to the end; checks on the way that ticks strictly increase.
[[nodiscard]] Walk walk(ConstBytes file);

/// Verifies with the map and rules of a Match.
[[nodiscard]] record::VerifyResult verify(ConstBytes file, const Match& match,
                                          const record::VerifyOptions& options = {});

}  // namespace tickbox::test
