// The catalog of crash-server, linked in place of the production's: its arena fails an assertion in
// the tick that the environment's CRASH_SERVER_FAILS_AT says.

#include "game/catalog.h"
#include "tests/crash/failing_arena.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace tickbox::game {

std::shared_ptr<const Rules> make_rules(std::string_view name, std::uint32_t ticks_per_second) {
  const char* const fails_at = std::getenv("CRASH_SERVER_FAILS_AT");
  if (fails_at == nullptr || name != "arena") return nullptr;
  const std::string_view text{fails_at};
  Tick tick;
  std::from_chars(text.data(), text.data() + text.size(), tick.value);
  return std::make_shared<const tests::FailingArena>(ticks_per_second, tick);
}

}  // namespace tickbox::game
