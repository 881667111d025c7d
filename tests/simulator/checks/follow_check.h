#pragma once
// Checks that a follower of the room's log steps the whole match to the room's own hashes, without
// a gap and not late. Its link is cut, slow and opened again.

#include "core/rng.h"
#include "record/verify.h"
#include "server/recording/log_tail.h"
#include "tests/simulator/checks/findings.h"
#include "tests/simulator/match.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::simulator {

struct FollowCounts {
  std::uint64_t ticks = 0;   ///< ticks that were stepped
  std::uint64_t opened = 0;  ///< how often it has begun
  std::uint64_t cut = 0;     ///< how often its link was cut
  std::uint64_t slow = 0;    ///< how often it read slowly for a while
};

class FollowCheck {
 public:
  /// Borrows all of them.
  FollowCheck(Findings& findings, Match& match, std::uint64_t seed)
      : findings_(findings), match_(match), rng_(seed + (std::uint64_t{1} << 60U)) {}

  /// Takes what the log has given, and looks whether it is all that it should be. Call it every
  /// 100 ms.
  void look();

  [[nodiscard]] FollowCounts counts() const;

 private:
  void open();
  void close();
  void disturb();
  void receive();
  void step();
  bool begin();
  void compare();

  Findings& findings_;
  Match& match_;
  Rng rng_;
  std::unique_ptr<server::Follower> follower_;  ///< nullptr while its link is cut
  bool has_ended_ = false;                      ///< the log
  std::uint32_t closed_looks_ = 0;              ///< looks until it begins again
  std::uint32_t slow_looks_ = 0;                ///< looks in which it is slow
  std::string taken_;
  std::vector<std::byte> on_the_way_;  ///< what a slow link has not delivered
  std::vector<std::byte> log_;         ///< what the follower has
  record::VerifyOptions options_;
  std::optional<record::LiveVerifier> verifier_;  ///< none before the header of the log
  FollowCounts counts_;
};

}  // namespace tickbox::simulator
