#include "server/host/rooms/served_room.h"

#include "engine/keyframe.h"
#include "server/host/rooms/match_document.h"
#include "server/host/rooms/rooms_option.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

/// Returns whether the seats are those of players in the world, and no client leaves in the future.
bool has_players_of(const engine::World& world, const MovedMatch& match) {
  return std::ranges::all_of(
             match.seats, [&](const MovedSeat& seat) { return world.has({seat.player.value}); }) &&
         std::ranges::all_of(match.departures, [&](const Departure& departure) {
           return departure.tick <= world.tick + 1;
         });
}

/// Returns the world of a match that goes on here.
std::expected<engine::World, RoomFault> world_of(const MovedMatch& match, const ServedGame& of) {
  const auto refused = [](unsigned status, std::string_view why) {
    return std::unexpected{RoomFault{status, std::string{why}}};
  };
  const engine::World like{*of.game, of.map, match.tick_rate, 0};
  auto world = engine::restore(match.keyframe, like);
  if (!world) return refused(400, "the world of the match is damaged");
  if (!has_players_of(*world, match)) return refused(400, "its seats are not those of its world");
  if (world->tick.value >= kTickEnd) return refused(409, "the match has reached its last tick");
  return *std::move(world);
}

}  // namespace

std::shared_ptr<const ServedGame> ServedGame::make(const GameTable& game, std::string_view map,
                                                   const Options& options) {
  auto made =
      engine::make_map(game, {.seats = options.max_clients, .name = map}, options.tick_rate);
  const engine::Identity identity = engine::identity_of(game, made, options.tick_rate);
  return std::make_shared<const ServedGame>(
      ServedGame{.game = &game, .map = std::move(made), .identity = identity});
}

std::expected<std::vector<std::unique_ptr<ServedRoom>>, std::string> RoomOpener::open_first() {
  std::vector<RoomPlan> plans;
  for (const RoomsOfGame& of : rooms_of(options_)) {
    for (std::uint32_t i = 0; i < of.count; ++i) {
      auto planned = plan(of.game, of.map);
      if (!planned) return std::unexpected(std::move(planned.error()));
      plans.push_back(*std::move(planned));
    }
  }
  std::vector<std::unique_ptr<ServedRoom>> opened;
  for (RoomPlan& each : plans) {
    each.rooms_open = plans.size();
    auto room = open(each);
    if (!room) return std::unexpected(std::move(room.error().why));
    opened.push_back(*std::move(room));
  }
  return opened;
}

std::expected<RoomPlan, std::string> RoomOpener::plan(std::string_view game, std::string_view map,
                                                      std::optional<std::uint64_t> seed) {
  const GameTable* const found = engine::find_game(games_, game);
  if (found == nullptr) return std::unexpected{no_such_game(game, games_)};
  const auto name = engine::find_map_name(*found, map);
  if (!name) return std::unexpected{name.error()};
  if (!seed_) seed_ = options_.seed.value_or(draw_number<std::uint64_t>(parts_.entropy));
  RoomPlan planned{.id = {++rooms_}, .game = found, .map = *name};
  // Each room has a seed of its own, which the first one and the number give.
  planned.seed = seed.value_or(*seed_ + (planned.id.value - kFirstRoom.value));
  return planned;
}

std::expected<RoomPlan, RoomFault> RoomOpener::plan_match(ConstBytes document) {
  auto match = decode_match(document);
  if (!match) return std::unexpected{RoomFault{400, match.error()}};
  if (match->tick_rate != options_.tick_rate || match->identity.map_seats != options_.max_clients) {
    return std::unexpected{RoomFault{
        409, fmt::format("the match has {} ticks per second and {} seats, rooms here have {} and "
                         "{}; give both servers the same --tick-rate and --max-clients",
                         match->tick_rate, match->identity.map_seats, options_.tick_rate,
                         options_.max_clients)}};
  }
  auto planned = plan(match->identity.game, {});
  if (!planned) return std::unexpected{RoomFault{409, planned.error()}};
  planned->moved = std::make_shared<const MovedMatch>(*std::move(match));
  return *std::move(planned);
}

/// Returns the game and the map of a plan: those of another room, if one has them.
std::expected<std::shared_ptr<const ServedGame>, RoomFault> RoomOpener::served(
    const RoomPlan& plan) const {
  const auto found = std::ranges::find_if(served_, [&](const auto& each) {
    if (plan.moved != nullptr) return each->identity == plan.moved->identity;
    return each->game == plan.game && (plan.map.empty() || each->map->name == plan.map);
  });
  if (found != served_.end()) return *found;
  if (plan.moved == nullptr) return ServedGame::make(*plan.game, plan.map, options_);
  auto of = engine::find_game_on_map(games_, plan.moved->identity, options_.tick_rate,
                                     "the other server");
  if (!of) return std::unexpected{RoomFault{409, of.error().words}};
  return std::make_shared<const ServedGame>(
      ServedGame{.game = of->game, .map = std::move(of->map), .identity = plan.moved->identity});
}

/// Makes the match, and opens its files; may wait for the disk. Fails: with one line.
std::expected<std::unique_ptr<ServedRoom>, std::string> RoomOpener::make_room(
    const RoomPlan& plan, std::shared_ptr<const ServedGame> of,
    std::shared_ptr<const ArrivedMatch> arrived) {
  auto room = std::make_unique<ServedRoom>();
  room->id = plan.id;
  room->of = std::move(of);
  room->arrived = std::move(arrived);
  room->match = room->arrived != nullptr ? std::make_unique<Match>(room->arrived->world)
                                         : std::make_unique<Match>(*room->of->game, room->of->map,
                                                                   options_.tick_rate, plan.seed);
  // The first room of a game writes its page.
  const bool is_new =
      std::ranges::none_of(served_, [&](const auto& each) { return each->game == plan.game; });
  auto recorded = Recordings::open(options_, parts_,
                                   {.id = plan.id,
                                    .match = *room->match,
                                    .identity = room->of->identity,
                                    .seed = plan.seed,
                                    .rooms_open = plan.rooms_open,
                                    .page = is_new ? options_.page : std::string_view{}});
  if (!recorded) return std::unexpected(std::move(recorded.error()));
  room->recordings = *std::move(recorded);
  return room;
}

std::expected<std::unique_ptr<ServedRoom>, RoomFault> RoomOpener::open(const RoomPlan& plan) {
  auto of = served(plan);
  if (!of) return std::unexpected{std::move(of.error())};
  std::shared_ptr<const ArrivedMatch> arrived;
  if (plan.moved != nullptr) {
    auto world = world_of(*plan.moved, **of);
    if (!world) return std::unexpected{std::move(world.error())};
    arrived = std::make_shared<const ArrivedMatch>(ArrivedMatch{plan.moved, *std::move(world)});
  }
  auto opened = make_room(plan, *of, std::move(arrived));
  if (!opened) return std::unexpected{RoomFault{500, std::move(opened.error())}};
  if (std::ranges::find(served_, *of) == served_.end()) served_.push_back(*of);
  return *std::move(opened);
}

}  // namespace tickbox::server
