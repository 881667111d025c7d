// The log of a room, as recordings have it and auditors receive it: a keyframe, then ticks. It is
// taken from an audit's stream, of which only the bytes of the log count.

#include "game/tick_log.h"

#include "game/restore.h"
#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "protocol/audit_codec.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <optional>
#include <vector>

using namespace tickbox;

namespace {

constexpr std::uint32_t kSeats = 4;
constexpr std::size_t kTicksMax = 64;

/// What was read of a tick holds together.
void check_tick(const game::LoggedTick& tick) {
  fuzz::check(tick.clients.size() == tick.joins.size());
  fuzz::check(tick.sources.size() == tick.inputs.size());
  fuzz::check(std::ranges::is_sorted(tick.leaves) && std::ranges::is_sorted(tick.joins));
  fuzz::check(std::ranges::is_sorted(tick.inputs, {}, &game::PlayerInput::player));
  fuzz::check(std::ranges::is_sorted(tick.strikes, {}, &game::Strike::shooter));
  for (const game::PlayerInput& each : tick.inputs)
    fuzz::check(each.input == game::significant(each.input));
}

/// The log that goes on from this keyframe, where that is a world of a small arena. A log begins
/// with every source neutral, and so must the keyframe.
std::optional<game::TickLog> log_after(game::LoggedWorld& keyframe) {
  static const game::Arena kRules{60};
  static const game::SharedMap kMap = game::make_arena_map(kSeats);
  std::ranges::fill(keyframe.sources, game::InputSource::Neutral);
  const auto world = game::restore(keyframe.fields(), kMap, kRules);
  if (!world) return std::nullopt;
  return game::TickLog{*world};
}

}  // namespace

// Each log has one encoding: encoded again, what was read gives the same bytes, except for those
// that a later version appends to a join.
TICKBOX_FUZZ_TARGET(read_tick_log)(ConstBytes input) {
  const auto first = protocol::take_entry(input);
  if (!first || !*first) return;
  static game::LoggedWorld keyframe;
  if (!game::decode_keyframe(**first, keyframe)) return;
  static std::vector<std::byte> written;
  game::encode_keyframe(keyframe, written);
  fuzz::check(std::ranges::equal(written, **first));
  auto log = log_after(keyframe);
  game::TickLogReader reader;
  reader.begin(keyframe);
  static game::LoggedTick tick;
  for (std::size_t i = 0; i < kTicksMax; ++i) {
    const auto entry = protocol::take_entry(input);
    if (!entry || !*entry) return;
    const auto told = protocol::decode_tick_entry(**entry);
    if (!told || !reader.read(told->bytes, tick)) return;
    check_tick(tick);
    if (!log) continue;
    const ConstBytes again =
        log->tick(tick.commands(), {.sources = tick.sources, .clients = tick.clients});
    const bool was_appended_to = !tick.joins.empty() && again.size() < told->bytes.size();
    fuzz::check(was_appended_to || std::ranges::equal(again, told->bytes));
  }
}
