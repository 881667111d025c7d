// Which client has which link of --net.

#include "client/commands/play/client_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace tickbox::commands {
namespace {

std::vector<net::SharedLink> links_of(std::initializer_list<std::string_view> texts) {
  std::vector<net::SharedLink> links;
  for (const std::string_view text : texts) {
    links.push_back(net::parse_shared_link(text).value());
  }
  return links;
}

TEST(ClientLinks, HaveTheirSharesAmongAllAndAmongTheFirst) {
  const auto links = links_of({"25%:4g", "10%:wifi"});
  const auto all = links_of_clients(links, 100);
  const auto count = [&](const net::TwoWayLink* link, std::size_t first) {
    return std::ranges::count(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first), link);
  };
  EXPECT_EQ(count(&links[0].link, 100), 25);
  EXPECT_EQ(count(&links[1].link, 100), 10);
  EXPECT_EQ(count(nullptr, 100), 65) << "a good link";
  EXPECT_EQ(count(&links[0].link, 8), 2);
  EXPECT_EQ(count(nullptr, 1), 1);
}

TEST(ClientLinks, OfTheRestAreTheOneWithoutAShare) {
  const auto links = links_of({"dsl", "50%:4g"});
  const auto all = links_of_clients(links, 4);
  EXPECT_EQ(std::ranges::count(all, &links[0].link), 2);
  EXPECT_EQ(std::ranges::count(all, &links[1].link), 2);
  const auto one = links_of({"dsl"});
  EXPECT_EQ(links_of_clients(one, 3), std::vector<const net::TwoWayLink*>(3, &one[0].link));
  EXPECT_EQ(links_of_clients({}, 2), std::vector<const net::TwoWayLink*>(2));
}

TEST(ClientLinks, AreRefusedWhereTheyAreForTooManyClients) {
  EXPECT_EQ(fault_of(links_of({"60%:4g", "40%:dsl", "wifi"})), "");
  EXPECT_TRUE(fault_of(links_of({"60%:4g", "41%:dsl"})).contains("more than 100%"));
  EXPECT_TRUE(fault_of(links_of({"4g", "dsl"})).contains("two links are each for all"));
}

}  // namespace
}  // namespace tickbox::commands
