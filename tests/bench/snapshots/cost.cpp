#include "tests/bench/snapshots/cost.h"

#include "client/match/snapshot_world.h"
#include "net/packet.h"
#include "protocol/snapshot.h"
#include "server/match/plan/planner.h"
#include "server/match/sent_views.h"
#include "tests/bench/arena/arenas.h"
#include "tests/bench/frame.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::bench {
namespace {

constexpr std::uint32_t kTickRate = 60;
constexpr int kWarmUpTicks = 120;

/// Players see some 64 bodies: the map has 8 by 8 units or so for each seat.
const GameTable& arena() {
  static const GameTable kArena = arena_with(&sight_of<28>);
  return kArena;
}

/// Clients that hold real views: half of them get every snapshot, half only one in `base_age`
/// ticks, so that they replay all the way from the base.
constexpr std::size_t kReplicasOfAKind = 16;
constexpr std::size_t kSnapshotWorlds = 2 * kReplicasOfAKind;

std::uint32_t seats_of(const CostCase& of) {
  return static_cast<std::uint32_t>(of.clients);
}

struct Place {
  Stroller stroller;
  server::SentViews views{server::base_age_max(kTickRate)};
  server::WaitingBodies waiting;
  net::PacketChannel channel{{}, 1, net::Direction::ToClient};
};

/// A room full of bots, and the parts of a server that send them its ticks.
class Stage {
 public:
  explicit Stage(const CostCase& of)
      : base_age_(of.base_age),
        match_(arena(), engine::make_map(arena(), {.seats = seats_of(of)}, kTickRate), kTickRate,
               1),
        like_(arena(), match_.world().map(), kTickRate, 0) {
    like_.shared_seed = match_.world().shared_seed;
    for (std::size_t i = 0; i < of.clients; ++i) {
      places_.push_back(std::make_unique<Place>(Place{.stroller = {of.stroll, i, kTickRate}}));
      joins_.push_back({.player = {static_cast<std::uint16_t>(i)}, .user_data = {}});
    }
    snapshots_.resize(of.clients);
    cost_.of = of;
  }

  void tick(bool is_measured) {
    inputs_.clear();
    sources_.clear();
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Player player{static_cast<std::uint16_t>(i)};
      inputs_.push_back({.player = player, .input = places_[i]->stroller.decide()});
      sources_.push_back({.player = player, .source = engine::InputSource::Received});
    }
    clients_.assign(joins_.size(), 1);
    clock_.start();
    match_.tick({.leaves = {}, .joins = joins_, .inputs = inputs_});
    const double step = clock_.elapsed_us();
    clock_.start();
    match_.write_tick_log({.sources = sources_, .clients = clients_});
    const double log = clock_.elapsed_us();
    joins_.clear();
    clock_.start();
    planner_.begin_tick(match_, planned_);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      plan(i);
    }
    const double plan = clock_.elapsed_us();
    tell(is_measured);
    if (!is_measured) return;
    ++ticks_;
    cost_.step_us += step;
    cost_.log_us += log;
    cost_.plan_us += plan;
  }

  [[nodiscard]] SnapshotCost cost() const {
    SnapshotCost cost = cost_;
    const auto ticks = static_cast<double>(ticks_);
    const double snapshots = ticks * static_cast<double>(places_.size());
    cost.members /= snapshots;
    cost.bytes /= snapshots;
    cost.step_us /= ticks;
    cost.log_us /= ticks;
    cost.plan_us /= snapshots;
    cost.encode_us /= snapshots;
    cost.seal_us /= snapshots;
    cost.replica_us /= ticks;
    cost.late_replica_us /= ticks;
    return cost;
  }

 private:
  void plan(std::size_t i) {
    const Tick tick = match_.world().tick;
    Place& place = *places_[i];
    if (tick.value > base_age_) place.views.acknowledge({tick.value - base_age_});
    const server::Members* base = place.views.base(tick);
    const server::ViewRequest request{.player = {static_cast<std::uint16_t>(i)},
                                      .base = base,
                                      .base_tick = base != nullptr ? place.views.base_tick() : tick,
                                      .bytes_max = net::kDatagramBytesMax};
    protocol::Snapshot& snapshot = snapshots_[i];
    const server::ViewPlan plan = planner_.plan(request, place.waiting, snapshot.content, view_);
    place.views.add(tick, view_);
    snapshot.head = {.report = {.tick = protocol::low_bits(tick)},
                     .view_hash = static_cast<std::uint32_t>(plan.view_hash & 0xffff'ffff),
                     .base_age = plan.on_base ? static_cast<std::uint8_t>(tick - request.base_tick)
                                              : std::uint8_t{0}};
    members_ += plan.members;
  }

  /// Encodes and seals for everybody, and lets the replicas make their views of it.
  void tell(bool is_measured) {
    clock_.start();
    std::size_t bytes = 0;
    for (const protocol::Snapshot& snapshot : snapshots_) {
      bytes +=
          protocol::encode_snapshot(snapshot, message_buffer_).size() + net::kPacketOverheadBytes;
    }
    const double encode = clock_.elapsed_us();
    const ConstBytes message = protocol::encode_snapshot(snapshots_.front(), message_buffer_);
    clock_.start();
    for (const std::unique_ptr<Place>& place : places_) {
      place->channel.seal_packet(net::PacketType::Snapshot, message, packet_);
    }
    const double seal = clock_.elapsed_us();
    const double replica = apply_all(0, 1);
    const double late_replica = apply_all(kReplicasOfAKind, base_age_);
    const std::size_t members = std::exchange(members_, 0);
    if (!is_measured) return;
    cost_.encode_us += encode;
    cost_.seal_us += seal;
    cost_.replica_us += replica;
    cost_.late_replica_us += late_replica;
    cost_.members += static_cast<double>(members);
    cost_.bytes += static_cast<double>(bytes);
  }

  /// What a datagram took, read and made a view, for half of the replicas from `first` on, every
  /// `interval` ticks.
  double apply_all(std::size_t first, std::uint32_t interval) {
    const Tick tick = match_.world().tick;
    if (tick.value % interval != 0) return 0;
    for (std::size_t i = first; i < first + kReplicasOfAKind; ++i) {
      const ConstBytes message = protocol::encode_snapshot(snapshots_[i], message_buffer_);
      received_[i].assign(message.begin(), message.end());
    }
    clock_.start();
    for (std::size_t i = first; i < first + kReplicasOfAKind; ++i) {
      std::optional<client::SnapshotWorld>& replica = snapshot_worlds_[i];
      if (!replica) replica.emplace(like_, Player{static_cast<std::uint16_t>(i)}, stepper_);
      const bool is_decoded = protocol::decode_snapshot(received_[i], decoded_).has_value();
      const auto view = replica->apply(
          {.tick = tick, .base_age = decoded_.head.base_age, .view_hash = decoded_.head.view_hash},
          decoded_.content);
      if (!is_decoded || (!view && view.error().wrong)) ++cost_.mismatches;
    }
    return clock_.elapsed_us() * interval / kReplicasOfAKind;
  }

  std::uint32_t base_age_;
  server::Match match_;
  engine::World like_;  ///< empty: what the worlds of clients are made of
  server::TickContext planned_;
  server::Planner planner_;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<engine::Join> joins_;
  std::vector<engine::PlayerInput> inputs_;
  std::vector<engine::PlayerSource> sources_;  ///< of inputs_, one for one
  std::vector<std::uint64_t> clients_;         ///< of joins_, one for one
  std::vector<protocol::Snapshot> snapshots_;
  engine::Stepper stepper_;  ///< of all clients
  std::array<std::optional<client::SnapshotWorld>, kSnapshotWorlds> snapshot_worlds_;
  std::array<std::vector<std::byte>, kSnapshotWorlds> received_;  ///< for snapshot_worlds_
  protocol::Snapshot decoded_;
  protocol::MessageBuffer message_buffer_;
  net::PacketBuffer packet_{};
  StepClock clock_;
  std::size_t members_ = 0;
  server::Members view_;  ///< the one in progress
  std::uint64_t ticks_ = 0;
  SnapshotCost cost_;
};

}  // namespace

SnapshotCost measure_cost(const CostCase& of, int ticks) {
  Stage stage{of};
  for (int i = 0; i < kWarmUpTicks; ++i) {
    stage.tick(false);
  }
  for (int i = 0; i < ticks; ++i) {
    stage.tick(true);
  }
  return stage.cost();
}

std::string text_of(const SnapshotCost& cost) {
  return fmt::format(
      "{} clients, {}: bases of {} ticks, {:.0f} bodies in view, {:.0f} bytes a datagram\n"
      "  room's tick, islands and causes included   {:8.1f} us\n"
      "  plan and hash of a client's snapshot       {:8.2f} us\n"
      "  encode it                                  {:8.2f} us\n"
      "  seal it                                    {:8.2f} us\n"
      "  a client's view by one step                {:8.2f} us\n"
      "  a client's view from its base              {:8.2f} us\n"
      "  all of a tick but input and output         {:8.1f} us\n"
      "  the log of a tick                          {:8.2f} us\n",
      cost.of.clients, cost.of.name, cost.of.base_age, cost.members, cost.bytes, cost.step_us,
      cost.plan_us, cost.encode_us, cost.seal_us, cost.replica_us, cost.late_replica_us,
      cost.tick_us(), cost.log_us);
}

}  // namespace tickbox::bench
