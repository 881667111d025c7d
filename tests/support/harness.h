#pragma once
// The production server and production clients in one thread, on a virtual clock and a simulated
// network. Time advances by the millisecond: first each client that is due is polled, then the
// server.

#include "client/client.h"
#include "desync/desync.h"
#include "engine/identity.h"
#include "record/room_log.h"
#include "server/match/match.h"
#include "server/recording/recorder.h"
#include "server/shard/limits.h"
#include "server/shard/shard.h"
#include "server/shard/tick_time.h"
#include "tests/support/memory_sink.h"
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
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::tests {

/// Keeps every line, and counts the errors.
class MemoryLog final : public server::Log {
 public:
  void event(Severity severity, const LogEvent& event) override {
    errors_ += severity == Severity::Error ? 1 : 0;
    lines_.push_back(as_text(event));
  }

  [[nodiscard]] int errors() const { return errors_; }

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  int errors_ = 0;
  std::vector<std::string> lines_;
};

/// Keeps all desyncs.
class MemoryDesyncs final : public desync::DesyncSink {
 public:
  void record(const desync::Desync& desync) override { all_.push_back(desync); }

  [[nodiscard]] const std::vector<desync::Desync>& all() const { return all_; }

 private:
  std::vector<desync::Desync> all_;
};

struct HarnessOptions {
  std::uint64_t seed = 1;
  std::uint32_t tick_rate = 60;
  std::uint32_t max_clients = 16;
  std::uint32_t snapshot_rate = 0;      ///< 0: one per tick
  std::uint32_t snapshot_rate_far = 0;  ///< to far clients; 0: the same
  std::uint32_t tick_end = server::kTickEnd;
  std::uint32_t seats_per_client = 1;
  std::uint64_t plan_work = server::kPlanWorkPerSecond;
  server::Rate snapshot_bytes = server::kSnapshotBytes;
  net::LinkConditions link;
  net::Cipher server_cipher = net::Cipher::ChaCha20Poly1305;  ///< the best
  net::Cipher client_cipher = net::Cipher::ChaCha20Poly1305;  ///< the best of every client
  std::string bot = "mix";  ///< a style, as bots::parse_style() reads it
  /// Who plays instead of the bot, for each client by its number. May be empty.
  std::function<client::MakePlayer(std::size_t client)> player = nullptr;
  client::Sees sees = client::Sees::NewestView;        ///< of every client
  client::ClientMode mode = client::ClientMode::Full;  ///< of every client, when it is started
  std::int64_t client_searches_max = client::kSearchesMax;
  /// The keys of the server; clients seal their tokens with them.
  net::KeyRing keys = net::KeyRing::published();
  /// The game of the room and of its clients; nullptr: the arena.
  const GameTable* game = nullptr;
  std::string_view map{};  ///< of the room's game; empty: its first
  /// The table of each client by its number, if a client has another than the room; nullptr: that
  /// of the room.
  std::function<const GameTable*(std::size_t client)> client_game = nullptr;
  /// Returns the time that the last tick of the server takes, with its snapshots if it has sent
  /// some; the server does nothing else for this time. Empty: ticks take no time.
  std::function<server::TickTime(const server::Shard& shard)> tick_time = nullptr;
  /// A counter that is read before and after the shard is driven, for tests that measure its use of
  /// a resource.
  std::uint64_t (*meter)() = nullptr;
};

/// An event that a client has received.
struct HeardEvent {
  Tick tick;
  std::uint8_t kind = 0;  ///< as that of views::Event
  Player player;          ///< of kind 0
  std::vector<std::byte> bytes;

  friend bool operator==(const HeardEvent&, const HeardEvent&) = default;
};

class Harness {
 public:
  /// Starts the server, and a recording in memory.
  explicit Harness(const HarnessOptions& options);
  virtual ~Harness() = default;
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  struct Player {
    std::unique_ptr<client::Client> client;  ///< nullptr: its process is not running
    std::unique_ptr<SeededEntropy> entropy;
    net::Transport* transport = nullptr;
    const GameTable* game = nullptr;         ///< of its own assets
    std::unique_ptr<client::Shared> shared;  ///< its own; nullptr: that of the harness
    MemoryDesyncs desyncs;
    /// Every input that it decided; for some ticks several, after a pause of its server.
    std::multimap<Tick, std::vector<std::byte>> inputs;
    std::vector<HeardEvent> events;  ///< in the order in which it received them
    std::vector<Duration> drains;    ///< the time left, at each DRAIN that it received
    std::int32_t drift_ppm = 0;      ///< how much faster its clock runs
    Duration ahead{};                ///< of its clock, by its drift and jumps
    Duration turn{kStep};            ///< time between polls; 0: it is woken when it asks for it
    Instant next_turn;
    Instant paused_until;
    Instant began;  ///< start of its process
  };

  /// Adds a client with a token of its own; returns its number.
  std::size_t add_client();
  std::size_t add_client(const net::LinkConditions& link);
  std::size_t add_client(const net::LinkConditions& link, const net::ConnectToken& token);

  /// A token that is valid for a minute at this server.
  [[nodiscard]] net::ConnectToken make_token(std::uint64_t client);
  [[nodiscard]] net::ConnectToken make_token(const net::TokenClaims& claims);

  /// Kills the client and starts it again with nothing but its newest ticket.
  void restart_with_ticket(std::size_t client);

  /// Kills the client and starts it again with these options.
  void restart_client(std::size_t client, const client::ConnectionOptions& connection);

  /// Kills the server and starts it again with nothing but its keys. The recording ends.
  void restart_server();

  /// Lets a client disconnect.
  void leave(std::size_t client) { players_[client].client->leave(); }

  /// Stops the client's process until then. Its clock runs on.
  void pause(std::size_t client, Instant until) { players_[client].paused_until = until; }

  void silence(std::size_t client) { pause(client, Instant::max()); }

  void wake(std::size_t client) { pause(client, now()); }

  /// Moves a client's clock, as after the suspension of its machine.
  void jump_clock(std::size_t client, Duration by) { players_[client].ahead += by; }

  /// Lets a client's clock, or the server's, run faster by this from now on.
  void drift(std::size_t client, std::int32_t ppm) { players_[client].drift_ppm = ppm; }

  void drift_server(std::int32_t ppm) { server_drift_ppm_ = ppm; }

  /// Moves the server's clock ahead, and no other.
  void leap_server(Duration ahead) { server_ahead_ += ahead; }

  /// Lets the server receive only when a tick is due, from now on.
  void drain_at_ticks() { drains_at_ticks_ = true; }

  /// Stops the server's process until then.
  void stall(Instant until) { stalled_until_ = until; }

  /// The ticks that the server has skipped.
  [[nodiscard]] std::uint64_t slipped() const { return pacer_->slipped(); }

  /// Polls a client at this interval from now on, regardless of the wake-up that it asks for.
  /// Requires: whole milliseconds.
  void poll_every(std::size_t client, Duration turn) { players_[client].turn = turn; }

  /// The bodies that a client presents now.
  [[nodiscard]] std::span<const client::PresentedBody> shown(std::size_t client) {
    return players_[client].client->shown(time_of(players_[client]));
  }

  /// Advances virtual time, a millisecond at a time.
  void run_for(Duration duration);
  /// Stops the server, lets the DISCONNECTs arrive, closes the recording.
  void stop();

  [[nodiscard]] const std::deque<Player>& players() const { return players_; }

  [[nodiscard]] const client::Client& client(std::size_t index) const {
    return *players_[index].client;
  }

  [[nodiscard]] server::Shard& shard() { return *shard_; }

  [[nodiscard]] const server::Match& match() const { return *match_; }

  [[nodiscard]] const engine::World& world() const { return match_->world(); }

  /// The first avatar of a client in the room. Requires: it has one.
  [[nodiscard]] BodyId body_of(std::size_t client) const;

  [[nodiscard]] const VirtualClock& clock() const { return clock_; }

  [[nodiscard]] Instant now() const { return clock_.now(); }

  /// The time on the server's clock.
  [[nodiscard]] Instant server_now() const { return clock_.now() + server_ahead_; }

  [[nodiscard]] VirtualCalendar& calendar() { return calendar_; }

  [[nodiscard]] SimulatedNetwork& network() { return network_; }

  [[nodiscard]] const SimulatedNetwork& network() const { return network_; }

  [[nodiscard]] const MemoryLog& log() const { return log_; }

  /// The desyncs that the server noted, and those that a client noted.
  [[nodiscard]] const std::vector<desync::Desync>& desyncs() const { return desyncs_.all(); }

  [[nodiscard]] const std::vector<desync::Desync>& desyncs(std::size_t client) const {
    return players_[client].desyncs.all();
  }

  [[nodiscard]] ConstBytes recording() const { return sink_.bytes; }

  [[nodiscard]] const engine::SharedMap& map() const { return map_; }

  [[nodiscard]] const GameTable& game() const { return *game_; }

  [[nodiscard]] const net::KeyRing& keys() const { return options_.keys; }

  /// Tells `watcher` each draw of the server.
  void watch_draws(std::function<void(ConstBytes)> watcher) { entropy_.watch(std::move(watcher)); }

  /// The growth of HarnessOptions::meter while the shard was driven.
  [[nodiscard]] std::uint64_t metered() const { return metered_; }

  /// The part of it in Shard::send().
  [[nodiscard]] std::uint64_t metered_sending() const { return metered_sending_; }

 protected:
  static constexpr Duration kStep = std::chrono::milliseconds{1};

  struct NotStarted {};

  /// For a test that starts its server itself: the match, then its recorder, then the shard.
  Harness(const HarnessOptions& options, NotStarted /*tag*/);

  /// Replaces the match. The earlier shard ends.
  void start_match(std::uint64_t seed);
  void start_shard(const server::ShardParts& parts);
  /// The header of the room's recording, without the salt.
  [[nodiscard]] record::Header header() const;
  /// Adds a player whose client is not started.
  Player& add_player(const net::LinkConditions& link);
  /// Starts a client as a bot.
  void start_client(std::size_t client, client::ClientOptions options);
  [[nodiscard]] net::ConnectToken make_token(const net::TokenClaims& claims,
                                             const WallClock& calendar, const net::KeyRing& keys);

  /// Advances all clocks by a step.
  void advance_clocks();
  /// Polls a client; returns false if it is not due. Requires: its process is running.
  bool drive_client(std::size_t client);
  void drive_server();
  [[nodiscard]] std::uint64_t meter() const;
  void pass_tick_time();

  /// Runs one tick of the server.
  virtual void tick();

  /// The time on a client's own clock.
  [[nodiscard]] Instant time_of(const Player& player) const;

  HarnessOptions options_;
  VirtualClock clock_;
  Instant start_{clock_.now()};
  VirtualCalendar calendar_{clock_};
  SimulatedNetwork network_{clock_};
  SeededEntropy entropy_;
  SeededEntropy token_entropy_{~std::uint64_t{0}};
  MemorySink sink_;
  MemoryLog log_;
  MemoryDesyncs desyncs_;
  const GameTable* game_;
  client::Shared shared_;
  engine::SharedMap map_;
  engine::Identity identity_;
  std::unique_ptr<server::Match> match_;
  std::optional<record::LogFile> recording_;
  std::optional<server::Recorder> recorder_;
  std::unique_ptr<server::Shard> shard_;
  std::optional<server::TickPacer> pacer_;
  std::deque<Player> players_;
  Duration server_ahead_{};
  std::int32_t server_drift_ppm_ = 0;
  Instant stalled_until_;
  bool drains_at_ticks_ = false;

 private:
  [[nodiscard]] server::ShardParts parts();

  std::uint64_t metered_ = 0;
  std::uint64_t metered_sending_ = 0;
};

}  // namespace tickbox::tests
