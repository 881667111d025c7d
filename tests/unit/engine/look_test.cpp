#include "engine/log/words.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tickbox {
namespace {

struct Lamp {
  bool lit = false;
  TICKBOX_FIELDS(Lamp, lit)
};

struct Stone {
  TICKBOX_FIELDS(Stone)
};

struct Lamps {
  static constexpr std::string_view name = "lamps";
  static constexpr std::uint32_t version = 1;
  using Input = Empty;
  using Avatar = Lamp;
  using Kinds = List<Lamp, Stone>;

  template <class Kind>
  static Body body(const Kind&) {
    return {};
  }

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 1;
  }

  static Look look(const Lamp& lamp) { return {.glyph = lamp.lit ? '*' : '.'}; }

  static void map(MapBuilder&, const MapOptions&) {}

  static void join(Server<Lamps>&, Player) {}
};

TEST(Look, IsThatOfAnEntitysState) {
  const KindTable& lamp = kGameTable<Lamps>.kinds[0];
  const Lamp lit{.lit = true};
  const Lamp out;
  EXPECT_EQ(lamp.look(&lit).glyph, '*');
  EXPECT_EQ(lamp.look(&out).glyph, '.');
}

TEST(Caption, HasTheValuesInItsPlaces) {
  const auto told = [](const Caption& caption) {
    std::string words;
    engine::append_caption(caption, Player{4}, words);
    return words;
  };
  EXPECT_EQ(told({}), "");
  EXPECT_EQ(told({"no place"}), "no place");
  EXPECT_EQ(told({"{} hit {}", Player{3}, Player{4}}), "P3 hit you");
  EXPECT_EQ(told({"{} hit {}", Player{4}, Player{}}), "You hit nobody");
  EXPECT_EQ(told({"round {}: {} to {}", Int<0, 9>{7}, -2, 0}), "round 7: -2 to 0");
  EXPECT_EQ(told({"{}{}{}{}{}{}", 1, 2, 3, 4, 5, 6}), "123456");
}

TEST(Look, IsTheFirstLetterOfTheKindByDefault) {
  const Stone stone;
  EXPECT_EQ(kGameTable<Lamps>.kinds[1].look(&stone).glyph, 'S');
}

}  // namespace
}  // namespace tickbox
