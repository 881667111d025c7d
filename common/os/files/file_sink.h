#pragma once
// A file of appended records, or one after the other, written by a background thread: a slow or
// full disk costs the file, never a tick.

#include "core/bytes.h"
#include "core/clock.h"
#include "os/files/disk.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace tickbox::os {

/// A file that a sink has closed.
struct ClosedFile {
  std::string path{};
  std::uint64_t bytes = 0;  ///< of its whole records
  bool is_whole = true;     ///< false: accepted records are or may be lost
};

/// Work that a sink does in its thread, between records.
using SinkWork = std::move_only_function<void()>;

struct FileSinkOptions {
  std::string path{};  ///< must not exist: nothing is overwritten
  /// Bytes that may wait for the disk. Memory is allocated only while they wait. At 1 MB/s the
  /// default lasts for a stall of one minute.
  std::size_t queue_bytes_max = std::size_t{64} * 1024 * 1024;
  /// Time between two attempts on a disk that has failed.
  Duration retry_interval = std::chrono::seconds{5};
  /// Time without an answer after which the disk counts as stalled.
  Duration patience = std::chrono::seconds{2};
  /// Called for each closed file, in the thread of the sink; for the last one in that of close().
  std::function<void(const ClosedFile&)> closed{};
};

struct FileSinkStats {
  std::uint64_t bytes_written = 0;  ///< handed to the kernel, in whole records of all files
  std::uint64_t errors = 0;         ///< failed writes, truncations, syncs and closes
  std::uint64_t queue_bytes = 0;    ///< bytes in the queue now
  bool degraded = false;            ///< the disk failed: writes are refused until it recovers
  bool stalled = false;  ///< the disk does not answer: records wait while the queue has space
};

/// A sink that appends one record per call of write(). After a failed write the file is truncated
/// to its last whole record. Accepted records stay in the queue and are tried again every
/// retry_interval; meanwhile new records are refused. The file therefore holds the accepted
/// records in order and without a hole, from the first to some last. The refusals tell the caller
/// where a gap is.
class FileSink final : public ByteSink {
 public:
  /// Creates the file, readable by its owner and group, and starts the thread.
  /// Requires: `disk` outlives the sink.
  /// Fails: with one line, if the path exists or cannot be created, or if there is no thread.
  [[nodiscard]] static std::expected<std::unique_ptr<FileSink>, std::string> create(
      const FileSinkOptions& options, Disk& disk = system_disk());

  /// Does the same for a file that a disk has already created at options.path.
  [[nodiscard]] static std::expected<std::unique_ptr<FileSink>, std::string> over(
      std::unique_ptr<AppendFile> file, FileSinkOptions options);

  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  /// Closes the file; ignores errors (call `close()` to get them).
  ~FileSink() override;

  /// Queues `bytes` as one record.
  /// Fails: false if the queue is full, the disk has failed or the sink is closed; then none of
  /// `bytes` is written. Cost: a copy under a lock that the other thread holds for a few
  /// instructions; it never waits for the disk.
  bool write(ConstBytes bytes) override;

  /// Queues `work`: it begins once everything before it is in the file, so not while the disk
  /// fails. It may wait for the disk; meanwhile records wait. It is dropped if the disk fails until
  /// the end. Requires: close() was not called.
  void run(SinkWork work);

  /// Queues a change: everything before it is written, that file is synced and closed, and what
  /// follows goes to `next`. Requires: as for run(); a disk has created `next` at `path`.
  void change_file(std::unique_ptr<AppendFile> next, std::string path);

  /// Does what is queued, syncs the file to the disk and joins the thread. Each file of a failed
  /// disk gets one more attempt. Fails: with one line, if an accepted record is or may be lost.
  std::expected<void, std::string> close();

  /// Thread: any.
  [[nodiscard]] FileSinkStats stats() const;

  /// The last error in one line; empty if there was none. Thread: any.
  [[nodiscard]] std::string failure() const;

  /// Why the file is not being written at present, in one line; empty if it is. Thread: any.
  [[nodiscard]] std::string hindrance() const;

 private:
  struct State;
  explicit FileSink(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Returns one line that says why a file cannot be created, and what to try.
[[nodiscard]] std::string creation_failure(const std::string& path, int code);

}  // namespace tickbox::os
