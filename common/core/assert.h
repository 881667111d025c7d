#pragma once

// What we wrote ourselves is asserted, in every build. What arrived from elsewhere is checked and
// answered instead.

namespace tickbox {

/// Called with the failed condition before the process aborts; a program may put its last words
/// here.
using AssertHandler = void (*)(const char* condition, const char* file, int line);

/// Replaces the handler and returns the one before.  Thread: call before others start.
AssertHandler set_assert_handler(AssertHandler handler);

[[noreturn]] void assert_failed(const char* condition, const char* file, int line);

}  // namespace tickbox

// A function cannot see the text of its argument, hence a macro.
#define TICKBOX_ASSERT(condition)         \
  (static_cast<bool>(condition) ? void(0) \
                                : ::tickbox::assert_failed(#condition, __FILE__, __LINE__))
