#include "game/tick_log.h"

#include "core/assert.h"

#include <algorithm>
#include <utility>

namespace tickbox::game {
namespace {

constexpr std::uint8_t kHasLeaves = 1;
constexpr std::uint8_t kHasJoins = 2;
constexpr std::uint8_t kHasInputs = 4;
constexpr std::uint8_t kHasOutcomes = 8;
constexpr std::uint8_t kListsKnown = kHasLeaves | kHasJoins | kHasInputs | kHasOutcomes;

constexpr int kMoveBits = 4;
static_assert(kMoveDirections < 1U << kMoveBits && kButtonsMax < 1U << (8 - kMoveBits));

constexpr std::uint32_t kInputBytesMax = 1 + 2 + 1;
constexpr std::uint32_t kOutcomeBytes = 2 + 4;

constexpr std::uint32_t kClientBytes = 8;
/// The most bytes of a join: its client id, and the data that later versions append.
constexpr std::uint32_t kJoinBytesMax = 1'024;

/// Ascending seats, written as gaps.
class Gaps {
 public:
  std::uint32_t gap(PlayerId player) {
    TICKBOX_ASSERT(player.value >= next_);
    return player.value - std::exchange(next_, std::uint32_t{player.value} + 1);
  }

  PlayerId player(NumberReader& in, std::size_t seats) {
    const std::uint64_t seat = std::uint64_t{next_} + in.number();
    if (seat >= seats) return {in.fail()};
    next_ = static_cast<std::uint32_t>(seat) + 1;
    return {static_cast<std::uint16_t>(seat)};
  }

 private:
  std::uint32_t next_ = 0;
};

std::uint32_t count_of(std::size_t size) {
  return static_cast<std::uint32_t>(size);
}

std::uint32_t bytes_of(const Input& input) {
  if (input.buttons == 0) return 1;
  return (input.buttons & kButtonRay) == 0 ? kInputBytesMax - 1 : kInputBytesMax;
}

void write_input(NumberWriter& out, const Input& input) {
  out.fixed(static_cast<std::uint8_t>(input.buttons << kMoveBits | input.move));
  if (input.buttons != 0) out.fixed(input.aim);
  if ((input.buttons & kButtonRay) != 0) out.fixed(input.look_back);
}

Input read_input(ConstBytes bytes, NumberReader& whole) {
  NumberReader in{bytes};
  const auto both = in.fixed<std::uint8_t>();
  Input input{.move = static_cast<std::uint8_t>(both & ((1U << kMoveBits) - 1)),
              .buttons = static_cast<std::uint8_t>(both >> kMoveBits)};
  if (input.buttons != 0) input.aim = in.fixed<std::uint16_t>();
  if ((input.buttons & kButtonRay) != 0) input.look_back = in.fixed<std::uint8_t>();
  if (in.failed() || in.left() > 0 || input != significant(input)) whole.fail();
  return input;
}

void write_joins(NumberWriter& out, std::span<const PlayerId> joins,
                 std::span<const std::uint64_t> clients) {
  Gaps gaps;
  out.number(count_of(joins.size()));
  for (std::size_t i = 0; i < joins.size(); ++i) {
    out.number(gaps.gap(joins[i]));
    out.number(kClientBytes);
    out.fixed(clients[i]);
  }
}

void write_outcomes(NumberWriter& out, std::span<const Strike> strikes) {
  TICKBOX_ASSERT(std::ranges::is_sorted(strikes, {}, &Strike::shooter));
  out.number(count_of(strikes.size()));
  for (const Strike& strike : strikes) {
    out.number(kOutcomeBytes);
    out.fixed(strike.shooter.value);
    out.fixed(wire_id(strike.victim));
  }
}

}  // namespace

void HeldInputs::begin(const LoggedWorld& world) {
  sticks.assign(world.seats.size(), 0);
  sources = world.sources;
  for (const EntityState& entity : world.entities) {
    if (entity.traits.kind != EntityKind::Player) break;
    const PlayerId player = player_of(entity.id);
    if (player.value < sticks.size()) sticks[player.value] = entity.traits.move;
  }
}

void HeldInputs::forget(PlayerId player) {
  sticks[player.value] = 0;
  sources[player.value] = InputSource::Neutral;
}

TickLog::TickLog(const World& world) : tick_(world.tick) {
  const std::size_t seats = world.seats().size();
  held_.begin(logged_world(world, 0, {}));
  players_ = static_cast<std::size_t>(std::ranges::count_if(world.seats(), &SeatState::taken));
  changed_.reserve(seats);
  bytes_.reserve(tick_bytes_max(seats));
}

/// Finds the inputs that differ from the tick before, and stores them as the state to compare with
/// next.
void TickLog::note_changes(const TickCommands& commands, std::span<const InputSource> sources) {
  changed_.clear();
  for (std::size_t i = 0; i < commands.inputs.size(); ++i) {
    const PlayerId player = commands.inputs[i].player;
    const Input input = significant(commands.inputs[i].input);
    const bool is_held = input.move == held_.sticks[player.value] && input.buttons == 0;
    if (is_held && sources[i] == held_.sources[player.value]) continue;
    held_.sticks[player.value] = input.move;
    held_.sources[player.value] = sources[i];
    changed_.push_back(
        {.player = player, .input = input, .source = sources[i], .is_held = is_held});
  }
}

ConstBytes TickLog::tick(const TickCommands& commands, const CommandOrigins& origins) {
  TICKBOX_ASSERT(origins.sources.size() == commands.inputs.size());
  TICKBOX_ASSERT(origins.clients.size() == commands.joins.size());
  tick_ = tick_ + 1;
  players_ += commands.joins.size();
  players_ -= commands.leaves.size();
  for (const PlayerId player : commands.leaves) {
    held_.forget(player);
  }
  for (const PlayerId player : commands.joins) {
    held_.forget(player);
  }
  note_changes(commands, origins.sources);
  bytes_.clear();
  const auto lists = static_cast<std::uint8_t>(
      (commands.leaves.empty() ? 0U : kHasLeaves) | (commands.joins.empty() ? 0U : kHasJoins) |
      (changed_.empty() ? 0U : kHasInputs) | (commands.strikes.empty() ? 0U : kHasOutcomes));
  if (lists == 0) return bytes_;
  NumberWriter out{bytes_};
  out.fixed(lists);
  if (!commands.leaves.empty()) {
    Gaps gaps;
    out.number(count_of(commands.leaves.size()));
    for (const PlayerId player : commands.leaves) {
      out.number(gaps.gap(player));
    }
  }
  if (!commands.joins.empty()) write_joins(out, commands.joins, origins.clients);
  if (!changed_.empty()) {
    Gaps gaps;
    out.number(count_of(changed_.size()));
    for (const Change& change : changed_) {
      const std::uint32_t size = change.is_held ? 0 : bytes_of(change.input);
      out.number(gaps.gap(change.player));
      out.number(size << kSourceBits | static_cast<std::uint32_t>(change.source));
      if (size > 0) write_input(out, change.input);
    }
  }
  if (!commands.strikes.empty()) write_outcomes(out, commands.strikes);
  return bytes_;
}

void TickLog::keyframe(const World& world, std::uint64_t state_hash,
                       std::vector<std::byte>& out) const {
  TICKBOX_ASSERT(world.tick == tick_);
  encode_keyframe(world, state_hash, held_.sources, out);
}

LoggedWorld logged_world(const World& world, std::uint64_t state_hash, const LoggedTick& tick) {
  LoggedWorld logged{.tick = world.tick,
                     .state_hash = state_hash,
                     .random = world.rng.state(),
                     .seats = {world.seats().begin(), world.seats().end()},
                     .sources = {},
                     .entities = {}};
  logged.sources.resize(logged.seats.size(), InputSource::Neutral);
  for (std::size_t i = 0; i < tick.inputs.size(); ++i) {
    logged.sources[tick.inputs[i].player.value] = tick.sources[i];
  }
  world.append_entities(logged.entities);
  return logged;
}

void TickLogReader::begin(const LoggedWorld& world) {
  held_.begin(world);
  players_.clear();
  for (std::size_t seat = 0; seat < world.seats.size(); ++seat) {
    if (world.seats[seat].taken) players_.push_back({static_cast<std::uint16_t>(seat)});
  }
}

void TickLogReader::read_leaves(NumberReader& in, LoggedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.seats(), 1);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const PlayerId player = gaps.player(in, held_.seats());
    const auto at = std::ranges::lower_bound(players_, player);
    if (in.failed() || at == players_.end() || *at != player) return void(in.fail());
    players_.erase(at);
    held_.forget(player);
    tick.leaves.push_back(player);
  }
}

void TickLogReader::read_joins(NumberReader& in, LoggedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.seats(), 2 + kClientBytes);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const PlayerId player = gaps.player(in, held_.seats());
    NumberReader join{in.bytes(in.number(kJoinBytesMax))};
    const auto client = join.fixed<std::uint64_t>();
    const auto at = std::ranges::lower_bound(players_, player);
    const bool is_there = at != players_.end() && *at == player;
    if (in.failed() || join.failed() || is_there) return void(in.fail());
    players_.insert(at, player);
    tick.joins.push_back(player);
    tick.clients.push_back(client);
  }
}

/// Reads the changed inputs into `tick`, which already has the unchanged input of every player.
void TickLogReader::read_inputs(NumberReader& in, LoggedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.seats(), 2);
  if (count == 0) in.fail();
  auto next = tick.inputs.begin();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const PlayerId player = gaps.player(in, held_.seats());
    const std::uint32_t what = in.number();
    const std::uint32_t source = what & kSourceMask;
    const std::uint32_t size = what >> kSourceBits;
    next = std::ranges::lower_bound(next, tick.inputs.end(), player, {}, &PlayerInput::player);
    const bool is_there = next != tick.inputs.end() && next->player == player;
    if (in.failed() || source >= kInputSources || !is_there) return void(in.fail());
    std::uint8_t& stick = held_.sticks[player.value];
    InputSource& held_source = held_.sources[player.value];
    Input input{.move = stick};
    if (size > 0) input = read_input(in.bytes(size), in);
    const bool is_held = input.move == stick && input.buttons == 0;
    const bool is_from_elsewhere = static_cast<InputSource>(source) != held_source;
    if (is_held && (size > 0 || !is_from_elsewhere)) return void(in.fail());
    stick = input.move;
    held_source = static_cast<InputSource>(source);
    next->input = input;
    tick.sources[static_cast<std::size_t>(next - tick.inputs.begin())] = held_source;
  }
}

void TickLogReader::read_outcomes(NumberReader& in, LoggedTick& tick) const {
  const std::uint32_t count = in.count(held_.seats(), 1 + kOutcomeBytes);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    NumberReader outcome{in.bytes(in.number())};
    const Strike strike{.shooter = {outcome.fixed<std::uint16_t>()},
                        .victim = {outcome.fixed<std::uint32_t>()}};
    const bool rises = tick.strikes.empty() || tick.strikes.back().shooter < strike.shooter;
    if (outcome.failed() || outcome.left() > 0 || !rises || strike.shooter.value >= held_.seats() ||
        !has_kind(strike.victim, EntityKind::Player) ||
        player_of(strike.victim).value >= held_.seats()) {
      in.fail();
    }
    tick.strikes.push_back(strike);
  }
}

std::expected<void, LogError> TickLogReader::read(ConstBytes bytes, LoggedTick& tick) {
  tick.leaves.clear();
  tick.joins.clear();
  tick.clients.clear();
  tick.inputs.clear();
  tick.sources.clear();
  tick.strikes.clear();
  NumberReader in{bytes};
  const std::uint8_t lists = bytes.empty() ? std::uint8_t{0} : in.fixed<std::uint8_t>();
  if ((lists & ~kListsKnown) != 0 || (lists == 0 && !bytes.empty())) in.fail();
  if ((lists & kHasLeaves) != 0) read_leaves(in, tick);
  if ((lists & kHasJoins) != 0) read_joins(in, tick);
  for (const PlayerId player : players_) {
    tick.inputs.push_back({.player = player, .input = {.move = held_.sticks[player.value]}});
    tick.sources.push_back(held_.sources[player.value]);
  }
  if ((lists & kHasInputs) != 0) read_inputs(in, tick);
  if ((lists & kHasOutcomes) != 0) read_outcomes(in, tick);
  if (in.failed() || in.left() > 0) return std::unexpected{LogError::Malformed};
  return {};
}

}  // namespace tickbox::game
