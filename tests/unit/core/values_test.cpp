// What people write: quantities, and names that are almost right.

#include "core/text.h"

#include <gtest/gtest.h>

#include <array>

namespace tickbox {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

TEST(Values, ReadsDurations) {
  EXPECT_EQ(parse_duration("250ms"), Duration{250ms});
  EXPECT_EQ(parse_duration("10s"), Duration{10s});
  EXPECT_EQ(parse_duration("5m"), Duration{5min});
  EXPECT_EQ(parse_duration("1.5h"), Duration{90min});
  EXPECT_EQ(parse_duration("7us"), Duration{7us});
  EXPECT_EQ(parse_duration("1ns"), Duration{1ns});
  EXPECT_EQ(parse_duration("0s"), Duration{0});
  EXPECT_EQ(parse_duration("10"), Duration{10s}) << "seconds, where there is no unit";
  EXPECT_EQ(parse_duration("0.5"), Duration{500ms});
  EXPECT_EQ(parse_duration("0"), Duration{0});
  EXPECT_EQ(parse_duration(".25s"), Duration{250ms});
  EXPECT_EQ(parse_duration("2.s"), Duration{2s});
  EXPECT_EQ(parse_duration("87840h"), Duration{87'840h});
  EXPECT_EQ(parse_duration("0.33333333333333333333h"), Duration{20min}) << "to the nearest ns";
  EXPECT_EQ(parse_duration("1.4ns"), Duration{1ns});
  EXPECT_EQ(parse_duration("1.5ns"), Duration{2ns});
}

TEST(Values, RefusesWhatIsNoDuration) {
  for (const char* text : {"", "s", "-1s", "-1", "1 s", " 1s", "1s ", "1.2.3s", ".", ".s", "1x",
                           "1S", "0x1s", "1e3s", "nans", "9999d", "99999999h"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  EXPECT_EQ(
      parse_duration("9999d").error(),
      "'9999d' is not a duration; try 10, 250ms, 5m or 24h; the units are ns, us, ms, s, m and h");
  EXPECT_EQ(parse_duration("90000h").error(),
            "'90000h' is too long; the most is 87840h, ten years");
  EXPECT_EQ(parse_duration("36893488147419103232ns").error(),
            "'36893488147419103232ns' is too long; the most is 87840h, ten years")
      << "2^65";
}

TEST(Values, KeepsDurationsInTheirRange) {
  EXPECT_EQ(parse_duration_between("1", 1s, 5min), Duration{1s});
  EXPECT_EQ(parse_duration_between("5m", 1s, 5min), Duration{5min});
  EXPECT_EQ(parse_duration_between("0.1", 1s, 5min).error(), "'0.1' is too short; the least is 1s");
  EXPECT_EQ(parse_duration_between("301s", 1s, 5min).error(), "'301s' is too long; the most is 5m");
  EXPECT_EQ(parse_duration_between("1ms", 1500us, 5min).error(),
            "'1ms' is too short; the least is 1500us");
  EXPECT_FALSE(parse_duration_between("1x", 1s, 5min));
}

TEST(Values, ReadsSizes) {
  EXPECT_EQ(parse_size("512"), 512U);
  EXPECT_EQ(parse_size("512B"), 512U);
  EXPECT_EQ(parse_size("64KiB"), 65'536U);
  EXPECT_EQ(parse_size("1.5MiB"), 1'572'864U);
  EXPECT_EQ(parse_size("2GiB"), 2'147'483'648U);
  EXPECT_EQ(parse_size("0.12345678918063640594482421875GiB"), 132'560'718U);
}

TEST(Values, RefusesWhatIsNoSize) {
  for (const char* text : {"", "KiB", "-1", "64KB", "64k", "0.3B", "99999999999GiB", "1e3",
                           "0.123456789180636405944824218751GiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
  EXPECT_EQ(parse_size("64KB").error(),
            "'64KB' is not a size; try 512, 64KiB, 4MiB or 2GiB: the units are B, KiB, "
            "MiB and GiB");
}

TEST(Values, SplitsHostAndPort) {
  const auto name = parse_host_port("localhost:7777");
  ASSERT_TRUE(name) << name.error();
  EXPECT_EQ(name->host, "localhost");
  EXPECT_EQ(name->port, 7777);
  const auto v6 = parse_host_port("[::1]:65535");
  ASSERT_TRUE(v6) << v6.error();
  EXPECT_EQ(v6->host, "::1");
  EXPECT_EQ(v6->port, 65535);
}

TEST(Values, RefusesWhatIsNoHostAndPort) {
  for (const char* text : {"", "localhost", ":7777", "localhost:", "localhost:x", "localhost:65536",
                           "localhost:-1", "::1:7777", "[]:1", "[::1:7", "a b:1"}) {
    EXPECT_FALSE(parse_host_port(text)) << text;
  }
}

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(edits_between("kitten", "sitting"), 3U);
  EXPECT_EQ(edits_between("", "abc"), 3U);
  EXPECT_EQ(edits_between("same", "same"), 0U);
}

TEST(NearestName, IsTheFirstOfTheNearestOrNone) {
  constexpr std::array kKnown = {"--port"sv, "--admin-port"sv, "--pork"sv};
  EXPECT_EQ(nearest_name("--prt", kKnown), "--port");
  EXPECT_EQ(nearest_name("--adminport", kKnown), "--admin-port");
  EXPECT_EQ(nearest_name("--completely-else", kKnown), std::nullopt);
}

}  // namespace
}  // namespace tickbox
