#include "server/shard/hosted_room.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "engine/entity_id.h"
#include "server/shard/session.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tickbox::server {
namespace {

static_assert(net::kTokenUserBytesMax <= engine::kUserDataMax);

std::string_view text_of(const UserBytes& user) {
  return {reinterpret_cast<const char*>(user.data()), user.size()};
}

}  // namespace

HostedRoom::HostedRoom(const RoomParts& parts, std::uint32_t seats, std::uint32_t tick_rate)
    : id_(parts.id),
      match_(parts.match),
      recorder_(parts.recorder),
      identity_(parts.identity ? *parts.identity
                               : engine::identity_of(world().game(), world().map(), tick_rate)),
      seats_(seats),
      ray_judge_(tick_rate),
      empty_(parts.close_when_empty),
      look_backs_(world().seats().size()),
      default_input_(engine::default_of(world().game().input)) {
  TICKBOX_ASSERT(seats <= world().seats().size());
}

void HostedRoom::step(Metrics& metrics) {
  gather_requests(metrics);
  const engine::JudgeRays judge = [this](std::span<const engine::FiredRay> rays,
                                         std::vector<engine::Strike>& strikes) {
    ray_judge_.judge(match_, look_backs_, rays, strikes);
  };
  engine::TickRequest request{.opens_match = closes_match(),
                              .leaves = leaves_,
                              .joins = joins_,
                              .commands = commands_,
                              .inputs = inputs_,
                              .judge = &judge};
  // Every player in the room has an input in every tick.
  request.is_idle = request.is_empty();
  const engine::TickOrigins origins{.sources = sources_, .clients = clients_joining_};
  if (recorder_ != nullptr) recorder_->stepping(request, origins);
  match_.tick(request);
  match_.write_tick_log(origins);
  if (recorder_ != nullptr) recorder_->stepped();
  leaves_.clear();
  waiting_commands_.clear();
  command_bytes_.clear();
}

/// Gathers what the next tick is requested to step. Seats are in order, so every list is sorted by
/// player; leaves were gathered as they happened, so they are sorted here.
void HostedRoom::gather_requests(Metrics& metrics) {
  std::ranges::sort(leaves_, {}, &Player::seat);
  if (closes_match()) departures_.clear();
  joins_.clear();
  clients_joining_.clear();
  inputs_.clear();
  sources_.clear();
  const Tick next = tick() + 1;
  if (seats_.held() > 0) {
    for (Seat& seat : seats_.all()) {
      if (seat.playing != nullptr || seat.orphaned) gather_input(seat, next, metrics);
    }
  }
  commands_.clear();
  for (const WaitingCommand& command : waiting_commands_) {
    commands_.push_back(
        {.player = command.player,
         .type = command.type,
         .bytes = ConstBytes{command_bytes_}.subspan(command.first, command.bytes)});
  }
}

/// Gathers the input of a seat's session for the next tick, and records the join of a new player. A
/// player without a client gets the neutral input.
void HostedRoom::gather_input(Seat& seat, Tick next, Metrics& metrics) {
  const Player player{seat.player.value};
  if (!seat.in_world) {
    seat.in_world = true;
    joins_.push_back({.player = player,
                      .user_data = text_of(seat.user),
                      .has_left_at = departure_of(seat.client)});
    clients_joining_.push_back(seat.client);
  }
  TakenInput taken{.given = {.input = default_input_}};
  const bool has_client = seat.playing != nullptr;
  if (has_client) taken = seat.playing->inputs->consume(next);
  const bool is_received = taken.source == engine::InputSource::Received;
  if (has_client && !is_received) ++seat.playing->substituted;
  metrics.count(is_received ? InputResult::Given : InputResult::Substituted);
  inputs_.push_back({.player = player, .input = taken.given.input});
  sources_.push_back({.player = player, .source = taken.source});
  look_backs_[player.seat] = taken.given.look_back;
}

void HostedRoom::record_departure(std::uint64_t client) {
  const Departure departure{.client = client, .tick = tick() + 1};
  const auto before = std::ranges::find(departures_, client, &Departure::client);
  if (before != departures_.end()) {
    *before = departure;
  } else if (departures_.size() < kDeparturesMax) {
    departures_.push_back(departure);
  } else {
    departures_[next_departure_] = departure;
    next_departure_ = (next_departure_ + 1) % kDeparturesMax;
  }
}

std::optional<Tick> HostedRoom::departure_of(std::uint64_t client) const {
  const auto found = std::ranges::find(departures_, client, &Departure::client);
  if (found == departures_.end()) return std::nullopt;
  return found->tick;
}

// --- a match that moves ---

bool HostedRoom::can_move() const {
  return world().game().moves && !closes_match() &&
         std::ranges::any_of(seats_.all(), [](const Seat& seat) {
           return seat.in_world && seat.playing != nullptr;
         });
}

MovedMatch HostedRoom::moved_match() const {
  MovedMatch moved{.identity = identity_,
                   .tick_rate = world().tick_rate(),
                   .seats = {},
                   .departures = departures_,
                   .keyframe = {}};
  for (const Seat& seat : seats_.all()) {
    if (!seat.in_world) continue;
    moved.seats.push_back(
        {.player = seat.player, .client = seat.client, .key_id = seat.key_id, .user = seat.user});
  }
  match_.tick_log().keyframe(world(), match_.hash(), moved.keyframe);
  return moved;
}

void HostedRoom::seat_players(const MovedMatch& moved, Instant now) {
  departures_ = moved.departures;
  for (const MovedSeat& each : moved.seats) {
    TICKBOX_ASSERT(world().has({each.player.value}));
    Seat& seat = seats_.seat_of(each.player);
    seats_.hold(seat, each.client);
    seat.in_world = true;
    seat.generation = world().seats()[each.player.value].generation;
    seat.orphaned = now;
    seat.key_id = each.key_id;
    seat.user = each.user;
  }
  for (std::uint16_t seat = 0; seat < world().seats().size(); ++seat) {
    const bool is_held = seat < seats_.count() && seats_.seat_of({seat}).held;
    if (world().has({seat}) && !is_held) leaves_.push_back({seat});
  }
}

void HostedRoom::add_command(PlayerId player, const views::GivenCommand& command) {
  waiting_commands_.push_back({.player = {player.value},
                               .type = command.type,
                               .first = command_bytes_.size(),
                               .bytes = command.bytes.size()});
  command_bytes_.insert(command_bytes_.end(), command.bytes.begin(), command.bytes.end());
}

void HostedRoom::release(Seat& seat) {
  const Player player{seat.player.value};
  if (seat.in_world) {
    leaves_.push_back(player);
    record_departure(seat.client);
  }
  std::erase_if(waiting_commands_,
                [&](const WaitingCommand& command) { return command.player == player; });
  seats_.release(seat);
}

// --- the seats ---

Seats::Seats(std::uint32_t count) : seats_(count) {
  TICKBOX_ASSERT(count <= engine::kSeatsMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    seats_[i].player = {static_cast<std::uint16_t>(i)};
  }
}

void Seats::hold(Seat& seat, std::uint64_t client) {
  TICKBOX_ASSERT(!seat.held);
  seat.held = true;
  seat.client = client;
  ++held_;
}

std::uint32_t Seats::playing() const {
  if (held_ == 0) return 0;
  return static_cast<std::uint32_t>(
      std::ranges::count_if(seats_, [](const Seat& seat) { return seat.playing != nullptr; }));
}

std::uint32_t Seats::in_world() const {
  return static_cast<std::uint32_t>(std::ranges::count(seats_, true, &Seat::in_world));
}

Seat* Seats::find_free() {
  const auto free = std::ranges::find(seats_, false, &Seat::held);
  return free != seats_.end() ? &*free : nullptr;
}

void Seats::promote_pending(Seat& seat) {
  TICKBOX_ASSERT(seat.pending != nullptr);
  seat.playing = std::exchange(seat.pending, nullptr);
  seat.orphaned = std::nullopt;
  seat.good_ticket = seat.playing->attempt->ticket_serial;
}

void Seats::release(Seat& seat) {
  TICKBOX_ASSERT(seat.held);
  --held_;
  seat = {.player = seat.player, .serials = seat.serials, .agreements = seat.agreements};
}

}  // namespace tickbox::server
