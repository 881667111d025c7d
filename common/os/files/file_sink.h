#pragma once
// A file that grows by appended records, written by its own thread: a slow or full disk costs the
// file, never a tick.

#include "core/bytes.h"
#include "core/clock.h"
#include "os/files/disk.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace tickbox::os {

struct FileSinkOptions {
  std::string path{};  ///< must not exist: nothing is ever overwritten
  /// Bytes that may wait for the disk. Memory is taken only as they wait. At 1 MB/s it bridges a
  /// stall of a minute.
  std::size_t queue_bytes_max = std::size_t{64} * 1024 * 1024;
  /// How long records are gathered before they are written. None: a recording's records are 100 ms
  /// of play each already, which is what a killed server may lose of it.
  Duration flush_interval{};
  /// Between two attempts on a disk that has failed.
  Duration retry_interval = std::chrono::seconds{5};
  /// A disk that has not answered for so long is stalled.
  Duration patience = std::chrono::seconds{2};
};

struct FileSinkStats {
  std::uint64_t bytes_written = 0;   ///< handed to the kernel, in whole records
  std::uint64_t errors = 0;          ///< failed writes, truncations and syncs
  std::uint64_t recoveries = 0;      ///< times that a disk that had failed has taken again
  std::uint64_t writes_refused = 0;  ///< calls of write() that returned false
  std::uint64_t queue_bytes = 0;     ///< waiting now
  bool degraded = false;             ///< the disk has failed: nothing is taken until it takes again
  bool stalled =
      false;  ///< the disk does not answer: what is taken waits, as long as there is room
};

/// A record is what one call of write() brings. After a failed write the file is cut back to its
/// last whole record; what had been taken stays in the queue, and is tried again every
/// retry_interval, while new records are refused. So the file is always the records that were
/// taken, in order and without a hole, from the first to some last: who is refused knows where a
/// gap is.
class FileSink final : public ByteSink {
 public:
  /// Creates the file, readable by its owner and group, and starts the thread.
  /// Requires: `disk` outlives the sink.
  /// Fails: when the path exists or cannot be created, with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<FileSink>, std::string> create(
      const FileSinkOptions& options, Disk& disk = system_disk());

  /// The same over a file that `disk` has created as options.path.
  [[nodiscard]] static std::unique_ptr<FileSink> over(std::unique_ptr<AppendFile> file,
                                                      const FileSinkOptions& options);

  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  /// Closes, and has nobody to tell of a failure.
  ~FileSink() override;

  /// Fails: false when the queue is full, the disk has failed or the sink is closed; then none of
  /// `bytes` is written. Cost: a copy under a lock that the other thread holds for a few
  /// instructions; it never waits for the disk.
  bool write(ConstBytes bytes) override;

  /// Writes all that waits, by one more attempt where the disk has failed, brings it to the disk
  /// and joins the thread.  Fails: with one line, when anything that was taken is lost.
  std::expected<void, std::string> close();

  /// Thread: any.
  [[nodiscard]] FileSinkStats stats() const;

  /// What last went wrong, in one line; empty if nothing ever did.  Thread: any.
  [[nodiscard]] std::string failure() const;

 private:
  struct State;
  explicit FileSink(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// Why a file cannot be created, and what to try, in one line.
[[nodiscard]] std::string creation_failure(const std::string& path, int code);

}  // namespace tickbox::os
