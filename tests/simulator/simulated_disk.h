#pragma once
// A disk that exists only in memory: it can be slow, full, and lose its power at any byte.
//
// As in the programs, who records never waits: what does not fit in a queue of limited size is
// refused, and the queue is written out as fast as the disk can. A kill loses the queue, and cuts
// what was being written in the last moments anywhere.

#include "core/byte_sink.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/rng.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace tickbox::simulator {

class SimulatedDisk final : public ByteSink {
 public:
  /// Borrows the clock.  `loses_last`: the last record never gets there, and nobody says so.
  SimulatedDisk(const Clock& clock, bool loses_last) : clock_(clock), loses_last_(loses_last) {}

  bool write(ConstBytes bytes) override;

  /// Begins anew, as another file on the same disk.
  void open(Tick tick);

  /// Of the room, whenever it was stepped: written records know what they hold.
  void ticked(Tick tick) { tick_ = tick; }

  /// Until when it takes nothing, or only so much a second.
  void fill_up(Instant until) { full_until_ = until; }

  void slow_down(Instant until) { slow_until_ = until; }

  /// A call of write() that was taken.
  struct Written {
    Instant at;
    std::size_t end = 0;  ///< bytes of the file with it
    Tick tick;            ///< the newest that can be in it
  };

  /// What is there afterwards.
  struct File {
    std::vector<std::byte> bytes;
    std::vector<Tick> refused;      ///< ticks after which a write was refused
    std::optional<Tick> last_tick;  ///< of the last whole record that is there; none: only a header
    std::optional<Tick> taken_to;   ///< of the last that the disk has taken, be it there or not
    Duration calm{};                ///< for so long the disk has refused nothing, and was not slow
    bool is_cut = false;            ///< the writer was killed
    bool is_whole = true;           ///< nothing was refused
  };

  /// All that was taken gets there.
  [[nodiscard]] File close();

  /// The writer is killed.
  [[nodiscard]] File kill(Rng& rng);

 private:
  void drain();
  [[nodiscard]] File file_of(std::size_t bytes, bool is_cut);

  const Clock& clock_;
  bool loses_last_;
  Tick tick_;
  Instant full_until_;
  Instant slow_until_;
  Instant opened_at_;
  Instant drained_at_;
  std::size_t drained_ = 0;  ///< bytes that have left the queue
  std::vector<std::byte> bytes_;
  std::deque<Written> written_;
  std::vector<Tick> refused_;
  Instant refused_at_;
};

}  // namespace tickbox::simulator
