#include "tickbox/adapter.h"

#include <gtest/gtest.h>

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

TEST(Look, IsTheFirstLetterOfTheKindByDefault) {
  const Stone stone;
  EXPECT_EQ(kGameTable<Lamps>.kinds[1].look(&stone).glyph, 'S');
}

}  // namespace
}  // namespace tickbox
