// What is in a draft of its own is put in place when it is whole: whoever looks finds the old file
// or the new one, and a full disk costs neither.

#include "os/files/private_file.h"

#include "os/files/draft.h"

#include <cerrno>
#include <filesystem>

namespace tickbox::os {

std::expected<void, std::string> create_private_file(const std::string& path, ConstBytes bytes) {
  struct stat old{};
  if (::lstat(path.c_str(), &old) == 0) return std::unexpected{writing_failure(path, EEXIST)};
  Draft draft{path, kPrivateMode, Draft::For::NewPlace};
  draft.write(bytes);
  if (const auto put = draft.put_in_new_place(); !put) {
    return std::unexpected{writing_failure(path, put.error())};
  }
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
  if (error) return std::unexpected{writing_failure(path, error.value())};
  Draft draft{place, kPrivateMode, Draft::For::TakenPlace};
  draft.write(bytes);
  if (exists && access == Access::AsBefore) draft.look_like(old);
  if (const auto put = draft.put_in_taken_place(); !put) {
    return std::unexpected{writing_failure(path, put.error())};
  }
  return {};
}

}  // namespace tickbox::os
