#include "server/match/input_buffer.h"

#include "tickbox/game_table.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

using Pushed = InputBuffer::Pushed;

/// The value of an input of one byte. The neutral one is 0.
struct Stick {
  Int<0, 8> move;
  TICKBOX_FIELDS(Stick, move)
};

/// A game of which a buffer reads the input alone.
const GameTable& game() {
  static const GameTable kGame{.input = detail::type_info<Stick>()};
  return kGame;
}

constexpr std::byte kRun{3};
constexpr std::byte kTurn{5};
constexpr std::byte kNeutral{0};

Pushed push(InputBuffer& buffer, Tick tick, std::byte move, std::uint8_t look_back = 0) {
  return buffer.push(tick, {.input = {&move, 1}, .look_back = look_back});
}

std::byte take(InputBuffer& buffer, Tick tick) {
  return buffer.consume(tick).given.input[0];
}

TEST(InputBuffer, GivesEachTickItsOwnInput) {
  InputBuffer buffer{game(), Tick{10}};
  EXPECT_EQ(push(buffer, {12}, kTurn), Pushed::Stored);
  EXPECT_EQ(push(buffer, {11}, kRun), Pushed::Stored);
  EXPECT_EQ(take(buffer, {11}), kRun);
  EXPECT_EQ(take(buffer, {12}), kTurn);
}

// A client whose server was stopped decides again for ticks that are still to come.
TEST(InputBuffer, OnlyTheNewestPacketReplacesAnInput) {
  const std::byte run[] = {kRun};
  InputBuffer buffer{game(), Tick{}};
  push(buffer, {1}, kTurn);
  EXPECT_EQ(push(buffer, {1}, kRun), Pushed::Replaced);
  EXPECT_EQ(push(buffer, {1}, kRun), Pushed::Ignored) << "a repeat";
  push(buffer, {2}, kTurn);
  EXPECT_EQ(buffer.push({2}, {.input = run}, InputBuffer::Packet::Overtaken), Pushed::Ignored);
  EXPECT_EQ(take(buffer, {1}), kRun);
  EXPECT_EQ(take(buffer, {2}), kTurn);
  EXPECT_EQ(push(buffer, {1}, kTurn), Pushed::Ignored);
}

TEST(InputBuffer, RepeatsTheLastInputWhenOneIsMissing) {
  InputBuffer buffer{game(), Tick{}};
  push(buffer, {1}, kRun);
  EXPECT_EQ(buffer.consume({1}).source, engine::InputSource::Received);
  for (std::uint32_t tick = 2; tick < 2 + InputBuffer::kRepeatsMax; ++tick) {
    const TakenInput taken = buffer.consume({tick});
    EXPECT_EQ(taken.source, engine::InputSource::Repeated);
    EXPECT_EQ(taken.given.input[0], kRun);
  }
  const TakenInput silent = buffer.consume({2 + InputBuffer::kRepeatsMax});
  EXPECT_EQ(silent.source, engine::InputSource::Neutral);
  EXPECT_EQ(silent.given.input[0], kNeutral);
}

TEST(InputBuffer, KeepsWhatItsPlayerSaw) {
  InputBuffer buffer{game(), Tick{}};
  push(buffer, {1}, kRun, 7);
  EXPECT_EQ(buffer.consume({1}).given.look_back, 7);
  EXPECT_EQ(buffer.consume({2}).given.look_back, 7) << "repeated";
}

TEST(InputBuffer, NeverAppliesALateInput) {
  InputBuffer buffer{game(), Tick{}};
  static_cast<void>(buffer.consume({1}));
  EXPECT_EQ(push(buffer, {1}, kRun), Pushed::TooLate);
  EXPECT_EQ(push(buffer, {1}, kRun), Pushed::Ignored)
      << "counted as late once, however often it is sent";
  EXPECT_EQ(take(buffer, {2}), kNeutral);
}

TEST(InputBuffer, HoldsSoManyTicksAndNoMore) {
  InputBuffer buffer{game(), Tick{}};
  EXPECT_EQ(push(buffer, {protocol::kInputsHeldMax}, kRun), Pushed::Stored);
  EXPECT_EQ(push(buffer, {protocol::kInputsHeldMax + 1}, kRun), Pushed::TooEarly);
  EXPECT_EQ(push(buffer, {0xffff'ffff}, kRun), Pushed::TooEarly);
}

TEST(InputBuffer, TellsUpToWhereAllHasArrived) {
  InputBuffer buffer{game(), Tick{5}};
  EXPECT_EQ(buffer.complete_to(), Tick{5});
  push(buffer, {6}, kRun);
  push(buffer, {8}, kRun);
  EXPECT_EQ(buffer.complete_to(), Tick{6});
  static_cast<void>(buffer.consume({6}));
  static_cast<void>(buffer.consume({7}));
  EXPECT_EQ(buffer.complete_to(), Tick{8});
}

}  // namespace
}  // namespace tickbox::server
