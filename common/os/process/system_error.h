#pragma once
// The kernel's reasons in the words of our messages.

#include <string>
#include <string_view>

namespace tickbox::os {

/// What errno `code` means, in lower case, for the middle of a line: "no such file or directory".
[[nodiscard]] std::string reason_of(int code);

/// Whether there is no descriptor left, for the process or the machine.
[[nodiscard]] bool is_out_of_files(int code);

/// What to try then.
inline constexpr std::string_view kRaiseFileLimit = "; raise the limit of open files (ulimit -n)";

}  // namespace tickbox::os
