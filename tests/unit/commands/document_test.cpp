#include "client/commands/document.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::commands {
namespace {

const Figures kFigures{{"connected", true},
                       {"ticks", std::uint64_t{300}},
                       {"rtt_ms.p50", 0.6551234567},
                       {"rtt_ms.p99", {}},
                       {"prediction.touched.exact", std::uint64_t{2}},
                       {"reason", std::string{"left \"now\""}}};

TEST(Document, NestsByTheDotsOfItsPaths) {
  EXPECT_EQ(to_json(kFigures),
            R"({"connected":true,"ticks":300,"rtt_ms":{"p50":0.655123,"p99":null},)"
            R"("prediction":{"touched":{"exact":2}},"reason":"left \"now\""})");
}

TEST(Document, EndsWithRequirementsAndVerdict) {
  const std::vector<RequirementResult> results{
      {.text = "ticks>=300", .held = true, .value = 300},
      {.text = "rtt_ms.p99<=1", .held = false, .value = std::nullopt}};
  EXPECT_EQ(to_json({{"ticks", std::uint64_t{300}}}, results, "failed"),
            R"({"ticks":300,"requirements":[{"text":"ticks>=300","held":true,"value":300.0},)"
            R"({"text":"rtt_ms.p99<=1","held":false,"value":null}],"verdict":"failed"})");
}

// What a server says goes into the document; it may not be UTF-8.
TEST(Document, StaysUtf8) {
  EXPECT_EQ(to_json({{"reason", std::string{"a\xff"}}}), "{\"reason\":\"a\xEF\xBF\xBD\"}");
}

TEST(Document, PutsAnObjectOnALineForPeople) {
  const std::string table = to_table(kFigures);
  EXPECT_EQ(std::ranges::count(table, '\n'), 5);
  EXPECT_NE(table.find("p50 0.6551 p99 -"), std::string::npos);
}

}  // namespace
}  // namespace tickbox::commands
