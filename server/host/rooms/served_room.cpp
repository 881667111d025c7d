#include "server/host/rooms/served_room.h"

#include <utility>

namespace tickbox::server {

std::shared_ptr<const ServedGame> ServedGame::make(const GameTable& game, std::string_view map,
                                                   const Options& options) {
  auto made =
      engine::make_map(game, {.seats = options.max_clients, .name = map}, options.tick_rate);
  const engine::Identity identity = engine::identity_of(game, made, options.tick_rate);
  return std::make_shared<const ServedGame>(
      ServedGame{.game = &game, .map = std::move(made), .identity = identity});
}

std::expected<std::unique_ptr<ServedRoom>, std::string> ServedRoom::open(
    const Options& options, const RecordingsParts& parts, const RoomPlan& plan,
    std::shared_ptr<const ServedGame> of, std::string_view page,
    std::shared_ptr<const ArrivedMatch> arrived) {
  auto room = std::make_unique<ServedRoom>();
  room->id = plan.id;
  room->of = std::move(of);
  room->arrived = std::move(arrived);
  room->match = room->arrived != nullptr ? std::make_unique<Match>(room->arrived->world)
                                         : std::make_unique<Match>(*room->of->game, room->of->map,
                                                                   options.tick_rate, plan.seed);
  auto recorded = Recordings::open(options, parts,
                                   {.id = plan.id,
                                    .match = *room->match,
                                    .identity = room->of->identity,
                                    .seed = plan.seed,
                                    .rooms_open = plan.rooms_open,
                                    .page = page});
  if (!recorded) return std::unexpected(std::move(recorded.error()));
  room->recordings = *std::move(recorded);
  return room;
}

}  // namespace tickbox::server
