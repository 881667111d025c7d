#include "tests/bench/peers/enet_run.h"

#include "core/clock.h"
#include "os/process/process.h"
#include "os/process/steady_clock.h"
#include "tests/bench/frame.h"
#include "tests/bench/turns.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace tickbox::bench {
namespace {

constexpr std::uint32_t kTickRate = 60;
/// Turns of the clients in a tick, when they run beside the server: each has one of them.
constexpr std::size_t kSlices = 16;
constexpr std::size_t kJoinsPerTick = 16;
constexpr int kConnectTicks = 2'000;
constexpr int kSettlingTicks = 60;

/// Turns of the clients, on a thread of its own, until it is destroyed.
class PacedClients {
 public:
  explicit PacedClients(EnetClients& clients)
      : clients_(clients), thread_(*os::start_thread("clients", [this] { run(); })) {}

  PacedClients(const PacedClients&) = delete;
  PacedClients& operator=(const PacedClients&) = delete;

  ~PacedClients() {
    is_over_ = true;
    thread_.join();
  }

 private:
  void run() {
    Instant next = os::SteadyClock{}.now();
    for (std::size_t slice = 0; !is_over_; slice = (slice + 1) % kSlices) {
      clients_.poll(slice, kSlices);
      next += tick_duration(kTickRate) / kSlices;
      os::sleep_until(next);
    }
  }

  EnetClients& clients_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

class EnetRun {
 public:
  explicit EnetRun(const EnetLoad& load)
      : load_(load), server_(load), clients_(load, server_.address()) {}

  EnetCost run(EnetReceives receives, int ticks) {
    EnetCost cost;
    {
      Turns turns{[this] { clients_turn(); }};
      const auto take_turns = [&] {
        turns.pass();
        server_.receive();
      };
      connect(take_turns);
      if (receives == EnetReceives::Once) {
        measure(ticks, cost, [&] { turns.pass(); }, [&] { server_.receive(); });
        return cost;
      }
    }
    const PacedClients paced{clients_};
    Instant next = os::SteadyClock{}.now();
    measure(ticks, cost, [&] { next += tick_duration(kTickRate); }, [&] { receive_until(next); });
    return cost;
  }

 private:
  template <class TakeTurns>
  void connect(TakeTurns take_turns) {
    for (int i = 0; server_.connected() < load_.clients; ++i) {
      if (i == kConnectTicks) throw std::runtime_error{"not all clients of ENet connect"};
      joins_ = std::min(kJoinsPerTick, load_.clients - clients_.size());
      take_turns();
    }
  }

  void clients_turn() {
    for (; joins_ > 0; --joins_) {
      clients_.add();
    }
    clients_.poll(0, 1);
  }

  /// Waits in enet_host_service() by whole milliseconds, and sleeps for the rest.
  void receive_until(Instant end) {
    const os::SteadyClock clock;
    for (;;) {
      const auto left = std::chrono::floor<std::chrono::milliseconds>(end - clock.now()).count();
      if (left <= 0) break;
      server_.receive(static_cast<std::uint32_t>(left));
    }
    os::sleep_until(end);
    server_.receive();
  }

  /// Measures `receive()` and the sending of each tick, not `before()`.
  template <class Before, class Receive>
  void measure(int ticks, EnetCost& cost, Before before, Receive receive) {
    for (int tick = 0; tick < kSettlingTicks; ++tick) {
      before();
      receive();
      server_.send(tick);
    }
    const EnetServer& server = server_;
    const ENetHost host = server.host();
    const std::uint64_t inputs = server.inputs();
    const std::uint64_t snapshots = server.snapshots();
    StepClock clock;
    for (int tick = 0; tick < ticks; ++tick) {
      before();
      clock.start();
      receive();
      const double received = clock.elapsed_us();
      clock.start();
      server_.send(tick);
      const double sent = clock.elapsed_us();
      cost.receive += received;
      cost.send += sent;
      cost.ticks.push_back((received + sent) / 1e3);
    }
    const auto client_ticks = static_cast<double>(load_.clients) * ticks;
    cost.receive /= client_ticks;
    cost.send /= client_ticks;
    cost.sent = static_cast<double>(server.snapshots() - snapshots) / client_ticks;
    cost.received = static_cast<double>(server.inputs() - inputs) / client_ticks;
    cost.bytes = static_cast<double>(server.host().totalSentData - host.totalSentData) /
                 (server.host().totalSentPackets - host.totalSentPackets);
    cost.input_bytes =
        static_cast<double>(server.host().totalReceivedData - host.totalReceivedData) /
        (server.host().totalReceivedPackets - host.totalReceivedPackets);
    cost.dropped = load_.clients - server.connected();
  }

  EnetLoad load_;
  EnetServer server_;
  EnetClients clients_;
  std::size_t joins_ = 0;  ///< clients to add in the next turn
};

}  // namespace

EnetCost measure_enet(const EnetLoad& load, EnetReceives receives, int ticks) {
  // A socket each, and some for the program.
  if (auto allowed = os::allow_open_files(load.clients + 64); !allowed) {
    throw std::runtime_error{allowed.error()};
  }
  if (enet_initialize() != 0) throw std::runtime_error{"ENet does not start"};
  return EnetRun{load}.run(receives, ticks);
}

}  // namespace tickbox::bench
