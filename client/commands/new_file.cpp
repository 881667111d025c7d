#include "client/commands/new_file.h"

#include "os/process/system_error.h"

#include <cerrno>
#include <sys/stat.h>

namespace tickbox::commands {
namespace {

/// Bytes that one write hands to the system.
constexpr std::size_t kGatheredBytes = std::size_t{64} * 1024;
/// Less the umask, as any file.
constexpr mode_t kMode = 0666;

}  // namespace

std::string cannot_write(const std::string& path, int reason) {
  const char* const advice =
      reason == EEXIST ? "name another, or remove it: files that exist are left as they are"
                       : "name a file in a folder that exists and has room";
  return "cannot write " + path + ": " + os::reason_of(reason) + "; " + advice;
}

NewFile::NewFile(const std::string& path)
    : path_(path), draft_(path, kMode, os::Draft::For::NewPlace) {
  gathered_.reserve(kGatheredBytes);
}

std::expected<std::unique_ptr<NewFile>, std::string> NewFile::create(const std::string& path) {
  // Said before the work is done; that nothing is overwritten does not depend on it.
  struct stat there{};
  if (::lstat(path.c_str(), &there) == 0) return std::unexpected{cannot_write(path, EEXIST)};
  std::unique_ptr<NewFile> file{new NewFile{path}};
  if (file->draft_.error() != 0) return std::unexpected{cannot_write(path, file->draft_.error())};
  return file;
}

bool NewFile::write(ConstBytes bytes) {
  if (gathered_.size() + bytes.size() > kGatheredBytes) write_gathered();
  if (bytes.size() >= kGatheredBytes) {
    draft_.write(bytes);
  } else {
    gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  }
  return draft_.error() == 0;
}

void NewFile::write_gathered() {
  draft_.write(gathered_);
  gathered_.clear();
}

std::expected<void, std::string> NewFile::close() {
  write_gathered();
  if (const auto put = draft_.put_in_new_place(); !put) {
    return std::unexpected{cannot_write(path_, put.error())};
  }
  return {};
}

}  // namespace tickbox::commands
