#pragma once
// Looks at what gets lost: both ends of a session have counted what really came of what was sent,
// and links lose as much as they were told to.
//
// What really came is seen where it enters a link and where it leaves it. So the counts of the ends
// have to be right to the packet: no chance is in between.

#include "net/packet.h"
#include "tests/simulator/findings.h"
#include "tests/simulator/match.h"
#include "tests/simulator/plan.h"
#include "tests/support/simulated_network.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace tickbox::simulator {

/// Of what ends have reported, that was held against the links.
struct LossCounts {
  std::uint64_t sessions = 0;
  std::uint64_t sent = 0;  ///< in those, both ways, as the ends report
  std::uint64_t lost = 0;
};

class LossCheck {
 public:
  /// Borrows all of them.
  LossCheck(Findings& findings, const Match& match) : findings_(findings), match_(match) {}

  void on_passed(const tests::SimulatedNetwork::Passed& passed);

  /// A process is about to end, or the run is: what it reports of its newest session.
  void add_up(const Match::Player& player);

  /// At the end of a run: the links, by their own counts.
  void look_back(const Plan& plan);

  [[nodiscard]] const LossCounts& counts() const { return counts_; }

 private:
  /// More than are ever under way, be it that a server stalls for seconds at 240 Hz.
  static constexpr std::size_t kUnderWayMax = 4'096;
  /// Of the newest packets, for what is told of them later.
  static constexpr std::size_t kTold = 1'024;

  /// Packets that came, as counted when the newest of them was this one: there may have been more
  /// and more, as older ones came late.
  struct Count {
    std::uint64_t newest = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  /// One direction of a session.
  class Way {
   public:
    void send(std::uint64_t hash) { sent_[++newest_sent_ % kUnderWayMax] = hash; }

    void arrive(std::uint32_t low, std::uint64_t hash);

    /// None came, where no packet of that sequence was the newest.  Nothing: that is too long ago.
    [[nodiscard]] std::optional<Count> count_at(std::uint64_t newest) const;

   private:
    std::array<std::uint64_t, kUnderWayMax> sent_{};  ///< hashes, by sequence; 0: has come
    std::array<Count, kTold> counts_{};
    std::uint64_t newest_sent_ = 0;
    std::uint64_t newest_ = 0;  ///< that came
    std::uint64_t came_ = 0;
  };

  struct Session {
    std::uint64_t accept = 0;  ///< hash of the datagram
    Instant used;
    std::size_t player = 0;  ///< who was last seen to hold it
    Way up;
    Way down;
  };

  /// What an end says of one direction.
  struct Report {
    std::uint64_t newest = 0;
    std::uint64_t came = 0;
  };

  void on_accept(const tests::SimulatedNetwork::Passed& passed);
  [[nodiscard]] bool is_held(Session& session, const tests::SimulatedNetwork::Passed& passed) const;
  void compare(const char* which, const Way& way, const Report& report);

  Findings& findings_;
  const Match& match_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Session>> sessions_;  ///< by connection id
  LossCounts counts_;
};

}  // namespace tickbox::simulator
