// Which snapshots of a tick with too much work wait for a later one.

#include "server/shard/replicator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
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
  std::vector<MayWait> may_wait;
  DueSnapshots due{.count = works.size() + others.size(),
                   .work = std::accumulate(others.begin(), others.end(), std::uint64_t{0})};
  for (std::size_t i = 0; i < works.size(); ++i) {
    sessions[i].plan_work = works[i];
    sessions[i].turn = SnapshotTurn::Due;
    due.work += works[i];
    may_wait.push_back({&sessions[i], works[i]});
  }
  const std::uint64_t work = postpone_costliest(due, {.work = limit}, may_wait);
  std::vector<std::uint64_t> waiting;
  for (const SessionSnapshots& snapshots : sessions) {
    if (snapshots.turn == SnapshotTurn::PutOff) waiting.push_back(snapshots.plan_work);
  }
  EXPECT_EQ(work, std::accumulate(waiting.begin(), waiting.end(), std::uint64_t{0}));
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

/// A client under load: the work of each of its plans, and the age of its base when it is sent one.
struct Loaded {
  std::uint64_t work = 0;
  std::uint32_t base_age = 1;
};

/// Returns how many snapshots each client is sent in 600 ticks with this limit of work per tick, of
/// which six must do all of the work. Expects that nobody waits longer than six ticks.
std::vector<int> sent_under_load(const std::vector<Loaded>& clients, std::uint64_t limit) {
  std::vector<SessionSnapshots> sessions(clients.size());
  std::vector<int> sent(clients.size());
  for (std::uint32_t at = 100; at < 700; ++at) {
    const Tick tick{at};
    std::vector<MayWait> may_wait;
    DueSnapshots due;
    for (std::size_t i = 0; i < clients.size(); ++i) {
      SessionSnapshots& session = sessions[i];
      session.plan_work = clients[i].work;
      session.base = Tick{at - clients[i].base_age};
      session.turn = SnapshotTurn::Due;
      ++due.count;
      due.work += clients[i].work;
      if (tick - session.last < 6) may_wait.push_back({&session, rank_under_load(session, tick)});
    }
    postpone_costliest(due, {.work = limit, .ticks = 6}, may_wait);
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (sessions[i].turn != SnapshotTurn::Due) continue;
      EXPECT_TRUE(sent[i] == 0 || tick - sessions[i].last <= 6);
      sessions[i].last = tick;
      ++sent[i];
    }
  }
  return sent;
}

/// Returns the mean of the first or the second half of the counts.
double mean_of_half(const std::vector<int>& counts, std::size_t half) {
  const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(half * counts.size() / 2);
  const auto size = static_cast<std::ptrdiff_t>(counts.size() / 2);
  return std::reduce(begin, begin + size) / static_cast<double>(size);
}

TEST(PutOffUnderLoad, TheLargestViewsWaitLongest) {
  std::vector<Loaded> clients(40, {.work = 100});
  for (std::size_t i = 0; i < 20; ++i) {
    clients[i].work = 400;
  }
  const std::vector<int> sent = sent_under_load(clients, 5'000);
  EXPECT_GE(std::ranges::min(sent), 100);
  EXPECT_LE(mean_of_half(sent, 0), 230);
  EXPECT_EQ(mean_of_half(sent, 1), 600);
}

TEST(PutOffUnderLoad, OfEqualViewsThoseOnTheOldestBasesWaitLongest) {
  std::vector<Loaded> clients(40, {.work = 100, .base_age = 2});
  for (std::size_t i = 0; i < 20; ++i) {
    clients[i].base_age = 14;
  }
  const std::vector<int> sent = sent_under_load(clients, 2'000);
  EXPECT_GE(std::ranges::min(sent), 100);
  EXPECT_GT(mean_of_half(sent, 1), 1.5 * mean_of_half(sent, 0));
}

TEST(PutOffUnderLoad, EvenWithoutTimeEachClientGetsOneInSixTicksAndTheWorkIsSpread) {
  const std::vector<int> sent = sent_under_load(std::vector<Loaded>(60, {.work = 100}), 0);
  for (const int each : sent) {
    EXPECT_GE(each, 99);
    EXPECT_LE(each, 102);
  }
}

TEST(PutOffUnderLoad, EqualClientsGetEqualShares) {
  const std::vector<int> sent = sent_under_load(std::vector<Loaded>(60, {.work = 100}), 2'000);
  const auto [least, most] = std::ranges::minmax(sent);
  EXPECT_NEAR(least, 200, 4);
  EXPECT_LE(most - least, 4);
}

}  // namespace
}  // namespace tickbox::server
