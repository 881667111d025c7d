#include "net/connect_token.h"
#include "server/host/base/access.h"
#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tickbox::server::lookup_test {
namespace {

using std::chrono::seconds;

class Lines final : public Log {
 public:
  void event(Severity /*severity*/, const LogEvent& event) override {
    lines.push_back(as_text(event));
  }

  std::vector<std::string> lines;
};

/// Public addresses looked up in virtual time, at a name server that is not ready at first.
class LookupTest : public testing::Test {
 protected:
  auto look_up(Duration ready_after) {
    const Instant ready = clock_.now() + ready_after;
    return given_addresses(
        options_,
        {.resolve = [this,
                     ready](std::string_view name) -> std::expected<net::Address, std::string> {
           clock_.advance(std::chrono::milliseconds{300});
           if (clock_.now() < ready)
             return std::unexpected{"cannot find host " + std::string{name}};
           return net::parse_address("192.0.2.7:7777").value();
         },
         .own_addresses = [this, ready]() -> std::expected<std::vector<net::Address>, std::string> {
           if (clock_.now() < ready) return std::unexpected{"the GameServer has no address yet"};
           return std::vector{net::parse_address("192.0.2.8:7010").value(),
                              net::parse_address("192.0.2.8:7003").value()};
         },
         .pause = [this](Duration time) { clock_.advance(time); },
         .clock = clock_,
         .log = log_});
  }

  Options options_{.key_file = "keys", .public_addresses = {"game.example:7777", "b.example:7777"}};
  tests::VirtualClock clock_;
  Lines log_;
};

TEST_F(LookupTest, FindsANameThatIsThere) {
  const auto found = look_up({});
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->named.size(), 2U);
  EXPECT_TRUE(log_.lines.empty());
}

// Before the change, the server ended with wrong usage: a container was started again and again.
TEST_F(LookupTest, WaitsForANameThatIsNotThereYet) {
  const auto found = look_up(seconds{20});
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(found->named.size(), 2U);
  ASSERT_EQ(log_.lines.size(), 1U) << "one line, not one each second";
  EXPECT_TRUE(log_.lines[0].starts_with("public_address_not_found reason=")) << log_.lines[0];
}

// Agones maps each port by itself: the port of the second shard does not follow that of the first.
TEST_F(LookupTest, WaitsForTheAddressThatAgonesSays) {
  options_.public_addresses = {"agones", "a.example:7777"};
  const auto found = look_up(seconds{5});
  ASSERT_TRUE(found) << found.error();
  EXPECT_EQ(log_.lines.size(), 1U);
  const auto of_second = public_addresses(options_, *found, {}, 1);
  ASSERT_TRUE(of_second);
  EXPECT_EQ(*of_second, (std::vector{net::parse_address("192.0.2.7:7778").value(),
                                     net::parse_address("192.0.2.8:7003").value()}));
  EXPECT_EQ(address_to_try(options_, {}), "a.example:7777");
}

TEST_F(LookupTest, AddsTheAddressThatStandsForTheName) {
  const net::Address bound = net::parse_address("127.0.0.1:7777").value();
  EXPECT_EQ(public_addresses(options_, {}, bound, 0), std::vector{bound});
  options_.name = "eu-1";
  EXPECT_EQ(public_addresses(options_, {}, bound, 0),
            (std::vector{bound, net::address_of_name("eu-1")}));
}

TEST_F(LookupTest, GivesUpAfterItsPatience) {
  const Instant start = clock_.now();
  const auto found = look_up(seconds{100});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error(), "--public-address: cannot find host game.example:7777");
  EXPECT_GE(clock_.now() - start, kLookupPatience);
  EXPECT_LT(clock_.now() - start, kLookupPatience + seconds{3});
}

TEST_F(LookupTest, LooksUpNothingWithoutKeys) {
  options_.key_file.clear();
  const auto found = look_up(seconds{100});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->named.empty());
}

}  // namespace
}  // namespace tickbox::server::lookup_test
