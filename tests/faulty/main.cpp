// faulty-server: tickbox-server with another list of games. The environment says what happens in
// its arena:
//   FAULT_FAILURE_AT=TICK  an assertion fails
//   FAULT_MEMORY_AT=TICK   memory runs out
//   FAULT_FLIP_AT=TICK     a bit flips in each entity that no player controls
//   FAULT_MATCH_TICKS=N    the room is closed every N ticks
//   FAULT_SLOW_MS=N        a tick takes N ms longer in a room with two players or more
//   FAULT_OTHER_RULES=1    its rules are not those of the clients' arena

#include "games/arena/arena.h"
#include "os/process/process.h"
#include "server/host/program.h"
#include "tests/faulty/failing_game.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace tickbox::tests {
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
/// stopped again by then. Changes all such entities, as each client sees some of them.
void flip_all(const MidTick& tick) {
  const std::vector<BodyId> ids{tick.world().ids().begin(), tick.world().ids().end()};
  for (const BodyId id : ids) {
    if (engine::class_of(id) != engine::IdClass::Controlled) tick.flip(id, "x", 4);
  }
}

/// Limits the address space to little more than there is, and takes all of it.
void use_up_memory() {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  const rlim_t limit = os::process_use().virtual_bytes + 64 * kPiece;
  const rlimit limits{.rlim_cur = limit, .rlim_max = limit};
  setrlimit(RLIMIT_AS, &limits);
  for (;;) {
    static std::vector<std::unique_ptr<char[]>> pieces;
    pieces.push_back(std::make_unique<char[]>(kPiece));
  }
}

Changes planted() {
  if (const auto at = tick_from("FAULT_FAILURE_AT")) return failing_at(*at);
  if (const auto at = tick_from("FAULT_MEMORY_AT")) {
    return {.before = [at](const MidTick& tick) {
      if (tick.tick() >= *at) use_up_memory();
    }};
  }
  if (const auto milliseconds = tick_from("FAULT_SLOW_MS")) {
    return {.before = [milliseconds](const MidTick& tick) {
      if (std::ranges::count(tick.world().seats(), true, &engine::SeatInfo::taken) < 2) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{milliseconds->value});
    }};
  }
  if (const auto at = tick_from("FAULT_FLIP_AT")) {
    return {.after = [at](const MidTick& tick) {
      if (tick.tick() == *at) flip_all(tick);
    }};
  }
  return {};
}

/// Closes the room at the end of a match, which the clients' arena does not.
void decide(detail::Running& running) {
  games::arena().decide(running);
  const std::optional<Tick> length = tick_from("FAULT_MATCH_TICKS");
  const engine::World& world = running.world();
  if (length && world.tick.value % length->value == 0 && !ChangedGame::is_trial(world)) {
    running.decisions().close_room();
  }
}

}  // namespace
}  // namespace tickbox::tests

int main(int argc, char** argv) {
  using namespace tickbox;
  tests::ChangedGame arena{games::arena(), tests::planted()};
  arena.decide = tests::tick_from("FAULT_OTHER_RULES") ? nullptr : tests::decide;
  const std::array<const GameTable*, 1> games{&arena};
  return server::run_server(argc, argv, {.games = games});
}
