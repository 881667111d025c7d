#pragma once
// The files of a room's recording in memory, one after the other, as the production recorder
// requests them. The creation of a file takes time, and fails on a full disk.

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
  /// Borrows clock and entropy. `state` sets queue_bytes_max and loses_last.
  SimulatedDisk(const Clock& clock, Entropy& entropy, const DiskState& state)
      : clock_(clock), entropy_(entropy), state_(state) {}

  /// Creates the first file of a server. `header` is that of all its parts, without salt and
  /// number.
  [[nodiscard]] server::RecordingPart begin(const record::Header& header, Tick tick);

  std::optional<server::RecordingPart> next() override;
  void retire() override;

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

  /// Closes the present file, or kills its writer.
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
  Part ready_;    ///< created and handed over
  Part retired_;  ///< fully written
  std::optional<Instant> asked_at_;
};

}  // namespace tickbox::simulator
