// Numbers in words.

#include "client/commands/text.h"

#include <gtest/gtest.h>

namespace tickbox::commands {
namespace {

// Before, one tick was "1 ticks".
TEST(Counted, HasOneInTheSingular) {
  EXPECT_EQ(counted(0, "tick"), "0 ticks");
  EXPECT_EQ(counted(1, "tick"), "1 tick");
  EXPECT_EQ(counted(1'204, "tick"), "1,204 ticks");
  EXPECT_EQ(counted(1, "entity", "entities"), "1 entity");
  EXPECT_EQ(counted(2, "entity", "entities"), "2 entities");
}

}  // namespace
}  // namespace tickbox::commands
