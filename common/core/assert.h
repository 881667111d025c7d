#pragma once

// Assertions check our own code, in every build. Data from outside is validated instead, and
// refused if it is wrong.

#include <string>

namespace tickbox {

/// A function that runs with the failed condition before the process aborts. A program may write
/// its last log line here. If `line` is 0, `file` is no file, but a text that says what to do.
using AssertHandler = void (*)(const char* condition, const char* file, int line);

/// Replaces the handler and returns the previous one. Thread: call before other threads start.
AssertHandler set_assert_handler(AssertHandler handler);

/// Returns the line that reports a failed condition.
[[nodiscard]] std::string failed_condition_text(const char* condition, const char* file, int line);

/// Prints a failed condition to stderr: the handler by default.
void print_failed_condition(const char* condition, const char* file, int line);

[[noreturn]] void assert_failed(const char* condition, const char* file, int line);

}  // namespace tickbox

// A function cannot see the text of its argument, hence a macro.
#define TICKBOX_ASSERT(condition)         \
  (static_cast<bool>(condition) ? void(0) \
                                : ::tickbox::assert_failed(#condition, __FILE__, __LINE__))
