// The new content is written to a draft, which is put in place when it is complete. A reader finds
// the old file or the new one, and a full disk damages neither.

#include "os/files/private_file.h"

#include "os/files/file.h"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>

namespace tickbox::os {

std::expected<void, std::string> create_private_file(const std::string& path, ConstBytes bytes) {
  struct stat old{};
  if (::lstat(path.c_str(), &old) == 0) return std::unexpected{writing_failure(path, EEXIST)};
  AtomicFile file{path, kPrivateMode, AtomicFile::Mode::Create};
  file.write(bytes);
  if (const auto put = file.create(); !put) {
    return std::unexpected{writing_failure(path, put.error())};
  }
  return {};
}

std::expected<void, std::string> replace_private_file(const std::string& path, ConstBytes bytes,
                                                      Access access) {
  struct stat old{};
  const bool exists = ::stat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    return std::unexpected{"cannot write " + path + ": it is not a regular file; name another"};
  }
  std::error_code error;
  const std::string place =
      exists ? std::filesystem::canonical(path, error).string() : std::string{path};
  if (error) return std::unexpected{writing_failure(path, error.value())};
  AtomicFile file{place, kPrivateMode, AtomicFile::Mode::Replace};
  file.write(bytes);
  if (exists && access == Access::AsBefore) file.copy_access(old);
  if (const auto put = file.replace(); !put) {
    return std::unexpected{writing_failure(path, put.error())};
  }
  return {};
}

std::expected<net::KeyRing, std::string> read_key_ring(const std::string& path, Exposed exposed) {
  if (exposed == Exposed::Refused) {
    if (const auto exposure = file_exposure(path)) {
      return std::unexpected{to_line(*exposure) + "; where you cannot, add --allow-exposed-keys"};
    }
  }
  auto bytes = read_file(path, kKeyFileBytesMax);
  if (!bytes) {
    return std::unexpected{bytes.error() +
                           "; make a key file with: tickbox token keygen --out FILE"};
  }
  auto ring = net::KeyRing::parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  net::wipe(*bytes);
  net::wipe_stack();
  if (!ring) return std::unexpected{"key file " + path + ": " + ring.error()};
  return *std::move(ring);
}

std::optional<FileExposure> file_exposure(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IRWXO) == 0) return std::nullopt;
  return FileExposure{.reason = "every user of this machine has access to " + path,
                      .remedy = "chmod o= " + path};
}

std::string to_line(const FileExposure& exposure) {
  return exposure.reason + "; try: " + exposure.remedy;
}

}  // namespace tickbox::os
