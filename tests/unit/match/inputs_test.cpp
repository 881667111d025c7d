#include "views/inputs.h"

#include "core/rng.h"
#include "engine/declared.h"
#include "games/arena/arena.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tickbox::views {
namespace {

/// An input of the arena: stick, shot, ray, aim.
std::vector<std::byte> pad(std::array<std::int64_t, 4> values) {
  const TypeInfo& type = games::arena().input;
  std::vector<std::byte> input(type.bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    engine::set_value(type.fields()[i], 0, values[i], input);
  }
  return input;
}

std::vector<std::byte> put(const std::vector<GivenInput>& inputs) {
  std::vector<std::byte> bits;
  engine::BitWriter out{bits};
  write_inputs(games::arena(), inputs, out);
  return bits;
}

bool read(ConstBytes bits, ReceivedInputs& received) {
  return received.read(games::arena(), bits, 64);
}

TEST(Inputs, AreReadAsTheyWereGiven) {
  Rng dice{3};
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<std::byte>> pads;
    std::vector<GivenInput> given;
    for (std::uint64_t i = dice.below(64); i > 0; --i) {
      const auto draw = [&](std::uint64_t below) {
        return static_cast<std::int64_t>(dice.below(below));
      };
      pads.push_back(pad({draw(9), draw(2), draw(2), draw(1'024)}));
    }
    for (const std::vector<std::byte>& each : pads) {
      given.push_back({.input = each, .look_back = static_cast<std::uint8_t>(dice.below(4))});
    }
    ReceivedInputs received;
    const std::vector<std::byte> bits = put(given);
    ASSERT_TRUE(read(bits, received));
    ASSERT_EQ(received.size(), given.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      EXPECT_TRUE(engine::are_equal(games::arena().input, received[i].input, given[i].input));
      EXPECT_EQ(received[i].look_back, given[i].look_back);
    }
  }
}

// A client repeats what is not confirmed: a stick that is held must cost little.
TEST(Inputs, AHeldInputTakesSixBits) {
  const std::vector<std::byte> held = pad({3, 0, 0, 0});
  const std::vector<GivenInput> one(1, {.input = held, .look_back = 6});
  const std::vector<GivenInput> nine(9, {.input = held, .look_back = 6});
  EXPECT_EQ(put(nine).size() - put(one).size(), 6U);
}

TEST(Inputs, NoBitsAreNoInputs) {
  ReceivedInputs received;
  const std::vector<std::byte> held = pad({1, 0, 0, 0});
  for (const std::vector<std::byte>& none : {std::vector<std::byte>{}, put({})}) {
    EXPECT_TRUE(read(put({{.input = held}}), received));
    EXPECT_TRUE(read(none, received));
    EXPECT_EQ(received.size(), 0U);
  }
}

TEST(Inputs, MoreThanWantedAreRefused) {
  const std::vector<std::byte> held = pad({1, 0, 0, 0});
  const std::vector<std::byte> bits = put(std::vector<GivenInput>(5, {.input = held}));
  ReceivedInputs received;
  EXPECT_FALSE(received.read(games::arena(), bits, 4));
  EXPECT_TRUE(received.read(games::arena(), bits, 5));
}

// What no client sends: a value out of its range, bits behind the end.
TEST(Inputs, AlteredBitsAreRefusedOrAreInputs) {
  const std::vector<std::byte> first = pad({8, 1, 0, 300});
  const std::vector<std::byte> second = pad({8, 0, 0, 0});
  const std::vector<std::byte> bits =
      put({{.input = first, .look_back = 3}, {.input = second, .look_back = 3}});
  int refused = 0;
  for (std::size_t at = 0; at < 8 * bits.size(); ++at) {
    std::vector<std::byte> altered = bits;
    altered[at / 8] ^= std::byte{1} << (at % 8);
    ReceivedInputs received;
    refused += read(altered, received) ? 0 : 1;
    for (std::size_t i = 0; i < received.size(); ++i) {
      EXPECT_TRUE(engine::is_in_range(games::arena().input, received[i].input)) << "bit " << at;
    }
  }
  EXPECT_GT(refused, 8);
}

}  // namespace
}  // namespace tickbox::views
