// Reads until the end of the file: the size from fstat() is only a guess for pipes and for files
// that grow.

#include "os/files/file.h"

#include "os/process/system_error.h"

#include <algorithm>
#include <cerrno>
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

}  // namespace tickbox::os
