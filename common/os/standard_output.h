#pragma once
// What a program was asked for goes to stdout, and is not taken for said where it could not be.

#include <expected>
#include <string>
#include <string_view>

namespace tickbox::os {

/// Writes all of it, and leaves nothing in a buffer.   Fails: with one line, as when a disk is
/// full.
[[nodiscard]] std::expected<void, std::string> write_to_stdout(std::string_view text);

}  // namespace tickbox::os
