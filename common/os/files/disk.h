#pragma once
// The few things a recording asks of a disk, as an interface: tests answer with a disk that fails.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace tickbox::os {

/// A file that grows at its end. Every call may wait for the disk; errors are errno codes.
/// Thread: one at a time.
class AppendFile {
 public:
  AppendFile() = default;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Closes, and has nobody to tell of a failure.
  virtual ~AppendFile() = default;

  /// Puts a beginning of `bytes` at the end of the file, and returns how many it took: at least
  /// one. Requires: bytes is not empty.
  [[nodiscard]] virtual std::expected<std::size_t, int> append(ConstBytes bytes) = 0;

  /// Takes off whatever is behind the first `bytes` bytes.
  [[nodiscard]] virtual std::expected<void, int> cut(std::uint64_t bytes) = 0;

  /// Brings what was appended to the medium.
  [[nodiscard]] virtual std::expected<void, int> sync() = 0;

  /// Nothing may follow, whether it fails or not.
  [[nodiscard]] virtual std::expected<void, int> close() = 0;
};

/// Where files are made and removed.  Thread: any.
class Disk {
 public:
  virtual ~Disk() = default;

  /// An empty file, readable by its owner and group.  Fails: EEXIST when there is something of that
  /// name; nothing is overwritten.
  [[nodiscard]] virtual std::expected<std::unique_ptr<AppendFile>, int> create(
      const std::string& path) = 0;

  [[nodiscard]] virtual std::expected<void, int> remove(const std::string& path) = 0;
};

/// The one of this machine. It has no state.
[[nodiscard]] Disk& system_disk();

}  // namespace tickbox::os
