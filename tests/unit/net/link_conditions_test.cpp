#include "net/link_simulator.h"
#include "tests/unit/protocol/fault.h"

#include <gtest/gtest.h>

namespace tickbox::net {
namespace {

using namespace std::chrono_literals;

TEST(LinkConditions, ReadEveryKey) {
  const auto link = parse_link_conditions(
      "delay=80ms,jitter=20ms,loss=5%,duplicate=1%,reorder=2%,corrupt=0.1%,truncate=0.25%,seed=7");
  ASSERT_TRUE(link) << link.error();
  EXPECT_EQ(*link, (LinkConditions{.delay = 40ms,
                                   .jitter = 20ms,
                                   .loss_ppm = 50'000,
                                   .duplicate_ppm = 10'000,
                                   .reorder_ppm = 20'000,
                                   .corrupt_ppm = 1'000,
                                   .truncate_ppm = 2'500,
                                   .seed = 7}));
}

TEST(LinkConditions, OfNothingAreAGoodLink) {
  EXPECT_EQ(parse_link_conditions(""), LinkConditions{});
}

TEST(LinkConditions, ReadDurationsOfEveryUnit) {
  const auto jitter = [](std::string_view text) {
    return parse_link_conditions(std::string{"jitter="}.append(text))->jitter;
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
    return parse_link_conditions(std::string{"loss="}.append(text))->loss_ppm;
  };
  EXPECT_EQ(loss("0%"), 0U);
  EXPECT_EQ(loss("0.1%"), 1'000U);
  EXPECT_EQ(loss("0.0001%"), 1U);
  EXPECT_EQ(loss("33.3333%"), 333'333U);
  EXPECT_EQ(loss("100%"), 1'000'000U);
}

TEST(LinkConditions, SayWhatIsWrong) {
  const auto error = [](std::string_view text) {
    return samples::fault_of(parse_link_conditions(text));
  };
  EXPECT_EQ(error("los=5%"), "unknown key 'los'; did you mean 'loss'?");
  EXPECT_EQ(error("delay=1ms,jiter=5ms"), "unknown key 'jiter'; did you mean 'jitter'?");
  EXPECT_EQ(error("duplicates=5%"), "unknown key 'duplicates'; did you mean 'duplicate'?");
  EXPECT_EQ(error("loss"), "'loss' is no key=value, expected parts like delay=80ms or loss=5%");
  EXPECT_EQ(error("loss=5"), "loss: '5' is no share, expected 0% to 100%, like 5% or 0.1%");
  EXPECT_EQ(error("loss=101%"), "loss: '101%' is no share, expected 0% to 100%, like 5% or 0.1%");
  EXPECT_EQ(error("delay=80"),
            "delay: '80' is no duration up to 10s, expected one like 80ms, 500us or 1s");
  EXPECT_EQ(error("seed=x"), "seed: 'x' is no whole number, expected one like 7");
  EXPECT_EQ(error("loss=1%,loss=2%"), "'loss' is given twice");
  EXPECT_EQ(error("loss=1%,"), "nothing follows the last comma");
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
                                      "seed=",
                                      "seed=-1",
                                      "seed=18446744073709551616",
                                      ",",
                                      ",loss=5%",
                                      "loss=5%,,delay=1ms",
                                      "=5%",
                                      "LOSS=5%",
                                      "loss =5%"}) {
    EXPECT_FALSE(parse_link_conditions(text)) << text;
  }
}

}  // namespace
}  // namespace tickbox::net
