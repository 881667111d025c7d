#pragma once
// The harness as a plan wants it: different clocks, a disk, planted bugs, and the moves that
// disturb a match. Checkers look for errors.

#include "core/rng.h"
#include "tests/simulator/commands.h"
#include "tests/simulator/expectations.h"
#include "tests/simulator/plan.h"
#include "tests/simulator/planted_games.h"
#include "tests/simulator/simulated_disk.h"
#include "tests/support/harness.h"
#include "views/rows.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::simulator {

/// An input that a client decided.
struct Decided {
  std::size_t client = 0;
  Tick tick;
  std::vector<std::byte> input;
  bool is_owed = false;  ///< the server has acknowledged it in time
  bool is_calm = false;  ///< the client was long undisturbed when it decided this
};

/// A recording that has ended, and what really happened.
struct Recorded {
  const SimulatedFile::Remains& file;
  Tick from;                                 ///< tick of the room when it began
  std::uint32_t part = 0;                    ///< number of the part since the server started
  bool is_deserted = false;                  ///< the room was empty at the end
  const std::vector<std::uint64_t>& hashes;  ///< of the room's ticks since `from`
  const std::vector<std::vector<Decided>>& decided;  ///< by seat; older inputs are dropped
};

/// The counts of all servers of a match.
struct ServerCounts {
  std::uint64_t lives = 0;  ///< number of starts
  std::uint64_t slipped = 0;
  std::uint64_t dropped = 0;  ///< datagrams
  std::array<std::uint64_t, server::kConnectionResults> connections{};
  std::array<std::uint64_t, net::kRefuseReasons> refusals{};
  std::array<std::uint64_t, net::kDisconnectReasons> disconnects{};
  std::array<std::uint64_t, server::kInputResults> inputs{};
};

/// Keeps the errors of the log.
class AlarmLog final : public server::Log {
 public:
  void event(Severity severity, const LogEvent& event) override {
    if (severity == Severity::Error) alarms_.push_back(as_text(event));
  }

  [[nodiscard]] std::vector<std::string> take() { return std::exchange(alarms_, {}); }

 private:
  std::vector<std::string> alarms_;
};

using tests::SeededEntropy;
using tests::SimulatedNetwork;

/// The functions that a match calls on its events.
struct MatchWatcher {
  std::function<void(const Recorded&)> on_recorded;  ///< a recording has ended
  std::function<void(std::uint64_t hash)> on_tick;
  std::function<void(std::size_t player)> on_turn;
  std::function<void(const tests::Harness::Player&)> on_process_end;  ///< a process is about to end
  /// Returns whether a client has been undisturbed for long.
  std::function<bool(std::size_t player)> is_calm;
};

class Match final : private PlantedGames, public tests::Harness {
 public:
  /// Borrows the plan.
  Match(const Plan& plan, MatchWatcher watcher);

  /// Advances by one millisecond.
  void advance();

  // Disturbances of a client, beside those of the harness.
  void move(std::size_t player);

  /// Kills a client's process; another starts in its place, with its ticket if it has one.
  void kill(std::size_t player, Instant starts_at) { steal(player, player, starts_at); }

  /// Kills a client's process; it starts again with a copy of the ticket of `victim`, which plays
  /// on until then.
  void steal(std::size_t index, std::size_t victim, Instant starts_at);
  /// Disconnects a client; another starts in its place.
  void leave(std::size_t index, Instant starts_at);
  /// Ends a client's process; another starts in its place.
  void replace(std::size_t index, Instant starts_at);

  // Disturbances of the server.
  /// Seals tokens with a fresh key from now on. If the ring is full, discards the older keys too,
  /// as retire_keys() does.
  void add_key();
  void retire_keys();

  void crash();
  void drain();

  /// Ends the server's recording in order.
  void finish_recording();

  using Harness::Player;
  using PlantedGames::sound_game;

  /// The newest view that a client holds, or nullptr. Requires: its process is running.
  [[nodiscard]] const views::Rows* view_of(std::size_t player) const;

  /// The log of the present server's room.
  [[nodiscard]] std::shared_ptr<const server::LogTail> log() const { return recorder_->tail(); }

  /// Whether the match ends with the newest tick.
  [[nodiscard]] bool closes_match() const { return match_->record().closes_match(); }

  [[nodiscard]] std::uint32_t tick_rate() const { return plan_.tick_rate; }

  [[nodiscard]] SimulatedDisk& disk() { return disk_; }

  /// The errors since the last call.
  [[nodiscard]] std::vector<std::string> take_alarms() { return alarms_.take(); }

  [[nodiscard]] Commands& commands() { return commands_; }

  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }

  /// How often the server has started.
  [[nodiscard]] std::uint64_t lives() const { return counts_.lives; }

  /// The counts up to now.
  [[nodiscard]] ServerCounts server_counts() const;

 private:
  /// The state of a client that outlives its process or ends with it.
  struct Process {
    Instant starts_at;                        ///< if it is not running
    std::optional<net::ResumeTicket> ticket;  ///< of a process that was killed
    Expectations expectations;
  };

  void tick() override;
  void start_server();
  void restart_server();
  void end_recording(const SimulatedDisk::Ended& ended);
  void plant_at_first_client();
  [[nodiscard]] bool stands_still(std::size_t player) const;
  void start_process(std::size_t index);
  void drive_player(std::size_t index);
  void note_expectations(std::size_t index);
  void note_input(std::size_t index, Tick tick, ConstBytes input);
  [[nodiscard]] std::optional<net::ResumeTicket> ticket_of(std::size_t index) const;
  [[nodiscard]] net::ConnectToken token_for(std::size_t player);

  const Plan& plan_;
  MatchWatcher watcher_;
  Rng rng_;
  tests::VirtualCalendar issuer_calendar_{clock_};
  OneNonce one_nonce_{entropy_};  ///< a planted bug, like the next
  Deaf deaf_server_{network_.server()};
  std::unique_ptr<net::Transport> planted_transport_;
  mutable views::Rows planted_view_;
  AlarmLog alarms_;
  SimulatedDisk disk_;
  Commands commands_;
  std::vector<Process> processes_;
  ServerCounts counts_;       ///< of the servers before the present one, except `lives`
  std::uint64_t tokens_ = 0;  ///< issued tokens
  std::uint32_t moves_ = 0;
  std::uint64_t ticks_ = 0;
  std::uint64_t looked_at_ = 0;        ///< presented bodies
  std::vector<std::uint64_t> hashes_;  ///< of the ticks since the recording began
  std::vector<std::vector<Decided>> decided_;
};

}  // namespace tickbox::simulator
