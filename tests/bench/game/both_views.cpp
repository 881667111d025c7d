#include "tests/bench/game/both_views.h"

#include "client/match/snapshot_world.h"
#include "client/views/snapshot_world.h"
#include "games/arena/arena.h"
#include "games/arena/arena_game.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"
#include "net/packet.h"
#include "protocol/snapshot_codec.h"
#include "server/match/planner.h"
#include "server/replication/snapshot_planner.h"
#include "tests/bench/game/arena_inputs.h"
#include "tests/bench/game/timing.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::bench {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint64_t kSeed = 11;
constexpr int kWarmUpTicks = 120;
constexpr std::size_t kClients = 16;  ///< of each kind: that get every snapshot, and that get few

/// The head, mask and receipt of a snapshot, and the length of a content.
std::size_t datagram_bytes(std::size_t content) {
  return net::kPacketOverheadBytes + 15 + (content == 0 ? 0 : content < 128 ? 1U : 2U) + content;
}

/// The arena of common/game, with the views of its clients.
class Before {
 public:
  explicit Before(const ViewCase& of)
      : of_(of),
        map_(game::make_arena_map(of.players)),
        rules_(game::make_rules("arena", kRate)),
        room_(map_, rules_, kSeed, kRate) {
    for (std::uint16_t i = 0; i < of.players; ++i) {
      views_.push_back(std::make_unique<server::SentViews>(server::base_age_max(kRate)));
      waiting_.emplace_back();
      snapshots_.emplace_back();
      messages_.emplace_back();
    }
  }

  void tick(const ArenaInputs& inputs) {
    room_.tick({.leaves = {}, .joins = inputs.joins, .inputs = inputs.inputs});
  }

  void plan() {
    planner_.begin_tick(room_);
    const Tick tick = room_.world().tick;
    for (std::uint16_t i = 0; i < of_.players; ++i) {
      if (tick.value > of_.base_age) views_[i]->acknowledge({tick.value - of_.base_age});
      const server::ViewMembers* base = views_[i]->base(tick);
      const server::ViewRequest request{
          .own = static_cast<std::uint32_t>(room_.world().index_of(room_.world().body_of({i}))),
          .base = base,
          .base_tick = base != nullptr ? views_[i]->base_tick() : tick,
          .bytes_max = net::kDatagramBytesMax};
      const server::ViewPlan plan =
          planner_.plan(request, waiting_[i], snapshots_[i], views_[i]->add(tick));
      snapshots_[i].head = {.report = {.tick = static_cast<std::uint16_t>(tick.value & 0xffff)},
                            .view_hash = static_cast<std::uint32_t>(plan.view_hash & 0xffff'ffff),
                            .base_age = plan.on_base
                                            ? static_cast<std::uint8_t>(tick - request.base_tick)
                                            : std::uint8_t{0}};
      members += plan.members;
      const ConstBytes message = protocol::encode_snapshot(snapshots_[i], buffer_);
      messages_[i].assign(message.begin(), message.end());
      bytes += message.size() + net::kPacketOverheadBytes;
    }
  }

  void apply(std::size_t first, std::uint64_t& refused) {
    for (std::size_t i = first; i < first + kClients; ++i) {
      if (!clients_[i]) {
        clients_[i].emplace(map_, rules_, room_.world().body_of({static_cast<std::uint16_t>(i)}));
      }
      const auto snapshot = protocol::decode_snapshot(messages_[i]);
      const auto view = clients_[i]->apply(*snapshot, room_.world().tick);
      refused += !view && view.error().wrong ? 1U : 0U;
    }
  }

  std::size_t members = 0;
  std::size_t bytes = 0;

 private:
  ViewCase of_;
  game::SharedMap map_;
  std::shared_ptr<const game::Rules> rules_;
  server::Room room_;
  server::SnapshotPlanner planner_{{}};
  std::vector<std::unique_ptr<server::SentViews>> views_;
  std::vector<server::WaitingBodies> waiting_;
  std::vector<protocol::Snapshot> snapshots_;
  std::vector<std::vector<std::byte>> messages_;
  protocol::MessageBuffer buffer_;
  std::array<std::optional<client::SnapshotWorld>, 2 * kClients> clients_;
};

/// The arena of the public interface, with the views of its clients.
class Now {
 public:
  explicit Now(const ViewCase& of)
      : of_(of),
        map_(engine::make_map(games::arena(), {.seats = of.players}, kRate)),
        like_(games::arena(), map_, kRate, kSeed),
        match_(games::arena(), map_, kRate, kSeed) {
    for (std::uint16_t i = 0; i < of.players; ++i) {
      views_.push_back(std::make_unique<match::SentViews>(server::base_age_max(kRate)));
      waiting_.emplace_back();
      contents_.emplace_back();
      heads_.emplace_back();
    }
  }

  void tick(const ArenaInputs& inputs) {
    match_.tick({.leaves = {}, .joins = inputs.joining, .inputs = inputs.given});
  }

  void plan() {
    planner_.begin_tick(match_);
    const Tick tick = match_.world().tick;
    for (std::uint16_t i = 0; i < of_.players; ++i) {
      if (tick.value > of_.base_age) views_[i]->acknowledge({tick.value - of_.base_age});
      const match::Members* base = views_[i]->base(tick);
      const match::ViewRequest request{.player = {i},
                                       .base = base,
                                       .base_tick = base != nullptr ? views_[i]->base_tick() : tick,
                                       .bytes_max = net::kDatagramBytesMax,
                                       .members_max = 256};
      const match::ViewPlan plan =
          planner_.plan(request, waiting_[i], contents_[i], views_[i]->add(tick));
      heads_[i] = {
          .tick = tick,
          .base_age = plan.on_base ? static_cast<std::uint32_t>(tick - request.base_tick) : 0U,
          .view_hash = static_cast<std::uint32_t>(plan.view_hash & 0xffff'ffff)};
      members += plan.members;
      bytes += datagram_bytes(contents_[i].size());
    }
  }

  void apply(std::size_t first, std::uint64_t& refused) {
    for (std::size_t i = first; i < first + kClients; ++i) {
      if (!clients_[i]) clients_[i].emplace(like_, Player{static_cast<std::uint16_t>(i)});
      const auto view = clients_[i]->apply(heads_[i], contents_[i]);
      refused += !view && view.error().wrong ? 1U : 0U;
    }
  }

  std::size_t members = 0;
  std::size_t bytes = 0;

 private:
  ViewCase of_;
  engine::SharedMap map_;
  engine::World like_;
  match::Match match_;
  match::Planner planner_;
  std::vector<std::unique_ptr<match::SentViews>> views_;
  std::vector<match::WaitingBodies> waiting_;
  std::vector<std::vector<std::byte>> contents_;
  std::vector<match::ViewHead> heads_;
  std::array<std::optional<match::SnapshotWorld>, 2 * kClients> clients_;
};

/// The times of one form.
struct Times {
  std::vector<double> tick;
  std::vector<double> plan;
  std::vector<double> view;
  std::vector<double> late;
};

template <class Form>
void run(Form& form, const ArenaInputs& inputs, const ViewCase& of, int tick, Times& times,
         std::uint64_t& refused) {
  const double start = thread_us();
  form.tick(inputs);
  const double ticked = thread_us();
  form.plan();
  const double planned = thread_us();
  form.apply(0, refused);
  const double applied = thread_us();
  const bool is_late = static_cast<std::uint32_t>(tick) % of.base_age == 0;
  if (is_late) form.apply(kClients, refused);
  const double applied_late = thread_us();
  if (tick < kWarmUpTicks) {
    form.members = form.bytes = 0;
    return;
  }
  times.tick.push_back(ticked - start);
  times.plan.push_back(planned - ticked);
  times.view.push_back((applied - planned) / kClients);
  if (is_late) times.late.push_back((applied_late - applied) / kClients);
}

}  // namespace

ViewCosts measure_views(const ViewCase& of, int ticks) {
  ArenaInputs inputs{of.players, of.is_stress, kSeed};
  const auto before = std::make_unique<Before>(of);
  const auto now = std::make_unique<Now>(of);
  Times times_before;
  Times times_now;
  ViewCosts costs;
  for (int tick = 0; tick < ticks + kWarmUpTicks; ++tick) {
    inputs.draw();
    run(*before, inputs, of, tick, times_before, costs.refused);
    run(*now, inputs, of, tick, times_now, costs.refused);
  }
  costs.tick = {.before = median(times_before.tick), .now = median(times_now.tick)};
  costs.plan = {.before = median(times_before.plan), .now = median(times_now.plan)};
  costs.view = {.before = median(times_before.view), .now = median(times_now.view)};
  costs.late = {.before = median(times_before.late), .now = median(times_now.late)};
  const double snapshots = static_cast<double>(ticks) * of.players;
  costs.bytes = {.before = static_cast<double>(before->bytes) / snapshots,
                 .now = static_cast<double>(now->bytes) / snapshots};
  costs.members = {.before = static_cast<double>(before->members) / snapshots,
                   .now = static_cast<double>(now->members) / snapshots};
  return costs;
}

}  // namespace tickbox::bench
