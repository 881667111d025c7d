// What an input message repeats, by the margins that the server reports.

#include "client/connection/sent_inputs.h"

#include <gtest/gtest.h>

namespace tickbox::client {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kTickRate = 60;
constexpr Tick kOpened{1'000};
constexpr std::uint32_t kUnconfirmed = 12;  ///< inputs of a round trip and the margin

/// A client that sends a packet in each tick, over a path that brings none back by itself.
class Player {
 public:
  /// Runs `ticks` and sends one packet for them. Returns its inputs.
  protocol::InputMessage send(std::uint32_t ticks = 1) {
    for (std::uint32_t i = 0; i < ticks; ++i) {
      inputs_.add(clock_.next(), {});
      newest_ = clock_.next();
      clock_.ran();
    }
    protocol::InputMessage message;
    inputs_.write(message);
    inputs_.on_sent(++sequence_, {});
    return message;
  }

  /// Sends this many packets. After each, a report of the server arrives: the packet had this
  /// margin, in 1/16 ticks, and its inputs up to a round trip ago are confirmed. Returns the last
  /// message.
  protocol::InputMessage send_with_margin(std::int32_t margin, std::uint32_t packets) {
    protocol::InputMessage message;
    for (std::uint32_t i = 0; i < packets; ++i) {
      message = send();
      const Tick room{newest_.value - kUnconfirmed + 1};
      inputs_.take_report({.tick = protocol::low_bits(room),
                           .input_tick = protocol::low_bits(room),
                           .margin = protocol::encode_margin(margin),
                           .newest_packet = static_cast<std::uint8_t>(sequence_)},
                          sequence_, {});
    }
    return message;
  }

  [[nodiscard]] Tick newest() const { return newest_; }

 private:
  ClockSync clock_{kTickRate, kOpened, milliseconds{160}, {}};
  SentInputs inputs_{clock_, kTickRate, kOpened};
  Tick newest_;
  std::uint64_t sequence_ = 0;
};

TEST(SentInputs, RepeatsAllBeforeTheFirstReport) {
  Player player;
  for (std::size_t count = 1; count <= protocol::kInputsPerMessageMax; ++count) {
    const protocol::InputMessage message = player.send();
    EXPECT_EQ(message.inputs.size(), count);
    EXPECT_EQ(message.first_tick + static_cast<std::uint32_t>(count - 1), player.newest());
  }
  EXPECT_EQ(player.send().inputs.size(), protocol::kInputsPerMessageMax);
}

TEST(SentInputs, RepeatsWhatCanArriveInTime) {
  Player player;
  // A packet with a margin of one tick and three sixteenths brings two inputs in time.
  EXPECT_EQ(player.send_with_margin(19, 20).inputs.size(), 2U);
  // With a margin of one tick and three quarters, a packet that arrives somewhat earlier brings
  // three.
  EXPECT_EQ(player.send_with_margin(28, 20).inputs.size(), 3U);
  EXPECT_EQ(player.send_with_margin(19, 20).inputs.size(), 2U);
}

TEST(SentInputs, RepeatsNoMoreThanTheServerLacks) {
  Player player;
  const std::int32_t half_a_second = 30 * 16;
  EXPECT_EQ(player.send_with_margin(half_a_second, 20).inputs.size(), kUnconfirmed);
}

// The server counts an input as late only if it receives it.
TEST(SentInputs, SendsEachInputOnceHoweverLateItIs) {
  Player player;
  player.send_with_margin(19, 20);
  EXPECT_EQ(player.send(9).inputs.size(), 9U);
  EXPECT_EQ(player.send().inputs.size(), 2U);
}

TEST(SentInputs, SendsOnlyAFewWhileAllOfThemAreLate) {
  Player player;
  EXPECT_EQ(player.send_with_margin(-8, 4).inputs.size(), 2U);
}

}  // namespace
}  // namespace tickbox::client
