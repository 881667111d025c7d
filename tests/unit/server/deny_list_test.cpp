#include "server/shard/connect/admission.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

TEST(DenyList, ReadsAnIdOnEachLine) {
  const auto list = DenyList::parse("# cheaters\n 7 # seen twice\n\n18446744073709551615\r\n0\n7");
  ASSERT_TRUE(list) << list.error();
  EXPECT_EQ(list->size(), 3U);
  for (const std::uint64_t client : {std::uint64_t{0}, std::uint64_t{7}, UINT64_MAX}) {
    EXPECT_TRUE(list->contains(client)) << client;
  }
  EXPECT_FALSE(list->contains(1));
}

TEST(DenyList, DeniesNobodyWithoutALine) {
  for (const char* text : {"", "\n", "# nobody\n"}) {
    const auto list = DenyList::parse(text);
    ASSERT_TRUE(list) << list.error();
    EXPECT_EQ(list->size(), 0U);
    EXPECT_FALSE(list->contains(0));
  }
}

TEST(DenyList, NamesTheLineThatIsNoId) {
  for (const char* line : {"-1", "7 8", "seven", "0x7", "7.0", "18446744073709551616", "+7"}) {
    const auto list = DenyList::parse(std::string{"1\n"} + line + "\n3\n");
    ASSERT_FALSE(list) << line;
    EXPECT_TRUE(list.error().starts_with("line 2: expected a client id")) << list.error();
  }
}

}  // namespace
}  // namespace tickbox::server
