#pragma once
// Reads whole files into memory, tells whether a file has changed, prepares folders that a program
// writes into later, and writes files that appear whole.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace tickbox::os {

// Reading a whole file, for scenarios, scripts, configuration, keys, tokens and recordings.

/// The largest file that is read; a recording of a whole day of 64 players stays below it.
inline constexpr std::size_t kFileBytesMax = std::size_t{4} * 1024 * 1024 * 1024;

/// The limit for a pipe or a device, whose size is not known beforehand: an endless one must not
/// fill the memory.
inline constexpr std::size_t kStreamBytesMax = std::size_t{256} * 1024 * 1024;
static_assert(kStreamBytesMax < kFileBytesMax);

/// Returns all bytes of a regular file, a pipe or a device that ends.
/// Fails: with one line that says what, why and what to try. The limit is `bytes_max`; for a pipe
/// or a device it is at most kStreamBytesMax.
[[nodiscard]] std::expected<std::vector<std::byte>, std::string> read_file(
    const std::string& path, std::size_t bytes_max = kFileBytesMax);

/// Does the same, for a file of text.
[[nodiscard]] std::expected<std::string, std::string> read_text(const std::string& path,
                                                                std::size_t bytes_max);

/// A regular file that is read in parts, also while it grows. It stays readable when it is removed.
/// Errors are errno codes. Thread: one at a time.
class FileReader {
 public:
  /// Opens a file. Follows no symbolic link. Fails: EINVAL if it is no regular file.
  [[nodiscard]] static std::expected<FileReader, int> open(const std::string& path);

  FileReader(FileReader&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

  FileReader& operator=(FileReader&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }

  ~FileReader();

  /// Appends at most `bytes_max` bytes from `offset` on to `to`: fewer only at the end of the file.
  [[nodiscard]] std::expected<void, int> read(std::uint64_t offset, std::size_t bytes_max,
                                              std::string& to) const;

  /// Returns the size of the file at present.
  [[nodiscard]] std::expected<std::uint64_t, int> size() const;

 private:
  explicit FileReader(int file) : file_(file) {}

  int file_;
};

/// What tells whether a file has changed, without reading it. Follows symlinks.
struct FileStamp {
  int error = 0;  ///< errno, if the file cannot be examined; else 0
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  ///< of its content or its permissions

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

[[nodiscard]] FileStamp file_stamp(const std::string& path);

// Preparing a folder at the start of a program that writes into it later.

/// Creates the folder if it is missing (not its parent), and checks that a file can be created in
/// it. The message names `flag`, the option that chooses the folder. Fails: with one line.
[[nodiscard]] std::expected<void, std::string> prepare_folder(const std::string& folder,
                                                              std::string_view flag);

// A file that appears whole.

/// A file that is written completely before it appears at its path. Where the file system supports
/// it, a new file has no name until then, and the kernel removes it however the process ends.
/// Otherwise, and if it replaces another file, it has a temporary name beside its path. Only a
/// killed process leaves a file with a temporary name behind.
class AtomicFile {
 public:
  /// Whether the path must be free, or a file there is replaced. A link can only create a new path.
  /// Replacing a file takes a rename, and so a temporary name from the start.
  enum class Mode : std::uint8_t { Create, Replace };

  /// Creates a file in the folder of `place`, its later path. As with open(), the bits of the umask
  /// are removed from `mode`.
  AtomicFile(const std::string& place, mode_t mode, Mode what);

  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Removes the file unless it was put in place.
  ~AtomicFile();

  /// The errno of the first failure, or 0. After a failure the other calls do nothing.
  [[nodiscard]] int error() const { return error_; }

  void write(ConstBytes bytes);

  /// Sets owner, group and permissions to those of another file.
  void copy_access(const struct stat& other);

  /// Syncs the file to the disk and links it at its path; overwrites nothing.
  /// Fails: with errno, EEXIST if the path exists. Requires: no other call follows.
  [[nodiscard]] std::expected<void, int> create();

  /// Syncs the file to the disk and renames it to its path; replaces a file that is there.
  /// Fails: with errno. Requires: Mode::Replace; no other call follows.
  [[nodiscard]] std::expected<void, int> replace();

 private:
  void open_nameless(mode_t mode);
  void open_named(mode_t mode);
  void sync_to_disk();
  [[nodiscard]] int rename_to_new_place();
  [[nodiscard]] std::expected<void, int> placed(int error);

  std::string place_;
  std::string name_{};  ///< the temporary name; empty if there is none
  int file_ = -1;
  int error_ = 0;
};

/// Returns one line that says why a file cannot be written, and what to try.
[[nodiscard]] std::string writing_failure(const std::string& path, int code);

}  // namespace tickbox::os
