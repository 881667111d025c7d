// Keys that change every 65,536 packets, without a message: both sides must change together,
// whatever the network does, and neither may keep a key older than that of the last epoch.

#include "core/rng.h"
#include "net/packet.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace tickbox::net {
namespace {

constexpr std::uint64_t kEpoch = 65'536;
constexpr std::uint32_t kConnection = 7;

PacketChannel channel(Direction sends) {
  return {samples::session_keys(1), kConnection, sends};
}

std::vector<std::byte> next_of(PacketChannel& sender) {
  PacketBuffer buffer{};
  return samples::copy_of(sender.seal_packet(PacketType::Input, samples::nonce(7), buffer));
}

// The packet of this sequence; those before it are never sent.
std::vector<std::byte> packet_of(PacketChannel& sender, std::uint64_t sequence) {
  while (sender.sent() + 1 < sequence)
    (void)next_of(sender);
  return next_of(sender);
}

bool holds(const EpochKeys& keys, const SecretKey& key) {
  const auto memory = std::as_bytes(std::span{&keys, 1});
  return !std::ranges::search(memory, key).empty();
}

// Expects that of a whole chain of keys those of `epoch` and its neighbours are there, for the
// first and the last packet of their epochs, and that no other key lies anywhere in the memory of
// `keys`.
void expect_neighbours(const EpochKeys& keys, std::uint64_t epoch,
                       const std::vector<SecretKey>& chain) {
  for (std::uint64_t other = 0; other < chain.size(); ++other) {
    const bool is_neighbour = other + 1 >= epoch && other <= epoch + 1;
    for (const std::uint64_t sequence : {other * kEpoch, other * kEpoch + kEpoch - 1}) {
      const SecretKey* key = keys.key_of(sequence);
      EXPECT_EQ(key != nullptr, is_neighbour) << other << " in " << epoch;
      EXPECT_TRUE(key == nullptr || *key == chain[other]) << other << " in " << epoch;
    }
    EXPECT_EQ(holds(keys, chain[other]), is_neighbour) << other << " in " << epoch;
  }
}

TEST(EpochKeys, FollowFromEachOtherAndForgetAllButTheLast) {
  std::vector<SecretKey> chain{samples::counting<SecretKey>(1)};
  while (chain.size() < 10)
    chain.push_back(derive_next_key(chain.back()));
  EpochKeys keys{chain[0]};
  for (std::uint64_t epoch = 0; epoch + 1 < chain.size(); ++epoch) {
    keys.reach(epoch * kEpoch);
    expect_neighbours(keys, epoch, chain);
  }
}

TEST(EpochKeys, NeverGoBack) {
  EpochKeys keys{samples::counting<SecretKey>(1)};
  keys.reach(kEpoch);
  const SecretKey now = *keys.key_of(kEpoch);
  keys.reach(kEpoch - 1);
  keys.reach(0);
  EXPECT_EQ(*keys.key_of(kEpoch), now);
  EXPECT_NE(keys.key_of(3 * kEpoch - 1), nullptr);
}

TEST(EpochKeysDeathTest, ReachNoFurtherThanTheNext) {
  EpochKeys keys{samples::counting<SecretKey>(1)};
  EXPECT_DEATH(keys.reach(2 * kEpoch), "assertion failed");
}

TEST(KeyEpochs, APacketOfTheNextIsTakenAndNoneOfAnyLater) {
  for (const std::uint64_t start : {std::uint64_t{1}, 3 * kEpoch - 5, 4 * kEpoch}) {
    PacketChannel sender = channel(Direction::ToServer);
    PacketChannel receiver = channel(Direction::ToClient);
    PacketBuffer buffer{};
    for (std::uint64_t at = kEpoch / 2; at < start; at += kEpoch / 2)
      ASSERT_TRUE(receiver.open_packet(packet_of(sender, at), buffer));
    ASSERT_TRUE(receiver.open_packet(packet_of(sender, start), buffer));
    const std::uint64_t next = (start / kEpoch + 1) * kEpoch;
    const auto last_of_next = packet_of(sender, next + kEpoch - 1);
    const auto after_next = packet_of(sender, next + kEpoch);
    const auto far = packet_of(sender, next + 2 * kEpoch);
    for (const auto& datagram : {after_next, far}) {
      const auto opened = receiver.open_packet(datagram, buffer);
      ASSERT_FALSE(opened) << start;
      EXPECT_EQ(opened.error(), DropReason::Replayed) << start;
    }
    EXPECT_EQ(receiver.received().newest(), start);
    const auto opened = receiver.open_packet(last_of_next, buffer);
    ASSERT_TRUE(opened) << start;
    EXPECT_EQ(opened->sequence, next + kEpoch - 1);
    EXPECT_TRUE(receiver.open_packet(after_next, buffer)) << "which is the next by now";
  }
}

// A forgery of the next epoch must not make the receiver forget a key.
TEST(KeyEpochs, AreNotReachedByAForgery) {
  PacketChannel sender = channel(Direction::ToServer);
  PacketChannel receiver = channel(Direction::ToClient);
  PacketBuffer buffer{};
  const auto first = packet_of(sender, 1);
  auto forged = packet_of(sender, kEpoch + 1);
  const auto right = forged;
  forged.back() ^= std::byte{1};
  EXPECT_EQ(samples::fault_of(receiver.open_packet(forged, buffer)), DropReason::Forged);
  EXPECT_TRUE(receiver.open_packet(first, buffer));
  EXPECT_TRUE(receiver.open_packet(right, buffer));
}

// Around each border and between: 5 % lost, 5 % twice, each up to 600 places late.
TEST(KeyEpochs, ChangeUnderLossReorderingAndDuplicates) {
  constexpr std::uint64_t kSent = 5 * kEpoch + 10'000;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Rng rng{seed};
    PacketChannel sender = channel(Direction::ToServer);
    PacketChannel receiver = channel(Direction::ToClient);
    PacketBuffer buffer{};
    std::multimap<std::uint64_t, std::pair<std::uint64_t, std::vector<std::byte>>> flying;
    std::set<std::uint64_t> taken;
    std::uint64_t expected = 0;
    std::uint64_t late_at_borders = 0;
    for (std::uint64_t sequence = 1; sequence <= kSent; ++sequence) {
      const auto datagram = next_of(sender);
      if (!rng.chance(1, 20)) {
        ++expected;
        flying.emplace(sequence + rng.below(rng.chance(1, 10) ? 600 : 8),
                       std::pair{sequence, datagram});
        if (rng.chance(1, 20))
          flying.emplace(sequence + rng.below(600), std::pair{sequence, datagram});
      }
      while (!flying.empty() && flying.begin()->first <= sequence) {
        const auto [number, arrived] = flying.extract(flying.begin()).mapped();
        const std::uint64_t newest = receiver.received().newest();
        const auto opened = receiver.open_packet(arrived, buffer);
        ASSERT_EQ(opened.has_value(), taken.insert(number).second)
            << "seed " << seed << " " << number;
        if (!opened) continue;
        ASSERT_EQ(opened->sequence, number);
        late_at_borders += number / kEpoch < newest / kEpoch ? 1 : 0;
      }
    }
    EXPECT_LE(taken.size(), expected) << "seed " << seed;
    EXPECT_GE(taken.size() + 600, expected) << "seed " << seed;
    EXPECT_GT(late_at_borders, 20U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tickbox::net
