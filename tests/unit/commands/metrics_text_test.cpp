#include "client/commands/load/metrics_text.h"

#include "client/commands/load/server_watch.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tickbox::commands {
namespace {

constexpr std::string_view kText =
    "# HELP ticks_total Ticks stepped.\n"
    "# TYPE ticks_total counter\n"
    "ticks_total 1200\n"
    "packets_total{direction=\"in\"} 7\n"
    "quoted{text=\"a \\\"b\\\" \\\\ c\\nd\"} 2.5e3 1700000000\n"
    "tick_seconds_bucket{phase=\"step\",le=\"0.001\"} 5\n"
    "tick_seconds_bucket{phase=\"step\",le=\"+Inf\"} 5\n"
    "tick_seconds_bucket{phase=\"total\",le=\"0.001\"} 10\n"
    "tick_seconds_bucket{phase=\"total\",le=\"0.002\"} 30\n"
    "tick_seconds_bucket{phase=\"total\",le=\"+Inf\"} 40\n";

const MetricLabel kTotal{.name = "phase", .value = "total"};

TEST(MetricsText, ReadsSamples) {
  const auto text = MetricsText::parse(kText);
  ASSERT_TRUE(text) << text.error();
  EXPECT_EQ(text->value("ticks_total"), 1'200);
  EXPECT_FALSE(text->value("packets_total")) << "has a label";
  EXPECT_FALSE(text->value("absent"));
}

TEST(MetricsText, ReadsTheBucketsOfOneLabel) {
  const auto text = MetricsText::parse(kText);
  ASSERT_TRUE(text);
  const auto total = text->histogram("tick_seconds", kTotal);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->counts, (std::vector<double>{10, 30, 40}));
  EXPECT_EQ(total->bounds[1], 0.002);
  EXPECT_TRUE(std::isinf(total->bounds[2]));
  EXPECT_FALSE(text->histogram("tick_seconds", {.name = "phase", .value = "send"}));
}

TEST(MetricsText, HasNoBucketsWhereTheyDoNotCount) {
  for (const std::string_view buckets :
       {"{phase=\"total\",le=\"1\"} 5\nb_bucket{phase=\"total\",le=\"+Inf\"} 4\n",
        "{phase=\"total\",le=\"1\"} -1\nb_bucket{phase=\"total\",le=\"+Inf\"} 4\n",
        "{phase=\"total\",le=\"1\"} nan\nb_bucket{phase=\"total\",le=\"+Inf\"} 4\n",
        "{phase=\"total\",le=\"1\"} 3\nb_bucket{phase=\"total\",le=\"+Inf\"} +Inf\n",
        "{phase=\"total\",le=\"-1\"} 3\nb_bucket{phase=\"total\",le=\"+Inf\"} 4\n",
        "{phase=\"total\",le=\"nan\"} 3\n", "{phase=\"total\",le=\"1\"} 3\n"}) {
    const auto text = MetricsText::parse("b_bucket" + std::string{buckets});
    ASSERT_TRUE(text) << buckets << text.error();
    EXPECT_FALSE(text->histogram("b", kTotal)) << buckets;
  }
}

TEST(MetricsText, NamesTheLineThatIsNone) {
  for (const std::string_view wrong : {"a 1\nb{\n", "a 1\nb{x=1} 2\n", "a 1\nb{x=\"1} 2\n",
                                       "a 1\nb\n", "a 1\nb two\n", "a 1\n<html>\n"}) {
    const auto text = MetricsText::parse(wrong);
    ASSERT_FALSE(text) << wrong;
    EXPECT_EQ(text.error(), "line 2 is no metric");
  }
}

TEST(BucketCounts, InterpolatesWithinABucket) {
  const double infinite = std::numeric_limits<double>::infinity();
  const BucketCounts counts{.bounds = {1, 2, 4, infinite}, .counts = {10, 30, 40, 40}};
  EXPECT_DOUBLE_EQ(counts.quantile(0.125).value(), 0.5);
  EXPECT_DOUBLE_EQ(counts.quantile(0.25).value(), 1);
  EXPECT_DOUBLE_EQ(counts.quantile(0.5).value(), 1.5);
  EXPECT_DOUBLE_EQ(counts.quantile(1).value(), 4)
      << "the end of the last bucket with anything in it";
  const BucketCounts beyond{.bounds = {1, infinite}, .counts = {0, 5}};
  EXPECT_DOUBLE_EQ(beyond.quantile(0.5).value(), 1) << "nothing more is known";
  EXPECT_FALSE((BucketCounts{.bounds = {1, infinite}, .counts = {0, 0}}).quantile(0.5));
}

TEST(BucketCounts, TellsWhatWasAddedAndNothingOfARestart) {
  const BucketCounts before{.bounds = {1, 2}, .counts = {10, 30}};
  const BucketCounts after{.bounds = {1, 2}, .counts = {11, 34}};
  const auto added = added_between(before, after);
  ASSERT_TRUE(added);
  EXPECT_EQ(added->counts, (std::vector<double>{1, 4}));
  EXPECT_FALSE(added_between(after, before)) << "the server was started again";
  EXPECT_FALSE(added_between({.bounds = {1, 3}, .counts = {0, 0}}, after));
}

TEST(ServerSample, TakesOnlyFiguresThatCanBe) {
  const auto told = [](const char* resident) {
    return "tickbox_ticks_total 5\ntickbox_ticks_slipped_total 0\ntickbox_tick_overruns_total 0\n"
           "tickbox_tick_rate 60\nprocess_cpu_seconds_total 0.5\n"
           "tickbox_tick_duration_seconds_bucket{phase=\"total\",le=\"+Inf\"} 5\n"
           "process_resident_memory_bytes " +
           std::string{resident} + '\n';
  };
  const auto sample = read_sample(told("13000000"));
  ASSERT_TRUE(sample) << sample.error();
  EXPECT_EQ(sample->resident_bytes, 13'000'000);
  for (const char* resident : {"nan", "-1", "inf", "1e300"}) {
    const auto wrong = read_sample(told(resident));
    ASSERT_FALSE(wrong) << resident;
    EXPECT_NE(wrong.error().find("process_resident_memory_bytes"), std::string::npos);
  }
}

TEST(ServerSample, NamesWhatIsMissing) {
  const auto sample = read_sample("tickbox_ticks_total 5\n");
  ASSERT_FALSE(sample);
  EXPECT_NE(sample.error().find("is it the admin side of a tickbox-server?"), std::string::npos);
}

}  // namespace
}  // namespace tickbox::commands
