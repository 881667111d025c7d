// Cheating input: whatever a client sends as its inputs, the room is as if it had sent what they
// are clamped to, each tick's first, and nothing for ticks that are over or too far away.

#include "protocol/messages.h"
#include "tests/threats/raw_peer.h"

#include <gtest/gtest.h>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kTicks = 600;

/// One tick's doings of a cheat: what it sends, and what of it should count.
struct Plan {
  game::Input sent;
  game::Input counts;
};

Plan draw(Rng& rng) {
  // All that four bits, four bits and sixteen can say.
  const game::Input sent{.move = static_cast<std::uint8_t>(rng.next() & 15),
                         .buttons = static_cast<std::uint8_t>(rng.next() & 15),
                         .aim = static_cast<std::uint16_t>(rng.next())};
  // The ranges as the standard gives them: a move beyond 8 and an aim beyond 1,023 are 0, and of
  // the buttons there are two.
  return {.sent = sent,
          .counts = {.move = sent.move <= 8 ? sent.move : std::uint8_t{0},
                     .buttons = static_cast<std::uint8_t>(sent.buttons & 3),
                     .aim = sent.aim <= 1'023 ? sent.aim : std::uint16_t{0}}};
}

protocol::InputMessage message_for(Tick tick, std::initializer_list<game::Input> inputs) {
  protocol::InputMessage message{.first_tick = tick};
  for (const game::Input& input : inputs) {
    message.inputs.push_back(input);
  }
  return message;
}

enum class Manner : std::uint8_t { Honest, Adversarial };

/// The hash of each tick of a room with three bots and two hand-made clients.
std::vector<std::uint64_t> play(std::uint64_t seed, Manner manner) {
  Harness harness{{.seed = seed}};
  Wire wire{harness};
  for (int i = 0; i < 3; ++i) {
    harness.add_client();
  }
  RawPeer peers[] = {{harness, wire, stranger_far_away(1)}, {harness, wire, stranger_far_away(2)}};
  for (std::uint64_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(peers[i].connect(make_token(harness, net::KeyRing::published(), 60 + i)).accepted);
    peers[i].send_nothing_new();
    peers[i].stop_listening();
  }
  harness.run_for(seconds{1});
  Rng rng{seed};
  Rng mischief{seed + 1};
  std::vector<std::uint64_t> hashes;
  while (hashes.size() < kTicks) {
    const Tick now = harness.room().world().tick;
    for (RawPeer& peer : peers) {
      const Plan plan = draw(rng);
      const bool cheats = manner == Manner::Adversarial;
      if (cheats && mischief.chance(1, 8)) {  // for ticks that are over, and for ticks far ahead
        peer.send_inputs(message_for({now.value - 20}, {{.move = 5}, {.move = 5, .buttons = 1}}));
        peer.send_inputs(message_for({now.value + 2'000}, {{.move = 1}}));
        peer.send_inputs(message_for({0xffff'fff0}, {{.move = 1}, {.move = 2}}));
      }
      peer.send_inputs(message_for(now + 1, {cheats ? plan.sent : plan.counts}));
      if (cheats && mischief.chance(1, 4)) {  // another mind, too late
        peer.send_inputs(message_for(now + 1, {{.move = 7, .buttons = 1, .aim = 900}}));
      }
    }
    while (harness.room().world().tick == now) {
      harness.run_for(milliseconds{1});
    }
    hashes.push_back(harness.room().hash());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(harness.client(i).stats().hashes_mismatched, 0U);
  }
  return hashes;
}

TEST(Threat, CheatingInputCountsAsWhatItIsClampedTo) {
  for (std::uint64_t seed = 101; seed < 109; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::vector<std::uint64_t> honest = play(seed, Manner::Honest);
    EXPECT_EQ(play(seed, Manner::Adversarial), honest);
    EXPECT_NE(play(seed + 100, Manner::Honest), honest);
  }
}

}  // namespace
}  // namespace tickbox::tests
