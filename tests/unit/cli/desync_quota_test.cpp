#include "cli/desync_quota.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace tickbox::cli {
namespace {

constexpr std::uint64_t kClient = 7;

protocol::Desync desync_of(std::optional<std::uint64_t> client, const std::string& field,
                           const std::string& subject = "Hero #1") {
  protocol::Desync desync;
  desync.client = client;
  desync.difference =
      engine::WorldDifference{.entities = 1,
                              .fields = 1,
                              .entity = BodyId{1},
                              .subject = subject,
                              .first_fields = {{.field = field, .expected = "1", .got = "2"}}};
  return desync;
}

TEST(DesyncQuota, TheFirstDesyncOfAFaultMayUseAllFilesAndTheNextHalfOfThem) {
  DesyncQuota quota;
  EXPECT_EQ(quota.share_of(desync_of(kClient, "x")), os::FileShare::Whole);
  quota.count(desync_of(kClient, "x"));
  EXPECT_EQ(quota.share_of(desync_of(kClient, "x")), os::FileShare::Half);
  EXPECT_EQ(quota.share_of(desync_of(kClient + 1, "x")), os::FileShare::Half);
  EXPECT_EQ(quota.share_of(desync_of(kClient, "y")), os::FileShare::Whole);
}

TEST(DesyncQuota, AFaultIsAKindAndAFieldWhicheverEntityAndIndex) {
  DesyncQuota quota;
  quota.count(desync_of(kClient, "ammo[0]"));
  EXPECT_EQ(quota.share_of(desync_of(kClient, "ammo[3]", "Hero #2")), os::FileShare::Half);
  EXPECT_EQ(quota.share_of(desync_of(kClient, "ammo[0]", "Coin #1")), os::FileShare::Whole);
}

TEST(DesyncQuota, AClientHasFilesOfItsOwnAndNoMore) {
  DesyncQuota quota;
  for (std::size_t i = 0; i < kFilesOfClientMax; ++i) {
    ASSERT_TRUE(quota.share_of(desync_of(kClient, "x"))) << i;
    quota.count(desync_of(kClient, "x"));
  }
  EXPECT_FALSE(quota.share_of(desync_of(kClient, "x")));
  EXPECT_FALSE(quota.share_of(desync_of(kClient, "y")));
  EXPECT_EQ(quota.share_of(desync_of(kClient + 1, "y")), os::FileShare::Whole);
}

TEST(DesyncQuota, AProgramsOwnDesyncsHaveNoClient) {
  DesyncQuota quota;
  for (std::size_t i = 0; i < 2 * kFilesOfClientMax; ++i) {
    ASSERT_TRUE(quota.share_of(desync_of(std::nullopt, "x"))) << i;
    quota.count(desync_of(std::nullopt, "x"));
  }
}

TEST(DesyncQuota, ADesyncWithoutADifferenceIsAFaultOfItsOwn) {
  DesyncQuota quota;
  quota.count(desync_of(kClient, "x"));
  protocol::Desync forgotten;
  EXPECT_EQ(quota.share_of(forgotten), os::FileShare::Whole);
  quota.count(forgotten);
  EXPECT_EQ(quota.share_of(forgotten), os::FileShare::Half);
}

}  // namespace
}  // namespace tickbox::cli
