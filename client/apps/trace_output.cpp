#include "client/apps/trace_output.h"

#include "os/system_error.h"

#include <cerrno>

namespace tickbox::apps {

TraceOutput::TraceOutput(const std::string& name)
    : name_(name),
      file_(name.empty()  ? nullptr
            : name == "-" ? stdout
                          : std::fopen(name.c_str(), "wb")) {
  if (!name.empty() && file_ == nullptr) fail();
}

std::string TraceOutput::error() const {
  return "cannot write the trace " + name_ + ": " + os::reason_of(reason_) +
         "; name a file in a folder that exists and has room";
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

}  // namespace tickbox::apps
