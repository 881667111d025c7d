#include "client/commands/load/requirement.h"

#include <gtest/gtest.h>

namespace tickbox::commands {
namespace {

std::string error_of(std::string_view text) {
  const auto parsed = parse_requirements(text);
  return parsed ? std::string{} : parsed.error();
}

bool held(std::string_view text, const Figures& figures) {
  const auto parsed = parse_requirements(text);
  EXPECT_TRUE(parsed) << text;
  return parsed && check(parsed->front(), figures).held;
}

TEST(Requirement, ReadsPathOperatorAndNumber) {
  const auto parsed =
      parse_requirements("tick_ms.p99<=8, state_hash.mismatched == 0,rtt_ms.p50>-1.5");
  ASSERT_TRUE(parsed);
  ASSERT_EQ(parsed->size(), 3U);
  EXPECT_EQ((*parsed)[0].text, "tick_ms.p99<=8");
  EXPECT_EQ((*parsed)[0].path, "tick_ms.p99");
  EXPECT_EQ((*parsed)[0].relation, Relation::AtMost);
  EXPECT_EQ((*parsed)[0].number, 8);
  EXPECT_EQ((*parsed)[1].path, "state_hash.mismatched");
  EXPECT_EQ((*parsed)[1].relation, Relation::Equal);
  EXPECT_EQ((*parsed)[2].relation, Relation::Above);
  EXPECT_EQ((*parsed)[2].number, -1.5);
}

TEST(Requirement, ComparesByEachOperator) {
  const Figures figures{{"count", std::uint64_t{8}}, {"time", 2.5}};
  EXPECT_TRUE(held("count<=8", figures));
  EXPECT_FALSE(held("count<8", figures));
  EXPECT_TRUE(held("count>=8", figures));
  EXPECT_FALSE(held("count>8", figures));
  EXPECT_TRUE(held("count==8", figures));
  EXPECT_FALSE(held("count!=8", figures));
  EXPECT_TRUE(held("time<2.6", figures));
  EXPECT_TRUE(held("time!=2", figures));
}

TEST(Requirement, DoesNotHoldWhenTheFigureIsNotKnown) {
  const Figures figures{{"tick_ms.p99", {}}};
  const auto parsed = parse_requirements("tick_ms.p99<=8");
  ASSERT_TRUE(parsed);
  const RequirementResult result = check(parsed->front(), figures);
  EXPECT_FALSE(result.held);
  EXPECT_FALSE(result.value);
}

TEST(Requirement, QuotesWhatIsWrong) {
  EXPECT_NE(error_of("rtt_ms.p99").find("\"rtt_ms.p99\" has none of"), std::string::npos);
  EXPECT_NE(error_of("a<=8,b<=").find("\"b<=\" ends in no number"), std::string::npos);
  EXPECT_NE(error_of("a<=8ms").find("ends in no number"), std::string::npos);
  EXPECT_NE(error_of("a<=nan").find("ends in no number"), std::string::npos);
  EXPECT_NE(error_of("<=8").find("names no figure"), std::string::npos);
  EXPECT_NE(error_of("a<=8,").find("has none of"), std::string::npos);
  EXPECT_NE(error_of("").find("has none of"), std::string::npos);
}

TEST(Requirement, KnowsWhatOthersWriteForAnOperator) {
  const auto hints = [](std::string_view text, std::string_view hint) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find("did you mean " + std::string{hint} + "?"), std::string::npos) << error;
  };
  hints("rtt_ms.p99=8", "==");
  hints("rtt_ms.p99 =< 8", "<=");
  hints("rtt_ms.p99=>8", ">=");
  hints("rtt_ms.p99<>8", "!=");
}

TEST(Requirement, OfAnObjectNamesItsFiguresAlone) {
  const Figures known{{"tick_ms.p99", {}}, {"rtt_ms.p50", {}}, {"rtt_ms.p99", {}}};
  const auto checked = check_path({.text = {}, .path = "rtt_ms"}, known);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error(), "rtt_ms is no figure by itself; there are rtt_ms{p50,p99}");
}

TEST(Requirement, NamesTheNearestPath) {
  const Figures known{{"tick_ms.p99", {}}, {"rtt_ms.p50", {}}};
  const auto checked = check_path({.text = {}, .path = "tik_ms.p99"}, known);
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().find("did you mean tick_ms.p99?"), std::string::npos);
  EXPECT_TRUE(check_path({.text = {}, .path = "rtt_ms.p50"}, known));
}

// It said "see --help", which had no list of them.
TEST(Requirement, WhereNoneIsNearItNamesAll) {
  const Figures known{{"clients.asked", {}},    {"clients.dropped", {}},
                      {"tick_overruns", {}},    {"tick_rate_held", {}},
                      {"prediction.exact", {}}, {"prediction.touched.exact", {}},
                      {"rtt_ms.p50", {}}};
  const auto checked = check_path({.text = {}, .path = "frames_per_second"}, known);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error(),
            "unknown figure frames_per_second; there are clients{asked,dropped} tick_overruns "
            "tick_rate_held prediction{exact} prediction.touched{exact} rtt_ms{p50}");
}

}  // namespace
}  // namespace tickbox::commands
