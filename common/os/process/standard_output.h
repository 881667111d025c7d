#pragma once
// Output of a program. Its result goes to stdout and to no other file; a failed write is an error.
// Its messages go to stderr, and nothing depends on them.

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::os {

/// Writes all of `text`, and flushes the buffer. Fails: with one line, for example if a disk is
/// full.
[[nodiscard]] std::expected<void, std::string> write_to_stdout(std::string_view text);

/// Writes `text` and ignores errors: a full or closed stderr neither ends a program nor changes its
/// exit code.
void write_to_stderr(std::string_view text);

/// Writes to stderr without its buffer and its lock, which another thread may hold: for the last
/// words before abort(). Gives up after a second if nothing takes the text.
void write_to_stderr_directly(std::string_view text);

/// Reports a failed condition to stderr directly: an AssertHandler for programs.
void report_failed_condition(const char* condition, const char* file, int line);

/// Returns the columns of the terminal behind a stream; nothing if it is not a terminal, or if the
/// terminal does not know them.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int stream);

/// Reserves the numbers of stdin, stdout and stderr if the process was started without them
/// (`>&-`). Otherwise a file or socket opened later gets such a number and receives the output.
/// Reads and writes still fail, as on closed streams. Call this before anything is opened.
void hold_closed_streams();

}  // namespace tickbox::os
