#include "tests/simulator/match.h"

#include "core/assert.h"
#include "games/arena/arena_map.h"
#include "games/arena/bot.h"
#include "games/catalog.h"
#include "net/handshake.h"
#include "tests/support/allocations.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace tickbox::simulator {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

/// Inputs that are decided before this many ticks from now are of no recording to come.
constexpr std::uint32_t kDecidedKept = 64;

/// Where clients are that have moved: far from where they began, and from all strangers.
net::Address moved_address(std::uint32_t number) {
  net::Address address{.ip = {}, .port = 30'000};
  address.ip[10] = address.ip[11] = 0xff;
  address.ip[12] = 127;
  for (unsigned i = 0; i < 3; ++i) {
    address.ip[13 + i] = static_cast<std::uint8_t>((number + 0x010000U) >> (16 - 8 * i));
  }
  return address;
}

std::shared_ptr<const game::Rules> make_room_rules(const Plan& plan) {
  if (plan.plant == Plant::InputTwice) return std::make_shared<const SteppedTwice>(plan.tick_rate);
  if (plan.plant == Plant::Leak) return std::make_shared<const Unforgetting>(plan.tick_rate);
  return game::make_rules("arena", plan.tick_rate);
}

}  // namespace

Match::Match(const Plan& plan)
    : plan_(plan),
      rng_(~plan.seed),
      server_entropy_(plan.seed),
      token_entropy_(plan.seed + (std::uint64_t{1} << 62U)),
      keys_(net::KeyRing::fresh(token_entropy_)),
      disk_(clock_, token_entropy_,
            {.queue_bytes_max = plan.disk_queue_bytes,
             .loses_last = plan.plant == Plant::LostRecord}),
      room_rules_(make_room_rules(plan)),
      map_(grounds_.map(plan.seats)),
      start_(clock_.now()),
      stalled_until_(clock_.now()) {
  TICKBOX_ASSERT(net::crypto_ready());
  start_server();
  for (std::size_t i = 0; i < plan.clients.size(); ++i) {
    const PlannedClient& planned = plan.clients[i];
    Player& player = players_.emplace_back();
    player.entropy = std::make_unique<SeededEntropy>(plan.seed * 1'000 + i);
    player.transport = &make_transport(i, planned);
    player.drift_ppm = planned.drift_ppm;
    player.turn = planned.turn;
    player.audits = planned.audits;
    player.watches = planned.watches;
    player.paused_until = clock_.now();
    player.starts_at = clock_.now() + Duration{std::chrono::milliseconds{rng_.below(500)}};
    if (const auto rules = wrong_rules(i, planned)) {
      player.grounds = std::make_unique<client::Grounds>(
          game::Catalog{.make_rules = rules, .make_map = game::make_arena_map});
    }
  }
}

// --- what is planted at clients ---

net::Transport& Match::make_transport(std::size_t player, const PlannedClient& planned) {
  net::LinkConditions link = planned.link;
  if (player == 0 && plan_.plant == Plant::LossyLink) link.loss_ppm += kLostBesidePpm;
  net::Transport& end = network_.add_client(link);
  if (player != 0) return end;
  if (plan_.plant == Plant::SameSequence) planted_transport_ = std::make_unique<SealedTwice>(end);
  if (plan_.plant == Plant::DeafClient) planted_transport_ = std::make_unique<Deaf>(end);
  return planted_transport_ ? *planted_transport_ : end;
}

/// Nothing: it plays by the right ones.
game::MakeRules Match::wrong_rules(std::size_t player, const PlannedClient& planned) const {
  if (player == 0 && plan_.plant == Plant::MissingCause) {
    return
        [](std::string_view, std::uint32_t rate) { return std::make_shared<const Unheard>(rate); };
  }
  if (planned.audits && plan_.plant == Plant::OtherWorld) {
    return [](std::string_view, std::uint32_t rate) {
      return std::make_shared<const Misstepping>(rate);
    };
  }
  return {};
}

std::span<const game::EntityState> Match::view_of(std::size_t player) const {
  const client::Client& client = *players_[player].client;
  const bool is_other =
      plan_.plant == Plant::OtherView && client.view_tick().value % kPlantedTicks == 0;
  if (!is_other || client.view().empty()) return client.view();
  planted_view_.assign(client.view().begin(), client.view().end());
  planted_view_.back().min.x ^= 1;
  return planted_view_;
}

// --- the server ---

void Match::start_server() {
  counts_ = server_counts();
  shard_.reset();
  recorder_.reset();
  room_ = std::make_unique<server::Room>(map_, room_rules_, plan_.seed + counts_.lives,
                                         plan_.tick_rate);
  pacer_.emplace(server_time(), plan_.tick_rate);
  decided_.assign(plan_.seats, {});
  ++counts_.lives;
  start_recording();
  start_shard();
}

void Match::start_recording() {
  const record::Header header{.schema_hash = net::schema_hash(),
                              .map_hash = game::map_hash(*map_),
                              .seed = plan_.seed,
                              .tick_rate = plan_.tick_rate,
                              .map_seats = map_->seats,
                              .rules = "arena"};
  hashes_ = {};
  recorder_.emplace(
      disk_.begin(header, room_->world().tick), *room_,
      server::Rotation{.store = &disk_, .ticks = plan_.rotate_ticks, .bytes = plan_.rotate_bytes});
}

void Match::end_recording(const SimulatedDisk::Ended& ended) {
  const tests::OwnBooks books;
  if (on_recorded_) {
    on_recorded_({.file = ended.remains,
                  .from = ended.from,
                  .part = ended.part,
                  .hashes = hashes_,
                  .decided = decided_});
  }
  hashes_ = {};
  const Tick kept{room_->world().tick.value - std::min(room_->world().tick.value, kDecidedKept)};
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

void Match::start_shard() {
  shard_ = std::make_unique<server::Shard>(
      server::ShardOptions{
          .tick_rate = plan_.tick_rate,
          .snapshot_rate = plan_.snapshot_rate,
          .max_clients = plan_.seats,
          .sight = plan_.sight,
          .snapshot_bytes =
              plan_.plant == Plant::Overspending ? server::kSnapshotBytes : plan_.snapshot_bytes,
          .reception = {.keys = keys_, .addresses = {SimulatedNetwork::server_address()}}},
      server::ShardParts{
          .transport = plan_.plant == Plant::DeafServer ? static_cast<net::Transport&>(deaf_server_)
                                                        : network_.server(),
          .entropy =
              plan_.plant == Plant::SameNonce ? static_cast<Entropy&>(one_nonce_) : server_entropy_,
          .calendar = server_calendar_,
          .log = log_,
          .room = *room_,
          .recorder = &*recorder_},
      server_time());
}

void Match::crash() {
  end_recording(disk_.kill(rng_));
  server_calendar_.jump(std::chrono::duration_cast<std::chrono::milliseconds>(
      issuer_calendar_.now() - server_calendar_.now()));
  start_server();
}

void Match::drain() {
  shard_->stop(server_time());
  stop();
  server_calendar_.jump(std::chrono::duration_cast<std::chrono::milliseconds>(
      issuer_calendar_.now() - server_calendar_.now()));
  start_server();
}

void Match::add_key() {
  if (!keys_.rotate(token_entropy_)) return retire_keys();
  shard_->set_keys(keys_);
}

/// Whoever has a token of before and has not used it gets another.
void Match::retire_keys() {
  keys_ = net::KeyRing::fresh(token_entropy_);
  shard_->set_keys(keys_);
}

void Match::stop() {
  recorder_->finish();
  end_recording(disk_.close());
}

void Match::drive_server() {
  if (clock_.now() < stalled_until_) return;
  const Instant now = server_time();
  if (pacer_->next() > now && !network_.has_arrived_at_server()) return;
  shard_->receive(now, pacer_->next());
  const std::int64_t due = pacer_->due(now);
  for (std::int64_t i = 0; i < due; ++i) {
    disk_.ticked(room_->world().tick + 1);
    shard_->tick(now);
    pacer_->ran();
    ++ticks_;
    note_tick();
  }
  if (due > 0) shard_->send(now);
}

void Match::note_tick() {
  const tests::OwnBooks books;
  hashes_.push_back(room_->hash());
  if (on_tick_) on_tick_(room_->hash());
  if (const auto retired = disk_.take_retired()) end_recording(*retired);
}

// --- clients ---

net::ConnectToken Match::make_token(std::size_t player) {
  net::TokenClaims claims{.client = ++tokens_,
                          .rights = players_[player].audits ? net::kRightToAudit : std::uint8_t{0}};
  claims.servers.push_back(SimulatedNetwork::server_address());
  const bool is_wrong = plan_.plant == Plant::WrongKey && player == 0;
  const net::KeyRing keys = is_wrong ? net::KeyRing::fresh(token_entropy_) : keys_;
  return net::issue_token(claims, issuer_calendar_.now(),
                          issuer_calendar_.now() + std::chrono::minutes{1}, keys, token_entropy_);
}

void Match::start_process(std::size_t index) {
  Player& player = players_[index];
  client::ClientOptions options{
      .connection = {.server = SimulatedNetwork::server_address(),
                     .wish = player.audits ? net::Wish::Audit : net::Wish::Play},
      .player = game::bot_player(game::bot_kind_of(plan_.bot, index), plan_.seed * 1'000 + index),
      .on_input = [this, index](Tick tick, const game::Input& input) {
        const tests::OwnBooks books;
        const PlayerId seat = players_[index].client->connection().accept().player;
        decided_[seat.value].push_back(
            {.tick = tick, .input = input, .is_calm = is_calm_ && is_calm_(index)});
        const bool is_other = plan_.plant == Plant::OtherInput && tick.value % kPlantedTicks == 0;
        if (is_other) decided_[seat.value].back().input.buttons ^= game::kButtonShoot;
      }};
  // Some have a token beside their ticket, for when that is refused.
  options.connection.ticket = std::exchange(player.ticket, std::nullopt);
  if (!options.connection.ticket || rng_.chance(1, 4)) {
    options.connection.token = make_token(index);
  }
  client::Grounds& grounds = player.grounds ? *player.grounds : grounds_;
  player.began = clock_.now();
  player.client = std::make_unique<client::Client>(options, *player.transport, *player.entropy,
                                                   grounds, time_of(player));
}

bool Match::stands_still(std::size_t player) const {
  return player == 0 && plan_.plant == Plant::Standstill && clock_.now() - start_ > kStandsAfter;
}

Instant Match::time_of(const Player& player) const {
  const Duration passed = clock_.now() - start_;
  return clock_.now() + passed / kMillion * player.drift_ppm + player.jumped;
}

void Match::drive_player(std::size_t index) {
  Player& player = players_[index];
  if (player.client == nullptr) {
    if (clock_.now() >= player.starts_at) start_process(index);
    return;
  }
  if (clock_.now() < player.paused_until || stands_still(index)) return;
  const Instant own_time = time_of(player);
  const bool is_due = player.turn > Duration::zero()
                          ? clock_.now() >= player.next_turn
                          : own_time >= player.client->next_wakeup() || network_.has_arrived(index);
  if (!is_due || player.client->connection().over()) return;
  player.client->poll(own_time);
  player.next_turn = clock_.now() + player.turn;
  note_promises(player);
  if (on_turn_) on_turn_(index);
  if (player.watches) looked_at_ += player.client->shown(own_time).size();
}

void Match::note_promises(Player& player) {
  if (player.client->connection().sessions() == 0) return;
  const tests::OwnBooks books;
  std::vector<Decided>& decided = decided_[player.client->connection().accept().player.value];
  player.promises.hear(*player.client, [&](Tick tick) {
    const auto one = std::ranges::find(decided.rbegin(), decided.rend(), tick, &Decided::tick);
    if (one != decided.rend()) one->is_owed = true;
  });
}

void Match::move(std::size_t player) {
  network_.move_client(player, moved_address(++moves_));
}

std::optional<net::ResumeTicket> Match::ticket_of(std::size_t index) const {
  const Player& player = players_[index];
  if (player.client == nullptr) return player.ticket;
  const client::Connection& connection = player.client->connection();
  const bool has_one = connection.sessions() > 0 && connection.is_proven() && !connection.over();
  return has_one ? std::optional{connection.ticket()} : std::nullopt;
}

void Match::kill(std::size_t player, Instant starts_at) {
  steal(player, player, starts_at);
}

void Match::steal(std::size_t index, std::size_t victim, Instant starts_at) {
  if (players_[index].client == nullptr) return;
  const std::optional<net::ResumeTicket> ticket = ticket_of(victim);
  replace(index, starts_at);
  players_[index].ticket = ticket;
}

void Match::leave(std::size_t index, Instant starts_at) {
  if (players_[index].client != nullptr) players_[index].client->leave();
  replace(index, starts_at);
}

void Match::replace(std::size_t index, Instant starts_at) {
  Player& player = players_[index];
  if (player.client == nullptr) return;
  if (on_process_end_) on_process_end_(player);
  player.client.reset();
  player.promises = {};
  player.ticket.reset();
  player.paused_until = clock_.now();
  player.starts_at = starts_at;
}

void Match::advance() {
  clock_.advance(kStep);
  for (std::size_t i = 0; i < players_.size(); ++i) {
    drive_player(i);
  }
  drive_server();
}

}  // namespace tickbox::simulator
