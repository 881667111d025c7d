#include "protocol/cause_codec.h"

#include "core/rng.h"
#include "game/input.h"
#include "tests/support/same_snapshot.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ranges>
#include <vector>

namespace tickbox::protocol {
namespace {

using tests::same;

constexpr int kRandomCauses = 2'000;

/// Some of all that can be, `kept` in a thousand, in the one order.
template <class List, class Make>
void draw(Rng& rng, std::uint64_t kept, std::uint8_t base_age, List& list, Make&& make) {
  for (int ago = base_age - 1; ago >= 0; --ago) {
    for (int member = 0; member < 256 && !list.full(); ++member) {
      if (rng.below(1'000) >= kept) continue;
      list.push_back(make(static_cast<std::uint8_t>(ago), static_cast<std::uint8_t>(member)));
    }
  }
}

/// From none of a kind to as many as can be.
Causes random_causes(Rng& rng, std::uint8_t base_age) {
  const auto kept = [&rng] { return rng.below(4) == 0 ? std::uint64_t{0} : rng.below(30); };
  Causes causes;
  draw(rng, kept(), base_age, causes.inputs, [&](std::uint8_t ago, std::uint8_t member) {
    const auto move = static_cast<std::uint8_t>(rng.below(game::kMoveDirections + 1));
    return InputCause{.ago = ago, .base_index = member, .move = move};
  });
  draw(rng, kept(), base_age, causes.shots, [&](std::uint8_t ago, std::uint8_t member) {
    const auto aim = static_cast<std::uint16_t>(rng.below(game::kAimDirections));
    const auto weapon = rng.below(2) == 0 ? game::Weapon::Gun : game::Weapon::Ray;
    return ShotCause{.ago = ago, .base_index = member, .aim = aim, .weapon = weapon};
  });
  draw(rng, kept(), base_age, causes.teleports, [&](std::uint8_t ago, std::uint8_t member) {
    const auto place = static_cast<std::uint16_t>(rng.below(0x10000));
    return TeleportCause{.ago = ago, .base_index = member, .place = place};
  });
  for (const std::uint64_t leaving = rng.below(3); int member : std::views::iota(0, 256)) {
    if (rng.below(2) < leaving) causes.exits.push_back(static_cast<std::uint8_t>(member));
  }
  return causes;
}

std::vector<std::byte> encoded(const Causes& causes) {
  CauseBytes buffer;
  return samples::copy_of(encode_causes(causes, buffer));
}

bool is_refused(const std::vector<std::byte>& bytes, std::uint8_t base_age = kBaseAgeMax) {
  return samples::fault_of(decode_causes(bytes, base_age)) == net::DropReason::Malformed;
}

template <class... Numbers>
std::vector<std::byte> bytes(Numbers... numbers) {
  return {static_cast<std::byte>(numbers)...};
}

TEST(Causes, AreReadAsTheyWereWritten) {
  Rng rng{1};
  int empty = 0;
  for (int i = 0; i < kRandomCauses; ++i) {
    const auto base_age = static_cast<std::uint8_t>(1 + rng.below(kBaseAgeMax));
    const Causes causes = random_causes(rng, base_age);
    const std::vector<std::byte> wire = encoded(causes);
    ASSERT_EQ(wire.size(), encoded_bytes(causes)) << i;
    const auto read = decode_causes(wire, base_age);
    ASSERT_TRUE(read) << i;
    ASSERT_TRUE(same(*read, causes)) << i;
    empty += causes.empty() ? 1 : 0;
  }
  EXPECT_GT(empty, 0);
  EXPECT_LT(empty, kRandomCauses / 10);
}

TEST(Causes, OfEveryAgeAreReadAndBoundedByTheBase) {
  for (std::uint8_t ago = 0; ago < kBaseAgeMax; ++ago) {
    const auto next = static_cast<std::uint8_t>(ago + 1);
    Causes inputs;
    inputs.inputs.push_back({.ago = ago, .base_index = 7, .move = 8});
    Causes shots;
    shots.shots.push_back({.ago = ago, .base_index = 7, .aim = game::kAimDirections - 1});
    Causes teleports;
    teleports.teleports.push_back({.ago = ago, .base_index = 7, .place = 0xffff});
    for (const Causes& causes : {inputs, shots, teleports}) {
      const std::vector<std::byte> wire = encoded(causes);
      ASSERT_EQ(wire.size(), encoded_bytes(causes));
      const auto read = decode_causes(wire, next);
      ASSERT_TRUE(read) << int{ago};
      EXPECT_TRUE(same(*read, causes)) << int{ago};
      EXPECT_TRUE(is_refused(wire, ago)) << "before the base, " << int{ago} << " ticks ago";
    }
    EXPECT_EQ(encoded(inputs).size(), kCauseCountsBytes + (ago < 15 ? 2 : 3)) << int{ago};
  }
}

TEST(Causes, LieAsTheStandardSays) {
  Causes inputs;
  inputs.inputs.push_back({.ago = 59, .base_index = 255, .move = 0});
  inputs.inputs.push_back({.ago = 15, .base_index = 1, .move = 8});
  inputs.inputs.push_back({.ago = 14, .base_index = 2, .move = 3});
  inputs.inputs.push_back({.ago = 0, .base_index = 0, .move = 1});
  EXPECT_EQ(encoded(inputs), bytes(4, 0, 0, 255, 0xf0, 44, 1, 0xf8, 0, 2, 0xe3, 0, 0x01));
  Causes shots;
  shots.shots.push_back({.ago = 59, .base_index = 4, .aim = 1'023});
  shots.shots.push_back({.ago = 0, .base_index = 5, .aim = 0x102});
  EXPECT_EQ(encoded(shots), bytes(0, 2, 0, 4, 0xff, 0xef, 5, 0x02, 0x01));
  Causes teleports;
  teleports.teleports.push_back({.ago = 59, .base_index = 6, .place = 0x1234});
  EXPECT_EQ(encoded(teleports), bytes(0, 0, 1, 6, 59, 0x34, 0x12));
  Causes rays;
  rays.shots.push_back({.ago = 59, .base_index = 5, .aim = 0x123, .weapon = game::Weapon::Ray});
  EXPECT_EQ(encoded(rays), bytes(0, 1, 0, 5, 0x23, 0xfd, 59));
  Causes exits;
  exits.exits.push_back(0);
  exits.exits.push_back(255);
  EXPECT_EQ(encoded(exits), bytes(0, 0, 0, 0, 255));
  EXPECT_EQ(encoded({}), bytes());
}

// The ticks of a gun's shot end at 59: 60 to 62 are nothing's.
TEST(Causes, OfAShotAreOfAGunOrARay) {
  for (int six_bits = 0; six_bits < 64; ++six_bits) {
    const std::vector<std::byte> shot = bytes(0, 1, 0, 5, 0, six_bits << 2);
    EXPECT_EQ(is_refused(shot), six_bits >= 60) << six_bits;
  }
  EXPECT_FALSE(is_refused(bytes(0, 1, 0, 5, 0, 63 << 2, 59)));
  EXPECT_TRUE(is_refused(bytes(0, 1, 0, 5, 0, 63 << 2, 60))) << "before the base";
}

TEST(Causes, AreAsManyAsTheirBytesHaveRoomFor) {
  Causes causes;
  for (int member = 0; member < 255; ++member) {
    const auto number = static_cast<std::uint8_t>(member);
    causes.inputs.push_back({.ago = 15, .base_index = number, .move = 1});
    causes.shots.push_back(
        {.ago = 15, .base_index = number, .aim = 1, .weapon = game::Weapon::Ray});
    causes.teleports.push_back({.ago = 15, .base_index = number, .place = 1});
  }
  for (int member = 0; member < 256; ++member)
    causes.exits.push_back(static_cast<std::uint8_t>(member));
  const std::vector<std::byte> wire = encoded(causes);
  EXPECT_EQ(wire.size(), CauseBytes{}.size());
  const auto read = decode_causes(wire, 16);
  ASSERT_TRUE(read);
  EXPECT_TRUE(same(*read, causes));
  std::vector<std::byte> longer = wire;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(is_refused(longer)) << "more exits than members";
}

// Exits are last. A message cut among them has fewer exits; cut anywhere else, it is refused.
TEST(Causes, CutAnywhereAreRefusedOrHaveFewerLeaves) {
  Rng rng{2};
  for (int i = 0; i < 200; ++i) {
    const Causes causes = random_causes(rng, kBaseAgeMax);
    const std::vector<std::byte> wire = encoded(causes);
    const std::size_t exits_at = wire.size() - causes.exits.size();
    const bool only_exits = exits_at == kCauseCountsBytes;
    for (std::size_t size = 1; size < wire.size(); ++size) {
      const std::vector<std::byte> cut{wire.begin(), wire.begin() + static_cast<long>(size)};
      const bool is_said = size > exits_at || (size == exits_at && !only_exits);
      ASSERT_EQ(is_refused(cut), !is_said) << i << ", " << size << " of " << wire.size();
      if (!is_said) continue;
      ASSERT_EQ(decode_causes(cut, kBaseAgeMax)->exits.size(), size - exits_at);
    }
  }
}

// So nothing can be said in two ways.
TEST(Causes, OfAnyBytesThatAreReadAreWrittenAsTheSameBytes) {
  Rng rng{3};
  int read = 0;
  for (int i = 0; i < 20 * kRandomCauses; ++i) {
    const Causes causes = random_causes(rng, 12);
    std::vector<std::byte> wire = encoded(causes);
    if (wire.empty()) continue;
    wire[rng.below(wire.size())] = static_cast<std::byte>(rng.below(256));
    const auto altered = decode_causes(wire, 12);
    if (!altered) continue;
    ASSERT_EQ(encoded(*altered), wire) << i;
    ++read;
  }
  EXPECT_GT(read, kRandomCauses);
}

TEST(Causes, AreReadInOneOrderOnly) {
  EXPECT_FALSE(is_refused(bytes(2, 0, 0, 5, 0x21, 4, 0x11))) << "the older first";
  EXPECT_TRUE(is_refused(bytes(2, 0, 0, 4, 0x11, 5, 0x21)));
  EXPECT_FALSE(is_refused(bytes(2, 0, 0, 4, 0x11, 5, 0x11))) << "then by member";
  EXPECT_TRUE(is_refused(bytes(2, 0, 0, 5, 0x11, 4, 0x11)));
  EXPECT_TRUE(is_refused(bytes(2, 0, 0, 4, 0x11, 4, 0x12))) << "one member twice in a tick";
  EXPECT_FALSE(is_refused(bytes(0, 2, 0, 5, 0, 0x08, 4, 0, 0x04)));
  EXPECT_TRUE(is_refused(bytes(0, 2, 0, 4, 0, 0x04, 5, 0, 0x08)));
  EXPECT_TRUE(is_refused(bytes(0, 2, 0, 5, 0, 0x04, 4, 0, 0x04)));
  EXPECT_TRUE(is_refused(bytes(0, 2, 0, 4, 0, 0x04, 4, 1, 0x04)));
  EXPECT_FALSE(is_refused(bytes(0, 0, 2, 5, 2, 0, 0, 4, 1, 0, 0)));
  EXPECT_TRUE(is_refused(bytes(0, 0, 2, 4, 1, 0, 0, 5, 2, 0, 0)));
  EXPECT_TRUE(is_refused(bytes(0, 0, 2, 5, 1, 0, 0, 4, 1, 0, 0)));
  EXPECT_TRUE(is_refused(bytes(0, 0, 2, 4, 1, 0, 0, 4, 1, 1, 0)));
  EXPECT_FALSE(is_refused(bytes(0, 0, 0, 4, 5)));
  EXPECT_TRUE(is_refused(bytes(0, 0, 0, 5, 4)));
  EXPECT_TRUE(is_refused(bytes(0, 0, 0, 4, 4)));
}

TEST(Causes, RefuseValuesOutOfRange) {
  for (int move = 0; move < 16; ++move)
    EXPECT_EQ(is_refused(bytes(1, 0, 0, 0, move)), move > game::kMoveDirections) << move;
  for (int more = 0; more < 256; ++more)
    EXPECT_EQ(is_refused(bytes(1, 0, 0, 0, 0xf0, more)), more >= 45) << more;
  for (int ago = 0; ago < 64; ++ago)
    EXPECT_EQ(is_refused(bytes(0, 1, 0, 0, 0, ago << 2)), ago >= 60) << ago;
  for (int ago = 0; ago < 256; ++ago)
    EXPECT_EQ(is_refused(bytes(0, 0, 1, 0, ago, 0, 0)), ago >= 60) << ago;
}

// However old a base may be said to be, nothing is older than a byte can tell.
TEST(Causes, RefuseAnAgeThatABytesEscapeCannotHold) {
  EXPECT_FALSE(is_refused(bytes(1, 0, 0, 0, 0xf0, 239), 255));
  for (int more = 240; more < 256; ++more)
    EXPECT_TRUE(is_refused(bytes(1, 0, 0, 0, 0xf0, more), 255)) << more;
}

TEST(Causes, OfNothingAreNoBytes) {
  const auto read = decode_causes({}, 0);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->empty());
  EXPECT_EQ(encoded_bytes(Causes{}), 0U);
  EXPECT_TRUE(is_refused(bytes(0, 0, 0))) << "three bytes that say nothing";
}

}  // namespace
}  // namespace tickbox::protocol
