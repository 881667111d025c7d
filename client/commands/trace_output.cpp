#include "client/commands/trace_output.h"

#include "client/commands/new_file.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace tickbox::commands {
namespace {

/// A name of stdout, such as /dev/stdout, is stdout itself: opened anew, a file that it leads to
/// would be taken for one that is there.
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
