#include "core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace tickbox {
namespace {

void print_and_return(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tickbox: assertion failed: %s (%s:%d)\n", condition, file, line);
}

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
AssertHandler handler_in_use = &print_and_return;

}  // namespace

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
