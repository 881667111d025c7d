// The commands of a message.

#include "engine/declared.h"
#include "games/arena/arena.h"
#include "tests/support/declared_values.h"
#include "tests/support/menagerie.h"
#include "views/inputs.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::views {
namespace {

const TypeInfo& look_at() {
  return tests::menagerie().commands[0].type;
}

std::vector<std::byte> written(std::uint16_t first,
                               const std::vector<std::vector<std::byte>>& values) {
  std::vector<std::byte> bits;
  engine::BitWriter out{bits};
  write_command_head(first, out);
  for (const auto& value : values) {
    const std::size_t before = out.written();
    const GivenCommand command{.type = 0, .bytes = value};
    write_command(tests::menagerie(), command, out);
    EXPECT_EQ(out.written() - before, command_bits(tests::menagerie(), command));
  }
  out.write(0, 1);
  return bits;
}

bool is_read(const std::vector<std::byte>& bits) {
  ReceivedCommands received;
  return received.read(tests::menagerie(), bits);
}

TEST(Commands, AreReadBackInTheirOrder) {
  std::vector<std::vector<std::byte>> values;
  for (std::size_t count = 1; count <= kCommandsMax; ++count) {
    const auto x = static_cast<std::int64_t>(3 * count % 30);
    values.push_back(tests::value_with(
        look_at(), {{.field = "x", .value = x}, {.field = "self", .value = x % 2}}));
    ReceivedCommands received;
    ASSERT_TRUE(received.read(tests::menagerie(), written(65'530, values)));
    EXPECT_EQ(received.first(), 65'530);
    ASSERT_EQ(received.size(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(received[i].type, 0);
      EXPECT_TRUE(engine::are_equal(look_at(), received[i].bytes, values[i]));
    }
  }
  values.push_back(values.front());
  EXPECT_FALSE(is_read(written(1, values))) << "more than a client may have waiting";
}

TEST(Commands, OfNoBytesAreNone) {
  ReceivedCommands received;
  ASSERT_TRUE(received.read(tests::menagerie(), written(1, {tests::value_with(look_at(), {})})));
  EXPECT_TRUE(received.read(tests::menagerie(), {}));
  EXPECT_EQ(received.size(), 0U);
  EXPECT_TRUE(received.read(games::arena(), {}));
}

TEST(Commands, RefuseWhatNoClientWrites) {
  const auto value = tests::value_with(look_at(), {{.field = "x", .value = 29}});
  const std::vector<std::byte> right = written(1, {value, value});
  ASSERT_TRUE(is_read(right));
  EXPECT_FALSE(is_read(written(1, {}))) << "an empty list";
  for (std::size_t bytes = 1; bytes < right.size(); ++bytes) {
    EXPECT_FALSE(is_read({right.begin(), right.begin() + static_cast<std::ptrdiff_t>(bytes)}));
  }
  std::vector<std::byte> longer = right;
  longer.push_back({});
  EXPECT_FALSE(is_read(longer));
  ReceivedCommands received;
  EXPECT_FALSE(received.read(games::arena(), right)) << "a game without commands";
}

}  // namespace
}  // namespace tickbox::views
