// Written beside its place under another name, brought to the disk, then renamed: whoever looks
// finds the old file or the new one, and a full disk costs neither.

#include "os/private_file.h"

#include "os/system_error.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace tickbox::os {
namespace {

std::unexpected<std::string> write_error(const std::string& path, int code) {
  std::string line = "cannot write " + path + ": " + reason_of(code);
  if (code == ENOENT || code == ENOTDIR) line += "; its folder must exist";
  if (code == EACCES || code == EPERM || code == EROFS) line += "; check the folder's permissions";
  if (code == EEXIST) line += "; name a new file, or move that one away";
  if (code == ENOSPC || code == EDQUOT) line += "; make room and try again";
  return std::unexpected{line};
}

/// The new file under its passing name; removed unless it was put in place.
class Draft {
 public:
  explicit Draft(const std::string& place) : name_(place + ".XXXXXX") {
    file_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (file_ < 0) error_ = errno;
  }

  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  ~Draft() {
    const bool made = file_ >= 0 || closed_;
    close();
    if (made && !placed_) ::unlink(name_.c_str());
  }

  /// What went wrong first; 0 while nothing has.
  [[nodiscard]] int error() const { return error_; }

  [[nodiscard]] const std::string& name() const { return name_; }

  void write(ConstBytes bytes) {
    while (error_ == 0 && !bytes.empty()) {
      const ssize_t wrote = ::write(file_, bytes.data(), bytes.size());
      if (wrote > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(wrote));
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
  }

  /// Owner and mode of another, where they are not ours anyway.
  void look_like(const struct stat& old) {
    struct stat own{};
    if (error_ != 0 || file_ < 0) return;
    if (::fstat(file_, &own) != 0) {
      error_ = errno;
      return;
    }
    const mode_t mode = old.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    const bool same_owner = own.st_uid == old.st_uid && own.st_gid == old.st_gid;
    const bool done =
        (same_owner || ::fchown(file_, old.st_uid, old.st_gid) == 0) && ::fchmod(file_, mode) == 0;
    if (!done) error_ = errno;
  }

  void bring_to_disk() {
    if (error_ == 0 && file_ >= 0 && ::fsync(file_) != 0) error_ = errno;
    close();
  }

  void was_placed() { placed_ = true; }

 private:
  void close() {
    if (file_ < 0) return;
    if (::close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
    closed_ = true;
  }

  std::string name_;
  int file_ = -1;
  int error_ = 0;
  bool closed_ = false;
  bool placed_ = false;
};

/// The rename itself is a change of the folder. Some file systems cannot do this for a folder; the
/// file is in place all the same.
void bring_folder_to_disk(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path{path}.parent_path();
  const int file =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

/// Fails: errno, EEXIST where there is one already.
int rename_to_new(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that knows no such rename, as NFS, knows links.
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

int rename_over(const std::string& from, const std::string& to) {
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

std::expected<void, std::string> create_private_file(const std::string& path, ConstBytes bytes) {
  struct stat old{};
  if (::lstat(path.c_str(), &old) == 0) return write_error(path, EEXIST);
  Draft draft{path};
  draft.write(bytes);
  draft.bring_to_disk();
  if (draft.error() != 0) return write_error(path, draft.error());
  if (const int error = rename_to_new(draft.name(), path); error != 0) {
    return write_error(path, error);
  }
  draft.was_placed();
  bring_folder_to_disk(path);
  return {};
}

std::expected<void, std::string> replace_private_file(const std::string& path, ConstBytes bytes,
                                                      Access access) {
  struct stat old{};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    return std::unexpected{"cannot write " + path + ": it is no regular file; name another"};
  }
  std::error_code error;
  const std::string place =
      exists ? std::filesystem::canonical(path, error).string() : std::string{path};
  if (error) return write_error(path, error.value());
  Draft draft{place};
  draft.write(bytes);
  if (exists && access == Access::AsBefore) draft.look_like(old);
  draft.bring_to_disk();
  if (draft.error() != 0) return write_error(path, draft.error());
  if (const int renamed = rename_over(draft.name(), place); renamed != 0) {
    return write_error(path, renamed);
  }
  draft.was_placed();
  bring_folder_to_disk(place);
  return {};
}

}  // namespace tickbox::os
