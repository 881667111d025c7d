// The commands that wait in a client.

#include "client/connection/sent_inputs.h"
#include "tests/support/declared_values.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <vector>

namespace tickbox::client {
namespace {

class SentCommandsTest : public ::testing::Test {
 protected:
  bool add(std::int64_t x) {
    const TypeInfo& type = tests::menagerie().commands[0].type;
    return sent_.add(0, tests::value_with(type, {{.field = "x", .value = x}}));
  }

  /// Returns what the next message has: the place that each command looks at.
  std::vector<std::int64_t> message() {
    protocol::InputMessage message;
    message.commands.resize(3);
    sent_.write(message);
    EXPECT_LE(message.commands.size(), protocol::kCommandBytesMax);
    EXPECT_TRUE(received_.read(tests::menagerie(), message.commands));
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < received_.size(); ++i) {
      const TypeInfo& type = tests::menagerie().commands[received_[i].type].type;
      places.push_back(tests::field_value(type, received_[i].bytes, "x"));
    }
    return places;
  }

  SentCommands sent_{tests::menagerie()};
  views::ReceivedCommands received_;
};

using Places = std::vector<std::int64_t>;

TEST_F(SentCommandsTest, AreRepeatedUntilTheServerHasTakenThem) {
  EXPECT_EQ(message(), Places{});
  EXPECT_TRUE(add(3));
  EXPECT_TRUE(add(4));
  EXPECT_EQ(message(), (Places{3, 4}));
  EXPECT_EQ(received_.first(), 1);
  sent_.receive_ack(0);
  EXPECT_EQ(message(), (Places{3, 4}));
  sent_.receive_ack(1);
  EXPECT_EQ(message(), Places{4});
  EXPECT_EQ(received_.first(), 2);
  EXPECT_TRUE(add(5));
  sent_.receive_ack(1);
  EXPECT_EQ(message(), (Places{4, 5})) << "an answer that comes twice";
  sent_.receive_ack(3);
  EXPECT_EQ(message(), Places{});
  EXPECT_EQ(sent_.waiting(), 0U);
}

TEST_F(SentCommandsTest, AnAnswerToWhatWasNotSentIsIgnored) {
  EXPECT_TRUE(add(3));
  sent_.receive_ack(2);
  sent_.receive_ack(40'000);
  EXPECT_EQ(message(), Places{3});
}

TEST_F(SentCommandsTest, NoMoreWaitThanAMessageMayHave) {
  for (std::size_t i = 0; i < views::kCommandsMax; ++i) {
    EXPECT_TRUE(add(1));
  }
  EXPECT_FALSE(add(2));
  EXPECT_EQ(message(), Places(views::kCommandsMax, 1));
  sent_.receive_ack(1);
  EXPECT_TRUE(add(2));
}

// Numbers have 16 bits.
TEST_F(SentCommandsTest, NumbersBeginAgain) {
  for (std::uint32_t number = 1; number <= 0x1'0005; ++number) {
    ASSERT_TRUE(add(number % 30));
    ASSERT_EQ(message(), Places{number % 30});
    ASSERT_EQ(received_.first(), number & 0xffff);
    sent_.receive_ack(static_cast<std::uint16_t>(number));
    ASSERT_EQ(sent_.waiting(), 0U) << number;
  }
}

}  // namespace
}  // namespace tickbox::client
