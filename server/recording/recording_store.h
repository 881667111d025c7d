#pragma once
// Where the files of a room's recording come from, one after the other; the server itself holds
// none.

#include "core/byte_sink.h"
#include "record/format.h"

#include <cstdint>
#include <optional>

namespace tickbox::server {

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

}  // namespace tickbox::server
