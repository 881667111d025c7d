// The content of a snapshot as bits: what is read is what was written. Contents that are cut or
// altered: the target view_content of tests/fuzz.

#include "tests/unit/views/content_fixture.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::views {
namespace {

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

TEST_F(ContentTest, InputsComeBackByTickAndIndex) {
  ASSERT_TRUE(read_on_base({.inputs = true}, [](BitWriter& out) {
    write_input(0, out);
    write_input(2, out);
    write_end(out);
    write_end(out);
    write_input(0, out);
    write_end(out);
  }));
  ASSERT_EQ(content_.inputs.size(), 3U);
  EXPECT_EQ(content_.inputs[0].ago, 2);
  EXPECT_EQ(content_.inputs[1].ago, 2);
  EXPECT_EQ(content_.inputs[1].index, 2);
  EXPECT_EQ(content_.inputs[2].ago, 0);
  EXPECT_EQ(content_.inputs[2].index, 0);
  EXPECT_TRUE(content_.has_news());
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

TEST_F(ContentTest, OutcomesAndStrikesComeBackInTheirOrder) {
  const Bytes moved = field::bytes_of(field::Moved{.x = -7, .y = 9});
  const Bytes painted = field::bytes_of(field::Painted{.paint = 5});
  ASSERT_TRUE(read_on_base({.outcomes = true}, [&](BitWriter& out) {
    write_end(out);
    write_index(4, out);
    write_outcome(field::game(), {.phase = engine::OutcomePhase::Deciding, .type = 0}, moved, out);
    write_index(1, out);
    write_outcome(field::game(), {.phase = engine::OutcomePhase::Joining, .type = 1}, painted, out);
    write_index(0, out);
    write_strike({4'095}, out);
    write_end(out);
    write_end(out);
  }));
  ASSERT_EQ(content_.outcomes.size(), 3U);
  EXPECT_EQ(content_.outcomes[0].ago, 1);
  EXPECT_EQ(content_.outcomes[0].index, 4);
  EXPECT_EQ(content_.outcomes[0].phase, engine::OutcomePhase::Deciding);
  EXPECT_EQ(content_.outcomes[0].type, 0);
  EXPECT_FALSE(content_.outcomes[0].is_strike);
  EXPECT_EQ(content_.outcomes[1].phase, engine::OutcomePhase::Joining);
  EXPECT_EQ(content_.outcomes[1].type, 1);
  EXPECT_TRUE(content_.outcomes[2].is_strike);
  EXPECT_EQ(content_.outcomes[2].shooter, Player{4'095});
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

TEST_F(ContentTest, TheRoomComesBackForTheTicksInWhichItChanged) {
  const Bytes rain = field::bytes_of(field::Weather{.rain = 4});
  ASSERT_TRUE(read_on_base({.room = true}, [&](BitWriter& out) {
    out.write(1, 1);
    engine::pack_sparse(field::game().room, rain, out);
    out.write(0, 1);
    out.write(1, 1);
    engine::pack_sparse(field::game().room, rain, out);
  }));
  ASSERT_EQ(content_.room.size(), 2U);
  EXPECT_EQ(content_.room[0].ago, 2);
  EXPECT_EQ(content_.room[1].ago, 0);
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

TEST_F(ContentTest, MembersAreNamedByIndexAndOthersById) {
  ASSERT_TRUE(read_on_base({.rows = true}, [this](BitWriter& out) {
    write_origin({}, out);
    out.write(3, 2);
    out.write(1, kTrueIndexBits);
    write_row(field::game(), base_.row(1), {}, out);
    out.write(1, 2);
    Rows rows{field::game()};
    add_runner(rows, 3);
    write_id(rows.head(0).id, {100}, out);
    write_row(field::game(), rows.row(0), {}, out);
    write_end(out);
  }));
  ASSERT_EQ(content_.rows.size(), 2U);
  EXPECT_TRUE(are_equal(field::game(), content_.rows.row(0), base_.row(1)));
  EXPECT_EQ(owner_of(content_.rows.head(1).id), Player{3});
}

TEST_F(ContentTest, AMemberThatIsNamedByItsIdIsRefused) {
  EXPECT_FALSE(read_on_base({.rows = true}, [this](BitWriter& out) {
    write_origin({}, out);
    out.write(1, 2);
    write_id(base_.head(1).id, {100}, out);
    write_row(field::game(), base_.row(1), {}, out);
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

TEST_F(ContentTest, AFullViewComesBack) {
  const Bytes rain = field::bytes_of(field::Weather{.rain = 4});
  const Bytes bytes = tests::full_content(base_, {100}, {}, rain);
  ASSERT_TRUE(read(bytes, without_base()));
  EXPECT_EQ((tests::ContentBits{content_, without_base(), bytes}.write()), bytes);
  ASSERT_EQ(content_.rows.size(), kMembers);
  for (std::size_t i = 0; i < kMembers; ++i) {
    EXPECT_TRUE(are_equal(field::game(), content_.rows.row(i), base_.row(i)));
  }
  ASSERT_EQ(content_.room.size(), 1U);
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
