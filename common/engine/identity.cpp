#include "engine/identity.h"

#include "core/hash.h"
#include "core/numbers.h"
#include "core/rng.h"
#include "engine/declared.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "tickbox/game.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace tickbox::engine {
namespace {

constexpr std::uint32_t kTrialSeatsMax = 16;
constexpr int kTrialTicks = 300;
/// A player changes its input in one of this many ticks, on average.
constexpr std::uint64_t kTicksPerInput = 16;

/// Draws every value of an input.
void draw_input(const TypeInfo& type, Rng& rng, MutableBytes input) {
  for (const FieldInfo& field : type.fields()) {
    if (field.form == FieldForm::Player || field.form == FieldForm::Ref) continue;
    for (std::size_t i = 0; i < field.times; ++i) {
      const auto values = static_cast<std::uint64_t>(field.max - field.min) + 1;
      set_value(field, i, field.min + static_cast<std::int64_t>(rng.below(values)), input);
    }
  }
}

/// Adds the state after each tick of a match to `hasher`.
void play_trial(const GameTable& game, const SharedMap& map, std::uint32_t tick_rate,
                StreamHasher& hasher) {
  Stepper stepper;
  World world{game, map, tick_rate, kTrialSeed};
  stepper.open(world);
  Rng rng{kTrialSeed};
  const auto seats = static_cast<std::uint16_t>(std::min(map->seats, kTrialSeatsMax));
  std::vector<Join> joins;
  std::vector<PlayerInput> inputs;
  std::vector<std::byte> values(seats * std::size_t{game.input.bytes});
  TickRecord record;
  for (int tick = 0; tick < kTrialTicks; ++tick) {
    joins.clear();
    inputs.clear();
    for (std::uint16_t seat = 0; seat < seats; ++seat) {
      const Player player{seat};
      if (tick == 0) joins.push_back({.player = player, .user_data = {}});
      if (tick == 0 || !rng.chance(1, kTicksPerInput)) continue;
      const MutableBytes input =
          MutableBytes{values}.subspan(seat * std::size_t{game.input.bytes}, game.input.bytes);
      std::ranges::copy(world.input(player), input.begin());
      draw_input(game.input, rng, input);
      inputs.push_back({.player = player, .input = input});
    }
    stepper.step(world, {.leaves = {}, .joins = joins, .inputs = inputs}, record);
    hasher.add(state_hash(world));
  }
}

/// Adds the body of each kind in the state that it has by default.
void add_bodies(const GameTable& game, StreamHasher& hasher) {
  std::array<std::uint64_t, kTypeBytesMax / sizeof(std::uint64_t)> state{};
  for (const KindTable& kind : game.kinds) {
    kind.type.write_default(state.data());
    const Body body = kind.body(state.data());
    hasher.add(body.size.x);
    hasher.add(body.size.y);
    hasher.add(std::to_underlying(body.motion));
    hasher.add(std::to_underlying(body.response));
    hasher.add(body.mass);
    hasher.add(body.restitution);
    hasher.add(body.friction);
    hasher.add(body.gravity);
    hasher.add(body.layers);
    hasher.add(body.collides_with);
    hasher.add(static_cast<std::uint8_t>(body.sensor));
    hasher.add(std::to_underlying(body.one_way));
    hasher.add(std::to_underlying(body.squeeze));
  }
}

std::string quoted(std::string_view text) {
  return "\"" + std::string{text} + "\"";
}

/// Returns the map of `identity`, or nullptr if the game makes no such map.
SharedMap find_map(const GameTable& game, const Identity& identity, std::uint32_t tick_rate) {
  if (identity.map_seats < 1 || identity.map_seats > kSeatsMax || tick_rate < kTickRateMin ||
      tick_rate > kTickRateMax) {
    return nullptr;
  }
  for (std::size_t i = 0; i < std::max<std::size_t>(game.maps.size(), 1); ++i) {
    const std::string_view name = game.maps.empty() ? std::string_view{} : game.maps[i];
    SharedMap map = make_map(game, {.seats = identity.map_seats, .name = name}, tick_rate);
    if (map->hash == identity.map_hash) return map;
  }
  return nullptr;
}

constexpr std::uint8_t kDescriptorVersion = 1;

class DescriptorWriter {
 public:
  explicit DescriptorWriter(std::vector<std::byte>& out) : out_(out) {}

  void game(const GameTable& game) {
    out_.fixed(kDescriptorVersion);
    text(game.name);
    out_.fixed(game.version);
    out_.fixed(game.hash);
    out_.fixed(game.gravity);
    out_.number(game.avatar);
    for (const TypeInfo* each : {&game.input, &game.seat, &game.room, &game.secret}) {
      type(*each);
    }
    count(game.kinds.size());
    for (const KindTable& kind : game.kinds) {
      type(kind.type);
      out_.fixed(kind.top_speed);
      out_.fixed(static_cast<std::uint8_t>(kind.predict));
      out_.fixed(static_cast<std::uint8_t>(motion_by_default(kind)));
    }
    for (const std::span<const TypeInfo> types : {game.outcomes, game.events}) {
      count(types.size());
      for (const TypeInfo& each : types) {
        type(each);
      }
    }
    count(game.commands.size());
    for (const CommandTable& command : game.commands) {
      type(command.type);
    }
    if (game.results.empty()) return;
    count(game.results.size());
    for (const TypeInfo& result : game.results) {
      type(result);
    }
  }

 private:
  static Motion motion_by_default(const KindTable& kind) {
    alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> state{};
    kind.type.write_default(state.data());
    return kind.body(state.data()).motion;
  }

  void count(std::size_t size) { out_.number(static_cast<std::uint32_t>(size)); }

  void text(std::string_view text) {
    count(text.size());
    out_.bytes(std::as_bytes(std::span{text}));
  }

  void type(const TypeInfo& type) {
    alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> by_default{};
    type.write_default(by_default.data());
    text(type.name);
    count(type.field_count);
    for (const FieldInfo& field : type.fields()) {
      text(field.name);
      out_.fixed(static_cast<std::uint8_t>(field.form));
      out_.number(field.times);
      if (field.form == FieldForm::Whole) {
        out_.fixed(static_cast<std::int32_t>(field.min));
        out_.fixed(static_cast<std::int32_t>(field.max));
      }
      for (std::size_t i = 0; i < field.times; ++i) {
        out_.fixed(static_cast<std::uint64_t>(value_of(field, i, by_default)));
      }
    }
  }

  NumberWriter out_;
};

}  // namespace

std::uint64_t game_hash(const GameTable& game, const SharedMap& map, std::uint32_t tick_rate) {
  StreamHasher hasher{game.hash};
  add_bodies(game, hasher);
  play_trial(game, map, tick_rate, hasher);
  return hasher.digest();
}

std::uint64_t rules_hash(const GameTable& game) {
  constexpr std::uint32_t kSeats = 16;
  constexpr std::uint32_t kTickRate = 60;
  return game_hash(game, make_map(game, {.seats = kSeats, .name = {}}, kTickRate), kTickRate);
}

Identity identity_of(const GameTable& game, const SharedMap& map, std::uint32_t tick_rate) {
  return {.game = std::string{game.name},
          .version = game.version,
          .game_hash = game_hash(game, map, tick_rate),
          .map_seats = map->seats,
          .map_hash = map->hash};
}

const GameTable* find_game(Games games, std::string_view name) {
  const auto found =
      std::ranges::find_if(games, [&](const GameTable* game) { return game->name == name; });
  return found != games.end() ? *found : nullptr;
}

std::string names_of(Games games) {
  std::string names;
  for (const GameTable* game : games) {
    if (!names.empty()) names += ", ";
    names += game->name;
  }
  return names;
}

std::expected<GameOnMap, OtherBuild> find_game_on_map(Games games, const Identity& identity,
                                                      std::uint32_t tick_rate,
                                                      std::string_view who) {
  const auto differs = [&](BuildDifference what, const std::string& words) {
    return std::unexpected{OtherBuild{.what = what, .words = std::string{who} + " plays " + words}};
  };
  const GameTable* game = find_game(games, identity.game);
  if (game == nullptr) {
    return differs(
        BuildDifference::Version,
        quoted(identity.game) + ", which this program does not have; it has " + names_of(games));
  }
  if (game->version != identity.version) {
    return differs(BuildDifference::Version,
                   identity.game + " " + std::to_string(identity.version) + ", not " +
                       std::to_string(game->version) + "; use the same build at both ends");
  }
  SharedMap map = find_map(*game, identity, tick_rate);
  if (map == nullptr) {
    return differs(BuildDifference::Map,
                   "another map of " + identity.game + "; build both ends from one source");
  }
  if (game_hash(*game, map, tick_rate) != identity.game_hash) {
    return differs(BuildDifference::Rules,
                   "the same version of " + identity.game +
                       ", but its rules differ here: other code, constants or declarations, or "
                       "memory outside of the state; build both ends from one source, and run "
                       "NAME-laws");
  }
  return GameOnMap{.game = game, .map = std::move(map), .tick_rate = tick_rate};
}

std::expected<std::string_view, std::string> find_map_name(const GameTable& game,
                                                           std::string_view text) {
  if (text.empty()) return game.maps.empty() ? std::string_view{} : game.maps.front();
  const auto found = std::ranges::find(game.maps, text);
  if (found != game.maps.end()) return *found;
  std::string refusal = quoted(text) + " is not a map of " + std::string{game.name};
  if (game.maps.empty()) return std::unexpected{refusal + ", which has one without a name"};
  for (const std::string_view name : game.maps) {
    refusal += (name == game.maps.front() ? "; it has " : ", ") + std::string{name};
  }
  return std::unexpected{refusal};
}

void encode_descriptor(const GameTable& game, std::vector<std::byte>& out) {
  out.clear();
  DescriptorWriter{out}.game(game);
}

}  // namespace tickbox::engine
