#pragma once
// A file of whole records: after a write that failed it is cut back to the last whole one before
// anything follows.

#include "core/bytes.h"
#include "os/files/disk.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>
#include <vector>

namespace tickbox::os {

/// Records one behind the other, and where each ends.
struct RecordBatch {
  std::vector<std::byte> bytes;
  std::vector<std::size_t> ends;

  [[nodiscard]] bool empty() const { return ends.empty(); }

  void push(ConstBytes record);
  /// Drops whole records from the front.  Requires: one ends at `size`, or it is 0.
  void drop_front(std::size_t size);
  void clear();
};

/// What the disk would not do.
struct DiskError {
  std::string_view what;  ///< for a line "cannot <what> FILE"
  int code = 0;           ///< errno
};

/// Invariant: the file is the records it was given, in order, from the first to some whole one; but
/// for the time between a failed write and the next call of append() that can cut, when less than a
/// record may stand behind them.
/// Thread: one at a time. Every call may wait for the disk.
class RecordFile {
 public:
  explicit RecordFile(std::unique_ptr<AppendFile> file) : file_(std::move(file)) {}

  /// Writes the records of `batch` and drops those that are in the file from it: what is left is to
  /// be given again.  Fails: when the disk did; all that is in the file stays.
  [[nodiscard]] std::expected<void, DiskError> append(RecordBatch& batch);

  /// Bytes of whole records in the file.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// Cuts what may have to be cut, brings all to the medium, and closes.  Fails: with the first.
  [[nodiscard]] std::expected<void, DiskError> close();

 private:
  [[nodiscard]] std::expected<void, DiskError> cut_back();

  std::unique_ptr<AppendFile> file_;
  std::uint64_t bytes_ = 0;
  bool torn_ = false;  ///< something may stand behind bytes_
};

}  // namespace tickbox::os
