#include "client/commands/replay/match_text.h"

#include "client/scenario/trace.h"
#include "core/bytes.h"
#include "core/text.h"
#include "engine/declared.h"
#include "engine/log/tick_codec.h"
#include "engine/log/words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <string_view>

namespace tickbox::commands {
namespace {

/// Returns `[text,text]`.
template <class Items, class Text>
std::string list_of(const Items& items, Text text) {
  return fmt::format("[{}]", fmt::join(items | std::views::transform(text), ","));
}

auto seats_of(const engine::World& world) {
  return std::views::iota(std::size_t{0}, world.seats().size());
}

std::string seat_json(Player player) {
  return player.seat == Player::kNobody ? "null" : fmt::to_string(player.seat);
}

/// An id is text, because not every reader of JSON keeps 64 bits of a number.
std::string id_json(BodyId id) {
  return id == sim::kNoBody ? "null" : fmt::format(R"("{}")", id.value);
}

std::string place_json(Vec2 place) {
  return fmt::format("[{},{}]", scenario::units_text(place.x), scenario::units_text(place.y));
}

std::string body_json(const engine::World& world, std::size_t row) {
  const sim::Body& body = world.body(row);
  const TypeInfo& type = world.kind_of(row).type;
  std::string text = fmt::format(
      R"({{"id":{},"kind":"{}","owner":{},"min":{},"velocity":{},"state":{})", id_json(body.id),
      type.name, seat_json(world.infos()[row].owner), place_json(body.min),
      place_json(body.velocity), engine::value_json(type, world.state(row)));
  if (body.kind == sim::Kind::Kinematic) {
    text += fmt::format(R"(,"path":{},"path_ticks":{})",
                        body.path == kNoPath ? "null" : fmt::to_string(body.path), body.path_ticks);
  } else if (body.carrier != sim::kNoBody) {
    text += fmt::format(R"(,"carrier":{})", id_json(body.carrier));
  }
  return text + "}";
}

std::string_view name_of(engine::InputSource source) {
  return name_among<engine::InputSource::Neutral>({"received", "repeated", "neutral"}, source);
}

std::string outcome_json(const GameTable& game, const engine::TickRecord& record,
                         const engine::Outcome& outcome) {
  const engine::OutcomeForm& form = engine::form_of(outcome.kind);
  std::string text = fmt::format(R"({{"outcome":"{}")", form.name);
  const auto add = [&](std::string_view key, std::string_view value) {
    fmt::format_to(std::back_inserter(text), R"(,"{}":{})", key, value);
  };
  if (form.is_of_seat || form.has_owner) add("seat", seat_json(outcome.player));
  if (form.has_entity) add("id", id_json(engine::body_id(outcome.ref)));
  if (form.has_place) add("min", place_json(outcome.min));
  if (outcome.velocity != Vec2{}) add("velocity", place_json(outcome.velocity));
  if (const TypeInfo* type = engine::payload_type(game, outcome)) {
    add("type", fmt::format(R"("{}")", type->name));
    add("values", engine::value_json(*type, record.bytes_of(outcome)));
  }
  return text + "}";
}

/// Returns the input of a player in a tick: the given one, or the one that it holds. `world`: after
/// the tick.
ConstBytes input_in(const engine::World& world, const engine::TickRecord& record, Player player) {
  const auto given = std::ranges::lower_bound(
      record.inputs, player.seat, {},
      [](const engine::TickRecord::Input& input) { return input.player.seat; });
  if (given == record.inputs.end() || given->player != player) return world.input(player);
  return ConstBytes{record.bytes}.subspan(given->first, world.game().input.bytes);
}

}  // namespace

std::string bodies_json(const engine::World& world) {
  return list_of(std::views::iota(std::size_t{0}, world.size()),
                 [&](std::size_t row) { return body_json(world, row); });
}

std::string seats_json(const engine::World& world) {
  return list_of(seats_of(world), [&](std::size_t i) {
    const engine::SeatInfo& seat = world.seats()[i];
    const Player player{static_cast<std::uint16_t>(i)};
    std::string text =
        fmt::format(R"({{"seat":{},"taken":{},"generation":{})", i, seat.taken, seat.generation);
    if (seat.taken) {
      text += fmt::format(R"(,"state":{})",
                          engine::value_json(world.game().seat, world.seat_state(player)));
    }
    return text + "}";
  });
}

std::string tick_json(const engine::World& world, const engine::DecodedTick& tick) {
  const GameTable& game = world.game();
  const auto input = [&](const engine::PlayerSource& each) {
    return fmt::format(R"({{"seat":{},"input":{},"source":"{}"}})", each.player.seat,
                       engine::value_json(game.input, input_in(world, tick.record, each.player)),
                       name_of(each.source));
  };
  const auto outcome = [&](const engine::Outcome& each) {
    return outcome_json(game, tick.record, each);
  };
  const auto strike = [](const engine::Strike& each) {
    return fmt::format(R"({{"shooter":{},"victim":{}}})", seat_json(each.shooter),
                       id_json(engine::body_id(each.victim)));
  };
  const auto client = [](std::uint64_t id) { return fmt::format("\"{}\"", id); };
  return fmt::format(
      R"("leaves":{},"joins":{},"clients":{},"inputs":{},"outcomes":{},"strikes":{}{})",
      list_of(tick.leaves, &Player::seat), list_of(tick.joins, &Player::seat),
      list_of(tick.clients, client), list_of(tick.sources, input),
      list_of(tick.record.outcomes, outcome), list_of(tick.record.strikes, strike),
      tick.record.is_idle ? R"(,"idle":true)" : "");
}

}  // namespace tickbox::commands
