// What --net accepts, and what it says about the rest.

#include "net/link_simulator.h"
#include "tests/unit/protocol/fault.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::net {
namespace {

using namespace std::chrono_literals;

TEST(LinkConditions, ReadEveryKey) {
  const auto link = parse_link(
      "delay=80ms,jitter=20ms,loss=5%,duplicate=1%,reorder=2%,corrupt=0.1%,truncate=0.25%,seed=7,"
      "burst=3,rate=1.5Mbit/s");
  ASSERT_TRUE(link) << link.error();
  EXPECT_EQ(link->up, (LinkConditions{.delay = 40ms,
                                      .jitter = 20ms,
                                      .loss_ppm = 50'000,
                                      .duplicate_ppm = 10'000,
                                      .reorder_ppm = 20'000,
                                      .corrupt_ppm = 1'000,
                                      .truncate_ppm = 2'500,
                                      .seed = 7,
                                      .burst = 3,
                                      .bits_per_second = 1'500'000}));
  EXPECT_EQ(link->down, link->up);
}

TEST(LinkConditions, ReadOneWay) {
  const auto link = parse_link("delay=80ms,up.delay=10ms,down.loss=2%,down.rate=256kbit/s,seed=7");
  ASSERT_TRUE(link) << link.error();
  EXPECT_EQ(link->up, (LinkConditions{.delay = 10ms, .seed = 7}));
  EXPECT_EQ(
      link->down,
      (LinkConditions{.delay = 40ms, .loss_ppm = 20'000, .seed = 7, .bits_per_second = 256'000}));
}

TEST(LinkConditions, ReadProfilesAndWhatChangesThem) {
  for (const std::string_view name : {"4g", "dsl", "wifi"}) {
    const auto link = parse_link(name);
    ASSERT_TRUE(link) << link.error();
    EXPECT_GT(link->up.delay + link->down.delay, 0ms) << name;
    EXPECT_GT(link->down.loss_ppm, 0U) << name;
    EXPECT_TRUE(profiles_in_words().contains(std::string{name} + " (delay=")) << name;
  }
  auto changed = parse_link("dsl").value();
  EXPECT_LT(changed.up.bits_per_second, changed.down.bits_per_second);
  changed.down.loss_ppm = 30'000;
  EXPECT_EQ(parse_link("dsl,down.loss=3%"), changed);
}

TEST(LinkConditions, OfNothingAreAGoodLink) {
  EXPECT_EQ(parse_link(""), TwoWayLink{});
}

TEST(LinkConditions, ReadDurationsOfEveryUnit) {
  const auto jitter = [](std::string_view text) {
    return parse_link(std::string{"jitter="}.append(text))->up.jitter;
  };
  EXPECT_EQ(jitter("7ns"), 7ns);
  EXPECT_EQ(jitter("500us"), 500us);
  EXPECT_EQ(jitter("80ms"), 80ms);
  EXPECT_EQ(jitter("1s"), 1s);
  EXPECT_EQ(jitter("1.5ms"), 1'500us);
  EXPECT_EQ(jitter("0.000001s"), 1us);
  EXPECT_EQ(jitter("10s"), 10s);
  EXPECT_EQ(jitter("0ms"), 0ms);
}

TEST(LinkConditions, ReadSharesExactly) {
  const auto loss = [](std::string_view text) {
    return parse_link(std::string{"loss="}.append(text))->up.loss_ppm;
  };
  EXPECT_EQ(loss("0%"), 0U);
  EXPECT_EQ(loss("0.1%"), 1'000U);
  EXPECT_EQ(loss("0.0001%"), 1U);
  EXPECT_EQ(loss("33.3333%"), 333'333U);
  EXPECT_EQ(loss("100%"), 1'000'000U);
}

TEST(LinkConditions, NameWhatIsWrongAndTheNearestKey) {
  const std::pair<std::string_view, std::vector<std::string_view>> cases[] = {
      {"los=5%", {"'los'", "'loss'"}},
      {"delay=1ms,jiter=5ms", {"'jiter'", "'jitter'"}},
      {"duplicates=5%", {"'duplicates'", "'duplicate'"}},
      {"loss", {"'loss'", "KEY=VALUE"}},
      {"loss=5", {"loss", "'5'", "0% to 100%"}},
      {"delay=80", {"delay", "'80'", "10s"}},
      {"seed=x", {"seed", "'x'"}},
      {"loss=1%,loss=2%", {"'loss'", "twice"}},
      {"loss=1%,", {"comma"}},
      {"wfi", {"'wfi'", "4g, dsl, wifi"}},
      {"loss=1%,4g", {"'4g'", "first"}},
      {"4g,4g", {"'4g'", "first"}},
      {"up.los=5%", {"'los'", "'loss'"}},
      {"up.loss=5", {"up.loss", "'5'"}},
      {"up.seed=7", {"'up.seed'", "one seed"}},
      {"burst=0,loss=1%", {"burst", "'0'", "1000"}},
      {"burst=4", {"burst", "loss"}},
      {"loss=90%,burst=8", {"burst", "8", "at least 9"}},
      {"rate=2", {"rate", "'2'", "Mbit/s"}},
      {"rate=0.5kbit/s", {"rate", "1kbit/s"}},
      {"rate=1MB/s", {"rate", "Mbit/s"}}};
  for (const auto& [text, names] : cases) {
    const auto error = samples::fault_of(parse_link(text));
    for (const std::string_view name : names) {
      EXPECT_TRUE(error && error->contains(name)) << text << ": " << error.value_or("");
    }
  }
}

TEST(LinkConditions, AllowBurstsOfEachPossibleLength) {
  EXPECT_TRUE(parse_link("loss=90%,burst=9"));
  EXPECT_TRUE(parse_link("loss=100%,burst=2"));
  EXPECT_TRUE(parse_link("loss=1%,burst=1000"));
}

TEST(LinkConditions, RefuseWhatIsAlmostAValue) {
  for (const std::string_view text : {"loss=%",
                                      "loss=-1%",
                                      "loss=+1%",
                                      "loss=1e1%",
                                      "loss=.5%",
                                      "loss=5.%",
                                      "loss=5 %",
                                      "loss= 5%",
                                      "loss=0.0000001%",
                                      "loss=100.1%",
                                      "loss=5%%",
                                      "loss=",
                                      "loss=0x5%",
                                      "loss=99999999999999999999%",
                                      "delay=ms",
                                      "delay=-1ms",
                                      "delay=1m",
                                      "delay=11s",
                                      "delay=10.1s",
                                      "delay=99999999999ms",
                                      "delay=99999999999999999999s",
                                      "burst=2.5,loss=1%",
                                      "burst=1001,loss=1%",
                                      "rate=-1Mbit/s",
                                      "rate=Mbit/s",
                                      "rate=1mbit/s",
                                      "seed=",
                                      "seed=-1",
                                      "seed=18446744073709551616",
                                      ",",
                                      ",loss=5%",
                                      "loss=5%,,delay=1ms",
                                      "=5%",
                                      "LOSS=5%",
                                      "loss =5%"}) {
    EXPECT_FALSE(parse_link(text)) << text;
  }
}

}  // namespace
}  // namespace tickbox::net
