#pragma once
// Where a room's recording goes: files in memory, one after the other, as the production recorder
// asks for them. A file takes its time to be made, and is not made where the disk is full.

#include "core/clock.h"
#include "core/entropy.h"
#include "server/recording/recorder.h"
#include "tests/simulator/simulated_file.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace tickbox::simulator {

class SimulatedDisk final : public server::RecordingStore {
 public:
  /// Borrows clock and entropy; `state`: queue_bytes_max and loses_last.
  SimulatedDisk(const Clock& clock, Entropy& entropy, const DiskState& state)
      : clock_(clock), entropy_(entropy), state_(state) {}

  /// The first file of a server; `header`: of all its parts, but for salt and number.
  [[nodiscard]] server::RecordingPart begin(const record::Header& header, Tick tick);

  std::optional<server::RecordingPart> next() override;
  void retire() override;

  /// Of the room, before it is stepped to this tick.
  void ticked(Tick tick);

  void fill_up(Instant until) { state_.full_until = until; }

  void slow_down(Instant until) { state_.slow_until = until; }

  /// Of the present file, or one that was retired.
  struct Ended {
    Tick from;  ///< of the room when it was begun
    std::uint32_t part = 0;
    SimulatedFile::Remains remains;
  };

  /// The file that was written before the present one, once.
  [[nodiscard]] std::optional<Ended> take_retired();

  /// The present file is closed, or its writer is killed.
  [[nodiscard]] Ended close();
  [[nodiscard]] Ended kill(Rng& rng);

  [[nodiscard]] const DiskState& state() const { return state_; }

 private:
  struct Part {
    std::unique_ptr<SimulatedFile> file;
    std::uint32_t number = 0;
  };

  [[nodiscard]] server::RecordingPart make(Part& part);
  [[nodiscard]] static Ended ended(const Part& part, SimulatedFile::Remains remains);

  const Clock& clock_;
  Entropy& entropy_;
  DiskState state_;
  record::Header header_;
  std::uint32_t made_ = 0;
  Part present_;
  Part ready_;    ///< made; handed over
  Part retired_;  ///< all is written to it
  std::optional<Instant> asked_at_;
};

}  // namespace tickbox::simulator
