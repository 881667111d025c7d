#include "tests/simulator/checks/view_check.h"

#include <fmt/format.h>

namespace tickbox::simulator {

ViewCheck::ViewCheck(Findings& findings, const Match& match)
    : findings_(findings), match_(match), seen_(match.players().size()) {
  // Reserves for bodies and bullets, so that this check allocates all its memory at the start.
  moments_.for_each_slot([&match](Moment& moment) {
    moment.rows.begin(match.game());
    moment.rows.reserve(4 * std::size_t{match.map()->seats});
  });
}

void ViewCheck::on_tick() {
  Moment& moment = moments_.insert(match_.world().tick);
  moment.life = match_.lives();
  moment.rows.assign(match_.world());
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
  const views::Rows* view = match_.view_of(player);
  if (view == nullptr) return;
  for (std::size_t row = 0; row < view->size(); ++row) {
    const views::RowRef seen = view->row(row);
    const std::size_t there = moment.rows.index_of(seen.head.id);
    const bool is_known = there != moment.rows.size();
    if (is_known && views::are_equal(match_.game(), moment.rows.row(there), seen)) continue;
    findings_.add(
        "bodies",
        fmt::format("what the room had in tick {}, in the view of client {}", tick.value, player),
        fmt::format("{} #{} {}", view->kind_of(row).type.name, seen.head.id.value,
                    is_known ? "is another" : "is not in the room"));
    return;
  }
}

}  // namespace tickbox::simulator
