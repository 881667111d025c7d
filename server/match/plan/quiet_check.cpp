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

/// Returns whether a body of the view sent last would be added to the view again.
bool returns(const ClientContext& client, SlotId slot) {
  const PlannedBody& body = client.tick.bodies[slot];
  return body.is_present && keeps_seeing(client.eye, body.extent);
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
  const auto is_member = [&](SlotId slot) { return members.contains(slot); };
  const Islands& islands = history.islands_since(client.request.base_tick);
  const bool are_apart =
      std::ranges::all_of(base, [&](SlotId slot) { return is_member(islands.next(slot)); });
  if (!are_apart || !std::ranges::all_of(client.own, is_member)) return false;
  const Members* const last = client.request.last;
  const bool has_returning = last != nullptr && std::ranges::any_of(*last, [&](SlotId slot) {
                               return !is_member(slot) && returns(client, slot);
                             });
  return !has_returning && !client.tick.interest.any_in_sight(client.eye, [&](SlotId slot) {
    return !is_member(slot);
  }) && row_budget(client, {}, base.size()).has_value();
}

}  // namespace tickbox::server
