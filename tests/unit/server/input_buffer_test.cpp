#include "server/room/input_buffer.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

using Pushed = InputBuffer::Pushed;

constexpr game::Input kRun{.move = 3};
constexpr game::Input kTurn{.move = 5};

TEST(InputBuffer, GivesEachTickItsOwnInput) {
  InputBuffer buffer{Tick{10}};
  EXPECT_EQ(buffer.push({12}, kTurn), Pushed::Stored);
  EXPECT_EQ(buffer.push({11}, kRun), Pushed::Stored);
  EXPECT_EQ(buffer.take({11}).input, kRun);
  EXPECT_EQ(buffer.take({12}).input, kTurn);
}

TEST(InputBuffer, TheFirstInputForATickStands) {
  InputBuffer buffer;
  buffer.push({1}, kRun);
  EXPECT_EQ(buffer.push({1}, kTurn), Pushed::Ignored);
  EXPECT_EQ(buffer.take({1}).input, kRun);
  EXPECT_EQ(buffer.push({1}, kTurn), Pushed::Ignored);
}

TEST(InputBuffer, RepeatsTheLastInputWhenOneIsMissing) {
  InputBuffer buffer;
  buffer.push({1}, kRun);
  EXPECT_EQ(buffer.take({1}).source, game::InputSource::Received);
  for (std::uint32_t tick = 2; tick < 2 + InputBuffer::kRepeatsMax; ++tick) {
    const TakenInput taken = buffer.take({tick});
    EXPECT_EQ(taken.source, game::InputSource::Repeated);
    EXPECT_EQ(taken.input, kRun);
  }
  const TakenInput silent = buffer.take({2 + InputBuffer::kRepeatsMax});
  EXPECT_EQ(silent.source, game::InputSource::Neutral);
  EXPECT_EQ(silent.input, game::Input{});
}

TEST(InputBuffer, NeverAppliesALateInput) {
  InputBuffer buffer;
  static_cast<void>(buffer.take({1}));
  EXPECT_EQ(buffer.push({1}, kRun), Pushed::TooLate);
  EXPECT_EQ(buffer.push({1}, kRun), Pushed::Ignored)
      << "counted as late once, however often it is sent";
  EXPECT_EQ(buffer.take({2}).input, game::Input{});
}

TEST(InputBuffer, HoldsSoManyTicksAndNoMore) {
  InputBuffer buffer;
  EXPECT_EQ(buffer.push({protocol::kInputsHeldMax}, kRun), Pushed::Stored);
  EXPECT_EQ(buffer.push({protocol::kInputsHeldMax + 1}, kRun), Pushed::TooEarly);
  EXPECT_EQ(buffer.push({0xffff'ffff}, kRun), Pushed::TooEarly);
}

TEST(InputBuffer, TellsUpToWhereAllHasArrived) {
  InputBuffer buffer{Tick{5}};
  EXPECT_EQ(buffer.complete_to(), Tick{5});
  buffer.push({6}, kRun);
  buffer.push({8}, kRun);
  EXPECT_EQ(buffer.complete_to(), Tick{6});
  static_cast<void>(buffer.take({6}));
  static_cast<void>(buffer.take({7}));
  EXPECT_EQ(buffer.complete_to(), Tick{8});
}

}  // namespace
}  // namespace tickbox::server
