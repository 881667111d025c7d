#include "tests/bench/shard/shard_run.h"

#include "engine/map.h"
#include "net/connect_token.h"
#include "os/net/udp_transport.h"
#include "os/process/process.h"
#include "record/room_log.h"
#include "server/recording/recorder.h"
#include "server/shard/shard.h"
#include "tests/bench/frame.h"
#include "tests/bench/shard/resident_meter.h"
#include "tests/bench/shard/shard_clients.h"
#include "tests/bench/turns.h"
#include "tests/support/virtual_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

namespace tickbox::bench {
namespace {

/// Until the rings of a match have all their memory.
constexpr int kEmptyTicks = 70;
/// Until the log of each empty room has had a keyframe.
constexpr int kEmptyMeasured = static_cast<int>(kTickRate * record::kQuietKeyframeSeconds);
/// Clients that begin to connect in a tick: fewer than server::kAgreements allows.
constexpr std::size_t kJoinsPerTick = 16;
/// Until every client must be connected, after the last one began.
constexpr int kConnectTicks = 600;
/// Until views are full, and clocks follow.
constexpr int kSettlingTicks = 240;

/// Prints what a person should know.
class ErrorLog final : public server::Log {
 public:
  void event(Severity severity, const LogEvent& event) override {
    if (severity == Severity::Error) fmt::print(stderr, "{}\n", as_text(event));
  }
};

std::unique_ptr<os::UdpTransport> open_socket() {
  auto opened = os::UdpTransport::open({.bind = loopback_address(), .send_batch = os::kSendBatch});
  if (!opened) throw std::runtime_error{opened.error()};
  return *std::move(opened);
}

class ShardRun {
 public:
  explicit ShardRun(const ShardCase& of) : of_(of), socket_(open_socket()) {
    memory_.during([this] { start(); });
    clients_ = std::make_unique<ShardClients>(of_, *of_.game, socket_->local_address(), clock_,
                                              std::span{rooms_}.first(of_.rooms));
    turns_ = std::make_unique<Turns>([this] { clients_turn(); });
  }

  ShardCost run() {
    ShardCost cost;
    run_metered(kEmptyTicks);
    const auto empty = static_cast<double>(memory_.bytes());
    cost.room_bytes = empty / static_cast<double>(rooms_.size());
    if (of_.empty_rooms > 0) measure_empty(cost);
    connect();
    run_metered(kSettlingTicks);
    const auto all = static_cast<double>(of_.rooms * of_.clients);
    cost.client_bytes = (static_cast<double>(memory_.bytes()) - empty) / all;
    measure(cost);
    const ShardClients::Hashes hashes = clients_->hashes();
    cost.hashes_checked = hashes.checked;
    cost.hashes_wrong = hashes.wrong;
    cost.dropped = clients_->dropped();
    return cost;
  }

 private:
  void start() {
    const std::uint32_t seats =
        of_.seats != 0 ? of_.seats : static_cast<std::uint32_t>(of_.clients);
    const engine::SharedMap map =
        engine::make_map(*of_.game, {.seats = seats, .name = ""}, kTickRate);
    for (std::size_t i = 0; i < of_.rooms + of_.empty_rooms; ++i) {
      matches_.push_back(std::make_unique<server::Match>(*of_.game, map, kTickRate, of_.seed + i));
      rooms_.push_back(
          {.match = *matches_.back(), .id = RoomId{static_cast<std::uint32_t>(i + 1)}});
      if (i < of_.rooms) {
        fill_rings(*matches_.back());
        continue;
      }
      recorders_.push_back(std::make_unique<server::Recorder>(
          *matches_.back(), record::Header{.tick_rate = kTickRate, .map_seats = seats}));
      rooms_.back().recorder = recorders_.back().get();
    }
    // Putting snapshots off would hide work.
    constexpr std::uint64_t kPlanWork = 100 * server::kPlanWorkPerSecond;
    shard_ = std::make_unique<server::Shard>(
        server::ShardOptions{.tick_rate = kTickRate,
                             .snapshot_rate = of_.snapshot_rate,
                             .plan_work = kPlanWork,
                             .max_clients = seats,
                             .best_cipher = net::best_cipher(),
                             .admission = {.keys = net::KeyRing::published(),
                                           .addresses = {socket_->local_address()}}},
        server::ShardParts{.transport = *socket_,
                           .entropy = entropy_,
                           .calendar = calendar_,
                           .log = log_,
                           .rooms = rooms_},
        clock_.now());
  }

  /// Steps a match of a room that will have clients: an empty room does not.
  static void fill_rings(server::Match& match) {
    for (int i = 0; i < kEmptyTicks; ++i) {
      match.tick({});
      match.write_tick_log({});
    }
  }

  /// Adds all clients, and waits until they play.
  void connect() {
    const std::size_t all = of_.rooms * of_.clients;
    for (int waited = 0; shard_->clients() < all && waited < kConnectTicks;) {
      joins_ = std::min(kJoinsPerTick, all - clients_->size());
      if (joins_ == 0) ++waited;
      run_metered(1);
    }
  }

  /// Runs on the thread of the clients, so that their memory comes from its part of the heap.
  void clients_turn() {
    for (; joins_ > 0; --joins_) {
      clients_->add();
    }
    clients_->poll(slice_);
  }

  /// Runs a tick. `shard_turn(phase, work)` runs each part of the shard's work.
  template <class ShardTurn>
  void tick(ShardTurn shard_turn) {
    const Instant begin = clock_.now();
    const Duration period = tick_duration(kTickRate);
    for (slice_ = 0; slice_ < kSlices; ++slice_) {
      clock_.advance(begin + period * slice_ / kSlices - clock_.now());
      turns_->pass();
      shard_turn(ShardPhase::Receive, [&] { shard_->receive(clock_.now(), begin + period); });
    }
    clock_.advance(begin + period - clock_.now());
    shard_turn(ShardPhase::Step, [&] { shard_->tick(clock_.now()); });
    shard_turn(ShardPhase::Send, [&] { shard_->send(clock_.now()); });
  }

  void run_metered(int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick([this](ShardPhase, auto work) { memory_.during(work); });
    }
  }

  /// Times the shard while nobody plays.
  void measure_empty(ShardCost& cost) {
    double all = 0;
    double longest = 0;
    for (int i = 0; i < kEmptyMeasured; ++i) {
      double in_tick = 0;
      tick([&](ShardPhase phase, auto work) {
        step_clock_.start();
        work();
        if (phase != ShardPhase::Receive) in_tick += step_clock_.elapsed_us();
      });
      all += in_tick;
      longest = std::max(longest, in_tick);
    }
    cost.empty_room_ns = all * 1e3 / (kEmptyMeasured * static_cast<double>(rooms_.size()));
    cost.empty_tick_ms_max = longest / 1e3;
  }

  void measure(ShardCost& cost) {
    const server::Metrics before = shard_->metrics();
    for (int i = 0; i < of_.ticks; ++i) {
      double in_tick = 0;
      tick([&](ShardPhase phase, auto work) {
        step_clock_.start();
        work();
        const double elapsed = step_clock_.elapsed_us();
        cost.phases[static_cast<std::size_t>(phase)] += elapsed;
        in_tick += elapsed;
        if (phase == ShardPhase::Step) cost.steps.push_back(elapsed / 1e3);
      });
      cost.ticks.push_back(in_tick / 1e3);
    }
    const auto client_ticks = static_cast<double>(of_.rooms * of_.clients) * of_.ticks;
    for (double& phase : cost.phases) {
      phase /= client_ticks;
    }
    const server::Metrics& after = shard_->metrics();
    const auto grown = [&](auto part) {
      return static_cast<double>(part(after)) - static_cast<double>(part(before));
    };
    using Metrics = server::Metrics;
    const double sent =
        grown([](const Metrics& of) { return of.snapshots.on_base + of.snapshots.full; });
    cost.sent = sent / client_ticks;
    cost.quiet = grown([](const Metrics& of) { return of.snapshots.quiet; }) / client_ticks;
    cost.substituted =
        grown([](const Metrics& of) { return of.of(server::InputResult::Substituted); }) /
        client_ticks;
    cost.bytes = grown([](const Metrics& of) { return of.traffic.bytes_out; }) / sent;
    cost.members = grown([](const Metrics& of) { return of.snapshots.members; }) / sent;
    cost.input_bytes = grown([](const Metrics& of) { return of.traffic.bytes_in; }) /
                       grown([](const Metrics& of) { return of.traffic.packets_in; });
  }

  const ShardCase& of_;
  tests::VirtualClock clock_;
  tests::VirtualCalendar calendar_{clock_};
  tests::SeededEntropy entropy_{of_.seed};
  ErrorLog log_;
  std::unique_ptr<os::UdpTransport> socket_;
  std::vector<std::unique_ptr<server::Match>> matches_;
  std::vector<std::unique_ptr<server::Recorder>> recorders_;  ///< of the empty rooms
  std::vector<server::RoomParts> rooms_;  ///< those with clients, then the empty ones
  std::unique_ptr<server::Shard> shard_;
  std::unique_ptr<ShardClients> clients_;
  std::size_t joins_ = 0;  ///< clients to add in the next turn
  std::size_t slice_ = 0;
  ResidentMeter memory_;
  StepClock step_clock_;
  std::unique_ptr<Turns> turns_;  ///< the last: its thread uses the others
};

}  // namespace

ShardCost measure_shard(const ShardCase& of) {
  // A socket each, and some for the program.
  if (auto allowed = os::allow_open_files(of.rooms * of.clients + 64); !allowed) {
    throw std::runtime_error{allowed.error()};
  }
  return ShardRun{of}.run();
}

}  // namespace tickbox::bench
