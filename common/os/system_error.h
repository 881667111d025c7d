#pragma once
// The kernel's reasons in the words of our messages.

#include <string>

namespace tickbox::os {

/// What errno `code` means, in lower case, for the middle of a line: "no such file or directory".
[[nodiscard]] std::string reason_of(int code);

}  // namespace tickbox::os
