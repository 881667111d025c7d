#pragma once
// A file that grows by appended records, written by its own thread: a slow or full disk costs the
// file, never a tick.

#include "core/byte_sink.h"
#include "core/clock.h"

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
  /// How long bytes wait in the process at most, beside the time of the write itself. Half of the
  /// 100 ms that a killed server may lose.
  Duration flush_interval = std::chrono::milliseconds{50};
};

struct FileSinkStats {
  std::uint64_t bytes_written = 0;   ///< handed to the kernel, in whole records
  std::uint64_t errors = 0;          ///< failed writes, truncations and syncs
  std::uint64_t writes_refused = 0;  ///< calls of write() that returned false
  std::uint64_t queue_bytes = 0;     ///< waiting now
  bool degraded = false;             ///< the disk has failed; nothing more is taken
};

/// A record is what one call of write() brings: after a failed write the file is cut back to its
/// last whole record.
class FileSink final : public ByteSink {
 public:
  /// Creates the file, readable by its owner and group, and starts the thread.
  /// Fails: when the path exists or cannot be created, with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<FileSink>, std::string> create(
      const FileSinkOptions& options);

  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  /// Closes, and has nobody to tell of a failure.
  ~FileSink() override;

  /// Fails: false when the queue is full, the disk has failed or the sink is closed; then none of
  /// `bytes` is written. Cost: a copy under a lock that the other thread holds for a few
  /// instructions; it never waits for the disk.
  bool write(ConstBytes bytes) override;

  /// Writes all that waits, brings it to the disk and joins the thread.  Fails: with one line, when
  /// any of it was lost.
  std::expected<void, std::string> close();

  /// Thread: any.
  [[nodiscard]] FileSinkStats stats() const;

 private:
  struct State;
  explicit FileSink(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace tickbox::os
