#include "client/commands/new_file.h"

#include "os/process/system_error.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace tickbox::commands {
namespace {

/// The number of bytes buffered for one write to the system.
constexpr std::size_t kGatheredBytes = std::size_t{64} * 1024;
/// The mode of a new file, before the umask.
constexpr mode_t kMode = 0666;

/// Opens an output by name. For a name of stdout, such as /dev/stdout, it returns stdout itself. If
/// stdout is redirected to a file, opening that file would fail because it exists.
std::FILE* open_output(const std::string& name) {
  struct stat named{};
  struct stat standard{};
  const bool is_there = stat(name.c_str(), &named) == 0;
  if (is_there && fstat(STDOUT_FILENO, &standard) == 0 && named.st_dev == standard.st_dev &&
      named.st_ino == standard.st_ino) {
    return stdout;
  }
  return std::fopen(name.c_str(), is_there && !S_ISREG(named.st_mode) ? "wb" : "wbx");
}

}  // namespace

std::string cannot_write(const std::string& path, int reason) {
  const char* const advice =
      reason == EEXIST ? "existing files are not overwritten: name another, or remove this one"
                       : "name a file in an existing folder with free space";
  return "cannot write " + path + ": " + os::reason_of(reason) + "; " + advice;
}

bool exists(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0;
}

NewFile::NewFile(const std::string& path)
    : path_(path), file_(path, kMode, os::AtomicFile::Mode::Create) {
  gathered_.reserve(kGatheredBytes);
}

std::expected<std::unique_ptr<NewFile>, std::string> NewFile::create(const std::string& path) {
  // An early error, before the work; close() also refuses to overwrite.
  if (exists(path)) return std::unexpected{cannot_write(path, EEXIST)};
  std::unique_ptr<NewFile> file{new NewFile{path}};
  if (file->file_.error() != 0) return std::unexpected{cannot_write(path, file->file_.error())};
  return file;
}

bool NewFile::write(ConstBytes bytes) {
  if (gathered_.size() + bytes.size() > kGatheredBytes) write_gathered();
  if (bytes.size() >= kGatheredBytes) {
    file_.write(bytes);
  } else {
    gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  }
  return file_.error() == 0;
}

void NewFile::write_gathered() {
  file_.write(gathered_);
  gathered_.clear();
}

std::expected<void, std::string> NewFile::close() {
  write_gathered();
  if (const auto put = file_.create(); !put) {
    return std::unexpected{cannot_write(path_, put.error())};
  }
  return {};
}

TraceOutput::TraceOutput(const std::string& name)
    : name_(name),
      file_(name.empty()  ? nullptr
            : name == "-" ? stdout
                          : open_output(name)) {
  if (!name.empty() && file_ == nullptr) fail();
}

std::string TraceOutput::error() const {
  return cannot_write(name_, reason_);
}

void TraceOutput::write(std::string_view line) {
  if (!failed_ && std::fwrite(line.data(), 1, line.size(), file_) != line.size()) fail();
}

void TraceOutput::close() {
  if (file_ == nullptr) return;
  const bool is_ours = file_ != stdout;
  const int result = is_ours ? std::fclose(file_) : std::fflush(file_);
  if (result != 0) fail();
  file_ = nullptr;
}

void TraceOutput::fail() {
  if (!failed_) reason_ = errno;
  failed_ = true;
}

}  // namespace tickbox::commands
