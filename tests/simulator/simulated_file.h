#pragma once
// A file that exists only in memory, on a disk that can be slow, full, and lose its power at any
// byte.
//
// As in the programs, who records never waits: what does not fit in a queue of limited size is
// refused, and the queue is written out as fast as the disk can. A kill loses the queue, and cuts
// what was being written in the last moments anywhere.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/rng.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace tickbox::simulator {

/// Of the disk that the files are on.
struct DiskState {
  std::size_t queue_bytes_max = 0;  ///< that wait for one file
  bool loses_last = false;          ///< a last record never gets there, and nobody says so
  Instant full_until;               ///< it takes nothing
  Instant slow_until;               ///< only so much a second
  Tick tick;                        ///< of the room: written records know what they hold
  Tick troubled;                    ///< the last in which it was slow or full, or has refused
  std::uint64_t refused_full = 0;   ///< writes
  std::uint64_t refused_slow = 0;
};

class SimulatedFile final : public ByteSink {
 public:
  /// Borrows both.
  SimulatedFile(const Clock& clock, DiskState& disk)
      : clock_(clock), disk_(disk), began_(disk.tick), drained_at_(clock.now()) {}

  bool write(ConstBytes bytes) override;

  /// Of the room when it was opened.
  [[nodiscard]] Tick began() const { return began_; }

  /// A call of write() that was taken.
  struct Written {
    Instant at;
    std::size_t end = 0;  ///< bytes of the file with it
    Tick tick;            ///< the newest that can be in it
  };

  /// What is there afterwards.
  struct Remains {
    std::vector<std::byte> bytes;
    std::vector<Tick> refused;      ///< ticks after which a write was refused
    std::optional<Tick> last_tick;  ///< of the last whole record that is there; none: only a header
    std::optional<Tick> taken_to;   ///< of the last that the disk has taken, be it there or not
    std::int64_t calm_ticks = 0;    ///< so many the disk has refused nothing, and was not slow
    bool was_calm = true;           ///< all the time
    bool is_cut = false;            ///< the writer was killed
    bool is_whole = true;           ///< nothing was refused
  };

  /// All that was taken gets there.
  [[nodiscard]] Remains close();

  /// The writer is killed.
  [[nodiscard]] Remains kill(Rng& rng);

 private:
  void drain();
  [[nodiscard]] Remains remains(std::size_t bytes, bool is_cut);

  const Clock& clock_;
  DiskState& disk_;
  Tick began_;
  Instant drained_at_;
  std::size_t drained_ = 0;  ///< bytes that have left the queue
  std::vector<std::byte> bytes_;
  std::deque<Written> written_;
  std::vector<Tick> refused_;
};

}  // namespace tickbox::simulator
