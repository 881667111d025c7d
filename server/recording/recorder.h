#pragma once
// Between a room and its recording: says after each tick what entered it, hands over a world
// whenever one is due, and goes on in another file when the present one is long enough. Where files
// come from is somebody else's business.

#include "core/bytes.h"
#include "record/format.h"
#include "record/writer.h"
#include "server/room/room.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

// Where the files of a room's recording come from, one after the other; the server itself holds
// none.

/// One file of a recording, which stands alone.
struct RecordingPart {
  ByteSink* sink = nullptr;  ///< lives until RecordingStore::retire()
  record::Header header;
};

/// Every call returns at once: files are made and closed elsewhere.
class RecordingStore {
 public:
  RecordingStore() = default;
  RecordingStore(const RecordingStore&) = delete;
  RecordingStore& operator=(const RecordingStore&) = delete;
  virtual ~RecordingStore() = default;

  /// Asks for one more file, and hands it over in the call after it is there. None as long as none
  /// can be made, or the present one cannot be written: the recording then goes on in that.
  [[nodiscard]] virtual std::optional<RecordingPart> next() = 0;

  /// All is written to the part before the one handed over last: it may be closed.
  virtual void retire() = 0;
};

/// When a recording goes on in another file.
struct Rotation {
  RecordingStore* store = nullptr;  ///< none: never
  std::uint32_t ticks = 0;          ///< after so many; 0: never for that
  std::uint64_t bytes = 0;          ///< once it has so many; 0: never for that
};

class Recorder {
 public:
  /// Records `room` from now on.  Requires: `sink` outlives this.
  Recorder(ByteSink& sink, const record::Header& header, const Room& room);

  /// The same, beginning with `first`.  Requires: the store outlives this.
  Recorder(const RecordingPart& first, const Room& room, const Rotation& rotation);

  /// After the room has stepped the tick that its log took last.
  /// Cost: no allocation once warm, but where a new file begins.
  void ticked(const Room& room);

  /// Writes the clean end.
  void finish() { writer_->finish(); }

  /// Of all files together.
  [[nodiscard]] record::WriterStats stats() const;

 private:
  void begin(const RecordingPart& part, const Room& room);
  void keyframe(const Room& room);
  [[nodiscard]] bool rotation_due(Tick now) const;

  Rotation rotation_;
  std::optional<record::Writer> writer_;
  Tick began_;                ///< the present file
  record::WriterStats past_;  ///< of the files before
  std::vector<std::byte> keyframe_;
};

}  // namespace tickbox::server
