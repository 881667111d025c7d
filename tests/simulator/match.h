#pragma once
// The harness as a plan wants it: clocks that differ, a disk, bugs that are planted. What can be
// done to a match are its moves; checkers have to find out what is wrong with it.

#include "core/rng.h"
#include "tests/simulator/plan.h"
#include "tests/simulator/promises.h"
#include "tests/simulator/simulated_disk.h"
#include "tests/support/harness.h"

#include <array>
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
  bool is_deserted = false;                          ///< nobody was in the room at the end
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

/// The functions that a match calls when something happens in it.
struct MatchWatcher {
  std::function<void(const Recorded&)> on_recorded;  ///< a recording has ended
  std::function<void(std::uint64_t hash)> on_tick;
  std::function<void(std::size_t player)> on_turn;
  std::function<void(const tests::Harness::Player&)> on_process_end;  ///< it is about to
  /// Asked whether nothing was done to a client for long.
  std::function<bool(std::size_t player)> is_calm;
};

class Match final : public tests::Harness {
 public:
  /// Borrows the plan.
  Match(const Plan& plan, MatchWatcher watcher);

  /// One millisecond.
  void advance();

  // Moves against a client, beside those of the harness.
  void move(std::size_t player);

  /// Its process ends without a word, and starts again later, by its ticket if it has one.
  void kill(std::size_t player, Instant starts_at) { steal(player, player, starts_at); }

  /// The same by a copy of the ticket of `victim`, who plays on until then.
  void steal(std::size_t index, std::size_t victim, Instant starts_at);
  /// It says goodbye, and another comes in its place.
  void leave(std::size_t index, Instant starts_at);
  /// Its process ends, and another comes in its place.
  void replace(std::size_t index, Instant starts_at);

  // Moves against the server.
  /// Tokens are sealed by a fresh key from now on, or the keys before it are no more.
  void add_key();
  void retire_keys();

  void crash();
  void drain();

  /// The server's recording ends as it should.
  void finish_recording();

  /// What a client shows of its newest view.  Requires: its process is running.
  [[nodiscard]] std::span<const game::EntityState> view_of(std::size_t player) const;

  [[nodiscard]] SimulatedDisk& disk() { return disk_; }

  /// Since it was last asked.
  [[nodiscard]] std::vector<std::string> take_alarms() { return alarms_.take(); }

  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }

  /// Of the server: how often it has started.
  [[nodiscard]] std::uint64_t lives() const { return counts_.lives; }

  /// Up to now.
  [[nodiscard]] ServerCounts server_counts() const;

 private:
  /// What of a client outlives its process, or goes with it.
  struct Process {
    Instant starts_at;                        ///< where it is not running
    std::optional<net::ResumeTicket> ticket;  ///< of one that was killed
    Promises promises;
  };

  void tick() override;
  void start_server();
  void restart_server();
  void end_recording(const SimulatedDisk::Ended& ended);
  void plant_at_first_client();
  [[nodiscard]] bool stands_still(std::size_t player) const;
  void start_process(std::size_t index);
  void drive_player(std::size_t index);
  void note_promises(std::size_t index);
  void note_input(std::size_t index, Tick tick, const game::Input& input);
  [[nodiscard]] std::optional<net::ResumeTicket> ticket_of(std::size_t index) const;
  [[nodiscard]] net::ConnectToken token_for(std::size_t player);

  const Plan& plan_;
  MatchWatcher watcher_;
  Rng rng_;
  tests::VirtualCalendar issuer_calendar_{clock_};
  OneNonce one_nonce_{entropy_};  ///< planted, as the next
  Deaf deaf_server_{network_.server()};
  std::unique_ptr<net::Transport> planted_transport_;
  mutable std::vector<game::EntityState> planted_view_;
  AlarmLog alarms_;
  SimulatedDisk disk_;
  std::vector<Process> processes_;
  ServerCounts counts_;       ///< of servers before the present one, but for lives
  std::uint64_t tokens_ = 0;  ///< issued
  std::uint32_t moves_ = 0;
  std::uint64_t ticks_ = 0;
  std::uint64_t looked_at_ = 0;        ///< bodies in pictures
  std::vector<std::uint64_t> hashes_;  ///< of ticks since the recording began
  std::vector<std::vector<Decided>> decided_;
};

}  // namespace tickbox::simulator
