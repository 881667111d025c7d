#pragma once
// Reads a recording that grows, from bytes that come in pieces: the log of a room that is followed.

#include "core/bytes.h"
#include "record/format.h"
#include "record/reader.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::record {

/// Keeps the bytes of a few records. Cost: linear in the bytes; memory for the largest record.
class StreamReader {
 public:
  /// Appends the next bytes of the recording.
  void append(ConstBytes piece) { came_.insert(came_.end(), piece.begin(), piece.end()); }

  /// Advances to the next item. Nothing until more bytes come: then a record or the file header is
  /// not whole yet. Fails: if the bytes do not begin as a recording does; for good.
  [[nodiscard]] std::expected<std::optional<Reader::Item>, RecordError> next();

  /// Returns the content of the last item, until the next call of next(). Requires: next() has
  /// returned an item.
  [[nodiscard]] const Reader& reader() const { return *reader_; }

 private:
  std::vector<std::byte> came_;   ///< what the reader does not have yet
  std::vector<std::byte> bytes_;  ///< what the reader has, and a record or header that is not whole
  std::optional<Reader> reader_;
};

}  // namespace tickbox::record
