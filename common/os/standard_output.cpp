#include "os/standard_output.h"

#include "os/system_error.h"

#include <cerrno>
#include <cstdio>

namespace tickbox::os {

std::expected<void, std::string> write_to_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return {};
  }
  return std::unexpected{"cannot write to stdout: " + reason_of(errno)};
}

}  // namespace tickbox::os
