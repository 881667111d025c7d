#include "server/match/event_router.h"

#include "engine/declared.h"
#include "engine/entity_id.h"
#include "views/rows.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {

void EventRouter::gather(const Match& match) {
  events_.clear();
  places_.clear();
  players_.clear();
  bytes_.clear();
  const GameTable& game = match.world().game();
  const engine::TickReport& report = match.report();
  for (const engine::Emitted& emitted : report.emitted) {
    const TypeInfo& type = game.events[emitted.type];
    const ConstBytes value = report.event(type, emitted);
    begin_event();
    places_.push_back(emitted.place);
    const BodyId at = engine::body_id(emitted.at);
    if (engine::is_entity(at)) add_concerned(views::owner_of(at));
    for (const FieldInfo& field : type.fields()) {
      if (field.form != FieldForm::Player) continue;
      for (std::size_t i = 0; i < field.times; ++i) {
        add_concerned({static_cast<std::uint16_t>(engine::value_of(field, i, value))});
      }
    }
    end_event(game,
              {.kind = static_cast<std::uint8_t>(emitted.type + 1), .player = {}, .bytes = value});
  }
  const engine::World& world = match.world();
  for (const engine::Outcome& outcome : match.record().outcomes) {
    if (outcome.kind != engine::OutcomeKind::Seat) continue;
    begin_event();
    add_concerned(outcome.player);
    for (std::size_t row = world.avatar_of(outcome.player);
         row < world.size() && world.is_controlled_by(row, outcome.player); ++row) {
      places_.push_back(world.body(row).min);
    }
    end_event(game,
              {.kind = 0, .player = outcome.player, .bytes = match.record().bytes_of(outcome)});
  }
}

void EventRouter::begin_event() {
  events_.push_back({.bits = {}, .first_place = places_.size(), .first_player = players_.size()});
}

void EventRouter::end_event(const GameTable& game, const views::Event& event) {
  Routed& routed = events_.back();
  routed.places = places_.size() - routed.first_place;
  routed.players = players_.size() - routed.first_player;
  routed.bits.first = 8 * bytes_.size();
  engine::BitWriter out{bytes_};
  views::write_event(game, event, out);
  routed.bits.bits = static_cast<std::uint32_t>(out.written());
}

void EventRouter::add_concerned(Player player) {
  if (player.seat != Player::kNobody) players_.push_back(player);
}

void EventRouter::begin_routes(const Match& match) {
  const engine::World& world = match.world();
  receivers_.clear();
  next_event_.assign(world.seats().size(), 0);
  sight_max_ = 0;
  for (std::uint16_t seat = 0; seat < world.seats().size(); ++seat) {
    if (!world.seats()[seat].taken) continue;
    receivers_.push_back({.player = {seat}, .eye = eye_of(world, {seat})});
    sight_max_ = std::max<std::int64_t>(sight_max_, receivers_.back().eye.sight.x);
  }
  std::ranges::sort(receivers_, {}, [](const Receiver& receiver) {
    return std::pair{receiver.eye.centre.x, receiver.player.seat};
  });
}

/// Returns the receivers that are near enough along x to see `place`.
std::span<const EventRouter::Receiver> EventRouter::receivers_near(Vec2 place) const {
  const std::int64_t width = sight_max_ + kViewHysteresis;
  const auto x_of = [](const Receiver& receiver) { return std::int64_t{receiver.eye.centre.x}; };
  return {std::ranges::lower_bound(receivers_, place.x - width, {}, x_of),
          std::ranges::upper_bound(receivers_, place.x + width, {}, x_of)};
}

}  // namespace tickbox::server
