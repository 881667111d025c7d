#include "os/files/folder.h"

#include "os/process/system_error.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace tickbox::os {

std::expected<void, std::string> prepare_folder(const std::string& folder, std::string_view flag) {
  const auto refusal = [&](const std::string& reason) {
    return std::unexpected{"cannot write into the directory " + folder + ": " + reason +
                           "; choose another with " + std::string{flag}};
  };
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return refusal(failed.message());
  std::string probe = (std::filesystem::path{folder} / ".probe.XXXXXX").string();
  const int file = ::mkostemp(probe.data(), O_CLOEXEC);
  if (file < 0) return refusal(reason_of(errno));
  ::close(file);
  ::unlink(probe.c_str());
  return {};
}

}  // namespace tickbox::os
