// Reads until the end of the file: the size from fstat() is only a guess for pipes and for files
// that grow.

#include "os/files/file.h"

#include "os/process/system_error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} * 1024;

std::unexpected<std::string> read_error(const std::string& path, int code) {
  std::string line = "cannot read " + path + ": " + reason_of(code);
  if (code == ENOENT || code == ENOTDIR) line += "; check the path";
  if (code == EACCES) line += "; check its permissions";
  if (code == EISDIR) line += "; name a file in this directory";
  return std::unexpected{line};
}

struct OwnedDescriptor {
  int value = -1;

  explicit OwnedDescriptor(int descriptor) : value{descriptor} {}

  OwnedDescriptor(const OwnedDescriptor&) = delete;
  OwnedDescriptor& operator=(const OwnedDescriptor&) = delete;

  ~OwnedDescriptor() {
    if (value >= 0) ::close(value);
  }
};

/// Temporary names tried for one path. A name is taken by another draft of this process, or by one
/// that a killed process of the same number left behind.
constexpr int kNamesTried = 100;

std::string folder_of(const std::string& place) {
  const std::string folder = std::filesystem::path{place}.parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string passing_name(const std::string& place, int number) {
  return place + '.' + std::to_string(::getpid()) + '-' + std::to_string(number);
}

/// Returns the path through which a file without a name can be linked.
std::string handle_of(int file) {
  return "/proc/self/fd/" + std::to_string(file);
}

/// Syncs the folder, because a new name is a change of the folder. Ignores errors: some file
/// systems cannot sync a folder, and the file is in place in any case.
void bring_folder_to_disk(const std::string& place) {
  const int folder = ::open(folder_of(place).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

}  // namespace

std::expected<std::vector<std::byte>, std::string> read_file(const std::string& path,
                                                             std::size_t bytes_max) {
  const OwnedDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) return read_error(path, errno);
  struct stat status{};
  if (fstat(file.value, &status) != 0) return read_error(path, errno);
  if (!S_ISREG(status.st_mode)) bytes_max = std::min(bytes_max, kStreamBytesMax);
  const auto too_large = [&] {
    return std::unexpected{"cannot read " + path + ": larger than " + std::to_string(bytes_max) +
                           " bytes; is it the right file?"};
  };

  const std::size_t expected_size =
      S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
  if (expected_size > bytes_max) return too_large();
  std::vector<std::byte> bytes(expected_size + 1);  // one more, to find the end without growing
  std::size_t size = 0;
  while (true) {
    const ssize_t got = ::read(file.value, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return read_error(path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > bytes_max) return too_large();
    if (size == bytes.size()) bytes.resize(size + std::max(size, kChunkBytes));
  }
  bytes.resize(size);
  return bytes;
}

std::expected<std::string, std::string> read_text(const std::string& path, std::size_t bytes_max) {
  const auto bytes = read_file(path, bytes_max);
  if (!bytes) return std::unexpected{bytes.error()};
  return std::string{reinterpret_cast<const char*>(bytes->data()), bytes->size()};
}

std::expected<FileReader, int> FileReader::open(const std::string& path) {
  // O_NONBLOCK: open() must not wait for the writer of a FIFO.
  FileReader reader{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (reader.file_ < 0) return std::unexpected{errno};
  struct stat status{};
  if (::fstat(reader.file_, &status) != 0) return std::unexpected{errno};
  if (!S_ISREG(status.st_mode)) return std::unexpected{EINVAL};
  return reader;
}

FileReader::~FileReader() {
  if (file_ >= 0) ::close(file_);
}

std::expected<void, int> FileReader::read(std::uint64_t offset, std::size_t bytes_max,
                                          std::string& to) const {
  const std::size_t before = to.size();
  to.resize(before + bytes_max);
  std::size_t size = 0;
  while (size < bytes_max) {
    const ssize_t got = ::pread(file_, to.data() + before + size, bytes_max - size,
                                static_cast<off_t>(offset + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected{errno};
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  to.resize(before + size);
  return {};
}

std::expected<std::uint64_t, int> FileReader::size() const {
  struct stat status{};
  if (::fstat(file_, &status) != 0) return std::unexpected{errno};
  return static_cast<std::uint64_t>(status.st_size);
}

FileStamp file_stamp(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {.error = errno};
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = status.st_size,
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim)};
}

std::expected<void, std::string> prepare_folder(const std::string& folder, std::string_view flag) {
  const auto refusal = [&](const std::string& reason) {
    return std::unexpected{"cannot write into the directory " + folder + ": " + reason +
                           "; choose another with " + std::string{flag}};
  };
  std::error_code failed;
  std::filesystem::create_directory(folder, failed);
  if (failed) {
    const bool has_no_parent = failed == std::errc::no_such_file_or_directory;
    return refusal(has_no_parent ? "its parent directory does not exist" : failed.message());
  }
  std::string probe = (std::filesystem::path{folder} / ".probe.XXXXXX").string();
  const int file = ::mkostemp(probe.data(), O_CLOEXEC);
  if (file < 0) return refusal(reason_of(errno));
  ::close(file);
  ::unlink(probe.c_str());
  return {};
}

AtomicFile::AtomicFile(const std::string& place, mode_t mode, Mode what) : place_(place) {
  if (what == Mode::Create) open_nameless(mode);
  if (file_ < 0) open_named(mode);
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) ::close(file_);
  if (!name_.empty()) ::unlink(name_.c_str());
}

void AtomicFile::open_nameless(mode_t mode) {
  file_ = ::open(folder_of(place_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  // Without /proc the finished file could not be linked to its path.
  if (file_ >= 0 && ::access(handle_of(file_).c_str(), F_OK) != 0) {
    ::close(std::exchange(file_, -1));
  }
}

void AtomicFile::open_named(mode_t mode) {
  for (int i = 0; i < kNamesTried && file_ < 0; ++i) {
    const std::string name = passing_name(place_, i);
    file_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    if (file_ >= 0) {
      name_ = name;
    } else if (errno != EEXIST) {
      break;
    }
  }
  if (file_ < 0) error_ = errno;
}

void AtomicFile::write(ConstBytes bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t wrote = ::write(file_, bytes.data(), bytes.size());
    if (wrote > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
}

void AtomicFile::copy_access(const struct stat& other) {
  if (error_ != 0) return;
  struct stat own{};
  const mode_t mode = other.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
  bool done = ::fstat(file_, &own) == 0;
  if (done && (own.st_uid != other.st_uid || own.st_gid != other.st_gid)) {
    done = ::fchown(file_, other.st_uid, other.st_gid) == 0;
  }
  if (!done || ::fchmod(file_, mode) != 0) error_ = errno;
}

void AtomicFile::sync_to_disk() {
  if (error_ == 0 && ::fsync(file_) != 0) error_ = errno;
}

/// Returns 0 or errno.
int AtomicFile::rename_to_new_place() {
  if (::renameat2(AT_FDCWD, name_.c_str(), AT_FDCWD, place_.c_str(), RENAME_NOREPLACE) == 0) {
    name_.clear();
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system without this rename, such as NFS, has links; the destructor removes the old name.
  return ::link(name_.c_str(), place_.c_str()) == 0 ? 0 : errno;
}

/// Closes a file with a temporary name before the rename, so that no write error is reported after
/// the rename. A file without a name cannot be closed first.
std::expected<void, int> AtomicFile::create() {
  sync_to_disk();
  if (error_ != 0) return std::unexpected{error_};
  if (name_.empty()) {
    const bool linked = ::linkat(AT_FDCWD, handle_of(file_).c_str(), AT_FDCWD, place_.c_str(),
                                 AT_SYMLINK_FOLLOW) == 0;
    return placed(linked ? 0 : errno);
  }
  if (::close(std::exchange(file_, -1)) != 0) return placed(errno);
  return placed(rename_to_new_place());
}

std::expected<void, int> AtomicFile::replace() {
  sync_to_disk();
  if (error_ != 0) return std::unexpected{error_};
  if (::close(std::exchange(file_, -1)) != 0) return placed(errno);
  if (::rename(name_.c_str(), place_.c_str()) != 0) return placed(errno);
  name_.clear();
  return placed(0);
}

std::expected<void, int> AtomicFile::placed(int error) {
  error_ = error;
  if (error_ != 0) return std::unexpected{error_};
  bring_folder_to_disk(place_);
  return {};
}

std::string writing_failure(const std::string& path, int code) {
  std::string line = "cannot write " + path + ": " + reason_of(code);
  if (code == ENOENT || code == ENOTDIR) line += "; its folder must exist";
  if (code == EACCES || code == EPERM || code == EROFS) line += "; check the folder's permissions";
  if (code == EEXIST) line += "; name a new file, or move the existing one";
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) line += "; free some space and try again";
  return line;
}

}  // namespace tickbox::os
