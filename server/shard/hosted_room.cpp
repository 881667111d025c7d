#include "server/shard/hosted_room.h"

#include "core/assert.h"
#include "game/map.h"
#include "server/shard/session.h"

#include <algorithm>

namespace tickbox::server {

HostedRoom::HostedRoom(const RoomParts& parts, std::uint32_t seats, std::uint32_t tick_rate)
    : id_(parts.id),
      room_(parts.room),
      recorder_(parts.recorder),
      black_box_(parts.black_box),
      map_hash_(game::map_hash(*room_.world().map())),
      seats_(seats),
      lag_compensation_(tick_rate) {
  TICKBOX_ASSERT(seats <= room_.world().seats().size());
}

void HostedRoom::step(Metrics& metrics) {
  gather_commands(metrics);
  const game::TickCommands commands{.leaves = leaves_,
                                    .joins = joins_,
                                    .inputs = inputs_,
                                    .strikes = lag_compensation_.judge(room_, inputs_)};
  if (black_box_ != nullptr) black_box_->prepare(room_);
  room_.log_commands(commands, {.sources = sources_, .clients = clients_joining_});
  if (black_box_ != nullptr) black_box_->stepping(room_.log());
  room_.tick(commands);
  if (black_box_ != nullptr) black_box_->stepped(room_);
  if (recorder_ != nullptr) recorder_->ticked(room_);
  leaves_.clear();
}

/// Gathers the commands of the next tick. Seats are in order, so every list is sorted by player;
/// leaves were gathered as they happened, so they are sorted here.
void HostedRoom::gather_commands(Metrics& metrics) {
  std::ranges::sort(leaves_);
  auditors_ = 0;
  joins_.clear();
  clients_joining_.clear();
  inputs_.clear();
  sources_.clear();
  const Tick next = tick() + 1;
  for (Seat& seat : seats_.all()) {
    if (seat.playing != nullptr || seat.orphaned) take_input(seat, next, metrics);
  }
}

/// Takes the input of a seat's session for the next tick, and notes the join of a new player. A
/// body that has lost its client gets the neutral input.
void HostedRoom::take_input(Seat& seat, Tick next, Metrics& metrics) {
  TakenInput taken;
  if (!seat.in_world) {
    seat.in_world = true;
    joins_.push_back(seat.player);
    clients_joining_.push_back(seat.client);
  }
  const bool has_client = seat.playing != nullptr;
  if (has_client) taken = seat.playing->inputs.take(next);
  const bool is_received = taken.source == game::InputSource::Received;
  if (has_client && !is_received) ++seat.playing->substituted;
  if (has_client && seat.playing->audit != nullptr) ++auditors_;
  metrics.count(is_received ? InputResult::Given : InputResult::Substituted);
  inputs_.push_back({.player = seat.player, .input = taken.input});
  sources_.push_back(taken.source);
}

void HostedRoom::release(Seat& seat) {
  if (seat.in_world) leaves_.push_back(seat.player);
  Seats::release(seat);
}

}  // namespace tickbox::server
