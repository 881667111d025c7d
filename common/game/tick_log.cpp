#include "game/tick_log.h"

#include "core/assert.h"
#include "game/entity_codec.h"

#include <algorithm>
#include <utility>

namespace tickbox::game {
namespace {

constexpr std::uint8_t kHasLeaves = 1;
constexpr std::uint8_t kHasJoins = 2;
constexpr std::uint8_t kHasInputs = 4;
constexpr std::uint8_t kHasOutcomes = 8;
constexpr std::uint8_t kListsKnown = kHasLeaves | kHasJoins | kHasInputs | kHasOutcomes;

constexpr int kSourceBits = 2;
constexpr std::uint32_t kSourceMask = (1U << kSourceBits) - 1;
static_assert(kInputSources <= 1U << kSourceBits);

constexpr int kMoveBits = 4;
static_assert(kMoveDirections < 1U << kMoveBits && kButtonsMax < 1U << (8 - kMoveBits));

constexpr std::uint32_t kInputBytesMax = 1 + 2 + 1;
constexpr std::uint32_t kOutcomeBytes = 2 + 4;
constexpr std::uint32_t kEntityBytes = 22;
static_assert(kLoggedEntityBytes == 1 + kEntityBytes && kEntityBytes < kMoreFollow);

constexpr std::uint32_t kClientBytes = 8;
/// The most bytes of a join: its client id, and the data that later versions append.
constexpr std::uint32_t kJoinBytesMax = 1'024;

static_assert(kGenerations << (kSourceBits + 1) <= 1U << (3 * kNumberBits));

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

void write_entity(NumberWriter& out, const EntityState& entity) {
  out.number(kEntityBytes);
  out.fixed(entity.id.value);
  out.fixed(entity.min.x);
  out.fixed(entity.min.y);
  out.fixed(entity.velocity.x);
  out.fixed(entity.velocity.y);
  out.fixed(entity.traits.move);
  out.fixed(entity.traits.timer);
}

EntityState read_entity(NumberReader& whole) {
  NumberReader in{whole.bytes(whole.number())};
  const BodyId id{in.fixed<std::uint32_t>()};
  EntityState entity{.id = id, .min = {}, .velocity = {}, .traits = {}};
  if (is_entity(id)) entity.traits.kind = static_cast<EntityKind>(id.value >> 30);
  entity.min.x = in.coordinate();
  entity.min.y = in.coordinate();
  entity.velocity.x = in.coordinate();
  entity.velocity.y = in.coordinate();
  entity.traits.move = in.fixed<std::uint8_t>();
  entity.traits.timer = in.fixed<std::uint8_t>();
  if (in.failed() || in.left() > 0 || !is_possible(entity)) whole.fail();
  return entity;
}

void write_seat(NumberWriter& out, const SeatState& seat, InputSource source) {
  out.number(seat.generation << (kSourceBits + 1) | static_cast<std::uint32_t>(source) << 1 |
             (seat.taken ? 1U : 0U));
  out.number(seat.score);
}

/// Reads a seat.  Fails: also for a free seat with a source other than neutral.
void read_seat(NumberReader& in, LoggedWorld& world) {
  const std::uint32_t first = in.number();
  const SeatState seat{
      .generation = first >> (kSourceBits + 1), .score = in.number(), .taken = (first & 1) != 0};
  const std::uint32_t source = first >> 1 & kSourceMask;
  if (seat.generation >= kGenerations || source >= kInputSources) in.fail();
  world.seats.push_back(seat);
  world.sources.push_back(static_cast<InputSource>(source % kInputSources));
  if (!seat.taken && world.sources.back() != InputSource::Neutral) in.fail();
}

/// Writes the part of a keyframe before the entities.
void write_keyframe_head(NumberWriter& out, const WorldFields& world, std::uint64_t state_hash,
                         std::span<const InputSource> sources) {
  TICKBOX_ASSERT(world.seats.size() <= kSeatsMax && sources.size() == world.seats.size());
  out.fixed(world.tick.value);
  out.fixed(state_hash);
  out.fixed(world.random);
  out.number(count_of(world.seats.size()));
  for (std::size_t i = 0; i < world.seats.size(); ++i) {
    write_seat(out, world.seats[i], sources[i]);
  }
}

/// Writes `count` entities; `entity(i)` returns entity i.
template <class EntityAt>
void write_entities(NumberWriter& out, std::size_t count, const EntityAt& entity) {
  TICKBOX_ASSERT(count <= kLoggedEntitiesMax);
  out.number(count_of(count));
  for (std::size_t i = 0; i < count; ++i) {
    write_entity(out, entity(i));
  }
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
    out.fixed(strike.victim.value);
  }
}

}  // namespace

TickLog::TickLog(const World& world)
    : tick_(world.tick),
      sticks_(world.seats().size()),
      sources_(world.seats().size(), InputSource::Neutral) {
  const std::size_t seats = world.seats().size();
  bytes_.reserve(tick_bytes_max(seats));
  changed_.reserve(seats);
  players_ = static_cast<std::size_t>(std::ranges::count_if(world.seats(), &SeatState::taken));
  for (std::size_t i = 0; i < world.size(); ++i) {
    const EntityState entity = world.entity(i);
    if (entity.traits.kind != EntityKind::Player) break;
    sticks_[player_of(entity.id).value] = entity.traits.move;
  }
}

/// Resets the stick and the source of `player`, who has just joined or left.
void TickLog::forget(PlayerId player) {
  sticks_[player.value] = 0;
  sources_[player.value] = InputSource::Neutral;
}

/// Finds the inputs that differ from the tick before, and stores them as the state to compare with
/// next.
void TickLog::note_changes(const TickCommands& commands, std::span<const InputSource> sources) {
  changed_.clear();
  for (std::size_t i = 0; i < commands.inputs.size(); ++i) {
    const PlayerId player = commands.inputs[i].player;
    const Input input = significant(commands.inputs[i].input);
    const bool is_held = input.move == sticks_[player.value] && input.buttons == 0;
    if (is_held && sources[i] == sources_[player.value]) continue;
    sticks_[player.value] = input.move;
    sources_[player.value] = sources[i];
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
    forget(player);
  }
  for (const PlayerId player : commands.joins) {
    forget(player);
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
  out.clear();
  NumberWriter writer{out};
  write_keyframe_head(
      writer,
      {.tick = world.tick, .random = world.rng.state(), .seats = world.seats(), .entities = {}},
      state_hash, sources_);
  write_entities(writer, world.size(), [&world](std::size_t i) { return world.entity(i); });
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

std::size_t keyframe_bytes_of(const World& world) {
  constexpr std::size_t kBulletsPerSeat = 3;
  const std::size_t seats = world.seats().size();
  return 32 + seats * kLoggedSeatBytesMax +
         (world.size() + kBulletsPerSeat * seats) * kLoggedEntityBytes;
}

void encode_keyframe(const LoggedWorld& world, std::vector<std::byte>& out) {
  out.clear();
  NumberWriter writer{out};
  write_keyframe_head(writer, world.fields(), world.state_hash, world.sources);
  write_entities(writer, world.entities.size(),
                 [&world](std::size_t i) { return world.entities[i]; });
}

std::expected<void, LogError> decode_keyframe(ConstBytes bytes, LoggedWorld& world) {
  NumberReader in{bytes};
  world.tick = {in.fixed<std::uint32_t>()};
  world.state_hash = in.fixed<std::uint64_t>();
  world.random = in.fixed<std::uint64_t>();
  world.seats.clear();
  world.sources.clear();
  world.entities.clear();
  const std::uint32_t seats = in.count(kSeatsMax, 2);
  for (std::uint32_t i = 0; i < seats && !in.failed(); ++i) {
    read_seat(in, world);
  }
  const std::uint32_t entities = in.count(kLoggedEntitiesMax, kLoggedEntityBytes);
  for (std::uint32_t i = 0; i < entities && !in.failed(); ++i) {
    world.entities.push_back(read_entity(in));
  }
  const bool rises = std::ranges::adjacent_find(world.entities, std::ranges::greater_equal{},
                                                &EntityState::id) == world.entities.end();
  if (in.failed() || in.left() > 0 || !rises) return std::unexpected{LogError::Malformed};
  return {};
}

void TickLogReader::begin(const LoggedWorld& world) {
  held_.assign(world.seats.size(), {});
  players_.clear();
  for (std::size_t seat = 0; seat < world.seats.size(); ++seat) {
    held_[seat].source = world.sources[seat];
    held_[seat].is_there = world.seats[seat].taken;
    if (world.seats[seat].taken) players_.push_back({static_cast<std::uint16_t>(seat)});
  }
  for (const EntityState& entity : world.entities) {
    if (entity.traits.kind != EntityKind::Player) break;
    const PlayerId player = player_of(entity.id);
    if (player.value < held_.size()) held_[player.value].move = entity.traits.move;
  }
}

void TickLogReader::read_leaves(NumberReader& in, LoggedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.size(), 1);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const PlayerId player = gaps.player(in, held_.size());
    if (in.failed() || !held_[player.value].is_there) return void(in.fail());
    held_[player.value] = {};
    players_.erase(std::ranges::lower_bound(players_, player));
    tick.leaves.push_back(player);
  }
}

void TickLogReader::read_joins(NumberReader& in, LoggedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.size(), 2 + kClientBytes);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const PlayerId player = gaps.player(in, held_.size());
    NumberReader join{in.bytes(in.number(kJoinBytesMax))};
    const auto client = join.fixed<std::uint64_t>();
    if (in.failed() || join.failed() || held_[player.value].is_there) return void(in.fail());
    held_[player.value] = {.is_there = true};
    players_.insert(std::ranges::lower_bound(players_, player), player);
    tick.joins.push_back(player);
    tick.clients.push_back(client);
  }
}

/// Reads the changed inputs into `tick`, which already has the unchanged input of every player.
void TickLogReader::read_inputs(NumberReader& in, LoggedTick& tick) {
  Gaps gaps;
  const std::uint32_t count = in.count(held_.size(), 2);
  if (count == 0) in.fail();
  auto next = tick.inputs.begin();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    const PlayerId player = gaps.player(in, held_.size());
    const std::uint32_t what = in.number();
    const std::uint32_t source = what & kSourceMask;
    const std::uint32_t size = what >> kSourceBits;
    if (in.failed() || source >= kInputSources || !held_[player.value].is_there) {
      return void(in.fail());
    }
    Held& held = held_[player.value];
    Input input{.move = held.move};
    if (size > 0) input = read_input(in.bytes(size), in);
    const bool is_held = input.move == held.move && input.buttons == 0;
    const bool is_from_elsewhere = static_cast<InputSource>(source) != held.source;
    if (is_held && (size > 0 || !is_from_elsewhere)) return void(in.fail());
    held.move = input.move;
    held.source = static_cast<InputSource>(source);
    next = std::ranges::lower_bound(next, tick.inputs.end(), player, {}, &PlayerInput::player);
    next->input = input;
    tick.sources[static_cast<std::size_t>(next - tick.inputs.begin())] = held.source;
  }
}

void TickLogReader::read_outcomes(NumberReader& in, LoggedTick& tick) const {
  const std::uint32_t count = in.count(held_.size(), 1 + kOutcomeBytes);
  if (count == 0) in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    NumberReader outcome{in.bytes(in.number())};
    const Strike strike{.shooter = {outcome.fixed<std::uint16_t>()},
                        .victim = {outcome.fixed<std::uint32_t>()}};
    const bool rises = tick.strikes.empty() || tick.strikes.back().shooter < strike.shooter;
    if (outcome.failed() || outcome.left() > 0 || !rises || strike.shooter.value >= held_.size() ||
        !has_kind(strike.victim, EntityKind::Player) ||
        player_of(strike.victim).value >= held_.size()) {
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
    tick.inputs.push_back({.player = player, .input = {.move = held_[player.value].move}});
    tick.sources.push_back(held_[player.value].source);
  }
  if ((lists & kHasInputs) != 0) read_inputs(in, tick);
  if ((lists & kHasOutcomes) != 0) read_outcomes(in, tick);
  if (in.failed() || in.left() > 0) return std::unexpected{LogError::Malformed};
  return {};
}

}  // namespace tickbox::game
