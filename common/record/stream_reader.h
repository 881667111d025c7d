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

/// Keeps the bytes that the reader has not passed: those of a record that is not whole; after
/// damage, those up to the next keyframe, at most as many as the longest keyframe has.
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

  /// Notes that no more bytes come; next() may then return more items.
  void end();

  /// Returns the number of bytes behind the last item: after end(), those of a cut record.
  [[nodiscard]] std::size_t rest() const;

 private:
  [[nodiscard]] std::optional<Reader::Item> next_item();

  std::vector<std::byte> came_;  ///< what the reader does not have yet
  std::vector<std::byte>
      bytes_;  ///< what the reader has, then a record or header that is not whole
  std::optional<Reader> reader_;
};

}  // namespace tickbox::record
