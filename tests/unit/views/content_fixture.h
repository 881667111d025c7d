#pragma once
// A base of three runners and two crates, and contents that are written bit by bit.

#include "tests/support/content_bits.h"
#include "tests/support/field_game.h"
#include "views/content.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace tickbox::views {
namespace field = tests::field;
using engine::BitWriter;
using Bytes = std::vector<std::byte>;

inline constexpr std::uint8_t kTrueIndexBits = 3;

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
    write_row(field::game(), rows.row(0), {}, out);
  }

  static void write_end(BitWriter& out) { out.write(0, 1); }

  Rows base_{field::game()};
  Content content_{field::game()};
};

}  // namespace tickbox::views
