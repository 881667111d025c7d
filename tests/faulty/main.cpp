// faulty-server: tickbox-server with another list of games. The environment says what happens in
// its arena:
//   FAULT_FAILURE_AT=TICK  an assertion fails
//   FAULT_FLIP_AT=TICK     a bit flips in each crate

#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "server/host/program.h"
#include "tests/faulty/failing_arena.h"
#include "tests/support/flipped_arena.h"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace tickbox::game {
namespace {

std::optional<Tick> tick_from(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text{value};
  Tick tick;
  std::from_chars(text.data(), text.data() + text.size(), tick.value);
  return tick;
}

/// Changes positions, not velocities: what is at rest may be sent only ten times a second, and has
/// stopped again by then. Changes all crates, as each client sees some of them.
void flip_crates(World& world) {
  for (std::uint32_t number = 0; number < world.map()->crates.size(); ++number) {
    tests::flip(world, crate_body(number), "x", 4);
  }
}

std::shared_ptr<const Rules> planted_rules(std::string_view name, std::uint32_t ticks_per_second) {
  if (name != "arena") return nullptr;
  if (const auto at = tick_from("FAULT_FAILURE_AT")) {
    return std::make_shared<const tests::FailingArena>(ticks_per_second, *at);
  }
  if (const auto at = tick_from("FAULT_FLIP_AT")) {
    return std::make_shared<const tests::FlippedArena>(ticks_per_second, [at](World& world) {
      if (world.tick == *at) flip_crates(world);
    });
  }
  return std::make_shared<const Arena>(ticks_per_second);
}

}  // namespace
}  // namespace tickbox::game

int main(int argc, char** argv) {
  return tickbox::server::run_server(
      argc, argv,
      {.make_rules = tickbox::game::planted_rules, .make_map = tickbox::game::make_arena_map});
}
