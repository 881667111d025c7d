// The content of a snapshot as bits: sizes, and contents that no server writes. That each content
// comes back: property/any_game. Contents that are cut or altered: the target view_content of
// tests/fuzz.

#include "views/content.h"

#include "tests/support/content_bits.h"
#include "tests/support/field_game.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tickbox::views {
namespace {

namespace field = tests::field;
using engine::BitWriter;
using Bytes = std::vector<std::byte>;

constexpr std::uint8_t kTrueIndexBits = 3;

/// A base of three runners, then two crates, three ticks before the snapshot.
class ContentTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kAge = 3;
  static constexpr std::uint16_t kRunners = 3;
  static constexpr std::uint16_t kMembers = 5;

  ContentTest() {
    for (std::uint16_t seat = 0; seat < kRunners; ++seat) {
      add_runner(base_, seat);
    }
    for (std::uint32_t i = 0; i < kMembers - kRunners; ++i) {
      add_crate(base_, i);
    }
  }

  static BodyId crate_id(std::uint32_t i) {
    return engine::spawned_id(engine::IdClass::ByServer,
                              {.lineage = engine::kSeatsMax + i, .tick = {1}, .count = 0});
  }

  static void add_runner(Rows& rows, std::uint16_t seat) {
    const Bytes state = field::bytes_of(field::Runner{.paint = 2});
    const Bytes input = field::bytes_of(field::Pad{});
    rows.add({.head = {.id = engine::controlled_id(1, {.lineage = seat, .tick = {2}, .count = 0}),
                       .min = {seat * kUnit, 0},
                       .velocity = {}},
              .state = state,
              .input = input});
  }

  static void add_crate(Rows& rows, std::uint32_t i) {
    const Bytes state(field::game().kinds[1].type.bytes);
    rows.add({.head = {.id = crate_id(i), .min = {0, kUnit}, .velocity = {}, .kind = 1},
              .state = state,
              .input = {}});
  }

  [[nodiscard]] ContentBase on_base() const { return {.tick = {100}, .age = kAge, .rows = &base_}; }

  static ContentBase without_base() { return {.tick = {100}, .age = 0, .rows = nullptr}; }

  bool read(const Bytes& bytes, const ContentBase& base) {
    return read_content(bytes, base, content_);
  }

  /// Reads what `write` writes behind a head with these lists.
  bool read_on_base(const Lists& lists, const std::function<void(BitWriter&)>& write) {
    Bytes bytes;
    {
      BitWriter out{bytes};
      write_head(kTrueIndexBits, lists, out);
      write(out);
    }
    const bool is_read = read(bytes, on_base());
    if (is_read) {
      EXPECT_EQ((tests::ContentBits{content_, on_base(), bytes}.write()), bytes) << "one form";
    }
    return is_read;
  }

  static void write_index(std::uint16_t index, BitWriter& out) {
    out.write(1, 1);
    out.write(index, kTrueIndexBits);
  }

  /// A change of the pad: its x becomes 1.
  static void write_input(std::uint16_t index, BitWriter& out) {
    write_index(index, out);
    engine::pack_change(field::game().input, field::bytes_of(field::Pad{}),
                        field::bytes_of(field::Pad{.x = 1, .y = 0, .shoot = {}}), out);
  }

  static void put_row_of_runner(std::uint16_t seat, BitWriter& out) {
    Rows rows{field::game()};
    add_runner(rows, seat);
    write_member(field::game(), rows.row(0), {}, out);
  }

  static void write_end(BitWriter& out) { out.write(0, 1); }

  Rows base_{field::game()};
  Content content_{field::game()};
};

TEST_F(ContentTest, NoBytesAreNoNews) {
  EXPECT_TRUE(read({}, on_base()));
  EXPECT_FALSE(content_.has_news());
  EXPECT_TRUE(content_.exits.empty());
  EXPECT_TRUE(read({}, without_base()));
}

TEST_F(ContentTest, AnIndexHasTheBitsThatNumberTheMembers) {
  EXPECT_EQ(index_bits(0), 0U);
  EXPECT_EQ(index_bits(1), 0U);
  EXPECT_EQ(index_bits(2), 1U);
  EXPECT_EQ(index_bits(kMembers), kTrueIndexBits);
  EXPECT_EQ(index_bits(8), 3U);
  EXPECT_EQ(index_bits(9), 4U);
  EXPECT_EQ(index_bits(kMembersMax), 10U);
}

TEST_F(ContentTest, AnotherIndexWidthThanThatOfTheBaseIsRefused) {
  for (unsigned width = 0; width < 16; ++width) {
    Bytes bytes;
    {
      BitWriter out{bytes};
      write_head(width, {.exits = true}, out);
      const std::vector<std::uint16_t> exits{4};
      write_exits(exits, kMembers, out);
    }
    EXPECT_EQ(read(bytes, on_base()), width == kTrueIndexBits) << width;
  }
}

TEST_F(ContentTest, AHeadWithoutAListIsRefused) {
  EXPECT_FALSE(read_on_base({}, [](BitWriter&) {}));
}

TEST_F(ContentTest, InputsOfOneTickThatAreNotByIndexAreRefused) {
  for (const std::uint16_t second : std::to_array<std::uint16_t>({0, 1})) {
    EXPECT_FALSE(read_on_base({.inputs = true}, [&](BitWriter& out) {
      write_input(1, out);
      write_input(second, out);
      write_end(out);
      write_end(out);
      write_end(out);
    })) << second;
  }
}

TEST_F(ContentTest, AnInputOfWhatIsNoAvatarIsRefused) {
  for (std::uint16_t index = 0; index < 8; ++index) {
    EXPECT_EQ(read_on_base({.inputs = true},
                           [&](BitWriter& out) {
                             write_input(index, out);
                             write_end(out);
                             write_end(out);
                             write_end(out);
                           }),
              index < kRunners)
        << index << ": a crate or no member";
  }
}

TEST_F(ContentTest, AnOutcomeThatTheGameHasNotIsRefused) {
  for (const unsigned type : {2U, 3U}) {
    EXPECT_EQ(read_on_base({.outcomes = true},
                           [&](BitWriter& out) {
                             write_index(0, out);
                             out.write(0, 2);
                             out.write(type, 2);
                             write_end(out);
                             write_end(out);
                             write_end(out);
                           }),
              type < field::game().outcomes.size());
  }
}

TEST_F(ContentTest, AnOutcomeOfNoMemberIsRefused) {
  EXPECT_FALSE(read_on_base({.outcomes = true}, [](BitWriter& out) {
    write_index(kMembers, out);
    write_strike({1}, out);
    write_end(out);
    write_end(out);
    write_end(out);
  }));
}

TEST_F(ContentTest, AListWithoutAnEntryIsRefused) {
  const auto ends = [](std::size_t count) {
    return [count](BitWriter& out) {
      for (std::size_t i = 0; i < count; ++i) {
        write_end(out);
      }
    };
  };
  EXPECT_FALSE(read_on_base({.inputs = true}, ends(kAge)));
  EXPECT_FALSE(read_on_base({.outcomes = true}, ends(kAge)));
  EXPECT_FALSE(read_on_base({.room = true}, ends(kAge)));
  EXPECT_FALSE(read_on_base({.exits = true}, ends(2)));
  EXPECT_FALSE(read_on_base({.rows = true}, [](BitWriter& out) {
    write_origin({}, out);
    write_end(out);
  }));
}

TEST_F(ContentTest, ExitsComeBackInTheShorterForm) {
  for (unsigned set = 1; set < 1U << kMembers; ++set) {
    std::vector<std::uint16_t> exits;
    for (std::uint16_t index = 0; index < kMembers; ++index) {
      if ((set >> index & 1U) != 0) exits.push_back(index);
    }
    Bytes alone;
    BitWriter out{alone};
    write_exits(exits, kMembers, out);
    EXPECT_LE(out.written(), exit_bits_max(kMembers));
    EXPECT_EQ(out.written(), exits.size() == 1 ? 1U + 4 + 1 : 1U + kMembers);
    ASSERT_TRUE(read_on_base({.exits = true},
                             [&](BitWriter& bits) { write_exits(exits, kMembers, bits); }));
    EXPECT_EQ(content_.exits, exits);
    EXPECT_FALSE(content_.has_news()) << "who leaves is no news of who stays";
  }
}

// Each content has one form. Before the fix, the reader took exits in either form.
TEST_F(ContentTest, ExitsInTheLongerFormAreRefused) {
  EXPECT_FALSE(read_on_base({.exits = true}, [](BitWriter& out) {
    write_end(out);
    write_index(1, out);
    write_index(2, out);
    write_end(out);
  }));
}

TEST_F(ContentTest, ExitsThatAreNoMembersOrNotInOrderAreRefused) {
  for (const auto& [first, second] :
       std::vector<std::pair<std::uint16_t, std::uint16_t>>{{5, 0}, {2, 2}, {2, 1}}) {
    EXPECT_FALSE(read_on_base({.exits = true}, [&](BitWriter& out) {
      write_end(out);
      write_index(first, out);
      if (second != 0) write_index(second, out);
      write_end(out);
    })) << first;
  }
}

TEST_F(ContentTest, AMemberThatIsNamedByItsIdIsRefused) {
  EXPECT_FALSE(read_on_base({.rows = true}, [this](BitWriter& out) {
    write_origin({}, out);
    out.write(1, 2);
    write_id(base_.head(1).id, {100}, out);
    write_member(field::game(), base_.row(1), {}, out);
    write_end(out);
  }));
}

TEST_F(ContentTest, RowsThatAreNotInTheOrderOfTheirIdsAreRefused) {
  for (const std::uint16_t second : std::to_array<std::uint16_t>({0, 1, 2})) {
    EXPECT_EQ(read_on_base({.rows = true},
                           [&](BitWriter& out) {
                             write_origin({}, out);
                             for (const std::uint16_t seat : {std::uint16_t{1}, second}) {
                               out.write(3, 2);
                               out.write(seat, kTrueIndexBits);
                               put_row_of_runner(seat, out);
                             }
                             write_end(out);
                           }),
              second == 2)
        << second;
  }
}

TEST_F(ContentTest, AFullViewHasNoCausesAndNoExits) {
  for (const Lists lists : {Lists{.inputs = true, .room = true},
                            {.outcomes = true, .room = true},
                            {.room = true, .exits = true}}) {
    Bytes bytes;
    {
      BitWriter out{bytes};
      write_head(0, lists, out);
      out.write(0, 20);
    }
    EXPECT_FALSE(read(bytes, without_base()));
  }
}

TEST_F(ContentTest, AViewOfTheMostMembersComesBackAndOneMoreIsRefused) {
  Rows rows{field::game()};
  for (std::uint32_t i = 0; i < kMembersMax; ++i) {
    add_crate(rows, i);
  }
  EXPECT_TRUE(read(tests::full_content(rows, {100}, {}), without_base()));
  EXPECT_EQ(content_.rows.size(), kMembersMax);
  add_crate(rows, kMembersMax);
  EXPECT_FALSE(read(tests::full_content(rows, {100}, {}), without_base()));
}

}  // namespace
}  // namespace tickbox::views
