// Crashes in the way that its argument names, while it holds the terminal.

#include "client/terminal/keyboard.h"
#include "core/assert.h"
#include "os/process/terminal.h"

#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace {

/// Deeper than any stack.
constexpr int kDeep = 100'000'000;

/// Overflows the stack.
// NOLINTNEXTLINE(misc-no-recursion)
int descend(volatile char* above, int depth) {
  volatile char room[4'096];  // NOLINT(cppcoreguidelines-avoid-c-arrays)
  room[0] = above != nullptr ? *above : '\0';
  return depth == kDeep ? 0 : descend(room, depth + 1) + room[0];
}

void crash(std::string_view way) {
  if (way == "assert") TICKBOX_ASSERT(way.empty());
  if (way == "throw") throw std::runtime_error{"thrown while drawing"};
  if (way == "overflow") static_cast<void>(descend(nullptr, 0));
  if (way == "abort") std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tickbox;
  const auto terminal = os::Terminal::open({.begin = terminal::kBegin, .end = terminal::kEnd});
  if (!terminal) return EXIT_FAILURE;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-bounds-pointer-arithmetic)
  crash(argc > 1 ? argv[1] : "");
  return EXIT_SUCCESS;
}
