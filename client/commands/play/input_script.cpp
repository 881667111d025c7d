#include "client/commands/play/input_script.h"

#include "engine/declared.h"
#include "engine/entity_id.h"
#include "engine/log/words.h"
#include "json/reader.h"
#include "record/replayer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace tickbox::commands {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 2;

/// A value of an input: one field, or one of the values of an array.
struct InputValue {
  const FieldInfo* field = nullptr;
  std::size_t i = 0;
};

std::vector<InputValue> values_of(const GameTable& game) {
  std::vector<InputValue> values;
  for (const FieldInfo& field : game.input.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      values.push_back({.field = &field, .i = i});
    }
  }
  return values;
}

/// A collector of the input changes of each seat.
class Gathering {
 public:
  explicit Gathering(const GameTable& game)
      : game_(game),
        rest_(engine::default_of(game.input)),
        avatar_(engine::default_of(game.kinds[game.avatar].type)) {}

  /// Takes the inputs that players hold in a world.
  void begin(const engine::World& world) {
    held_.clear();
    for (std::size_t seat = 0; seat < world.seats().size(); ++seat) {
      const Player player{static_cast<std::uint16_t>(seat)};
      if (world.has(player)) set_held(player, world.input(player));
    }
  }

  /// Adds a tick. `at`: its tick in the script.
  void tick(std::uint32_t at, const engine::DecodedTick& tick) {
    for (auto& [seat, input] : held_) {
      engine::release_input(game_, avatar_, input);
    }
    for (const Player player : tick.leaves) {
      rest(at, player.seat);
    }
    for (const Player player : tick.joins) {
      set_held(player, rest_);
    }
    for (const engine::TickRecord::Input& input : tick.record.inputs) {
      set_held(input.player, ConstBytes{tick.record.bytes}.subspan(input.first, game_.input.bytes));
    }
    for (const engine::PlayerSource& each : tick.sources) {
      add(at, each.player.seat, held_[each.player.seat]);
    }
  }

  void rest_all(std::uint32_t tick) {
    for (const auto& [seat, player] : players_) {
      rest(tick, seat);
    }
  }

  std::vector<PlayerScript> finish() {
    std::vector<PlayerScript> all;
    for (auto& [seat, player] : players_) {
      player.seat = {seat};
      all.push_back(std::move(player));
    }
    return all;
  }

 private:
  void set_held(Player player, ConstBytes input) {
    held_[player.seat].assign(input.begin(), input.end());
  }

  void add(std::uint32_t tick, std::uint16_t seat, const std::vector<std::byte>& input) {
    PlayerScript& player = players_[seat];
    // If a player leaves the seat and another joins in the same tick, the new player's input
    // counts.
    if (!player.changes.empty() && player.changes.back().tick == tick) player.changes.pop_back();
    if (player.changes.empty() || player.changes.back().input != input) {
      player.changes.push_back({.tick = tick, .input = input});
    }
  }

  void rest(std::uint32_t tick, std::uint16_t seat) {
    const auto found = players_.find(seat);
    if (found != players_.end() && found->second.changes.back().input != rest_) {
      found->second.changes.push_back({.tick = tick, .input = rest_});
    }
  }

  const GameTable& game_;
  std::vector<std::byte> rest_;
  std::vector<std::byte> avatar_;  ///< the state that an avatar has by default
  std::map<std::uint16_t, std::vector<std::byte>> held_;
  std::map<std::uint16_t, PlayerScript> players_;
};

/// Returns a number from 0 to `most`; nothing for any other value.
std::optional<std::uint32_t> number(const json::Value& value, std::uint64_t most) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto found = value.get<std::uint64_t>();
  return found <= most ? std::optional{static_cast<std::uint32_t>(found)} : std::nullopt;
}

std::optional<std::uint32_t> number(const json::Value& object, const char* key,
                                    std::uint64_t most) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : number(*found, most);
}

/// Reads the lines of a script after the first one, which names the fields of an input.
class PlayerParser {
 public:
  PlayerParser(const GameTable& game, std::uint32_t ticks, std::vector<InputValue> values)
      : rest_(engine::default_of(game.input)), ticks_(ticks), values_(std::move(values)) {}

  [[nodiscard]] std::optional<PlayerScript> parse(const json::Value& line) const {
    const auto seat = line.is_object() ? number(line, "seat", engine::kSeatsMax - 1) : std::nullopt;
    const auto inputs = line.is_object() ? line.find("inputs") : line.end();
    if (!seat || inputs == line.end() || !inputs->is_array()) return std::nullopt;
    PlayerScript player{.seat = {static_cast<std::uint16_t>(*seat)}, .changes = {}};
    for (const json::Value& each : *inputs) {
      auto change = parse_change(each);
      if (!change || (!player.changes.empty() && player.changes.back().tick >= change->tick)) {
        return std::nullopt;
      }
      player.changes.push_back(*std::move(change));
    }
    return player;
  }

 private:
  [[nodiscard]] std::optional<InputChange> parse_change(const json::Value& value) const {
    if (!value.is_array() || value.size() != values_.size() + 1) return std::nullopt;
    const auto tick = number(value[0], ticks_);
    if (!tick) return std::nullopt;
    InputChange change{.tick = *tick, .input = rest_};
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const json::Value& given = value[i + 1];
      if (!given.is_number_integer()) return std::nullopt;
      const auto& [field, place] = values_[i];
      if (!engine::is_in_range(*field, given.get<std::int64_t>())) return std::nullopt;
      engine::set_value(*field, place, given.get<std::int64_t>(), change.input);
    }
    return change;
  }

  std::vector<std::byte> rest_;
  std::uint32_t ticks_;
  std::vector<InputValue> values_;  ///< in the order in which a change has them
};

/// Reads the names of the values that a change has. Fails: nothing, for a name that the game's
/// input does not have.
std::optional<std::vector<InputValue>> parse_fields(const json::Value& line,
                                                    const GameTable& game) {
  const auto names = line.find("fields");
  if (names == line.end() || !names->is_array()) return std::nullopt;
  const std::vector<InputValue> known = values_of(game);
  std::vector<InputValue> values;
  for (const json::Value& name : *names) {
    if (!name.is_string()) return std::nullopt;
    const auto found = std::ranges::find_if(known, [&](const InputValue& value) {
      return engine::name_of(*value.field, value.i) == name.get<std::string>();
    });
    if (found == known.end()) return std::nullopt;
    values.push_back(*found);
  }
  return values;
}

std::optional<InputScript> parse_head(const json::Value& line, engine::Games games) {
  constexpr std::uint32_t kAnyTickRateMax = 1'000;
  if (!line.is_object() || number(line, "tickbox_inputs", kVersion) != kVersion) {
    return std::nullopt;
  }
  const auto tick_rate = number(line, "tick_rate", kAnyTickRateMax);
  const auto first = number(line, "first_tick", UINT32_MAX);
  const auto ticks = number(line, "ticks", UINT32_MAX);
  const auto game = line.find("game");
  if (!tick_rate || *tick_rate == 0 || !first || !ticks || game == line.end() ||
      !game->is_string()) {
    return std::nullopt;
  }
  return InputScript{.game = engine::find_game(games, game->get<std::string>()),
                     .tick_rate = *tick_rate,
                     .first_tick = *first,
                     .ticks = *ticks,
                     .players = {}};
}

std::string text_of(const InputChange& change, std::span<const InputValue> values) {
  std::string text = fmt::format("[{}", change.tick);
  for (const auto& [field, i] : values) {
    fmt::format_to(std::back_inserter(text), ",{}", engine::value_of(*field, i, change.input));
  }
  return text + "]";
}

}  // namespace

ConstBytes PlayerScript::input(std::uint32_t tick, std::size_t& at) const {
  while (at < changes.size() && changes[at].tick <= tick) {
    ++at;
  }
  return at == 0 ? ConstBytes{} : ConstBytes{changes[at - 1].input};
}

std::expected<InputScript, std::uint32_t> script_of(const record::Reader& reader,
                                                    const engine::GameOnMap& played,
                                                    const std::function<bool()>& stopped) {
  using Item = record::Reader::Item;
  Gathering gathering{*played.game};
  record::Replayer replayer{reader, *played.game, played.map};
  std::optional<Tick> first;
  Tick last;
  for (Item item = replayer.read(); item != Item::Finished; item = replayer.read()) {
    if (stopped()) return std::unexpected{last.value - first.value_or(Tick{}).value};
    if (item == Item::Keyframe && replayer.keyframe() != nullptr) {
      const engine::World& world = replayer.keyframe()->world;
      first = first.value_or(world.tick);
      if (world.tick > last) {
        gathering.rest_all(last.value - std::min(first->value, last.value));
        last = world.tick;
      }
      gathering.begin(world);
    }
    if (item != Item::Ticks) continue;
    while (const engine::DecodedTick* const tick = replayer.decode()) {
      gathering.tick(last.value - first->value, *tick);
      last = last + 1;
    }
  }
  const std::uint32_t first_tick = first.value_or(Tick{}).value;
  return InputScript{.game = played.game,
                     .tick_rate = reader.header().tick_rate,
                     .first_tick = first_tick,
                     .ticks = last.value - first_tick,
                     .players = gathering.finish()};
}

std::string to_text(const InputScript& script) {
  const std::vector<InputValue> values = values_of(*script.game);
  Json fields = Json::array();
  for (const auto& [field, i] : values) {
    fields.push_back(engine::name_of(*field, i));
  }
  std::string text = Json{{"tickbox_inputs", kVersion}, {"tick_rate", script.tick_rate},
                          {"game", script.game->name},  {"first_tick", script.first_tick},
                          {"ticks", script.ticks},      {"players", script.players.size()},
                          {"fields", std::move(fields)}}
                         .dump() +
                     "\n";
  for (const PlayerScript& player : script.players) {
    fmt::format_to(std::back_inserter(text), R"({{"seat":{},"inputs":[)", player.seat.seat);
    for (std::size_t i = 0; i < player.changes.size(); ++i) {
      text += (i > 0 ? "," : "") + text_of(player.changes[i], values);
    }
    text += "]}\n";
  }
  return text;
}

std::expected<InputScript, std::string> parse_script(std::string_view text, engine::Games games) {
  std::optional<InputScript> script;
  std::optional<PlayerParser> parser;
  std::uint64_t players = 0;
  for (std::size_t number_of_line = 1; !text.empty(); ++number_of_line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const json::Value line = json::read_or_null(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!script) {
      script = parse_head(line, games);
      if (!script) {
        return std::unexpected{std::string{
            "line 1: expected the head of an input file; make one with `replay inputs`"}};
      }
      if (script->game == nullptr) {
        return std::unexpected{"line 1: it is of a game that this program does not have; it has " +
                               engine::names_of(games)};
      }
      auto values = parse_fields(line, *script->game);
      if (!values) {
        return std::unexpected{
            fmt::format("line 1: its fields are not those of an input of {}", script->game->name)};
      }
      parser.emplace(*script->game, script->ticks, *std::move(values));
      players = number(line, "players", engine::kSeatsMax).value_or(0);
      continue;
    }
    auto player = parser->parse(line);
    if (!player ||
        (!script->players.empty() && script->players.back().seat.seat >= player->seat.seat)) {
      return std::unexpected{
          fmt::format("line {}: expected a player: a seat above that of the line before, and "
                      "[tick, value, …] with the values of line 1, in the order of ticks",
                      number_of_line)};
    }
    script->players.push_back(*std::move(player));
  }
  if (!script || script->players.empty() || script->players.size() != players) {
    return std::unexpected{fmt::format("it has {} players, but its first line says {}",
                                       script ? script->players.size() : 0, players)};
  }
  return *std::move(script);
}

Playback::Playback(InputScript script, const Repeats& repeats)
    : script_(std::move(script)),
      rounds_(repeats.rounds),
      rest_(engine::default_of(script_.game->input)),
      positions_(repeats.clients > 0 ? repeats.clients : script_.players.size()) {}

ConstBytes Playback::input(std::size_t number, Tick tick) {
  if (!begin_ || tick < *begin_ || tick.value - begin_->value >= ticks()) return rest_;
  const std::uint32_t played = tick.value - begin_->value;
  const std::uint32_t round = played / script_.ticks;
  Position& position = positions_[number];
  if (position.round != round) position = {.round = round};
  const ConstBytes input = script_.players[number % script_.players.size()].input(
      played % script_.ticks, position.changes_taken);
  return input.empty() ? ConstBytes{rest_} : input;
}

}  // namespace tickbox::commands
