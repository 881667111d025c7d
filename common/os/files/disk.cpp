#include "os/files/disk.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

std::expected<void, int> checked(int result) {
  if (result != 0) return std::unexpected{errno};
  return {};
}

class SystemFile final : public AppendFile {
 public:
  explicit SystemFile(int file) : file_(file) {}

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
    return checked(::ftruncate(file_, static_cast<off_t>(bytes)));
  }

  std::expected<void, int> sync() override { return checked(::fdatasync(file_)); }

  std::expected<void, int> close() override {
    const int file = file_;
    file_ = -1;  // a failed close has closed the file too
    return checked(::close(file));
  }

 private:
  int file_;
};

class SystemDisk final : public Disk {
 public:
  std::expected<std::unique_ptr<AppendFile>, int> create(const std::string& path) override {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC,
                            S_IRUSR | S_IWUSR | S_IRGRP);
    if (file < 0) return std::unexpected{errno};
    return std::make_unique<SystemFile>(file);
  }

  std::expected<void, int> remove(const std::string& path) override {
    return checked(::unlink(path.c_str()));
  }
};

}  // namespace

Disk& system_disk() {
  static SystemDisk disk;
  return disk;
}

}  // namespace tickbox::os
