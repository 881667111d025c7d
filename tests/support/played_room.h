#pragma once
// A room whose players come at its first tick and do what a seed says: for what stands around a
// room, without sessions.

#include "core/rng.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"
#include "record/format.h"
#include "record/verify.h"
#include "server/room/input_buffer.h"
#include "server/room/room.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::tests {

struct PlayedRoomOptions {
  std::uint64_t seed = 1;
  std::uint32_t tick_rate = 60;
  std::uint32_t seats = 8;
  std::shared_ptr<const game::Rules> rules = nullptr;  ///< none: the arena
};

class PlayedRoom {
 public:
  explicit PlayedRoom(const PlayedRoomOptions& options)
      : options_(options),
        map_(game::make_arena_map(options.seats)),
        rules_(options.rules ? options.rules : game::make_rules("arena", options.tick_rate)),
        room_(map_, rules_, options.seed, options.tick_rate),
        bots_(options.seed ^ 0xb07) {}

  /// What enters the next tick, in sources() one for each input. Lasts until the next call.
  game::TickCommands decide() {
    joins_.clear();
    inputs_.clear();
    sources_.clear();
    for (std::uint16_t seat = 0; seat < options_.seats; ++seat) {
      const PlayerId player{seat};
      if (!room_.world().seat(player).taken) joins_.push_back(player);
      const auto aim = static_cast<std::uint16_t>(bots_.below(game::kAimDirections));
      inputs_.push_back(
          {.player = player,
           .input = {.move = static_cast<std::uint8_t>(bots_.below(game::kMoveDirections + 1U)),
                     .buttons = bots_.chance(1, 60) ? game::kButtonShoot : std::uint8_t{0},
                     .aim = aim}});
      sources_.push_back(bots_.chance(1, 9) ? server::InputSource::Repeated
                                            : server::InputSource::Given);
    }
    return {.leaves = {}, .joins = joins_, .inputs = inputs_};
  }

  [[nodiscard]] const std::vector<server::InputSource>& sources() const { return sources_; }

  [[nodiscard]] server::Room& room() { return room_; }

  /// With a salt of the seed.
  [[nodiscard]] record::Header header() const {
    record::Header header{.schema_hash = 1,
                          .map_hash = game::map_hash(*map_),
                          .seed = options_.seed,
                          .start_ms = 1'700'000'000'123,
                          .tick_rate = options_.tick_rate,
                          .map_seats = options_.seats,
                          .rules = "arena",
                          .simulation = "0011223344556677"};
    Rng salt{options_.seed ^ 0x5a17};
    std::ranges::generate(header.salt, [&] { return static_cast<std::byte>(salt.next()); });
    return header;
  }

  /// Requires: what record::Reader::open() takes.
  [[nodiscard]] record::VerifyResult verify(ConstBytes file) const {
    return record::verify(record::Reader::open(file).value(), map_, *rules_);
  }

 private:
  PlayedRoomOptions options_;
  game::SharedMap map_;
  std::shared_ptr<const game::Rules> rules_;
  server::Room room_;
  Rng bots_;
  std::vector<PlayerId> joins_;
  std::vector<game::PlayerInput> inputs_;
  std::vector<server::InputSource> sources_;
};

}  // namespace tickbox::tests
