#pragma once
// Matches whose ticks are logged, read back, and stepped again from what was read.

#include "core/rng.h"
#include "engine/declared.h"
#include "engine/log/tick_codec.h"
#include "engine/log/tick_log.h"
#include "engine/stepper.h"
#include "package/laws/random_match.h"
#include "tests/support/bytes.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tickbox::tests {

inline Bytes copy_of(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// A match of any game with random players, sources of their inputs, and client ids.
class LoggedMatch {
 public:
  LoggedMatch(const GameTable& game, const laws::MatchOptions& options)
      : match_(game, engine::make_map(game, {.seats = options.seats}, options.tick_rate), options),
        log_(match_.world()),
        dice_(options.seed + 1),
        held_(options.seats, engine::InputSource::Neutral) {}

  /// Steps a tick, and logs it.
  ConstBytes step() {
    const engine::TickRequest& request = match_.draw();
    match_.step();
    clients_.clear();
    for (std::size_t i = 0; i < request.joins.size(); ++i) {
      clients_.push_back(dice_.next());
    }
    for (const Player player : request.leaves) {
      held_[player.seat] = engine::InputSource::Neutral;
    }
    given_.clear();
    for (std::uint16_t seat = 0; seat < match_.world().seats().size(); ++seat) {
      if (!match_.world().has({seat}) || !dice_.chance(1, 4)) continue;
      const auto source = static_cast<engine::InputSource>(dice_.below(engine::kInputSources));
      given_.push_back({.player = {seat}, .source = source});
      held_[seat] = source;
    }
    return log_.tick(match_.record(), {.sources = given_, .clients = clients_});
  }

  [[nodiscard]] Bytes keyframe() const {
    Bytes bytes;
    log_.keyframe(match_.world(), engine::state_hash(match_.world()), bytes);
    return bytes;
  }

  [[nodiscard]] const engine::World& world() const { return match_.world(); }

  [[nodiscard]] const engine::TickRecord& record() const { return match_.record(); }

  [[nodiscard]] const engine::TickLog& log() const { return log_; }

  [[nodiscard]] const std::vector<std::uint64_t>& clients() const { return clients_; }

  /// Returns the source of each seat's input, by seat. It stays until the player is given another.
  [[nodiscard]] const std::vector<engine::InputSource>& sources() const { return held_; }

 private:
  laws::RandomMatch match_;
  engine::TickLog log_;
  Rng dice_;
  std::vector<std::uint64_t> clients_;
  std::vector<engine::PlayerSource> given_;
  std::vector<engine::InputSource> held_;
};

/// Returns whether two records say the same, wherever they have their bytes.
inline bool say_the_same(const GameTable& game, const engine::TickRecord& a,
                         const engine::TickRecord& b) {
  // By values: the bytes between them are of no meaning.
  const auto same_payload = [](const TypeInfo* type, ConstBytes x, ConstBytes y) {
    return type != nullptr ? engine::are_equal(*type, x, y) : std::ranges::equal(x, y);
  };
  const auto same_outcome = [&](const engine::Outcome& x, const engine::Outcome& y) {
    return x.kind == y.kind && x.phase == y.phase && x.type == y.type && x.player == y.player &&
           x.ref == y.ref && x.min == y.min && x.path == y.path &&
           (x.kind != engine::OutcomeKind::Secret || x.random == y.random) &&
           same_payload(engine::payload_type(game, x), a.bytes_of(x), b.bytes_of(y));
  };
  const auto same_input = [&](const engine::TickRecord::Input& x,
                              const engine::TickRecord::Input& y) {
    return x.player == y.player &&
           engine::are_equal(game.input, ConstBytes{a.bytes}.subspan(x.first, game.input.bytes),
                             ConstBytes{b.bytes}.subspan(y.first, game.input.bytes));
  };
  return std::ranges::equal(a.outcomes, b.outcomes, same_outcome) &&
         std::ranges::equal(a.inputs, b.inputs, same_input) && a.strikes == b.strikes;
}

}  // namespace tickbox::tests
