#include "core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace tickbox {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
AssertHandler handler_in_use = &print_failed_condition;

}  // namespace

void print_failed_condition(const char* condition, const char* file, int line) {
  if (line == 0) {
    std::fprintf(stderr, "tickbox: assertion failed: %s (%s)\n", condition, file);
  } else {
    std::fprintf(stderr, "tickbox: assertion failed: %s (%s:%d)\n", condition, file, line);
  }
}

AssertHandler set_assert_handler(AssertHandler handler) {
  AssertHandler before = handler_in_use;
  handler_in_use = handler;
  return before;
}

void assert_failed(const char* condition, const char* file, int line) {
  handler_in_use(condition, file, line);
  std::abort();
}

}  // namespace tickbox
