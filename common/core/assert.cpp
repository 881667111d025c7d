#include "core/assert.h"

#include <cstdio>
#include <cstdlib>

namespace tickbox {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
AssertHandler handler_in_use = &print_failed_condition;

}  // namespace

std::string failed_condition_text(const char* condition, const char* file, int line) {
  std::string text = std::string{"tickbox: assertion failed: "} + condition + " (" + file;
  if (line != 0) text += ":" + std::to_string(line);
  return text + ")\n";
}

void print_failed_condition(const char* condition, const char* file, int line) {
  std::fputs(failed_condition_text(condition, file, line).c_str(), stderr);
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
