#pragma once
// The production server and production clients in one thread, on a virtual clock and a simulated
// network.

#include "client/client.h"
#include "core/bytes.h"
#include "games/arena/bot.h"
#include "games/catalog.h"
#include "protocol/desync.h"
#include "server/recording/recorder.h"
#include "server/shard/shard.h"
#include "server/shard/tick_pacer.h"
#include "tests/support/simulated_network.h"
#include "tests/support/virtual_time.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tickbox::tests {

/// A recording in memory.
class MemorySink final : public ByteSink {
 public:
  MemorySink() { bytes_.reserve(kBytesReserved); }

  bool write(ConstBytes bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return true;
  }

  [[nodiscard]] ConstBytes bytes() const { return bytes_; }

 private:
  /// More than a test's match fills: growing would count as the server's own asking for memory.
  static constexpr std::size_t kBytesReserved = std::size_t{4} * 1024 * 1024;

  std::vector<std::byte> bytes_;
};

/// Keeps every line, and counts those that ask for somebody to act.
class MemoryLog final : public server::Log {
 public:
  void event(server::Severity severity, std::string_view line) override {
    errors_ += severity == server::Severity::Error ? 1 : 0;
    lines_.emplace_back(line);
  }

  [[nodiscard]] int errors() const { return errors_; }

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  int errors_ = 0;
  std::vector<std::string> lines_;
};

/// Keeps all that was traced.
class MemoryDesyncs final : public protocol::DesyncSink {
 public:
  void note(const protocol::Desync& desync) override { all_.push_back(desync); }

  [[nodiscard]] const std::vector<protocol::Desync>& all() const { return all_; }

 private:
  std::vector<protocol::Desync> all_;
};

struct HarnessOptions {
  std::uint64_t seed = 1;
  std::uint32_t tick_rate = 60;
  std::uint32_t max_clients = 16;
  std::uint32_t snapshot_rate = 0;  ///< 0: one each tick
  server::Sight sight = {};
  net::LinkConditions link;
  game::BotKind bot = game::BotKind::Mix;
  /// Of the server; clients seal their tokens with the same.
  net::KeyRing keys = net::KeyRing::published();
  /// Rules other than the arena, of the room and of each client by its number. They have to call
  /// themselves "arena".
  std::function<std::shared_ptr<const game::Rules>()> room_rules = nullptr;
  std::function<std::shared_ptr<const game::Rules>(std::size_t client)> client_rules = nullptr;
  /// Where all stand, if not on the built-in map. It has max_clients seats.
  game::SharedMap map = nullptr;
  /// Asked before and after the shard is driven, where a test wants to know what that took of
  /// something.
  std::uint64_t (*meter)() = nullptr;
};

class Harness {
 public:
  explicit Harness(const HarnessOptions& options);

  /// Brings in one more client, by a token of its own; returns its number.
  std::size_t add_client();
  std::size_t add_client(const net::LinkConditions& link);
  std::size_t add_client(const net::LinkConditions& link, const net::ConnectToken& token,
                         net::Wish wish = net::Wish::Play);

  /// One that audits, by a token that allows it.
  std::size_t add_auditor(const net::LinkConditions& link);

  /// A token good for a minute at this server.
  [[nodiscard]] net::ConnectToken make_token(std::uint64_t client, std::uint8_t rights = 0);

  /// The client is killed, and started again with nothing but its newest ticket.
  void restart_with_ticket(std::size_t client);

  /// The same with what the test says.
  void restart_client(std::size_t client, const client::ConnectionOptions& connection);

  /// The server is killed, and started again with nothing but its keys. The recording ends.
  void restart_server();

  /// Lets a client say goodbye, or fall silent.
  void leave(std::size_t client) { players_[client].client->leave(); }

  void silence(std::size_t client) { players_[client].silent = true; }

  /// A silent one goes on, as after a pause of its process.
  void wake(std::size_t client) { players_[client].silent = false; }

  /// A client's clock has stood for so long, as while its machine was suspended.
  void set_back(std::size_t client, Duration by) { players_[client].behind += by; }

  /// The server's clock leaps, and nobody else's.
  void leap_server(Duration ahead) { server_ahead_ += ahead; }

  /// From now on a client is polled by a loop of its own, which turns so often and knows nothing of
  /// when it asks to be.  Requires: whole milliseconds.
  void poll_every(std::size_t client, Duration turn) { players_[client].turn = turn; }

  /// What a client shows now.
  [[nodiscard]] std::span<const client::Shown> shown(std::size_t client) {
    return players_[client].client->shown(clock_.now());
  }

  /// Lets virtual time pass, a millisecond at a time.
  void run_for(Duration duration);
  /// Stops the server, lets the goodbyes arrive, closes the recording.
  void stop();

  struct Player {
    std::unique_ptr<client::Client> client;
    std::unique_ptr<SeededEntropy> entropy;
    net::Transport* transport = nullptr;
    std::unique_ptr<client::Grounds> grounds;  ///< of its own, or nothing
    MemoryDesyncs desyncs;
    std::map<Tick, game::Input> inputs;      ///< everything it decided
    std::vector<client::MatchEvent> events;  ///< in the order in which it was told
    net::Wish wish = net::Wish::Play;
    bool silent = false;
    Duration behind{};  ///< of its clock
    Duration turn{};    ///< between polls
    Instant next_turn;
  };

  [[nodiscard]] const std::deque<Player>& players() const { return players_; }

  [[nodiscard]] const client::Client& client(std::size_t index) const {
    return *players_[index].client;
  }

  [[nodiscard]] server::Shard& shard() { return *shard_; }

  [[nodiscard]] const server::Room& room() const { return *room_; }

  [[nodiscard]] const VirtualClock& clock() const { return clock_; }

  [[nodiscard]] VirtualCalendar& calendar() { return calendar_; }

  [[nodiscard]] SimulatedNetwork& network() { return network_; }

  [[nodiscard]] const MemoryLog& log() const { return log_; }

  /// As the server traced them, and as a client did.
  [[nodiscard]] const std::vector<protocol::Desync>& desyncs() const { return desyncs_.all(); }

  [[nodiscard]] const std::vector<protocol::Desync>& desyncs(std::size_t client) const {
    return players_[client].desyncs.all();
  }

  [[nodiscard]] ConstBytes recording() const { return sink_.bytes(); }

  [[nodiscard]] const game::SharedMap& map() const { return map_; }

  [[nodiscard]] const game::Rules& rules() const { return *rules_; }

  /// By how much HarnessOptions::meter has grown while the shard was driven.
  [[nodiscard]] std::uint64_t metered() const { return metered_; }

 private:
  void start_server();
  void start_shard();
  void drive_shard();

  [[nodiscard]] Instant server_now() const { return clock_.now() + server_ahead_; }

  HarnessOptions options_;
  VirtualClock clock_;
  VirtualCalendar calendar_{clock_};
  SimulatedNetwork network_;
  SeededEntropy entropy_;
  SeededEntropy token_entropy_{~std::uint64_t{0}};
  MemorySink sink_;
  MemoryLog log_;
  MemoryDesyncs desyncs_;
  client::Grounds grounds_;
  std::shared_ptr<const game::Rules> rules_;
  game::SharedMap map_;
  std::unique_ptr<server::Room> room_;
  std::optional<server::Recorder> recorder_;
  std::unique_ptr<server::Shard> shard_;
  std::optional<server::TickPacer> pacer_;
  std::deque<Player> players_;
  Duration server_ahead_{};
  std::uint64_t metered_ = 0;
};

}  // namespace tickbox::tests
