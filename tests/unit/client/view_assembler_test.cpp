#include "client/view_assembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox::client {
namespace {

game::EntityState crate(std::uint32_t number) {
  return {.id = game::crate_body(number),
          .min = {.x = static_cast<std::int32_t>(number), .y = 5},
          .velocity = {},
          .traits = {.kind = game::EntityKind::Crate, .held = {}, .timer = 0}};
}

/// A snapshot of crates 0, 1, 2… in three datagrams of `each`.
std::vector<net::SnapshotFragment> snapshot(Tick tick, std::uint32_t each) {
  std::vector<net::SnapshotFragment> fragments(3);
  std::vector<game::EntityState> all;
  for (std::uint32_t i = 0; i < 3 * each; ++i) {
    all.push_back(crate(i));
    fragments[i / each].entities.push_back(all.back());
  }
  for (std::uint8_t i = 0; i < 3; ++i) {
    fragments[i].head = {.view_hash = view_hash(all),
                         .tick = tick,
                         .view_size = static_cast<std::uint16_t>(all.size()),
                         .fragment = i,
                         .fragments = 3};
  }
  return fragments;
}

bool is_whole(const std::expected<std::optional<View>, net::DropReason>& added) {
  return added && added->has_value();
}

TEST(ViewAssembler, CompletesAViewInAnyOrder) {
  const std::vector<net::SnapshotFragment> parts = snapshot(Tick{9}, 4);
  std::vector<std::size_t> order{0, 1, 2};
  do {
    ViewAssembler assembler;
    EXPECT_FALSE(is_whole(assembler.add(parts[order[0]])));
    EXPECT_FALSE(is_whole(assembler.add(parts[order[1]])));
    const auto view = assembler.add(parts[order[2]]);
    ASSERT_TRUE(is_whole(view));
    EXPECT_EQ((*view)->entities.size(), 12U);
    EXPECT_TRUE(std::ranges::is_sorted((*view)->entities, {}, &game::EntityState::id));
    EXPECT_EQ(view_hash((*view)->entities), (*view)->head.view_hash);
  } while (std::ranges::next_permutation(order).found);
}

TEST(ViewAssembler, IsNotCompletedByADuplicate) {
  const std::vector<net::SnapshotFragment> parts = snapshot(Tick{9}, 4);
  ViewAssembler assembler;
  EXPECT_FALSE(is_whole(assembler.add(parts[0])));
  EXPECT_FALSE(is_whole(assembler.add(parts[0])));
  EXPECT_FALSE(is_whole(assembler.add(parts[1])));
  EXPECT_FALSE(is_whole(assembler.add(parts[1])));
  EXPECT_TRUE(is_whole(assembler.add(parts[2])));
}

TEST(ViewAssembler, KeepsSeveralTicksApart) {
  const auto first = snapshot(Tick{9}, 4);
  const auto second = snapshot(Tick{10}, 5);
  ViewAssembler assembler;
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(is_whole(assembler.add(first[i])));
    EXPECT_FALSE(is_whole(assembler.add(second[i])));
  }
  const auto late = assembler.add(first[2]);
  ASSERT_TRUE(is_whole(late));
  EXPECT_EQ((*late)->head.tick, Tick{9});
  EXPECT_EQ((*late)->entities.size(), 12U);
  const auto next = assembler.add(second[2]);
  ASSERT_TRUE(is_whole(next));
  EXPECT_EQ((*next)->entities.size(), 15U);
}

TEST(ViewAssembler, GivesUpATickWhoseNewerNeighboursNeedItsPlace) {
  ViewAssembler assembler;
  EXPECT_FALSE(is_whole(assembler.add(snapshot(Tick{9}, 4)[0])));
  EXPECT_FALSE(is_whole(assembler.add(snapshot(Tick{17}, 4)[0])));
  const auto late = assembler.add(snapshot(Tick{9}, 4)[1]);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error(), net::DropReason::Unexpected);
}

TEST(ViewAssembler, RefusesPartsThatContradictEachOther) {
  const auto parts = snapshot(Tick{9}, 4);
  const auto refused = [&parts](auto change) {
    net::SnapshotFragment other = parts[1];
    change(other);
    ViewAssembler assembler;
    EXPECT_FALSE(is_whole(assembler.add(parts[0])));
    const auto added = assembler.add(other);
    return !added && added.error() == net::DropReason::Malformed;
  };
  EXPECT_TRUE(refused([](net::SnapshotFragment& other) { other.head.view_hash ^= 1; }));
  EXPECT_TRUE(refused([](net::SnapshotFragment& other) { ++other.head.view_size; }));
  EXPECT_TRUE(refused([](net::SnapshotFragment& other) { other.head.fragments = 2; }));
  EXPECT_FALSE(refused([](net::SnapshotFragment&) {}));
}

TEST(ViewAssembler, RefusesAViewOutOfOrderOrOfAnotherSize) {
  auto parts = snapshot(Tick{9}, 4);
  std::swap(parts[0].entities, parts[1].entities);
  ViewAssembler assembler;
  EXPECT_FALSE(is_whole(assembler.add(parts[0])));
  EXPECT_FALSE(is_whole(assembler.add(parts[1])));
  const auto disordered = assembler.add(parts[2]);
  ASSERT_FALSE(disordered);
  EXPECT_EQ(disordered.error(), net::DropReason::Malformed);

  auto short_of_one = snapshot(Tick{10}, 4);
  short_of_one[1].entities.pop_back();
  EXPECT_FALSE(is_whole(assembler.add(short_of_one[0])));
  EXPECT_FALSE(is_whole(assembler.add(short_of_one[1])));
  EXPECT_FALSE(assembler.add(short_of_one[2]));
}

// A late copy of a part of a view that was told already must not tell it a second time: the client
// would count one snapshot twice.
TEST(ViewAssembler, TellsAViewOnce) {
  const auto parts = snapshot(Tick{9}, 4);
  ViewAssembler assembler;
  EXPECT_FALSE(is_whole(assembler.add(parts[0])));
  EXPECT_FALSE(is_whole(assembler.add(parts[1])));
  EXPECT_TRUE(is_whole(assembler.add(parts[2])));
  EXPECT_FALSE(is_whole(assembler.add(parts[2])));
}

}  // namespace
}  // namespace tickbox::client
