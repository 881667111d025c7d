#pragma once
// The production server, production clients and what they need of the world, all of it simulated:
// clocks that differ, a network, a disk. What can be done to them are its moves; what is wrong with
// them others have to find out.
//
// Time goes on by a millisecond, and only who has something to do is woken: a client when a
// datagram has come or its own clock says so, the server as well.

#include "client/client.h"
#include "core/rng.h"
#include "games/catalog.h"
#include "protocol/desync.h"
#include "server/recording/recorder.h"
#include "server/shard/shard.h"
#include "server/shard/tick_pacer.h"
#include "tests/simulator/findings.h"
#include "tests/simulator/plan.h"
#include "tests/simulator/promises.h"
#include "tests/simulator/simulated_disk.h"
#include "tests/support/simulated_network.h"
#include "tests/support/virtual_time.h"

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tickbox::simulator {

/// An input that a client decided.
struct Decided {
  Tick tick;
  game::Input input;
  bool is_owed = false;  ///< the server has acknowledged it in time
  bool is_calm = false;  ///< for long nothing was done to this client when it decided this
};

/// A recording that has come to its end, and what really happened.
struct Recorded {
  const SimulatedFile::Remains& file;
  Tick from;                                         ///< of the room when it began
  std::uint32_t part = 0;                            ///< of those since the server started
  const std::vector<std::uint64_t>& hashes;          ///< of the room's ticks since
  const std::vector<std::vector<Decided>>& decided;  ///< by seat, since the server started
};

/// What all servers of a match have counted.
struct ServerCounts {
  std::uint64_t lives = 0;  ///< how often it has started
  std::uint64_t slipped = 0;
  std::uint64_t dropped = 0;  ///< datagrams
  std::array<std::uint64_t, server::kConnectionResults> connections{};
  std::array<std::uint64_t, net::kRefuseReasons> refusals{};
  std::array<std::uint64_t, server::kDisconnectReasons> disconnects{};
  std::array<std::uint64_t, server::kInputResults> inputs{};
};

/// Keeps the lines that ask for somebody to act.
class AlarmLog final : public server::Log {
 public:
  void event(server::Severity severity, std::string_view line) override {
    if (severity == server::Severity::Error) alarms_.emplace_back(line);
  }

  [[nodiscard]] std::vector<std::string> take() { return std::exchange(alarms_, {}); }

 private:
  std::vector<std::string> alarms_;
};

using tests::SeededEntropy;
using tests::SimulatedNetwork;
using tests::VirtualCalendar;
using tests::VirtualClock;

class Match {
 public:
  explicit Match(const Plan& plan);

  struct Player {
    std::unique_ptr<SeededEntropy> entropy;
    net::Transport* transport = nullptr;
    std::unique_ptr<client::Client> client;  ///< nothing: its process is not running
    std::unique_ptr<client::Grounds> grounds;
    std::optional<net::ResumeTicket> ticket;  ///< of one that was killed
    std::int32_t drift_ppm = 0;
    Duration jumped{};     ///< of its clock, ahead or back
    Instant paused_until;  ///< its process stands
    Instant starts_at;     ///< where it is not running
    Instant began;         ///< its process
    Duration turn{};
    Instant next_turn;
    bool audits = false;
    bool watches = false;
    Promises promises;
  };

  /// One millisecond.
  void advance();

  // Moves against a client.
  void pause(std::size_t player, Instant until) { players_[player].paused_until = until; }

  void jump_clock(std::size_t player, Duration by) { players_[player].jumped += by; }

  void move(std::size_t player);
  /// Its process ends without a word, and starts again later, by its ticket if it has one.
  void kill(std::size_t player, Instant starts_at);
  /// The same by a copy of the ticket of `victim`, who plays on until then.
  void steal(std::size_t index, std::size_t victim, Instant starts_at);
  /// It says goodbye, and another comes in its place.
  void leave(std::size_t index, Instant starts_at);
  /// Its process ends, and another comes in its place.
  void replace(std::size_t index, Instant starts_at);

  // Moves against the server.
  void stall(Instant until) { stalled_until_ = until; }

  void leap_server(Duration ahead) { server_ahead_ += ahead; }

  void jump_calendar(std::chrono::milliseconds by) { server_calendar_.jump(by); }

  /// Tokens are sealed by a fresh key from now on, or the keys before it are no more.
  void add_key();
  void retire_keys();

  void crash();
  void drain();

  /// The server's recording ends as it should.
  void stop();

  [[nodiscard]] std::deque<Player>& players() { return players_; }

  [[nodiscard]] const std::deque<Player>& players() const { return players_; }

  /// What a client shows of its newest view.  Requires: its process is running.
  [[nodiscard]] std::span<const game::EntityState> view_of(std::size_t player) const;

  [[nodiscard]] server::Shard& shard() { return *shard_; }

  [[nodiscard]] const server::Room& room() const { return *room_; }

  [[nodiscard]] SimulatedNetwork& network() { return network_; }

  [[nodiscard]] const SimulatedNetwork& network() const { return network_; }

  [[nodiscard]] SimulatedDisk& disk() { return disk_; }

  [[nodiscard]] AlarmLog& log() { return log_; }

  [[nodiscard]] const Clock& clock() const { return clock_; }

  [[nodiscard]] Instant now() const { return clock_.now(); }

  [[nodiscard]] const game::SharedMap& map() const { return map_; }

  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }

  /// Of the server: how often it has started.
  [[nodiscard]] std::uint64_t lives() const { return counts_.lives; }

  /// Up to now.
  [[nodiscard]] ServerCounts server_counts() const;

  /// Told of each recording that has ended; of each tick's hash; of each client that has had its
  /// turn; of each client whose process is about to end.
  void on_recorded(std::function<void(const Recorded&)> listener) {
    on_recorded_ = std::move(listener);
  }

  void on_tick(std::function<void(std::uint64_t hash)> listener) { on_tick_ = std::move(listener); }

  void on_turn(std::function<void(std::size_t player)> listener) { on_turn_ = std::move(listener); }

  void on_process_end(std::function<void(Player&)> listener) {
    on_process_end_ = std::move(listener);
  }

  /// Asked whether nothing was done to a client for long.
  void on_calm_asked(std::function<bool(std::size_t player)> answer) {
    is_calm_ = std::move(answer);
  }

 private:
  static constexpr Duration kStep = std::chrono::milliseconds{1};

  void start_server();
  void start_recording();
  void end_recording(const SimulatedDisk::Ended& ended);
  void start_shard();
  [[nodiscard]] net::Transport& make_transport(std::size_t player, const PlannedClient& planned);
  [[nodiscard]] game::MakeRules wrong_rules(std::size_t player, const PlannedClient& planned) const;
  [[nodiscard]] bool stands_still(std::size_t player) const;
  void start_process(std::size_t index);
  void drive_player(std::size_t index);
  void note_promises(Player& player);
  void drive_server();
  void note_tick();
  [[nodiscard]] std::optional<net::ResumeTicket> ticket_of(std::size_t index) const;
  [[nodiscard]] net::ConnectToken make_token(std::size_t player);
  /// What a client's own clock says, and the server's.
  [[nodiscard]] Instant time_of(const Player& player) const;

  [[nodiscard]] Instant server_time() const { return clock_.now() + server_ahead_; }

  const Plan& plan_;
  Rng rng_;
  VirtualClock clock_;
  VirtualCalendar server_calendar_{clock_};
  VirtualCalendar issuer_calendar_{clock_};
  SimulatedNetwork network_{clock_};
  SeededEntropy server_entropy_;
  OneNonce one_nonce_{server_entropy_};  ///< planted, as the next
  Deaf deaf_server_{network_.server()};
  SeededEntropy token_entropy_;
  net::KeyRing keys_;
  AlarmLog log_;
  SimulatedDisk disk_;
  client::Grounds grounds_{game::all_games()};
  std::shared_ptr<const game::Rules> room_rules_;
  game::SharedMap map_;
  std::unique_ptr<server::Room> room_;
  std::optional<server::Recorder> recorder_;
  std::unique_ptr<server::Shard> shard_;
  std::optional<server::TickPacer> pacer_;
  std::deque<Player> players_;
  std::unique_ptr<net::Transport> planted_transport_;
  mutable std::vector<game::EntityState> planted_view_;
  Instant start_;
  Instant stalled_until_;
  Duration server_ahead_{};
  ServerCounts counts_;       ///< of servers before the present one, but for lives
  std::uint64_t tokens_ = 0;  ///< issued
  std::uint32_t moves_ = 0;
  std::uint64_t ticks_ = 0;
  std::uint64_t looked_at_ = 0;        ///< bodies in pictures
  std::vector<std::uint64_t> hashes_;  ///< of ticks since the recording began
  std::vector<std::vector<Decided>> decided_;
  std::function<void(const Recorded&)> on_recorded_;
  std::function<void(std::uint64_t)> on_tick_;
  std::function<void(std::size_t)> on_turn_;
  std::function<void(Player&)> on_process_end_;
  std::function<bool(std::size_t)> is_calm_;
};

}  // namespace tickbox::simulator
