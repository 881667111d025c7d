#pragma once
// Checks the clients: every view has the hash that the server sent. A client that is connected over
// a working link does not wait long for a view. A client is refused only for a reason that the
// simulator caused, and it or a replacement comes back.

#include "tests/simulator/checks/findings.h"
#include "tests/simulator/match.h"

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace tickbox::simulator {

struct ViewCounts {
  std::uint64_t views = 0;      ///< views whose hashes were checked
  std::uint64_t predicted = 0;  ///< predicted ticks without influence from others
  std::uint64_t exact = 0;      ///< of those, predicted to the bit
  // The longest waits for a view, of clients that were connected or were to be.
  Duration longest_calm{};      ///< long after the last fault
  Duration longest_recovery{};  ///< since the end of the last fault
  std::uint64_t looks = 0;      ///< looks at running clients for which a server has room
  std::uint64_t fresh = 0;      ///< of those, looks that found a fresh view
};

/// The share of looks that found a fresh view; 0 without looks.
[[nodiscard]] double fresh_share(const ViewCounts& counts);

class ClientCheck {
 public:
  ClientCheck(Findings& findings, Match& match);

  /// Notes a disturbance of a client that lasts until `until`.
  void disturb(std::size_t player, Instant until) {
    seen_[player].until = std::max(seen_[player].until, until);
  }

  /// Whether a client has been undisturbed for as long as it may need to recover.
  [[nodiscard]] bool is_calm(std::size_t player) const;

  /// Notes that the match ends with the room's tick. A client that no DISCONNECT reaches learns of
  /// it by the silence.
  void match_ended() { last_end_ = {.tick = match_.world().tick, .at = match_.now()}; }

  /// Checks whether clients wait too long for a view. Call it at intervals.
  void look();

  /// Checks at the end of a run whether the clients have mostly played.
  void look_back(Duration played);

  /// Adds the counts of a client's process. Called when the process is about to end, and at the end
  /// of the run for each that still runs.
  void add_up(const Match::Player& player);

  [[nodiscard]] const ViewCounts& counts() const { return counts_; }

 private:
  struct Seen {
    Instant until;  ///< the end of its last disturbance
    Tick view;
    Instant fresh_at;  ///< when a new view was last seen, in any process
    const client::Client* process = nullptr;
  };

  void look_at(std::size_t index);
  void look_at_one_sent_away(std::size_t index);
  [[nodiscard]] bool may_be_full() const;
  void complain(std::size_t index, Duration most);

  struct End {
    Tick tick;
    Instant at;
  };

  Findings& findings_;
  Match& match_;
  End last_end_;  ///< of a match
  std::vector<Seen> seen_;
  /// When clients came that may still have a seat after they have gone.
  std::deque<Instant> arrivals_;
  ViewCounts counts_;
};

}  // namespace tickbox::simulator
