#include "server/host/rooms/room_opener.h"

#include "server/host/rooms/rooms_option.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {

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
    auto room = open(std::move(each));
    if (!room) return std::unexpected(std::move(room.error()));
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
  const bool is_new =
      std::ranges::none_of(served_, [&](const auto& each) { return each->game == found; });
  RoomPlan planned{.id = {++rooms_}, .of = served(*found, *name), .writes_page = is_new};
  // Each room has a seed of its own, which the first one and the number give.
  planned.seed = seed.value_or(*seed_ + (planned.id.value - kFirstRoom.value));
  return planned;
}

std::shared_ptr<const ServedGame> RoomOpener::served(const GameTable& game, std::string_view map) {
  const auto found = std::ranges::find_if(served_, [&](const auto& each) {
    return each->game == &game && (map.empty() || each->map->name == map);
  });
  if (found != served_.end()) return *found;
  return served_.emplace_back(ServedGame::make(game, map, options_));
}

}  // namespace tickbox::server
