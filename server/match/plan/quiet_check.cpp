#include "server/match/plan/quiet_check.h"

#include <algorithm>

namespace tickbox::server {
namespace {

/// Returns whether the snapshot would have a cause that acts on the body.
bool has_cause(const ClientContext& client, SlotId slot) {
  const MatchHistory& history = client.tick.match->history();
  const Tick base = client.request.base_tick;
  const std::uint16_t seat = client.tick.bodies[slot].seat;
  return (seat != kNoSeat && history.inputs().ticks_since(seat, base) != 0) ||
         history.last_cause_of(slot) > base;
}

/// Returns whether a body that is no member would be added to the view: of those in sight, of the
/// player's own, or of those of the view sent last that are near enough to stay.
bool has_others(const ClientContext& client, const SlotSet& members) {
  const auto is_other = [&](SlotId slot) { return !members.contains(slot); };
  const auto returns = [&](SlotId slot) {
    const PlannedBody& body = client.tick.bodies[slot];
    return is_other(slot) && body.is_present && keeps_seeing(client.eye, body.extent);
  };
  const Members* const last = client.request.last;
  const bool has_new_last = last != nullptr && last != client.request.base;
  return std::ranges::any_of(client.own, is_other) ||
         (has_new_last && std::ranges::any_of(*last, returns)) ||
         client.tick.interest.any_in_sight(client.eye, is_other);
}

}  // namespace

bool is_surely_quiet(const ClientContext& client, SlotSet& members) {
  const Members& base = *client.request.base;
  MatchHistory& history = client.tick.match->history();
  if (history.room().ticks_since(0, client.request.base_tick) != 0) return false;
  if (std::ranges::any_of(base, [&](SlotId slot) { return has_cause(client, slot); })) return false;
  members.clear();
  for (const SlotId slot : base) {
    if (membership_of(client, slot) != Membership::Inside) return false;
    members.add(slot);
  }
  const Islands& islands = history.islands_since(client.request.base_tick);
  const bool are_apart =
      std::ranges::all_of(base, [&](SlotId slot) { return members.contains(islands.next(slot)); });
  return are_apart && !has_others(client, members) &&
         row_budget(client, {}, base.size()).has_value();
}

}  // namespace tickbox::server
