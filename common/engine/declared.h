#pragma once
// Declared types as bytes in memory: reading, writing and comparing their fields, and packing them
// as bits.

#include "core/bytes.h"
#include "core/numbers.h"
#include "engine/bits.h"
#include "tickbox/game_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tickbox::engine {

/// Returns value `i` of a field: a number, 0 or 1, a seat, or the bits of an id.
[[nodiscard]] std::int64_t value_of(const FieldInfo& field, std::size_t i, ConstBytes type);

/// Requires: is_in_range(field, value).
void set_value(const FieldInfo& field, std::size_t i, std::int64_t value, MutableBytes type);

[[nodiscard]] bool is_in_range(const FieldInfo& field, std::int64_t value);

/// Returns whether every value of a type in memory is in its range. A value of a Kind that rules
/// have written always is.
[[nodiscard]] bool is_in_range(const TypeInfo& type, ConstBytes bytes);

[[nodiscard]] bool are_equal(const TypeInfo& type, ConstBytes a, ConstBytes b);

/// Returns the names of the fields whose values differ, as in "coyote, dead".
[[nodiscard]] std::string difference(const TypeInfo& type, ConstBytes a, ConstBytes b);

/// Appends a copy of a type whose bytes between the fields are zero.
void append_clean(const TypeInfo& type, ConstBytes bytes, std::vector<std::byte>& out);

/// An aligned copy of a value, for callbacks: the bytes in a record may have any alignment.
class AlignedValue {
 public:
  /// Requires: at most kTypeBytesMax bytes.
  explicit AlignedValue(ConstBytes bytes) { std::ranges::copy(bytes, bytes_.begin()); }

  [[nodiscard]] const void* data() const { return bytes_.data(); }

 private:
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> bytes_{};
};

/// Returns the bytes of a value of a declared type.
[[nodiscard]] inline ConstBytes bytes_of(const TypeInfo& type, const void* value) {
  return {static_cast<const std::byte*>(value), type.bytes};
}

/// Packs a type, of which most values are those by default: for each value one bit, and if it is
/// set the value.
void pack_sparse(const TypeInfo& type, ConstBytes bytes, BitWriter& out);

/// Appends what pack_sparse() writes, filled up to whole bytes.
void pack_sparse(const TypeInfo& type, ConstBytes bytes, std::vector<std::byte>& out);

/// Returns the number of bits that pack_sparse() writes.
[[nodiscard]] std::size_t sparse_bits(const TypeInfo& type, ConstBytes bytes);

/// Returns the most bits that pack_sparse() writes for any value.
[[nodiscard]] std::size_t sparse_bits_max(const TypeInfo& type);

/// Reads what pack_sparse() has written. Returns false for a value that is out of its range or is
/// written though it is the one by default, and for bits that end too early.
[[nodiscard]] bool unpack_sparse(const TypeInfo& type, BitReader& in, MutableBytes bytes);

/// Reads what pack_sparse() has written, filled up to whole bytes.
[[nodiscard]] bool unpack_sparse(const TypeInfo& type, NumberReader& in, MutableBytes bytes);

/// Packs what changes a type from `before` to `after`: for each value one bit, and if it is set the
/// new value. A value of one bit, such as a flag or a press, has no more than that.
void pack_change(const TypeInfo& type, ConstBytes before, ConstBytes after, BitWriter& out);

/// Reads what pack_change() has written, and applies it to `bytes`. Returns false for a value that
/// is out of its range, and for bits that end too early.
[[nodiscard]] bool unpack_change(const TypeInfo& type, BitReader& in, MutableBytes bytes);

/// Reads what pack_change() has written, and changes no value.
[[nodiscard]] bool skip_change(const TypeInfo& type, BitReader& in);

/// Returns a value of a type, with every field as it is by default.
[[nodiscard]] std::vector<std::byte> default_of(const TypeInfo& type);

/// Takes out of an input what has no effect on the state of an avatar.
void drop_insignificant(const GameTable& game, ConstBytes avatar, MutableBytes input);

/// Releases every Press of the input that a player holds, and takes out what then has no effect on
/// an avatar by default: what the player holds in the next tick. The player's own avatar is not
/// asked: a client may not have it. `avatar`: default_of() its type.
void release_input(const GameTable& game, ConstBytes avatar, MutableBytes input);

/// Releases every Press.
void release_presses(const TypeInfo& type, MutableBytes bytes);

/// Returns whether a Press is down.
[[nodiscard]] bool has_press_down(const TypeInfo& type, ConstBytes bytes);

/// Returns the first multiple of the largest alignment of a declared type (eight bytes) from
/// `bytes` on.
[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes) {
  constexpr std::size_t kAlign = alignof(std::uint64_t);
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

}  // namespace tickbox::engine
