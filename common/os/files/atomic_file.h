#pragma once
// A file that is written completely before it appears at its path. Where the file system supports
// it, a new file has no name until then, and the kernel removes it however the process ends.
// Otherwise, and if it replaces another file, it has a temporary name beside its path. Only a
// killed process leaves a file with a temporary name behind.

#include "core/bytes.h"

#include <cstdint>
#include <expected>
#include <string>
#include <sys/stat.h>

namespace tickbox::os {

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
