#pragma once
// The texts of the kernel's error codes, for our messages.

#include <string>
#include <string_view>

namespace tickbox::os {

/// Returns the text of errno `code` in lower case, for use inside a line: "no such file or
/// directory".
[[nodiscard]] std::string reason_of(int code);

/// Returns whether `code` means that the process or the machine has no free descriptor.
[[nodiscard]] bool is_out_of_files(int code);

/// The advice to append to a message if is_out_of_files().
inline constexpr std::string_view kRaiseFileLimit = "; raise the limit of open files (ulimit -n)";

}  // namespace tickbox::os
