#include "os/files/disk.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tickbox::os {
namespace {

std::expected<void, int> checked(int result) {
  if (result != 0) return std::unexpected{errno};
  return {};
}

/// A write lock of the whole file. Only a process that may write the file can hold it, so a reader
/// of recordings cannot make them look open.
struct flock write_lock() {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Returns whether a process holds a write lock of the file.
std::expected<bool, int> is_locked(int file) {
  struct flock lock = write_lock();
  lock.l_type = F_RDLCK;  // only a write lock conflicts with a read lock
  if (::fcntl(file, F_OFD_GETLK, &lock) != 0) return std::unexpected{errno};
  return lock.l_type != F_UNLCK;
}

class SystemFile : public AppendFile {
 public:
  /// `begin`: the number of bytes that the file has already.
  explicit SystemFile(int file, std::uint64_t begin = 0) : file_(file), begin_(begin) {}

  SystemFile(const SystemFile&) = delete;
  SystemFile& operator=(const SystemFile&) = delete;

  ~SystemFile() override {
    if (file_ >= 0) ::close(file_);
  }

  std::expected<std::size_t, int> append(ConstBytes bytes) override {
    while (true) {
      const ssize_t taken = ::write(file_, bytes.data(), bytes.size());
      if (taken > 0) return static_cast<std::size_t>(taken);
      if (taken == 0) return std::unexpected{ENOSPC};
      if (errno != EINTR) return std::unexpected{errno};
    }
  }

  std::expected<void, int> cut(std::uint64_t bytes) override {
    return checked(::ftruncate(file_, static_cast<off_t>(begin_ + bytes)));
  }

  std::expected<void, int> sync() override {
    const auto synced = checked(::fdatasync(file_));
    if (!synced && synced.error() == EINVAL) return {};  // a pipe, which has no medium
    return synced;
  }

  std::expected<void, int> close() override {
    const int file = file_;
    file_ = -1;  // a failed close has closed the file too
    return checked(::close(file));
  }

 protected:
  [[nodiscard]] int handle() const { return file_; }

 private:
  int file_;
  std::uint64_t begin_;
};

/// A file that is written here alone.
class CreatedFile final : public SystemFile {
 public:
  using SystemFile::SystemFile;

  std::expected<std::size_t, int> append(ConstBytes bytes) override {
    if (const auto whole = check(); !whole) return std::unexpected{whole.error()};
    const auto taken = SystemFile::append(bytes);
    if (taken) bytes_ += *taken;
    return taken;
  }

  std::expected<void, int> cut(std::uint64_t bytes) override {
    if (const auto whole = check(); !whole) return whole;
    const auto cut = SystemFile::cut(bytes);
    if (cut) bytes_ = bytes;
    return cut;
  }

  std::expected<void, int> sync() override {
    if (const auto whole = check(); !whole) return whole;
    return SystemFile::sync();
  }

 private:
  /// Fails: ESTALE if the file has fewer bytes than were written.
  [[nodiscard]] std::expected<void, int> check() const {
    struct stat status{};
    if (::fstat(handle(), &status) != 0) return std::unexpected{errno};
    if (static_cast<std::uint64_t>(status.st_size) < bytes_) return std::unexpected{ESTALE};
    return {};
  }

  std::uint64_t bytes_ = 0;  ///< written
};

class SystemDisk final : public Disk {
 public:
  std::expected<std::unique_ptr<AppendFile>, int> create(const std::string& path) override {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC,
                            S_IRUSR | S_IWUSR | S_IRGRP);
    if (file < 0) return std::unexpected{errno};
    // A file system without locks is no reason not to record. read_closed() then fails, too.
    struct flock lock = write_lock();
    (void)::fcntl(file, F_OFD_SETLK, &lock);
    return std::make_unique<CreatedFile>(file);
  }

  std::expected<void, int> remove(const std::string& path) override {
    return checked(::unlink(path.c_str()));
  }

  std::expected<std::vector<ListedFile>, int> list(const std::string& folder) override {
    namespace fs = std::filesystem;
    std::error_code failed;
    std::vector<ListedFile> files;
    for (fs::directory_iterator entry{folder, failed}, end; !failed && entry != end;
         entry.increment(failed)) {
      std::error_code vanished;  // another process has removed the file meanwhile
      if (entry->symlink_status(vanished).type() != fs::file_type::regular) continue;
      const std::uint64_t bytes = entry->file_size(vanished);
      if (!vanished) files.push_back({.path = entry->path().string(), .bytes = bytes});
    }
    if (failed) return std::unexpected{failed.value()};
    return files;
  }

  std::expected<std::vector<std::byte>, int> read_closed(const std::string& path,
                                                         std::size_t bytes_max) override {
    const int opened = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (opened < 0) return std::unexpected{errno};
    SystemFile file{opened};
    const auto locked = is_locked(opened);
    if (!locked) return std::unexpected{locked.error()};
    if (*locked) return std::unexpected{EBUSY};
    std::vector<std::byte> bytes(bytes_max);
    std::size_t size = 0;
    while (size < bytes_max) {
      const ssize_t taken = ::read(opened, bytes.data() + size, bytes_max - size);
      if (taken < 0 && errno != EINTR) return std::unexpected{errno};
      if (taken == 0) break;
      if (taken > 0) size += static_cast<std::size_t>(taken);
    }
    bytes.resize(size);
    return bytes;
  }
};

}  // namespace

std::expected<std::unique_ptr<AppendFile>, int> append_to(const std::string& path,
                                                          Writers writers) {
  // O_NONBLOCK is for open() alone: without it, open() waits for the reader of a FIFO.
  const int opened = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK,
                            S_IRUSR | S_IWUSR | S_IRGRP);
  if (opened < 0) return std::unexpected{errno};
  (void)::fcntl(opened, F_SETFL, ::fcntl(opened, F_GETFL) & ~O_NONBLOCK);
  struct stat status{};
  if (::fstat(opened, &status) != 0) {
    const int failed = errno;
    ::close(opened);
    return std::unexpected{failed};
  }
  auto file = std::make_unique<SystemFile>(opened, static_cast<std::uint64_t>(status.st_size));
  struct flock lock = write_lock();
  const bool is_locked = writers == Writers::One && ::fcntl(opened, F_OFD_SETLK, &lock) != 0 &&
                         (errno == EAGAIN || errno == EACCES);
  if (is_locked) return std::unexpected{EBUSY};
  return file;
}

Disk& system_disk() {
  static SystemDisk disk;
  return disk;
}

}  // namespace tickbox::os
