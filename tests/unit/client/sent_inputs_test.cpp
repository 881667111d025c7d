// What an input message repeats, by the margins that the server reports.

#include "client/connection/sent_inputs.h"

#include "core/rng.h"
#include "engine/declared.h"
#include "tests/support/field_game.h"
#include "tickbox/type_info.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace tickbox::client::sent_inputs_test {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kTickRate = 60;
constexpr Tick kOpened{1'000};
constexpr std::uint32_t kUnconfirmed = 12;  ///< inputs of a round trip and the margin

/// The inputs of one packet.
struct Sent {
  Tick first_tick;
  std::vector<std::vector<std::byte>> inputs;
  std::vector<std::uint8_t> look_backs;
  std::size_t bytes = 0;
};

/// A client that sends a packet in each tick. The server's reports come from the test.
class Sender {
 public:
  explicit Sender(const GameTable& game = tests::field::game()) : game_(game) {
    decided_.resize(game.input.bytes);
    game.input.write_default(decided_.data());
  }

  /// Changes the input of each tick from now on.
  void decide(std::function<void(MutableBytes)> decide) { decide_ = std::move(decide); }

  /// Runs `ticks` and sends one packet for them. Returns its inputs.
  Sent send(std::uint32_t ticks = 1) {
    for (std::uint32_t i = 0; i < ticks; ++i) {
      if (decide_) decide_(decided_);
      newest_ = clock_.next();
      const auto look_back = static_cast<std::uint8_t>(newest_.value & 0xff);
      inputs_.add(newest_, {.input = decided_, .look_back = look_back});
      clock_.ran();
    }
    protocol::InputMessage message;
    inputs_.write(message);
    inputs_.on_sent(++sequence_, {});
    return read(message);
  }

  /// Sends this many packets. After each, a report of the server on the packet of a round trip ago
  /// arrives: it had this margin, in 1/16 ticks, and all inputs before it are confirmed. Returns
  /// the last message.
  Sent send_with_margin(std::int32_t margin, std::uint32_t packets) {
    Sent message;
    for (std::uint32_t i = 0; i < packets; ++i) {
      message = send();
      const Tick room{newest_.value - kUnconfirmed + 1};
      const std::uint64_t reported =
          sequence_ - std::min<std::uint64_t>(sequence_, kUnconfirmed - 2);
      inputs_.receive_report({.tick = protocol::low_bits(room),
                              .input_tick = protocol::low_bits(room),
                              .margin = protocol::encode_margin(margin),
                              .newest_packet = static_cast<std::uint8_t>(reported)},
                             sequence_, {});
    }
    return message;
  }

  /// Takes a report from the tick `room` on the packet that was sent `ago` packets before the
  /// newest one.
  void report(Tick room, std::uint64_t ago) {
    inputs_.receive_report({.tick = protocol::low_bits(room),
                            .input_tick = protocol::low_bits(room),
                            .margin = protocol::encode_margin(0),
                            .newest_packet = static_cast<std::uint8_t>(sequence_ - ago)},
                           sequence_, {});
    inputs_.follow_clock();
  }

  [[nodiscard]] const SentInputs& inputs() const { return inputs_; }

  [[nodiscard]] Tick newest() const { return newest_; }

  [[nodiscard]] const std::vector<std::byte>& decided() const { return decided_; }

 private:
  /// Reads a packet as a server does.
  [[nodiscard]] Sent read(const protocol::InputMessage& message) const {
    Sent sent{.first_tick = message.first_tick, .bytes = message.inputs.size()};
    views::ReceivedInputs received;
    EXPECT_TRUE(received.read(game_, message.inputs, protocol::kInputsPerMessageMax));
    for (std::size_t i = 0; i < received.size(); ++i) {
      sent.inputs.emplace_back(received[i].input.begin(), received[i].input.end());
      sent.look_backs.push_back(received[i].look_back);
    }
    return sent;
  }

  const GameTable& game_;
  std::function<void(MutableBytes)> decide_;
  std::vector<std::byte> decided_;
  ClockSync clock_{kTickRate, kOpened, milliseconds{160}, {}};
  Histogram round_trips_;
  SharedHistogram round_trip_{round_trips_};
  SentInputs inputs_{game_, clock_, kTickRate, kOpened, round_trip_};
  Tick newest_;
  std::uint64_t sequence_ = 0;
};

TEST(SentInputs, RepeatsAllBeforeTheFirstReport) {
  Sender player;
  for (std::size_t count = 1; count <= protocol::kInputsPerMessageMax; ++count) {
    const Sent message = player.send();
    EXPECT_EQ(message.inputs.size(), count);
    EXPECT_EQ(message.first_tick + static_cast<std::uint32_t>(count - 1), player.newest());
  }
  EXPECT_EQ(player.send().inputs.size(), protocol::kInputsPerMessageMax);
}

TEST(SentInputs, RepeatsWhatCanArriveInTime) {
  Sender player;
  // A packet with a margin of one tick and three sixteenths brings two inputs in time.
  EXPECT_EQ(player.send_with_margin(19, 30).inputs.size(), 2U);
  // With a margin of one tick and three quarters, a packet that arrives somewhat earlier brings
  // three.
  EXPECT_EQ(player.send_with_margin(28, 30).inputs.size(), 3U);
  EXPECT_EQ(player.send_with_margin(19, 30).inputs.size(), 2U);
}

// A client with only two margins does not know yet which inputs arrive in time.
TEST(SentInputs, RepeatsNoMoreThanTheServerLacks) {
  Sender player;
  EXPECT_EQ(player.send_with_margin(19, kUnconfirmed).inputs.size(), kUnconfirmed);
  EXPECT_EQ(player.send_with_margin(19, 1).inputs.size(), kUnconfirmed);
}

// The server counts an input as late only if it receives it.
TEST(SentInputs, SendsEachInputOnceHoweverLateItIs) {
  Sender player;
  player.send_with_margin(19, 30);
  EXPECT_EQ(player.send(9).inputs.size(), 9U);
  EXPECT_EQ(player.send().inputs.size(), 2U);
}

TEST(SentInputs, SendsOnlyAFewWhileAllOfThemAreLate) {
  Sender player;
  EXPECT_EQ(player.send_with_margin(-8, 16).inputs.size(), 2U);
}

TEST(SentInputs, CarriesEachInputAndWhatItsPlayerSaw) {
  Sender player;
  std::int64_t x = 0;
  player.decide([&](MutableBytes input) {
    engine::set_value(tests::field::game().input.fields()[0], 0, x++ % 3 - 1, input);
  });
  const Sent message = player.send(5);
  ASSERT_EQ(message.inputs.size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(engine::value_of(tests::field::game().input.fields()[0], 0, message.inputs[i]),
              static_cast<std::int64_t>(i % 3) - 1);
    EXPECT_EQ(message.look_backs[i], (message.first_tick.value + i) & 0xff);
  }
}

struct LargeInput {
  Array<Int<-1'000'000'000, 1'000'000'000>, 32> a;
  Array<Int<-1'000'000'000, 1'000'000'000>, 32> b;
  TICKBOX_FIELDS(LargeInput, a, b)
};

// 64 such inputs would take 16 KB, and a datagram has at most 1,200 bytes.
TEST(SentInputs, SendsTheNewestOfThoseThatDoNotFit) {
  GameTable game = tests::field::game();
  game.input = detail::type_info<LargeInput>();
  Sender player{game};
  Rng rng{1};
  player.decide([&](MutableBytes input) {
    for (const FieldInfo& field : game.input.fields()) {
      for (std::size_t i = 0; i < field.times; ++i) {
        engine::set_value(field, i, static_cast<std::int64_t>(rng.below(1'000'000)), input);
      }
    }
  });
  for (int i = 0; i < 100; ++i) {
    const Sent message = player.send();
    ASSERT_LE(message.bytes, protocol::kInputBytesMax);
    ASSERT_FALSE(message.inputs.empty());
    const auto last = static_cast<std::uint32_t>(message.inputs.size() - 1);
    ASSERT_EQ(message.first_tick + last, player.newest());
    ASSERT_EQ(message.inputs.back(), player.decided());
    EXPECT_EQ(message.inputs.size(), std::min(i + 1, 4)) << "of 257 bytes each";
  }
}

// The clock went back, and the client was suspended before it sent again: it had forgotten when it
// sent the packets that still waited.
TEST(SentInputs, CountsWaitsAfterItsClockWentBack) {
  Sender player;
  for (int i = 0; i < 100; ++i) {
    (void)player.send();
  }
  player.report(kOpened + 1, 5);
  ASSERT_GT(player.inputs().counts().discarded, 0U) << "the clock did not go back";
  Histogram waits;
  SharedHistogram waiting{waits};
  player.inputs().add_waiting(waiting, Instant{milliseconds{1'000}});
  EXPECT_EQ(waiting.own().count, 5U);
  EXPECT_GE(waits.quantile(0), 990'000U);
}

}  // namespace
}  // namespace tickbox::client::sent_inputs_test
