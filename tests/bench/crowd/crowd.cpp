#include "tests/bench/crowd/crowd.h"

#include "core/rng.h"
#include "core/tick_ring.h"
#include "games/arena/arena.h"
#include "protocol/snapshot.h"
#include "tests/bench/arena/arenas.h"
#include "tests/bench/arena/pad.h"
#include "tests/bench/arena/stroller.h"
#include "tests/bench/frame.h"
#include "tickbox/game.h"
#include "views/inputs.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tickbox::bench {
namespace {

using std::chrono::milliseconds;
using tests::Harness;
using tests::RawPeer;

constexpr std::uint32_t kTickRate = 60;
constexpr int kWarmUpTicks = 180;

const GameTable& game_of(const CrowdCase& of) {
  static const GameTable kSpread = arena_with(&sight_of<28>);
  static const GameTable kDense = arena_with(&sight_of<28>, &make_field);
  return of.is_dense ? kDense : kSpread;
}

tests::HarnessOptions options_of(const CrowdCase& of) {
  constexpr std::uint64_t kSeed = 5;
  return {.seed = kSeed,
          .tick_rate = kTickRate,
          .max_clients = static_cast<std::uint32_t>(of.clients + of.honest),
          .player =
              [](std::size_t client) {
                return stroller_player(Strolls::Wildly, kSeed * 1'000 + client);
              },
          .game = &game_of(of),
          .meter = thread_time};
}

/// A client without a world: it repeats the receipts that it is sent, so it can acknowledge any
/// view.
struct Peer {
  Peer(Harness& harness, tests::Wire& wire, std::uint32_t number)
      : raw(harness, wire, tests::stranger_far_away(number)) {}

  /// Opens the snapshot that arrived since the last call, if any.
  void read(Tick now) {
    if (arrived.empty()) return;
    const auto opened = raw.channel().open_packet(arrived, packet);
    arrived.clear();
    if (!opened || opened->type != net::PacketType::Snapshot) return;
    if (!protocol::decode_snapshot(opened->message, snapshot)) return;
    const Tick tick = protocol::expand_tick(snapshot.head.report.tick, now);
    views.insert(tick) = protocol::ViewAck{.tick = tick, .receipt = snapshot.receipt};
    newest = tick;
  }

  RawPeer raw;
  tests::Bytes arrived;
  net::PacketBuffer packet{};
  protocol::Snapshot snapshot;
  TickRing<protocol::ViewAck, 64> views;
  Tick newest;  ///< of the views received
  Tick kept;    ///< the view that it acknowledges while its base ages
};

class Crowd {
 public:
  explicit Crowd(const CrowdCase& of) : of_(of), harness_(options_of(of)) {
    for (std::size_t i = 0; i < of.clients; ++i) {
      peers_.push_back(std::make_unique<Peer>(harness_, wire_, static_cast<std::uint32_t>(i)));
      const auto token = tests::make_token(harness_, net::KeyRing::published(), 1'000 + i);
      peers_.back()->raw.connect(token);
      peers_.back()->raw.send_nothing_new();
      by_address_[peers_.back()->raw.address()] = peers_.back().get();
      if (i % 100 != 99) continue;
      for (const auto& peer : peers_) {
        peer->raw.send_nothing_new();
      }
    }
    for (std::size_t i = 0; i < of.honest; ++i) {
      harness_.add_client();
    }
    newest_.assign(of.honest, Tick{});
    harness_.network().watch([this](const tests::SimulatedNetwork::Passed& passed) {
      if (passed.where != tests::SimulatedNetwork::Passed::Where::FromServer) return;
      if (const auto peer = by_address_.find(passed.client); peer != by_address_.end()) {
        peer->second->arrived.assign(passed.bytes.begin(), passed.bytes.end());
      }
    });
  }

  void tick(bool is_measured) {
    const Tick tick = harness_.world().tick;
    const bool is_volley = of_.ray_interval != 0 && tick.value % of_.ray_interval == 0;
    for (const auto& peer : peers_) {
      send_input(*peer, tick, is_volley);
    }
    const std::uint64_t before = harness_.metered();
    const std::uint64_t sent_before = harness_.metered_sending();
    while (harness_.world().tick == tick) {
      harness_.run_for(milliseconds{1});
    }
    const auto sending = static_cast<double>(harness_.metered_sending() - sent_before) / 1e6;
    const double stepping = static_cast<double>(harness_.metered() - before) / 1e6 - sending;
    hits_ += harness_.match().report().emitted.size();
    if (!is_measured) return;
    // The inputs of a volley are stepped in the tick after the present one.
    (was_volley_ ? volleys_ : others_).add(stepping, sending);
    was_volley_ = is_volley;
    for (std::size_t i = 0; i < newest_.size(); ++i) {
      const Tick newest = harness_.client(i).newest_view();
      if (newest == newest_[i]) continue;
      if (newest_[i].value != 0) gaps_.push_back(static_cast<double>(newest - newest_[i]));
      newest_[i] = newest;
    }
  }

  [[nodiscard]] CrowdCost cost() {
    CrowdCost cost{.median = quantile(others_.whole, 0.5),
                   .p99 = quantile(others_.whole, 0.99),
                   .p999 = quantile(others_.whole, 0.999),
                   .gap_p99 = quantile(gaps_, 0.99),
                   .full = harness_.shard().metrics().snapshots.full,
                   .put_off = harness_.shard().metrics().snapshots.put_off,
                   .hits = hits_};
    if (!volleys_.whole.empty()) {
      cost.volley_extra = quantile(volleys_.whole, 0.5) - cost.median;
      cost.volley_stepping = quantile(volleys_.stepping, 0.5) - quantile(others_.stepping, 0.5);
    }
    for (std::size_t i = 0; i < of_.honest; ++i) {
      cost.mismatches += harness_.client(i).stats().hashes_mismatched;
    }
    return cost;
  }

 private:
  /// The costs of ticks, in milliseconds.
  struct Costs {
    std::vector<double> whole;
    std::vector<double> stepping;  ///< without sending

    void add(double stepped, double sending) {
      whole.push_back(stepped + sending);
      stepping.push_back(stepped);
    }
  };

  void send_input(Peer& peer, Tick tick, bool is_volley) {
    peer.read(tick);
    const auto move = static_cast<std::int64_t>(rng_.below(9));
    const auto aim = static_cast<std::int64_t>(rng_.below(kDirections));
    const auto look_back = static_cast<std::uint8_t>(is_volley ? rng_.below(15) : 0);
    write_pad({.move = move, .ray = is_volley, .aim = aim}, pad_);
    const views::GivenInput given{.input = pad_, .look_back = look_back};
    protocol::InputMessage message{.view = acknowledged(peer, tick), .first_tick = tick + 2};
    {
      engine::BitWriter out{message.inputs};
      views::write_inputs(games::arena(), {&given, 1}, out);
    }
    peer.raw.send_inputs(message);
  }

  [[nodiscard]] std::optional<protocol::ViewAck> acknowledged(Peer& peer, Tick tick) const {
    constexpr std::int64_t kAgeing = 55;
    constexpr std::uint32_t kLate = 50;
    if (tick - peer.kept >= kAgeing) peer.kept = peer.newest;
    Tick view = peer.newest;
    if (of_.acks == Acks::Ageing) view = peer.kept;
    if (of_.acks == Acks::Late) {
      view = {tick.value - kLate};
      while (view < peer.newest && peer.views.find(view) == nullptr) {
        view = view + 1;
      }
    }
    const protocol::ViewAck* ack = peer.views.find(view);
    return ack != nullptr ? std::optional{*ack} : std::nullopt;
  }

  CrowdCase of_;
  Harness harness_;
  tests::Wire wire_{harness_};
  std::vector<std::unique_ptr<Peer>> peers_;
  std::map<net::Address, Peer*> by_address_;
  Rng rng_{9};
  std::vector<std::byte> pad_ = pad_by_default();
  std::vector<Tick> newest_;  ///< of the honest clients
  Costs volleys_;
  Costs others_;
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
