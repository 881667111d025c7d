// A chronicle against a plain list of all that was ever noted.

#include "server/room/chronicle.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <ranges>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

struct Deed {
  LifeId life;
  std::uint32_t number;
};

using Deeds = std::vector<std::pair<Tick, std::uint32_t>>;

constexpr std::uint32_t kTicks = 5 * protocol::kTicksRemembered;

class ChronicleTest : public ::testing::Test {
 protected:
  void begin(std::size_t lives) { chronicle_.begin(tick_ = tick_ + 1, lives); }

  void note(LifeId life) {
    const Deed deed{.life = life, .number = ++number_};
    chronicle_.note(deed);
    if (life != kNoLife) all_.emplace_back(tick_, deed);
  }

  /// Newest first.
  [[nodiscard]] Deeds noted_of(LifeId life, Tick base) const {
    Deeds deeds;
    chronicle_.visit_since(life, base, [&](Tick tick, const Deed& deed) {
      EXPECT_EQ(deed.life, life);
      deeds.emplace_back(tick, deed.number);
    });
    return deeds;
  }

  [[nodiscard]] Deeds all_of(LifeId life, Tick base) const {
    Deeds deeds;
    for (const auto& [tick, deed] : std::views::reverse(all_)) {
      if (deed.life == life && tick > base) deeds.emplace_back(tick, deed.number);
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

  Chronicle<Deed> chronicle_;
  Tick tick_;
  std::uint32_t number_ = 0;
  std::vector<std::pair<Tick, Deed>> all_;
};

TEST_F(ChronicleTest, TellsOfALifeWhatAListOfEverythingTells) {
  Rng rng{1};
  std::size_t told = 0;
  for (std::uint32_t i = 0; i < kTicks; ++i) {
    const std::uint32_t lives = 1 + i / 20;
    begin(lives);
    for (std::uint64_t deeds = rng.below(4); deeds > 0; --deeds) {
      note(static_cast<LifeId>(rng.below(lives)));
    }
    for (const Tick base : bases()) {
      const auto life = static_cast<LifeId>(rng.below(lives));
      const Deeds expected = all_of(life, base);
      ASSERT_EQ(noted_of(life, base), expected) << tick_.value << ", since " << base.value;
      ASSERT_EQ(chronicle_.has_since(life, base), !expected.empty());
      told += expected.size();
    }
  }
  EXPECT_GT(told, 10'000U);
}

TEST_F(ChronicleTest, TellsOfATickWhatWasNotedInIt) {
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
      for (const Deed& deed : chronicle_.of(tick)) {
        told.push_back(deed.number);
      }
      ASSERT_EQ(told, expected) << tick_.value << ", of " << tick.value;
    }
  }
}

TEST_F(ChronicleTest, NotesNothingOfNobody) {
  begin(1);
  note(kNoLife);
  EXPECT_TRUE(chronicle_.of(tick_).empty());
  EXPECT_FALSE(chronicle_.has_since(0, {}));
}

}  // namespace
}  // namespace tickbox::server
