#include "engine/declared.h"

#include "core/rng.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace tickbox::engine {
namespace {

const TypeInfo& walker() {
  return tests::menagerie().kinds[0].type;
}

/// Returns a value of the type with random fields, each within its range.
std::vector<std::byte> random_values(const TypeInfo& type, Rng& dice) {
  std::vector<std::byte> bytes(type.bytes);
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      const auto drawn = static_cast<std::int64_t>(dice.next());
      const bool is_ref = field.form == FieldForm::Ref;
      const auto range = static_cast<std::uint64_t>(field.max - field.min) + 1;
      set_value(field, i, is_ref ? drawn : field.min + static_cast<std::int64_t>(dice.below(range)),
                bytes);
    }
  }
  return bytes;
}

TEST(Declared, EveryTypeIsReadBackAsItWasPacked) {
  Rng dice{1};
  std::vector<TypeInfo> types = {tests::menagerie().input, tests::menagerie().seat,
                                 tests::menagerie().room, tests::menagerie().secret};
  for (const KindTable& kind : tests::menagerie().kinds) {
    types.push_back(kind.type);
  }
  for (int i = 0; i < 200; ++i) {
    for (const TypeInfo& type : types) {
      const std::vector<std::byte> written = random_values(type, dice);
      std::vector<std::byte> packed;
      pack_sparse(type, written, packed);
      ASSERT_EQ(packed.size(), (sparse_bits(type, written) + 7U) / 8) << type.name;
      ASSERT_LE(sparse_bits(type, written), sparse_bits_max(type)) << type.name;
      std::vector<std::byte> read(type.bytes);
      BitReader reader{packed};
      ASSERT_TRUE(unpack_sparse(type, reader, read)) << type.name;
      ASSERT_TRUE(reader.is_at_end()) << type.name;
      ASSERT_TRUE(are_equal(type, written, read)) << difference(type, written, read);
    }
  }
}

TEST(Declared, ADifferenceNamesTheFields) {
  std::vector<std::byte> a(walker().bytes);
  std::vector<std::byte> b(walker().bytes);
  EXPECT_EQ(difference(walker(), a, b), "");
  set_value(walker().fields()[0], 0, 4, b);
  set_value(walker().fields()[6], 2, 7, b);
  EXPECT_EQ(difference(walker(), a, b), "hurt, colours");
}

TEST(Declared, PressesAreReleasedAndNothingElse) {
  const TypeInfo& pad = tests::menagerie().input;
  std::vector<std::byte> bytes(pad.bytes);
  set_value(pad.fields()[0], 0, -1, bytes);
  set_value(pad.fields()[1], 0, 1, bytes);
  EXPECT_FALSE(has_press_down(pad, bytes));
  set_value(pad.fields()[3], 0, 1, bytes);
  EXPECT_TRUE(has_press_down(pad, bytes));
  release_presses(pad, bytes);
  EXPECT_FALSE(has_press_down(pad, bytes));
  EXPECT_EQ(value_of(pad.fields()[0], 0, bytes), -1);
  EXPECT_EQ(value_of(pad.fields()[1], 0, bytes), 1);
}

}  // namespace
}  // namespace tickbox::engine
