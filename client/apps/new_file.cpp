#include "client/apps/new_file.h"

#include "os/system_error.h"

#include <cerrno>
#include <unistd.h>

namespace tickbox::apps {
namespace {

std::string cannot(const std::string& path, int reason) {
  const char* const advice =
      reason == EEXIST ? "name another, or remove it: files that exist are left as they are"
                       : "name a file in a folder that exists and has room";
  return "cannot write " + path + ": " + os::reason_of(reason) + "; " + advice;
}

}  // namespace

std::expected<std::unique_ptr<NewFile>, std::string> NewFile::create(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr) {
    return std::unexpected{cannot(path, errno)};
  }
  return std::unique_ptr<NewFile>{new NewFile{path, file}};
}

NewFile::~NewFile() {
  if (file_ != nullptr) (void)std::fclose(file_);
  if (!kept_) (void)::unlink(path_.c_str());
}

bool NewFile::write(ConstBytes bytes) {
  if (file_ == nullptr || reason_ != 0) {
    return false;
  }
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
    reason_ = errno;
  }
  return reason_ == 0;
}

std::expected<void, std::string> NewFile::close() {
  if (reason_ == 0 && (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0)) reason_ = errno;
  if (std::fclose(file_) != 0 && reason_ == 0) reason_ = errno;
  file_ = nullptr;
  kept_ = reason_ == 0;
  if (!kept_) return std::unexpected{cannot(path_, reason_)};
  return {};
}

}  // namespace tickbox::apps
