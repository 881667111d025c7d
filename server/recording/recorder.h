#pragma once
// Connects a match with its recording: writes what entered each tick, and a keyframe whenever one
// is due. It continues in another file when the present one is long enough. The files come from a
// RecordingStore.

#include "core/bytes.h"
#include "record/format.h"
#include "record/writer.h"
#include "server/match/match.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

// The source of the files of a room's recording, one after the other; this library opens none.

/// One file of a recording, complete in itself.
struct RecordingPart {
  ByteSink* sink = nullptr;  ///< valid until RecordingStore::retire()
  record::Header header;
};

/// The source of the files. Every call returns at once: files are created and closed elsewhere.
class RecordingStore {
 public:
  RecordingStore() = default;
  RecordingStore(const RecordingStore&) = delete;
  RecordingStore& operator=(const RecordingStore&) = delete;
  virtual ~RecordingStore() = default;

  /// Requests one more file, and returns it in the first call after it is ready. Returns none while
  /// no file can be created, or the present one cannot be written: the recording then continues in
  /// the present file.
  [[nodiscard]] virtual std::optional<RecordingPart> next() = 0;

  /// Reports that the part before the newest one has its last record: it may be closed.
  virtual void retire() = 0;
};

/// The limits at which a recording continues in another file. It does so after the end of a match,
/// too: as soon as the store has a file.
struct Rotation {
  RecordingStore* store = nullptr;  ///< none: never rotates
  std::uint32_t ticks = 0;          ///< after this many ticks; 0: no limit
  std::uint64_t bytes = 0;          ///< at this many bytes; 0: no limit
};

class Recorder {
 public:
  /// Records a match from now on. Requires: `sink` outlives this.
  Recorder(ByteSink& sink, const record::Header& header, const match::Match& match);

  /// Records a match from now on, beginning in `first`. Requires: the store outlives this.
  Recorder(const RecordingPart& first, const match::Match& match, const Rotation& rotation);

  /// Records the tick that the match has written to its tick log last.
  /// Cost: no allocation once warm, except when a new file begins.
  void ticked(const match::Match& match);

  /// Writes the normal end of the present file.
  void finish() { writer_->finish(); }

  /// Returns the statistics of all files together.
  [[nodiscard]] record::WriterStats stats() const;

 private:
  void begin(const RecordingPart& part, const match::Match& match);
  void keyframe(const match::Match& match);
  [[nodiscard]] bool rotation_due(Tick now) const;

  Rotation rotation_;
  std::optional<record::Writer> writer_;
  Tick began_;                ///< the tick with which the present file begins
  bool match_ended_ = false;  ///< in the present file
  record::WriterStats past_;  ///< statistics of the earlier files
  std::vector<std::byte> keyframe_;
};

}  // namespace tickbox::server
