#pragma once
// Checks packet loss. Both ends of a session must have counted exactly the packets that arrived,
// and links must lose as much as their conditions say.
//
// The check sees every packet where it enters and where it leaves a link. So the counts of the ends
// must be right to the packet, without any chance.

#include "net/packet.h"
#include "tests/simulator/checks/findings.h"
#include "tests/simulator/match.h"
#include "tests/simulator/plan.h"
#include "tests/support/simulated_network.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

namespace tickbox::simulator {

/// The reports of the ends that were compared with the links.
struct LossCounts {
  std::uint64_t sessions = 0;
  std::uint64_t sent = 0;  ///< packets in these sessions, both ways, as the ends report
  std::uint64_t lost = 0;
};

class LossCheck {
 public:
  /// Borrows all of them.
  LossCheck(Findings& findings, const Match& match) : findings_(findings), match_(match) {}

  void on_passed(const tests::SimulatedNetwork::Passed& passed);

  /// Compares the reports of a process on its newest session, before the process or the run ends.
  void add_up(const Match::Player& player);

  /// Checks the links by their own counts at the end of a run.
  void look_back(const Plan& plan);

  [[nodiscard]] const LossCounts& counts() const { return counts_; }

 private:
  /// More packets than are ever in flight, even if a server stalls for seconds at 240 Hz.
  static constexpr std::size_t kUnderWayMax = 4'096;
  /// The newest packets that are remembered for later reports.
  static constexpr std::size_t kTold = 1'024;

  /// The number of packets received while this one was the newest. It is a range from `first` to
  /// `last`, because older packets may arrive later.
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

    /// Returns a count of 0 packets if the packet of that sequence never was the newest, or nothing
    /// if it is too long ago.
    [[nodiscard]] std::optional<Count> count_at(std::uint64_t newest) const;

   private:
    std::array<std::uint64_t, kUnderWayMax> sent_{};  ///< hashes, by sequence; 0: received
    std::array<Count, kTold> counts_{};
    std::uint64_t newest_sent_ = 0;
    std::uint64_t newest_ = 0;  ///< the newest received
    std::uint64_t came_ = 0;
  };

  struct Session {
    std::uint64_t accept = 0;  ///< hash of the ACCEPT datagram
    Instant used;
    std::size_t player = 0;  ///< the player that was last seen to hold it
    Way up;
    Way down;
  };

  /// The report of an end on one direction.
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
