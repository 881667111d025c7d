// Cheating input: whatever a client sends as its inputs, the room is as if it had sent only the
// newest for each tick, and nothing for ticks that are over or too far away. A message with a value
// out of its range, or with more inputs than fit, is as if it had never been sent.

#include "protocol/messages.h"
#include "tests/support/declared_values.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kTicks = 600;

using Input = std::vector<std::byte>;

/// Returns a random input, of all that the ranges allow.
Input draw(const GameTable& game, Rng& rng) {
  return value_with(game.input, {{"move", static_cast<std::int64_t>(rng.below(9))},
                                 {"shoot", static_cast<std::int64_t>(rng.below(2))},
                                 {"ray", static_cast<std::int64_t>(rng.below(2))},
                                 {"aim", static_cast<std::int64_t>(rng.below(kDirections))}});
}

protocol::InputMessage message_for(const GameTable& game, Tick tick,
                                   const std::vector<Input>& inputs) {
  return {.first_tick = tick, .inputs = input_bits(game, inputs)};
}

/// An input whose move is 9 to 15: its four bits can hold these values, its range ends at 8. Both
/// buttons are down.
std::vector<std::byte> move_out_of_range(Rng& rng) {
  constexpr unsigned kMoveBits = 4;
  constexpr unsigned kRestBits = 4;
  std::vector<std::byte> bits;
  engine::BitWriter out{bits};
  out.write(1, 1);  // an input
  out.write(0, 1);  // the look back as before
  out.write(1, 1);  // another move
  out.write(9 + rng.below(7), kMoveBits);
  out.write(0b0011, kRestBits);  // both buttons, the aim as before, and no more inputs
  return bits;
}

enum class Manner : std::uint8_t { Honest, Adversarial };

struct Played {
  std::vector<std::uint64_t> hashes;  ///< of each tick
  std::uint64_t malformed = 0;        ///< messages that the server dropped
  std::uint64_t impossible = 0;       ///< messages that a cheat sent with what no input can be
};

/// What a cheat sends beside the input that counts, before it.
void cheat(RawPeer& peer, const GameTable& game, Tick now, Rng& mischief, Played& played) {
  if (mischief.chance(1, 8)) {  // for ticks that are over, and for ticks far ahead
    const Input run = value_with(game.input, {{"move", 5}});
    const Input fire = value_with(game.input, {{"move", 5}, {"shoot", 1}});
    peer.send_inputs(message_for(game, {now.value - 20}, {run, fire}));
    peer.send_inputs(message_for(game, {now.value + 2'000}, {run}));
    peer.send_inputs(message_for(game, {0xffff'fff0}, {run, fire}));
  }
  if (!mischief.chance(1, 16)) return;
  ++played.impossible;
  protocol::InputMessage message{.first_tick = now + 1, .inputs = {}};
  if (mischief.chance(1, 2)) {
    message.inputs = move_out_of_range(mischief);
  } else {
    const Input run = value_with(game.input, {{"move", 3}});
    message.inputs = input_bits(game, std::vector(protocol::kInputsPerMessageMax + 1, run));
  }
  peer.send_inputs(message);
}

/// A room with three bots and two hand-made clients.
Played play(std::uint64_t seed, Manner manner) {
  Harness harness{{.seed = seed}};
  const GameTable& game = harness.game();
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
  Played played;
  while (played.hashes.size() < kTicks) {
    const Tick now = harness.world().tick;
    for (RawPeer& peer : peers) {
      const Input counts = draw(game, rng);
      const bool cheats = manner == Manner::Adversarial;
      if (cheats) cheat(peer, game, now, mischief, played);
      if (cheats && mischief.chance(1, 4)) {  // another input for this tick, which is replaced
        peer.send_inputs(message_for(
            game, now + 1, {value_with(game.input, {{"move", 7}, {"shoot", 1}, {"aim", 900}})}));
      }
      peer.send_inputs(message_for(game, now + 1, {counts}));
    }
    while (harness.world().tick == now) {
      harness.run_for(milliseconds{1});
    }
    played.hashes.push_back(harness.match().hash());
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(harness.client(i).stats().hashes_mismatched, 0U);
  }
  played.malformed = harness.shard().metrics().drops.of(net::DropReason::Malformed);
  return played;
}

TEST(Threat, CheatingInputCountsAsTheNewestThatIsPossible) {
  for (std::uint64_t seed = 101; seed < 109; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Played honest = play(seed, Manner::Honest);
    const Played cheated = play(seed, Manner::Adversarial);
    EXPECT_EQ(cheated.hashes, honest.hashes);
    EXPECT_EQ(cheated.malformed, cheated.impossible);
    EXPECT_GT(cheated.impossible, 30U);
    EXPECT_EQ(honest.malformed, 0U);
    EXPECT_NE(play(seed + 100, Manner::Honest).hashes, honest.hashes);
  }
}

}  // namespace
}  // namespace tickbox::tests
