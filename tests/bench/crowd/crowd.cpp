#include "tests/bench/crowd/crowd.h"

#include "core/rng.h"
#include "games/arena/arena_map.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <tuple>

namespace tickbox::bench {
namespace {

using std::chrono::milliseconds;
using tests::Harness;
using tests::RawPeer;

constexpr std::uint32_t kTickRate = 60;
constexpr int kWarmUpTicks = 180;
constexpr server::Sight kSight{.half_width = 28, .half_height = 28};

std::uint64_t thread_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// An open field with as few spawn points as the seats need, two units apart.
game::SharedMap field(std::uint32_t seats) {
  auto map = std::make_shared<game::Map>();
  map->statics = std::make_shared<const sim::Statics>(std::vector<sim::Body>{});
  map->seats = seats;
  const auto side = static_cast<std::int32_t>(std::ceil(std::sqrt(2.2 * seats)));
  for (std::int32_t i = 0; i < side * side; ++i) {
    map->spawn_points.push_back(
        {.x = (i % side - side / 2) * 2 * kUnit, .y = (i / side - side / 2) * 2 * kUnit});
  }
  std::ranges::sort(map->spawn_points, {}, [](Vec2 place) {
    return std::tuple{std::int64_t{place.x} * place.x + std::int64_t{place.y} * place.y, place.y,
                      place.x};
  });
  return map;
}

tests::HarnessOptions options_of(const CrowdCase& of) {
  const auto seats = static_cast<std::uint32_t>(of.clients + of.honest);
  return {.seed = 5,
          .tick_rate = kTickRate,
          .max_clients = seats,
          .sight = kSight,
          .bot = game::BotKind::Stress,
          .map = of.is_dense ? field(seats) : game::make_arena_map(seats),
          .meter = thread_time};
}

class Crowd {
 public:
  explicit Crowd(const CrowdCase& of) : of_(of), harness_(options_of(of)) {
    for (std::size_t i = 0; i < of.clients; ++i) {
      peers_.push_back(std::make_unique<RawPeer>(
          harness_, wire_, tests::stranger_far_away(static_cast<std::uint32_t>(i))));
      const auto token = tests::make_token(harness_, net::KeyRing::published(), 1'000 + i);
      peers_.back()->connect(token);
      peers_.back()->send_nothing_new();
      if (i % 100 != 99) continue;
      for (const auto& peer : peers_) {
        peer->send_nothing_new();
      }
    }
    for (std::size_t i = 0; i < of.honest; ++i) {
      harness_.add_client();
    }
    newest_.assign(of.honest, Tick{});
    harness_.network().watch(nullptr);  // nobody reads what the peers receive
  }

  void tick(bool is_measured) {
    const Tick tick = harness_.room().world().tick;
    const bool is_volley = of_.ray_interval != 0 && tick.value % of_.ray_interval == 0;
    for (const auto& peer : peers_) {
      send_input(*peer, tick, is_volley);
    }
    const std::uint64_t before = harness_.metered();
    while (harness_.room().world().tick == tick) {
      harness_.run_for(milliseconds{1});
    }
    const double cost = static_cast<double>(harness_.metered() - before) / 1e6;
    hits_ += harness_.room().events().hits.size();
    if (!is_measured) return;
    // The inputs of a volley are stepped in the tick after the present one.
    (was_volley_ ? volleys_ : costs_).push_back(cost);
    was_volley_ = is_volley;
    for (std::size_t i = 0; i < newest_.size(); ++i) {
      const Tick newest = harness_.client(i).newest_view();
      if (newest == newest_[i]) continue;
      if (newest_[i].value != 0) gaps_.push_back(static_cast<double>(newest - newest_[i]));
      newest_[i] = newest;
    }
  }

  [[nodiscard]] CrowdCost cost() {
    CrowdCost cost{.median = quantile(costs_, 0.5),
                   .p99 = quantile(costs_, 0.99),
                   .p999 = quantile(costs_, 0.999),
                   .gap_p99 = quantile(gaps_, 0.99),
                   .full = harness_.shard().metrics().snapshots.full,
                   .hits = hits_};
    if (!volleys_.empty()) cost.volley_extra = quantile(volleys_, 0.5) - cost.median;
    for (std::size_t i = 0; i < of_.honest; ++i) {
      cost.mismatches += harness_.client(i).stats().hashes_mismatched;
    }
    cost.put_off = put_off(harness_.shard().metrics().snapshots);
    return cost;
  }

 private:
  [[nodiscard]] static double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  }

  [[nodiscard]] static std::uint64_t put_off(const server::SnapshotMetrics& snapshots) {
    return snapshots.put_off;
  }

  void send_input(RawPeer& peer, Tick tick, bool is_volley) {
    protocol::InputMessage message;
    message.first_tick = tick + 2;
    message.newest_snapshot = acknowledged(tick);
    message.inputs.push_back(
        {.move = static_cast<std::uint8_t>(rng_.below(9)),
         .buttons = is_volley ? game::kButtonRay : std::uint8_t{0},
         .aim = static_cast<std::uint16_t>(rng_.below(game::kAimDirections)),
         .look_back = static_cast<std::uint8_t>(is_volley ? rng_.below(15) : 0)});
    peer.send_inputs(message);
  }

  [[nodiscard]] Tick acknowledged(Tick tick) const {
    constexpr std::uint32_t kAgeing = 55;
    constexpr std::uint32_t kLate = 50;
    switch (of_.acks) {
      case Acks::Newest:
        break;
      case Acks::Ageing:
        return {tick.value - tick.value % kAgeing};
      case Acks::Late:
        return {tick.value > kLate ? tick.value - kLate : 1};
    }
    return {tick.value};
  }

  CrowdCase of_;
  Harness harness_;
  tests::Wire wire_{harness_};
  std::vector<std::unique_ptr<RawPeer>> peers_;
  Rng rng_{9};
  std::vector<Tick> newest_;  ///< of the honest clients
  std::vector<double> costs_;
  std::vector<double> volleys_;
  std::vector<double> gaps_;
  std::uint64_t hits_ = 0;
  bool was_volley_ = false;
};

}  // namespace

CrowdCost measure_crowd(const CrowdCase& of, int ticks) {
  Crowd crowd{of};
  for (int i = 0; i < kWarmUpTicks; ++i) {
    crowd.tick(false);
  }
  for (int i = 0; i < ticks; ++i) {
    crowd.tick(true);
  }
  return crowd.cost();
}

}  // namespace tickbox::bench
