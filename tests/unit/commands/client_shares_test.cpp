// Which client has which link of --net, and which bot of --bot.

#include "client/commands/play/play_flags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {
namespace {

using Bots = std::vector<Portion<std::string>>;

constexpr ClientShare kRest{};

TEST(ClientShares, AreReadBeforeTheColon) {
  const auto shared = split_share("25%:4g,loss=5%");
  ASSERT_TRUE(shared) << shared.error();
  EXPECT_EQ(shared->share, 250'000U);
  EXPECT_EQ(shared->value, "4g,loss=5%");
  EXPECT_EQ(split_share("4g")->share, kRest);
  for (const std::string_view text : {"0.25:4g", "101%:4g", ":4g", "-1%:4g"}) {
    EXPECT_FALSE(split_share(text)) << text;
  }
}

TEST(ClientShares, AreExact) {
  const Bots bots{{.share = 250'000, .value = "still"}, {.share = 100'000, .value = "stress"}};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto all = values_of_clients(bots, 100, seed);
    const auto count = [&](const std::string* bot) {
      return std::ranges::count(all, bot, &ClientValue<std::string>::value);
    };
    EXPECT_EQ(count(&bots[0].value), 25);
    EXPECT_EQ(count(&bots[1].value), 10);
    EXPECT_EQ(count(nullptr), 65);
  }
}

TEST(ClientShares, OfTheRestAreTheValueWithoutAShare) {
  using Places = std::vector<std::optional<std::size_t>>;
  const std::vector<ClientShare> shares{kRest, 500'000};
  const Places places = places_of_clients(shares, 4, 1);
  EXPECT_EQ(std::ranges::count(places, std::optional<std::size_t>{0}), 2);
  EXPECT_EQ(std::ranges::count(places, std::optional<std::size_t>{1}), 2);
  EXPECT_EQ(places_of_clients(std::vector{kRest}, 2, 1), (Places{0, 0}));
  EXPECT_EQ(places_of_clients({}, 2, 1), Places(2));
}

// By their numbers alone, every fourth client had the link: all those of one of four rooms.
TEST(ClientShares, AreOfEachRoomAndAreDrawnByTheSeed) {
  constexpr std::size_t kRooms = 4;
  const std::vector<ClientShare> shares{250'000};
  const auto places = places_of_clients(shares, 100, 1);
  std::array<int, kRooms> with{};
  for (std::size_t i = 0; i < places.size(); ++i) {
    with[i % kRooms] += places[i] ? 1 : 0;
  }
  EXPECT_GE(std::ranges::min(with), 2);
  EXPECT_LE(std::ranges::max(with), 12);
  EXPECT_EQ(places, places_of_clients(shares, 100, 1));
  EXPECT_NE(places, places_of_clients(shares, 100, 2)) << "as the links and the bots of a run";
}

// A bot that stands for several gives the next one to each of its own clients.
TEST(ClientShares, NumberTheClientsOfEachValue) {
  const Bots bots{{.share = 500'000, .value = "mix"}};
  std::vector<std::size_t> numbers;
  for (const auto& each : values_of_clients(bots, 6, 1)) {
    if (each.value != nullptr) numbers.push_back(each.number);
  }
  EXPECT_EQ(numbers, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(ClientShares, AreRefusedWhereTheyAreForTooManyClients) {
  EXPECT_EQ(fault_of(std::vector<ClientShare>{600'000, 400'000, kRest}, "25%:4g"), "");
  EXPECT_TRUE(fault_of(std::vector<ClientShare>{600'000, 410'000}, "25%:4g").contains("25%:4g"));
  EXPECT_TRUE(fault_of(std::vector{kRest, kRest}, "25%:4g").contains("two values are each"));
}

}  // namespace
}  // namespace tickbox::commands
