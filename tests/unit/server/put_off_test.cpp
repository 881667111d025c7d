// Which snapshots of an overloaded tick wait for the next one.

#include "server/shard/replicator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace tickbox::server {
namespace {

/// Returns the work of the snapshots that are put off. `others`: the work of due ones that may not
/// wait.
std::vector<std::uint64_t> put_off(const std::vector<std::uint64_t>& works, std::uint64_t limit,
                                   const std::vector<std::uint64_t>& others = {}) {
  std::vector<SessionSnapshots> sessions(works.size());
  std::vector<SessionSnapshots*> may_wait;
  DueSnapshots due{.count = works.size() + others.size(),
                   .work = std::accumulate(others.begin(), others.end(), std::uint64_t{0})};
  for (std::size_t i = 0; i < works.size(); ++i) {
    sessions[i].plan_work = works[i];
    sessions[i].turn = SnapshotTurn::Due;
    due.work += works[i];
    may_wait.push_back(&sessions[i]);
  }
  postpone_costliest(due, limit, may_wait);
  std::vector<std::uint64_t> waiting;
  for (const SessionSnapshots& snapshots : sessions) {
    if (snapshots.turn == SnapshotTurn::PutOff) waiting.push_back(snapshots.plan_work);
  }
  return waiting;
}

using Works = std::vector<std::uint64_t>;

TEST(PutOff, NothingWithinTheLimit) {
  EXPECT_EQ(put_off({10, 20, 30}, 60), Works{});
  EXPECT_EQ(put_off({}, 0), Works{});
}

TEST(PutOff, TheDearestFirstUntilTheOthersAreWithinTheLimit) {
  EXPECT_EQ(put_off({10, 30, 20, 40}, 70), Works{40});
  EXPECT_EQ(put_off({10, 30, 20, 40}, 55), (Works{30, 40}));
}

TEST(PutOff, UntilTheOthersTakeHalfOfTheWork) {
  EXPECT_EQ(put_off({10, 10, 10, 10, 10, 10}, 1).size(), 3U);
  EXPECT_EQ(put_off({100, 50}, 60), Works{100}) << "one client may be more than half of it";
}

TEST(PutOff, NoneThatTakesLessThanAnEqualShareOfTheLimit) {
  EXPECT_EQ(put_off({10, 10, 10}, 30, {100}), (Works{10, 10, 10}));
  EXPECT_EQ(put_off({10, 10, 10}, 40, {100}), Works{});
  EXPECT_EQ(put_off({5, 10, 12}, 40, {100}), Works{12});
}

}  // namespace
}  // namespace tickbox::server
