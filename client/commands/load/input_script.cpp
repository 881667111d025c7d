#include "client/commands/load/input_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

namespace tickbox::commands {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

/// A collector of the input changes of each seat.
class Gathering {
 public:
  /// Adds recorded ticks. `first` is the tick before the script's first tick.
  void ticks(Tick first, std::span<const record::RecordedTick> recorded) {
    for (const record::RecordedTick& tick : recorded) {
      const std::uint32_t at = tick.tick.value - first.value - 1;
      for (const PlayerId seat : tick.leaves) {
        rest(at, seat);
      }
      for (const game::PlayerInput& each : tick.inputs) {
        input(at, each);
      }
    }
  }

  void rest_all(std::uint32_t tick) {
    for (const auto& [seat, player] : players_) {
      rest(tick, seat);
    }
  }

  std::vector<PlayerScript> take() {
    std::vector<PlayerScript> all;
    for (auto& [seat, player] : players_) {
      player.seat = seat;
      all.push_back(std::move(player));
    }
    return all;
  }

 private:
  void input(std::uint32_t tick, const game::PlayerInput& each) {
    PlayerScript& player = players_[each.player];
    const game::Input wanted{
        .move = each.input.move, .buttons = each.input.buttons, .aim = each.input.aim};
    // If a player leaves the seat and another joins in the same tick, the other's input counts.
    if (!player.changes.empty() && player.changes.back().tick == tick) player.changes.pop_back();
    if (player.changes.empty() || player.changes.back().input != wanted) {
      player.changes.push_back({.tick = tick, .input = wanted});
    }
  }

  void rest(std::uint32_t tick, PlayerId seat) {
    const auto found = players_.find(seat);
    if (found != players_.end() && found->second.changes.back().input != game::Input{}) {
      found->second.changes.push_back({.tick = tick, .input = {}});
    }
  }

  std::map<PlayerId, PlayerScript> players_;
};

/// Returns a number from 0 to `most`; nothing for any other value.
std::optional<std::uint32_t> number(const Json& value, std::uint64_t most) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto found = value.get<std::uint64_t>();
  return found <= most ? std::optional{static_cast<std::uint32_t>(found)} : std::nullopt;
}

std::optional<std::uint32_t> number(const Json& object, const char* key, std::uint64_t most) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : number(*found, most);
}

std::optional<InputChange> parse_change(const Json& value, std::uint32_t ticks) {
  if (!value.is_array() || value.size() != 4) return std::nullopt;
  const auto tick = number(value[0], ticks);
  const auto move = number(value[1], game::kMoveDirections);
  const auto buttons = number(value[2], game::kButtonsKnown);
  const auto aim = number(value[3], game::kAimDirections - 1);
  if (!tick || !move || !buttons || !aim) return std::nullopt;
  return InputChange{.tick = *tick,
                     .input = {.move = static_cast<std::uint8_t>(*move),
                               .buttons = static_cast<std::uint8_t>(*buttons),
                               .aim = static_cast<std::uint16_t>(*aim)}};
}

std::optional<PlayerScript> parse_player(const Json& line, std::uint32_t ticks) {
  const auto seat = line.is_object() ? number(line, "seat", game::kSeatsMax - 1) : std::nullopt;
  const auto inputs = line.is_object() ? line.find("inputs") : line.end();
  if (!seat || inputs == line.end() || !inputs->is_array()) return std::nullopt;
  PlayerScript player{.seat = {static_cast<std::uint16_t>(*seat)}, .changes = {}};
  for (const Json& each : *inputs) {
    const auto change = parse_change(each, ticks);
    if (!change || (!player.changes.empty() && player.changes.back().tick >= change->tick)) {
      return std::nullopt;
    }
    player.changes.push_back(*change);
  }
  return player;
}

std::optional<InputScript> parse_head(const Json& line) {
  constexpr std::uint32_t kTickRateMax = 1'000;
  if (!line.is_object() || number(line, "tickbox_inputs", kVersion) != kVersion) {
    return std::nullopt;
  }
  const auto tick_rate = number(line, "tick_rate", kTickRateMax);
  const auto first = number(line, "first_tick", UINT32_MAX);
  const auto ticks = number(line, "ticks", UINT32_MAX);
  const auto rules = line.find("rules");
  if (!tick_rate || *tick_rate == 0 || !first || !ticks || rules == line.end() ||
      !rules->is_string()) {
    return std::nullopt;
  }
  return InputScript{.tick_rate = *tick_rate,
                     .rules = rules->get<std::string>(),
                     .first_tick = *first,
                     .ticks = *ticks,
                     .players = {}};
}

}  // namespace

game::Input PlayerScript::input(std::uint32_t tick, std::size_t& at) const {
  while (at < changes.size() && changes[at].tick <= tick) {
    ++at;
  }
  return at == 0 ? game::Input{} : changes[at - 1].input;
}

std::expected<InputScript, std::uint32_t> script_of(record::Reader reader,
                                                    const std::function<bool()>& stopped) {
  InputScript script{
      .tick_rate = reader.header().tick_rate, .rules = reader.header().rules, .players = {}};
  Gathering gathering;
  std::optional<Tick> first;
  Tick last;
  for (auto item = reader.next(); item != record::Reader::Item::Finished; item = reader.next()) {
    if (stopped()) return std::unexpected{last.value - first.value_or(Tick{}).value};
    if (item == record::Reader::Item::Keyframe) {
      first = first.value_or(reader.keyframe().tick);
      if (reader.keyframe().tick > last) {
        gathering.rest_all(last.value - std::min(first->value, last.value));
        last = reader.keyframe().tick;
      }
    } else if (item == record::Reader::Item::Ticks) {
      gathering.ticks(*first, reader.ticks());
      last = reader.ticks().back().tick;
    }
  }
  script.first_tick = first.value_or(Tick{}).value;
  script.ticks = last.value - script.first_tick;
  script.players = gathering.take();
  return script;
}

std::string to_text(const InputScript& script) {
  std::string text = Json{{"tickbox_inputs", kVersion}, {"tick_rate", script.tick_rate},
                          {"rules", script.rules},      {"first_tick", script.first_tick},
                          {"ticks", script.ticks},      {"players", script.players.size()}}
                         .dump() +
                     "\n";
  for (const PlayerScript& player : script.players) {
    fmt::format_to(std::back_inserter(text), R"({{"seat":{},"inputs":[)", player.seat.value);
    for (std::size_t i = 0; i < player.changes.size(); ++i) {
      const InputChange& change = player.changes[i];
      fmt::format_to(std::back_inserter(text), "{}[{},{},{},{}]", i > 0 ? "," : "", change.tick,
                     change.input.move, change.input.buttons, change.input.aim);
    }
    text += "]}\n";
  }
  return text;
}

std::expected<InputScript, std::string> parse_script(std::string_view text) {
  std::optional<InputScript> script;
  std::uint64_t players = 0;
  for (std::size_t number_of_line = 1; !text.empty(); ++number_of_line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const Json line = Json::parse(text.substr(0, end), nullptr, false);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!script) {
      script = parse_head(line);
      if (!script) {
        return std::unexpected{std::string{
            "line 1: expected the head of an input file; make one with `tickbox replay inputs`"}};
      }
      players = number(line, "players", game::kSeatsMax).value_or(0);
      continue;
    }
    auto player = parse_player(line, script->ticks);
    if (!player || (!script->players.empty() && script->players.back().seat >= player->seat)) {
      return std::unexpected{
          fmt::format("line {}: expected a player: a seat above that of the line before, and "
                      "[tick, move, buttons, aim] in the order of ticks",
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

}  // namespace tickbox::commands
