#include "tests/simulator/checks/view_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace tickbox::simulator {

ViewCheck::ViewCheck(Findings& findings, const Match& match)
    : findings_(findings), match_(match), seen_(match.players().size()) {
  // Reserves for bodies and bullets, so that this check allocates all its memory at the start.
  moments_.for_each_slot(
      [&match](Moment& moment) { moment.entities.reserve(4 * std::size_t{match.map()->seats}); });
}

void ViewCheck::on_tick() {
  Moment& moment = moments_.insert(match_.room().world().tick);
  moment.life = match_.lives();
  const auto entities = match_.room().entities();
  moment.entities.assign(entities.begin(), entities.end());
}

void ViewCheck::on_turn(std::size_t player) {
  const client::Client& client = *match_.players()[player].client;
  Seen& seen = seen_[player];
  if (seen.process != &client || seen.session != client.connection().sessions()) {
    seen = {.process = &client,
            .session = client.connection().sessions(),
            .life = match_.lives(),
            .tick = {}};
  }
  const Tick tick = client.view_tick();
  if (tick == seen.tick) return;
  seen.tick = tick;
  const Moment* moment = moments_.find(tick);
  if (moment == nullptr || moment->life != seen.life) return;
  ++views_;
  compare(player, tick, *moment);
}

void ViewCheck::compare(std::size_t player, Tick tick, const Moment& moment) {
  for (const game::EntityState& seen : match_.view_of(player)) {
    const auto there =
        std::ranges::lower_bound(moment.entities, seen.id, {}, &game::EntityState::id);
    if (there != moment.entities.end() && *there == seen) continue;
    const bool is_known = there != moment.entities.end() && there->id == seen.id;
    findings_.add(
        "bodies",
        fmt::format("what the room had in tick {}, in the view of client {}", tick.value, player),
        fmt::format("body {} {}", seen.id.value, is_known ? "is another" : "is not in the room"));
    return;
  }
}

}  // namespace tickbox::simulator
