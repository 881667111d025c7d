// The texts of strerror() without its shared buffer.

#include "os/process/system_error.h"

#include <cerrno>
#include <system_error>

namespace tickbox::os {

std::string reason_of(int code) {
  std::string reason = std::generic_category().message(code);
  const bool sentence = reason.size() > 1 && reason[1] >= 'a' && reason[1] <= 'z';
  if (sentence && reason[0] >= 'A' && reason[0] <= 'Z') {
    reason[0] = static_cast<char>(reason[0] - 'A' + 'a');
  }
  return reason;
}

bool is_out_of_files(int code) {
  return code == EMFILE || code == ENFILE;
}

}  // namespace tickbox::os
