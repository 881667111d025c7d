#include "tests/simulator/match.h"

#include "engine/declared.h"
#include "tests/support/allocations.h"

#include <algorithm>
#include <utility>

namespace tickbox::simulator {
namespace {

/// Inputs that were decided for earlier ticks than this many ago are in no later recording.
constexpr std::uint32_t kDecidedKept = 64;

/// Addresses of clients that have moved: apart from their first addresses and from all strangers.
net::Address moved_address(std::uint32_t number) {
  net::Address address{.ip = {}, .port = 30'000};
  address.ip[10] = address.ip[11] = 0xff;
  address.ip[12] = 127;
  for (unsigned i = 0; i < 3; ++i) {
    address.ip[13 + i] = static_cast<std::uint8_t>((number + 0x010000U) >> (16 - 8 * i));
  }
  return address;
}

/// Changes one value of an input.
void alter(const TypeInfo& type, MutableBytes input) {
  const FieldInfo& field = type.fields().front();
  const bool is_most = engine::value_of(field, 0, input) == field.max;
  engine::set_value(field, 0, is_most ? field.min : field.max, input);
}

tests::HarnessOptions options_of(const Plan& plan, const PlantedGames& games) {
  const auto game_of_client = [&games](std::size_t client) {
    const GameTable& own = games.of_client(client);
    return &own != &games.of_room() ? &own : nullptr;
  };
  return {.seed = plan.seed,
          .tick_rate = plan.tick_rate,
          .max_clients = plan.seats,
          .snapshot_rate = plan.snapshot_rate,
          .snapshot_bytes =
              plan.plant == Plant::Overspending ? server::kSnapshotBytes : plan.snapshot_bytes,
          .bot = plan.bot,
          .game = &games.of_room(),
          .map = plan.map,
          .client_game = game_of_client};
}

}  // namespace

Match::Match(const Plan& plan, MatchWatcher watcher)
    : PlantedGames(plan),
      Harness(options_of(plan, *this), NotStarted{}),
      plan_(plan),
      watcher_(std::move(watcher)),
      rng_(~plan.seed),
      disk_(clock_, {.ticks = plan.rotate_ticks, .bytes = plan.rotate_bytes},
            {.queue_bytes_max = plan.disk_queue_bytes,
             .loses_last = plan.plant == Plant::LostRecord}),
      commands_(*plan.game, plan.seed ^ 0x636f'6d6d'616eU) {
  token_entropy_ = SeededEntropy{plan.seed + (std::uint64_t{1} << 62U)};
  options_.keys = net::KeyRing::fresh(token_entropy_);
  start_server();
  for (const PlannedClient& planned : plan.clients) {
    const bool loses = players_.empty() && plan.plant == Plant::LossyLink;
    net::LinkConditions link = planned.link;
    if (loses) link.loss_ppm += kLostBesidePpm;
    Player& player = add_player(link);
    player.drift_ppm = planned.drift_ppm;
    player.turn = planned.turn;
    processes_.push_back({.starts_at = now() + std::chrono::milliseconds{rng_.below(500)}});
  }
  plant_at_first_client();
}

void Match::plant_at_first_client() {
  net::Transport*& transport = players_.front().transport;
  if (plan_.plant == Plant::SameSequence) {
    planted_transport_ = std::make_unique<SealedTwice>(*transport);
  } else if (plan_.plant == Plant::DeafClient) {
    planted_transport_ = std::make_unique<Deaf>(*transport);
  }
  if (planted_transport_) transport = planted_transport_.get();
}

const views::Rows* Match::view_of(std::size_t player) const {
  const client::Client& client = *players_[player].client;
  const bool is_other =
      plan_.plant == Plant::OtherView && client.view_tick().value % kPlantedTicks == 0;
  const views::Rows* view = client.view();
  if (!is_other || view == nullptr || view->empty()) return view;
  planted_view_.begin(game());
  for (std::size_t row = 0; row < view->size(); ++row) {
    views::RowRef other = view->row(row);
    if (row + 1 == view->size()) other.head.min.x ^= 1;
    planted_view_.add(other);
  }
  return &planted_view_;
}

void Match::advance() {
  advance_clocks();
  for (std::size_t i = 0; i < players_.size(); ++i) {
    drive_player(i);
  }
  drive_server();
}

// --- the server ---

void Match::start_server() {
  counts_ = server_counts();
  recorder_.reset();
  start_match(plan_.seed + counts_.lives);
  ++counts_.lives;
  decided_.assign(plan_.seats, {});
  hashes_ = {};
  record::Header run = header();
  token_entropy_.fill(run.salt);
  disk_.begin(run, world().tick);
  recorder_.emplace(*match_, run);
  recorder_->add(disk_);
  const bool is_deaf = plan_.plant == Plant::DeafServer;
  const bool repeats = plan_.plant == Plant::SameNonce;
  start_shard(
      {.transport = is_deaf ? static_cast<net::Transport&>(deaf_server_) : network_.server(),
       .entropy = repeats ? static_cast<Entropy&>(one_nonce_) : entropy_,
       .calendar = calendar_,
       .log = alarms_,
       .rooms = {{.match = *match_, .recorder = &*recorder_}}});
}

/// Restarts the server with a correct calendar.
void Match::restart_server() {
  calendar_.jump(std::chrono::duration_cast<std::chrono::milliseconds>(issuer_calendar_.now() -
                                                                       calendar_.now()));
  start_server();
}

void Match::crash() {
  end_recording(disk_.kill(rng_));
  restart_server();
}

void Match::drain() {
  shard_->stop(server_now());
  finish_recording();
  restart_server();
}

void Match::finish_recording() {
  recorder_->finish();
  end_recording(disk_.close());
}

void Match::end_recording(const SimulatedDisk::Ended& ended) {
  const tests::OwnBooks books;
  watcher_.on_recorded(
      {.file = ended.remains,
       .from = ended.from,
       .part = ended.part,
       .is_deserted = std::ranges::none_of(world().seats(), &engine::SeatInfo::taken),
       .hashes = hashes_,
       .decided = decided_});
  hashes_ = {};
  const Tick kept{world().tick.value - std::min(world().tick.value, kDecidedKept)};
  for (std::vector<Decided>& of_seat : decided_) {
    std::erase_if(of_seat, [&](const Decided& one) { return one.tick < kept; });
  }
}

ServerCounts Match::server_counts() const {
  ServerCounts sum = counts_;
  if (shard_ == nullptr) return sum;
  const server::Metrics& metrics = shard_->metrics();
  const auto add = [](auto& to, const auto& from) {
    std::ranges::transform(to, from, to.begin(), std::plus{});
  };
  sum.slipped += pacer_->slipped();
  sum.dropped += metrics.drops.total();
  add(sum.connections, metrics.connections);
  add(sum.refusals, metrics.refusals);
  add(sum.disconnects, metrics.disconnects);
  add(sum.inputs, metrics.inputs);
  return sum;
}

void Match::add_key() {
  if (!options_.keys.rotate(token_entropy_)) return retire_keys();
  shard_->set_keys(options_.keys, server_now());
}

/// Clients of earlier keys are put out, and need new tokens.
void Match::retire_keys() {
  options_.keys = net::KeyRing::fresh(token_entropy_);
  shard_->set_keys(options_.keys, server_now());
}

void Match::tick() {
  disk_.ticked(world().tick + 1);
  Harness::tick();
  ++ticks_;
  // It ends with the tick before.
  if (const auto retired = disk_.take_retired()) end_recording(*retired);
  const tests::OwnBooks books;
  hashes_.push_back(match_->hash());
  commands_.hear(match_->record());
  watcher_.on_tick(match_->hash());
}

// --- clients ---

net::ConnectToken Match::token_for(std::size_t player) {
  const bool is_wrong = plan_.plant == Plant::WrongKey && player == 0;
  return make_token({.client = ++tokens_}, issuer_calendar_,
                    is_wrong ? net::KeyRing::fresh(token_entropy_) : options_.keys);
}

void Match::start_process(std::size_t index) {
  client::ConnectionOptions connection{
      .server = SimulatedNetwork::server_address(),
      .ticket = std::exchange(processes_[index].ticket, std::nullopt)};
  // Some clients have a token beside their ticket, in case the ticket is refused.
  if (!connection.ticket || rng_.chance(1, 4)) connection.token = token_for(index);
  start_client(
      index,
      {.connection = connection,
       .on_input = [this, index](Tick tick, ConstBytes input) { note_input(index, tick, input); },
       .on_command =
           [this, index](std::uint8_t type, ConstBytes value) {
             const tests::OwnBooks books;
             commands_.note({client(index).connection().accept().player.value}, type, value);
           }});
}

void Match::note_input(std::size_t index, Tick tick, ConstBytes input) {
  const tests::OwnBooks books;
  const PlayerId seat = client(index).connection().accept().player;
  decided_[seat.value].push_back({.client = index,
                                  .tick = tick,
                                  .input = {input.begin(), input.end()},
                                  .is_calm = watcher_.is_calm(index)});
  const bool is_other = plan_.plant == Plant::OtherInput && tick.value % kPlantedTicks == 0;
  if (is_other) alter(game().input, decided_[seat.value].back().input);
}

bool Match::stands_still(std::size_t player) const {
  return player == 0 && plan_.plant == Plant::Standstill && clock_.now() - start_ > kStandsAfter;
}

void Match::drive_player(std::size_t index) {
  if (players_[index].client == nullptr) {
    if (now() >= processes_[index].starts_at) start_process(index);
    return;
  }
  const bool has_ended = client(index).connection().over();
  if (has_ended || stands_still(index) || !drive_client(index)) return;
  note_expectations(index);
  {
    const tests::OwnBooks books;
    commands_.turn(*players_[index].client, world());
  }
  watcher_.on_turn(index);
  if (plan_.clients[index].watches) looked_at_ += shown(index).size();
}

void Match::note_expectations(std::size_t index) {
  const client::Client& client = *players_[index].client;
  if (client.connection().sessions() == 0) return;
  const tests::OwnBooks books;
  std::vector<Decided>& decided = decided_[client.connection().accept().player.value];
  processes_[index].expectations.hear(client, [&](Tick tick) {
    // A late packet of a server that has stopped may acknowledge a tick for which another client in
    // the same seat has decided by now.
    const auto one = std::ranges::find_if(
        decided.rbegin(), decided.rend(),
        [&](const Decided& each) { return each.client == index && each.tick == tick; });
    if (one != decided.rend()) one->is_owed = true;
  });
}

void Match::move(std::size_t player) {
  network_.move_client(player, moved_address(++moves_));
}

std::optional<net::ResumeTicket> Match::ticket_of(std::size_t index) const {
  if (players_[index].client == nullptr) return processes_[index].ticket;
  const client::Connection& connection = client(index).connection();
  const bool has_one = connection.sessions() > 0 && connection.is_proven() && !connection.over();
  return has_one ? std::optional{connection.ticket()} : std::nullopt;
}

void Match::steal(std::size_t index, std::size_t victim, Instant starts_at) {
  if (players_[index].client == nullptr) return;
  const std::optional<net::ResumeTicket> ticket = ticket_of(victim);
  replace(index, starts_at);
  processes_[index].ticket = ticket;
}

void Match::leave(std::size_t index, Instant starts_at) {
  if (players_[index].client != nullptr) Harness::leave(index);
  replace(index, starts_at);
}

void Match::replace(std::size_t index, Instant starts_at) {
  Player& player = players_[index];
  if (player.client == nullptr) return;
  watcher_.on_process_end(player);
  player.client.reset();
  wake(index);
  processes_[index] = {.starts_at = starts_at, .ticket = {}, .expectations = {}};
}

}  // namespace tickbox::simulator
