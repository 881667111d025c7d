// What the laws find in a game that uses nearly every part of the interface where a query does not
// log what it finds.

#include "laws/laws.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <string>

namespace tickbox {
namespace {

struct Unlogged {
  const char* query;
  bool engine::QueryLog::* log;
};

class MenagerieClosure : public ::testing::TestWithParam<Unlogged> {};

// The log of each query joins what the query finds with the entity that asks. Without this log the
// islands are too small.
TEST_P(MenagerieClosure, IsBrokenWithoutTheLogOfAQuery) {
  laws::LawOptions options{.matches = 500};
  options.query_log.*GetParam().log = false;
  const auto broken = laws::check_laws(tests::menagerie(), options);
  ASSERT_TRUE(broken) << "no law needs the log of " << GetParam().query;
  EXPECT_EQ(broken->law, "closure") << laws::to_text(tests::menagerie(), *broken);
}

INSTANTIATE_TEST_SUITE_P(Queries, MenagerieClosure,
                         ::testing::Values(Unlogged{"find", &engine::QueryLog::find},
                                           Unlogged{"exists", &engine::QueryLog::exists},
                                           Unlogged{"raycast", &engine::QueryLog::raycast},
                                           Unlogged{"for_each_in", &engine::QueryLog::for_each_in},
                                           Unlogged{"remove", &engine::QueryLog::remove},
                                           Unlogged{"spawn", &engine::QueryLog::spawn}),
                         [](const auto& of) { return std::string{of.param.query}; });

}  // namespace
}  // namespace tickbox
