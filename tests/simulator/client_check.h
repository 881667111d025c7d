#pragma once
// Looks at the clients: every view has the hash that the server said, every audited tick too;
// nobody who is connected by a link that works waits long for a view; nobody is sent away without a
// reason that the simulator gave, and whoever is comes back, or another in its place.

#include "tests/simulator/findings.h"
#include "tests/simulator/match.h"

#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

namespace tickbox::simulator {

struct ViewCounts {
  std::uint64_t views = 0;      ///< whose hashes were checked
  std::uint64_t audited = 0;    ///< ticks of the whole room
  std::uint64_t predicted = 0;  ///< ticks that nobody else touched
  std::uint64_t exact = 0;      ///< of those, to the bit
  // The longest that anybody who was connected, or was to be, has waited for a view.
  Duration longest_calm{};      ///< long after the last fault
  Duration longest_recovery{};  ///< since the end of the last fault
  std::uint64_t looks = 0;      ///< at clients that a server has room for
  std::uint64_t fresh = 0;      ///< of those, with a view that was not old
};

/// Of the looks; 0 where there was none.
[[nodiscard]] double fresh_share(const ViewCounts& counts);

class ClientCheck {
 public:
  ClientCheck(Findings& findings, Match& match);

  /// Something was done to a client, and lasts until then.
  void disturb(std::size_t player, Instant until) {
    seen_[player].until = std::max(seen_[player].until, until);
  }

  /// Whether nothing was done to a client for as long as it may need to recover.
  [[nodiscard]] bool is_calm(std::size_t player) const;

  /// Now and then: who waits.
  void look();

  /// At the end of a run: whether they have mostly played.
  void look_back(Duration played);

  /// A process is about to end, or the run is.
  void add_up(const Match::Player& player);

  [[nodiscard]] const ViewCounts& counts() const { return counts_; }

 private:
  struct Seen {
    Instant until;  ///< of the last that was done to it
    Tick view;
    Instant fresh_at;  ///< when a new view was last seen, whatever process it is
    const client::Client* process = nullptr;
  };

  /// Somebody who came, and may still have a seat after it is gone.
  struct Arrival {
    Instant at;
    bool audits = false;
  };

  void look_at(std::size_t index);
  void look_at_one_sent_away(std::size_t index);
  [[nodiscard]] bool has_no_room_for(const Match::Player& player) const;
  void complain(std::size_t index, Duration most);

  Findings& findings_;
  Match& match_;
  std::vector<Seen> seen_;
  std::deque<Arrival> arrivals_;  ///< of late
  ViewCounts counts_;
};

}  // namespace tickbox::simulator
