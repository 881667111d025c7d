#pragma once
// The files of a room's recording in memory, one after the other, as the production server makes
// them. The creation of a file takes time, and fails on a full disk.

#include "core/clock.h"
#include "record/room_log.h"
#include "tests/simulator/simulated_file.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace tickbox::simulator {

/// A file ends after this many; 0: no such limit.
struct Rotation {
  std::uint32_t ticks = 0;
  std::uint64_t bytes = 0;
};

class SimulatedDisk final : public record::Sink {
 public:
  /// Borrows the clock. `state` sets queue_bytes_max and loses_last.
  SimulatedDisk(const Clock& clock, const Rotation& rotation, const DiskState& state)
      : clock_(clock), rotation_(rotation), state_(state) {}

  /// Creates the first file of a server. `header` is that of all its files, without their numbers.
  void begin(const record::Header& header, Tick tick);

  void append(const record::LogRecord& record) override;
  [[nodiscard]] bool wants_segment() const override;
  void match_ended() override;

  /// Notes the tick of the room before it is stepped.
  void ticked(Tick tick);

  void fill_up(Instant until) { state_.full_until = until; }

  void slow_down(Instant until) { state_.slow_until = until; }

  /// The end of the present file, or of a retired one.
  struct Ended {
    Tick from;  ///< tick of the room when the file was begun
    std::uint32_t part = 0;
    SimulatedFile::Remains remains;
  };

  /// Returns the end of the file that was retired, if any was since the last call.
  [[nodiscard]] std::optional<Ended> take_retired();

  /// Writes the end of the present file and closes it, or kills its writer.
  [[nodiscard]] Ended close();
  [[nodiscard]] Ended kill(Rng& rng);

  [[nodiscard]] const DiskState& state() const { return state_; }

 private:
  struct Part {
    Part(const Clock& clock, DiskState& state, const record::Header& header)
        : file(clock, state), log(file, header) {}

    SimulatedFile file;
    record::LogFile log;
    std::uint32_t number = 0;
    Tick from;
  };

  void make(Tick from);
  [[nodiscard]] bool is_due() const;
  [[nodiscard]] bool has_next() const;
  void request_next();
  [[nodiscard]] static Ended ended(const Part& part, SimulatedFile::Remains remains);

  const Clock& clock_;
  const Rotation rotation_;
  DiskState state_;
  record::Header header_;
  std::unique_ptr<Part> present_;
  std::unique_ptr<Part> retired_;    ///< fully written
  bool match_has_ended_ = false;     ///< in the present file
  std::optional<Instant> asked_at_;  ///< when the next file was requested
};

}  // namespace tickbox::simulator
