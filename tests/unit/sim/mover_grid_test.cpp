// The search for movers near a box, in strips and in cells, against a test of all movers.

#include "sim/step/mover_grid.h"

#include "core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::test::mover_grid_test {
namespace {

using sim::MoverGrid;
using sim::Rect;

/// Where the corners of movers are.
struct Place {
  const char* name = "";
  Vec2 size;
  bool has_far = false;  ///< one mover is at the end of the world
};

constexpr Place kPlaces[] = {{"field", {40 * kUnit, 30 * kUnit}, false},
                             {"tower", {2 * kUnit, 300 * kUnit}, false},
                             {"heap and one far away", {12 * kUnit, 12 * kUnit}, true},
                             {"one point", {1, 1}, false}};

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Movers in a grid, and what each covers.
class Crowd {
 public:
  Crowd(std::size_t movers, const Place& place, std::uint64_t seed) : random_{seed} {
    grid_.start(movers);
    for (std::uint32_t mover = 0; mover < movers; ++mover) {
      const bool is_far = place.has_far && mover == movers / 2;
      const Vec2 corner = is_far ? Vec2{kWorldLimit - 8 * kUnit, -kWorldLimit}
                                 : Vec2{below(place.size.x), below(place.size.y)};
      const std::int32_t size = 1 + below(kUnit);
      const std::int32_t way = random_.chance(1, 10) ? below(4 * kUnit) : below(kUnit / 8);
      corners_.push_back(corner);
      reaches_.push_back(size + way);
      hulls_.push_back({corner.x - below(way + 1), corner.y - below(way + 1),
                        corner.x + size + below(way + 1), corner.y + size + below(way + 1)});
      grid_.add(mover, corner, reaches_.back());
    }
    grid_.sort(hulls_);
  }

  /// Lets some movers cover something else, most of them within their reach.
  void turn_some() {
    for (std::uint32_t mover = 0; mover < hulls_.size(); ++mover) {
      if (!random_.chance(1, 3)) continue;
      const std::int32_t reach = (random_.chance(1, 4) ? 30 : 1) * reaches_[mover];
      const auto at = [&](std::int32_t corner) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(
            std::int64_t{corner} - reach + below(2 * reach + 1), -kWorldLimit, kWorldLimit));
      };
      const auto [x0, x1] = std::minmax({at(corners_[mover].x), at(corners_[mover].x)});
      const auto [y0, y1] = std::minmax({at(corners_[mover].y), at(corners_[mover].y)});
      hulls_[mover] = {x0, y0, x1, y1};
      grid_.update(mover, hulls_[mover]);
    }
  }

  /// A rectangle around a mover; some are wide.
  Rect area() {
    const Rect& hull = hulls_[random_.below(hulls_.size())];
    const std::int32_t margin = random_.chance(1, 10) ? 20 * kUnit : below(kUnit);
    return {hull.x0 - below(margin + 1), hull.y0 - below(margin + 1), hull.x1, hull.y1};
  }

  [[nodiscard]] Pairs pairs() const {
    Pairs found;
    grid_.visit_pairs([&](std::uint32_t a, std::uint32_t b) {
      found.emplace_back(std::min(a, b), std::max(a, b));
    });
    std::ranges::sort(found);
    return found;
  }

  [[nodiscard]] Pairs all_pairs() const {
    Pairs found;
    for (std::uint32_t a = 0; a < hulls_.size(); ++a) {
      for (std::uint32_t b = a + 1; b < hulls_.size(); ++b) {
        if (touch(hulls_[a], hulls_[b])) found.emplace_back(a, b);
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<std::uint32_t> near(const Rect& area) const {
    std::vector<std::uint32_t> found;
    grid_.visit_near(area, [&](std::uint32_t mover) { found.push_back(mover); });
    std::ranges::sort(found);
    return found;
  }

  [[nodiscard]] std::vector<std::uint32_t> all_near(const Rect& area) const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t mover = 0; mover < hulls_.size(); ++mover) {
      if (touch(hulls_[mover], area)) found.push_back(mover);
    }
    return found;
  }

 private:
  std::int32_t below(std::int32_t limit) {
    return static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(limit)));
  }

  Rng random_;
  MoverGrid grid_;
  std::vector<Vec2> corners_;
  std::vector<std::int32_t> reaches_;
  std::vector<Rect> hulls_;
};

void expect_all_found(Crowd& crowd) {
  for (int i = 0; i < 40; ++i) {
    const Rect area = crowd.area();
    ASSERT_EQ(crowd.near(area), crowd.all_near(area));
  }
}

TEST(MoverGrid, FindsEachMoverAndEachPairOnceHoweverManyThereAreAndHoweverTheyStand) {
  for (const Place& place : kPlaces) {
    for (const std::size_t movers : {1U, 2U, 8U, 9U, 100U, 1'024U, 1'025U, 1'500U}) {
      SCOPED_TRACE(testing::Message() << movers << " movers, " << place.name);
      Crowd crowd{movers, place, movers};
      ASSERT_EQ(crowd.pairs(), crowd.all_pairs());
      expect_all_found(crowd);
      crowd.turn_some();
      expect_all_found(crowd);
    }
  }
}

}  // namespace
}  // namespace tickbox::test::mover_grid_test
