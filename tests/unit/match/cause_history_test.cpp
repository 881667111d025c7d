#include "core/rng.h"
#include "server/match/match_history.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

// A cause log against a plain list of all causes that were ever noted.

struct Deed {
  SlotId slot;
  std::uint32_t number;
};

using Deeds = std::vector<std::pair<Tick, std::uint32_t>>;

constexpr std::uint32_t kTicks = 5 * protocol::kTicksRemembered;

class CauseLogTest : public ::testing::Test {
 protected:
  void begin(std::size_t slots) { log_.begin(tick_ = tick_ + 1, slots); }

  void note(SlotId slot) {
    const Deed deed{.slot = slot, .number = ++number_};
    log_.add(deed);
    if (slot != kNoSlot) all_.emplace_back(tick_, deed);
  }

  /// Newest first.
  [[nodiscard]] Deeds added_of(SlotId slot, Tick base) const {
    Deeds deeds;
    log_.visit_since(slot, base, [&](Tick tick, const Deed& deed) {
      EXPECT_EQ(deed.slot, slot);
      deeds.emplace_back(tick, deed.number);
      return true;
    });
    return deeds;
  }

  [[nodiscard]] Deeds all_of(SlotId slot, Tick base) const {
    Deeds deeds;
    for (const auto& [tick, deed] : std::views::reverse(all_)) {
      if (deed.slot == slot && tick > base) deeds.emplace_back(tick, deed.number);
    }
    return deeds;
  }

  /// The ticks that may be a base, newest first.
  [[nodiscard]] std::vector<Tick> bases() const {
    std::vector<Tick> bases;
    for (std::uint32_t ago = 0; ago < protocol::kTicksRemembered && ago < tick_.value; ++ago) {
      bases.push_back({tick_.value - ago});
    }
    return bases;
  }

  CauseHistory<Deed> log_;
  Tick tick_;
  std::uint32_t number_ = 0;
  std::vector<std::pair<Tick, Deed>> all_;
};

TEST_F(CauseLogTest, TellsOfASlotWhatAListOfEverythingTells) {
  Rng rng{1};
  std::size_t told = 0;
  for (std::uint32_t i = 0; i < kTicks; ++i) {
    const std::uint32_t slots = 1 + i / 20;
    begin(slots);
    for (std::uint64_t deeds = rng.below(4); deeds > 0; --deeds) {
      note(static_cast<SlotId>(rng.below(slots)));
    }
    for (const Tick base : bases()) {
      const auto slot = static_cast<SlotId>(rng.below(slots));
      const Deeds expected = all_of(slot, base);
      ASSERT_EQ(added_of(slot, base), expected) << tick_.value << ", since " << base.value;
      ASSERT_EQ(log_.has_since(slot, base), !expected.empty());
      told += expected.size();
    }
  }
  EXPECT_GT(told, 10'000U);
}

TEST_F(CauseLogTest, TellsOfATickWhatWasNotedInIt) {
  for (std::uint32_t i = 0; i < kTicks; ++i) {
    begin(3);
    for (std::uint32_t deeds = i % 3; deeds > 0; --deeds) {
      note(deeds);
    }
    for (const Tick tick : bases()) {
      std::vector<std::uint32_t> expected;
      for (const auto& [noted, deed] : all_) {
        if (noted == tick) expected.push_back(deed.number);
      }
      std::vector<std::uint32_t> told;
      for (const Deed& deed : log_.causes_of(tick)) {
        told.push_back(deed.number);
      }
      ASSERT_EQ(told, expected) << tick_.value << ", of " << tick.value;
    }
  }
}

TEST_F(CauseLogTest, NotesNothingOfNobody) {
  begin(1);
  note(kNoSlot);
  EXPECT_TRUE(log_.causes_of(tick_).empty());
  EXPECT_FALSE(log_.has_since(0, {}));
}

}  // namespace
}  // namespace tickbox::server
