#pragma once
// The disk operations that a recording needs, as an interface: tests replace the disk by one that
// fails. Also a file to append to.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace tickbox::os {

/// A file to which bytes are appended. Every call may wait for the disk; errors are errno codes.
/// Thread: one at a time.
class AppendFile {
 public:
  AppendFile() = default;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Closes the file; ignores errors (call `close()` to get them).
  virtual ~AppendFile() = default;

  /// Appends the first bytes of `bytes` to the file, and returns how many: at least one.
  /// Requires: bytes is not empty.
  [[nodiscard]] virtual std::expected<std::size_t, int> append(ConstBytes bytes) = 0;

  /// Truncates the file to its first `bytes` bytes.
  [[nodiscard]] virtual std::expected<void, int> cut(std::uint64_t bytes) = 0;

  /// Flushes the appended bytes to the medium.
  [[nodiscard]] virtual std::expected<void, int> sync() = 0;

  /// Closes the file. No call may follow, even if this one fails.
  [[nodiscard]] virtual std::expected<void, int> close() = 0;
};

/// Appends all of `bytes`. Fails: with an errno code; then a part of them may be in the file.
[[nodiscard]] inline std::expected<void, int> append_all(AppendFile& file, ConstBytes bytes) {
  while (!bytes.empty()) {
    const auto taken = file.append(bytes);
    if (!taken) return std::unexpected{taken.error()};
    bytes = bytes.subspan(*taken);
  }
  return {};
}

/// Who may have a file open to append to it.
enum class Writers : std::uint8_t { Several, One };

/// Opens a file to append to it, and creates it if it is missing, readable by its owner and group.
/// The bytes that the file has already stay: AppendFile::cut() counts from their end.
/// `writers`: One locks the file until it is closed, if its file system has locks. Errors are errno
/// codes: ENXIO for a FIFO that no program reads; EBUSY if another One has the lock.
[[nodiscard]] std::expected<std::unique_ptr<AppendFile>, int> append_to(
    const std::string& path, Writers writers = Writers::Several);

/// A regular file of a folder.
struct ListedFile {
  std::string path{};
  std::uint64_t bytes = 0;
};

/// A file system in which files are created, listed and removed. Thread: any.
class Disk {
 public:
  virtual ~Disk() = default;

  /// Creates an empty file, readable by its owner and group, and locks it until it is closed. The
  /// lock of a killed process ends with it. Every call but close() fails with ESTALE once another
  /// program has made the file shorter, as `copytruncate` of logrotate does.
  /// Fails: EEXIST if the path exists; nothing is overwritten.
  [[nodiscard]] virtual std::expected<std::unique_ptr<AppendFile>, int> create(
      const std::string& path) = 0;

  [[nodiscard]] virtual std::expected<void, int> remove(const std::string& path) = 0;

  /// Returns the regular files directly in a folder, in any order.
  [[nodiscard]] virtual std::expected<std::vector<ListedFile>, int> list(
      const std::string& folder) = 0;

  /// Returns the first bytes of a file, at most `bytes_max`. Follows no symbolic link.
  /// Fails: EBUSY while a process holds the lock of create().
  [[nodiscard]] virtual std::expected<std::vector<std::byte>, int> read_closed(
      const std::string& path, std::size_t bytes_max) = 0;
};

/// The disk of this machine. It has no state.
[[nodiscard]] Disk& system_disk();

}  // namespace tickbox::os
