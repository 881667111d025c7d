#pragma once
// What a program was asked for goes to stdout, and is not taken for said where it could not be, nor
// said to anything else. What it tells beside that goes to stderr, and nothing depends on it.

#include <expected>
#include <string>
#include <string_view>

namespace tickbox::os {

/// Writes all of it, and leaves nothing in a buffer.   Fails: with one line, as when a disk is
/// full.
[[nodiscard]] std::expected<void, std::string> write_to_stdout(std::string_view text);

/// Writes it where it can be written: a stderr that is full or closed ends no program, and changes
/// nothing of how it ends.
void write_to_stderr(std::string_view text);

/// Where a process was started without stdin, stdout or stderr (`>&-`), takes their numbers: or a
/// file or socket opened later has one, and gets what is printed. They go on refusing, as closed
/// ones do. Before anything is opened.
void hold_closed_streams();

}  // namespace tickbox::os
