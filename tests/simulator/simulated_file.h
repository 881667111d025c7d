#pragma once
// A file in memory on a disk that can be slow or full, and that can lose its power at any byte.
//
// As in the programs, the recorder never waits. A write that does not fit into a queue of limited
// size is refused. The disk drains the queue as fast as it can. A kill loses the queue, and cuts
// the writes of the last moments at any byte.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/rng.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace tickbox::simulator {

/// The state of the disk with the files.
struct DiskState {
  std::size_t queue_bytes_max = 0;  ///< limit of the bytes that wait for one file
  bool loses_last = false;          ///< silently loses the last record
  Instant full_until;               ///< it accepts no write until then
  Instant slow_until;               ///< it is limited to a low rate until then
  Tick tick;                        ///< tick of the room
  Tick logged;                      ///< the last tick of the log, noted with each record
  Tick troubled;  ///< the last tick in which it was slow or full, or has refused a write
  std::uint64_t refused_full = 0;  ///< refused writes
  std::uint64_t refused_slow = 0;
};

class SimulatedFile final : public ByteSink {
 public:
  /// Borrows the clock and the disk.
  SimulatedFile(const Clock& clock, DiskState& disk)
      : clock_(clock), disk_(disk), began_(disk.tick), drained_at_(clock.now()) {}

  bool write(ConstBytes bytes) override;

  /// An accepted write.
  struct Written {
    Instant at;
    std::size_t end = 0;  ///< size of the file with it
    Tick tick;            ///< the newest tick that it contains
  };

  /// The file after its end.
  struct Remains {
    std::vector<std::byte> bytes;
    std::vector<Tick> refused;  ///< ticks after which a write was refused
    std::optional<Tick>
        last_tick;                 ///< of the last whole record in the file; none: it has no record
    std::optional<Tick> taken_to;  ///< of the last accepted write, whether it is in the file or not
    std::int64_t calm_ticks = 0;   ///< ticks in which the disk has refused nothing and was not slow
    bool was_calm = true;          ///< calm for the whole life of the file
    bool is_cut = false;           ///< the writer was killed
    bool is_whole = true;          ///< no write was refused
  };

  /// Closes the file: all accepted writes are in it.
  [[nodiscard]] Remains close();

  /// Kills the writer.
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
