#pragma once
// Between a room and its recording: says after each tick what entered it, hands over a world
// whenever one is due, and goes on in another file when the present one is long enough.

#include "core/byte_sink.h"
#include "record/writer.h"
#include "server/recording/recording_store.h"
#include "server/room/input_buffer.h"
#include "server/room/room.h"

#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

class Recorder {
 public:
  /// Records `room` from now on.  Requires: `sink` outlives this.
  Recorder(ByteSink& sink, const record::Header& header, const Room& room);

  /// The same, beginning with `first`.  Requires: the store outlives this.
  Recorder(const RecordingPart& first, const Room& room, const Rotation& rotation);

  /// After room.tick(commands); one source per input.
  /// Cost: no allocation once warm, but where a new file begins.
  void ticked(const Room& room, const game::TickCommands& commands,
              std::span<const InputSource> sources);

  /// Writes the clean end.
  void finish() { writer_->finish(); }

  /// Of all files together.
  [[nodiscard]] record::WriterStats stats() const;

 private:
  void begin(const RecordingPart& part, const Room& room);
  [[nodiscard]] bool rotation_due(Tick now) const;

  Rotation rotation_;
  std::optional<record::Writer> writer_;
  Tick began_;                ///< the present file
  record::WriterStats past_;  ///< of the files before
  std::vector<record::InputSource> sources_;
};

/// The same in the words of a recording.
[[nodiscard]] constexpr record::InputSource recorded(InputSource source) {
  return source == InputSource::Given ? record::InputSource::Arrived
                                      : record::InputSource::Substituted;
}

}  // namespace tickbox::server
