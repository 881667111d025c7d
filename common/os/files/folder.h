#pragma once
// A folder that a program will write into later, tried when it starts.

#include <expected>
#include <string>
#include <string_view>

namespace tickbox::os {

/// Makes the folder where it is missing, and tries that a file can be made in it; `flag` named it.
/// Fails: with one line.
[[nodiscard]] std::expected<void, std::string> prepare_folder(const std::string& folder,
                                                              std::string_view flag);

}  // namespace tickbox::os
