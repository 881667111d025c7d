// One thread publishes while others read: nobody sees half a value, and the publisher is never
// stopped.

#include "os/process/process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace tickbox::os {
namespace {

TEST(LatestValue, ReadsWhatWasPublishedLast) {
  LatestValue<int> value{1};
  EXPECT_EQ(value.read(), 1);
  EXPECT_TRUE(value.publish(2));
  EXPECT_TRUE(value.publish(3));
  EXPECT_EQ(value.read(), 3);
}

TEST(LatestValue, ReadersNeverSeeHalfAValue) {
  struct Pair {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
  };

  LatestValue<Pair> value;
  std::atomic<bool> done{false};
  std::atomic<int> torn{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        const Pair pair = value.read();
        if (pair.a != pair.b) ++torn;
      }
    });
  }
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    (void)value.publish({i, i});
  }
  done = true;
  for (auto& reader : readers) {
    reader.join();
  }
  EXPECT_EQ(torn, 0);
}

/// A value whose copy takes as long as the test wants.
struct SlowToCopy {
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool copying = false;
    bool open = false;
  };

  Gate* gate = nullptr;
  int number = 0;

  SlowToCopy() = default;

  SlowToCopy(Gate* g, int n) : gate{g}, number{n} {}

  SlowToCopy& operator=(const SlowToCopy&) = default;

  SlowToCopy(const SlowToCopy& other) : gate{other.gate}, number{other.number} {
    if (gate == nullptr) return;
    std::unique_lock lock{gate->mutex};
    gate->copying = true;
    gate->changed.notify_all();
    gate->changed.wait(lock, [this] { return gate->open; });
  }
};

TEST(LatestValue, SkipsAValueWhileAReaderCopiesInsteadOfWaiting) {
  SlowToCopy::Gate gate;
  LatestValue<SlowToCopy> value;
  const SlowToCopy first{&gate, 1};
  const SlowToCopy second{&gate, 2};
  ASSERT_TRUE(value.publish(first));
  int seen = 0;
  std::thread reader{[&] { seen = value.read().number; }};
  {
    std::unique_lock lock{gate.mutex};
    gate.changed.wait(lock, [&] { return gate.copying; });
  }
  EXPECT_FALSE(value.publish(second));  // would never return if it waited: the gate is still shut
  {
    const std::scoped_lock lock{gate.mutex};
    gate.open = true;
  }
  gate.changed.notify_all();
  reader.join();
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(value.publish(second));
}

}  // namespace
}  // namespace tickbox::os
