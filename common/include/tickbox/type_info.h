#pragma once
// Declared types as plain data, made at compile time from what TICKBOX_FIELDS lists.

#include "tickbox/fields.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace tickbox {

/// The form of a field. Flag and Press are 0 or 1.
enum class FieldForm : std::uint8_t { Whole, Flag, Press, Player, Ref };

/// One declared member: `times` values side by side, each of `bytes` bytes in memory.
struct FieldInfo {
  std::string_view name{};
  FieldForm form = FieldForm::Whole;
  std::uint16_t offset = 0;  ///< in the type
  std::uint8_t bytes = 0;
  std::uint8_t bits = 0;  ///< of each value where it is sent or stored
  std::uint8_t times = 1;
  std::int64_t min = 0;  ///< the least value; a value is sent as its distance from it
  std::int64_t max = 0;  ///< the greatest value; 0 for a Ref, which has no range
};

/// Values that lie side by side in memory, whatever their fields.
struct FieldRun {
  std::uint16_t offset = 0;  ///< in the type
  std::uint16_t bytes = 0;
};

/// A declared type.
struct TypeInfo {
  std::string_view name{};
  std::uint16_t bytes = 0;  ///< size in memory
  std::uint16_t bits = 0;   ///< size where it is sent or stored
  std::uint8_t field_count = 0;
  bool has_presses = false;
  bool has_gaps = false;  ///< in memory, between or behind its fields
  std::uint8_t run_count = 0;
  std::uint64_t default_hash = 0;  ///< of the values that its fields have by default
  /// Writes the value that the type has by default to `out`, whatever its alignment.
  void (*write_default)(void* out) = nullptr;
  std::array<FieldInfo, kFieldsMax> all_fields{};
  std::array<FieldRun, kFieldsMax> all_runs{};

  [[nodiscard]] constexpr std::span<const FieldInfo> fields() const {
    return std::span{all_fields}.first(field_count);
  }

  /// All its fields, in as few pieces as the gaps between them allow.
  [[nodiscard]] constexpr std::span<const FieldRun> runs() const {
    return std::span{all_runs}.first(run_count);
  }

  /// Appends a field. Requires: its offset is above that of the field before.
  constexpr void add(const FieldInfo& field) {
    const auto all_bytes = static_cast<std::uint16_t>(field.bytes * field.times);
    bits = static_cast<std::uint16_t>(bits + field.bits * field.times);
    has_presses = has_presses || field.form == FieldForm::Press;
    all_fields[field_count++] = field;
    FieldRun* const last = run_count > 0 ? &all_runs[run_count - 1] : nullptr;
    if (last != nullptr && last->offset + last->bytes == field.offset) {
      last->bytes = static_cast<std::uint16_t>(last->bytes + all_bytes);
    } else {
      all_runs[run_count++] = {.offset = field.offset, .bytes = all_bytes};
    }
  }
};

/// The most bytes of a declared type in memory. State is copied in each tick.
inline constexpr std::size_t kTypeBytesMax = 256;

namespace detail {

constexpr std::uint8_t bits_for(std::uint64_t most) {
  return static_cast<std::uint8_t>(std::bit_width(most));
}

/// The form and range of one value.
template <class Value>
struct ValueInfo;

template <std::int64_t Min, std::int64_t Max>
struct ValueInfo<Int<Min, Max>> {
  static constexpr FieldInfo kInfo{.form = FieldForm::Whole,
                                   .bytes = sizeof(Int<Min, Max>),
                                   .bits = bits_for(static_cast<std::uint64_t>(Max - Min)),
                                   .min = Min,
                                   .max = Max};
};

template <>
struct ValueInfo<bool> {
  static constexpr FieldInfo kInfo{.form = FieldForm::Flag, .bytes = 1, .bits = 1, .max = 1};
};

template <>
struct ValueInfo<Press> {
  static constexpr FieldInfo kInfo{.form = FieldForm::Press, .bytes = 1, .bits = 1, .max = 1};
};

template <>
struct ValueInfo<Player> {
  static constexpr FieldInfo kInfo{
      .form = FieldForm::Player, .bytes = 2, .bits = 16, .max = Player::kNobody};
};

template <>
struct ValueInfo<Ref> {
  static constexpr FieldInfo kInfo{.form = FieldForm::Ref, .bytes = 8, .bits = 64};
};

template <class Member>
struct MemberInfo {
  static constexpr FieldInfo kInfo = ValueInfo<Member>::kInfo;
};

template <class Value, std::size_t N>
struct MemberInfo<Array<Value, N>> {
  static constexpr FieldInfo kInfo = [] {
    FieldInfo info = ValueInfo<Value>::kInfo;
    info.times = static_cast<std::uint8_t>(N);
    return info;
  }();
};

/// FNV-1a over the declarations.
class DeclarationHash {
 public:
  constexpr void add(std::int64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      add_byte(static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> shift));
    }
  }

  constexpr void add(std::string_view text) {
    for (const char letter : text) {
      add_byte(static_cast<std::uint8_t>(letter));
    }
    add(static_cast<std::int64_t>(text.size()));
  }

  constexpr void add(const TypeInfo& type) {
    add(type.name);
    add(static_cast<std::int64_t>(type.default_hash));
    add(type.field_count);
    for (const FieldInfo& field : type.fields()) {
      add(field.name);
      add(static_cast<std::int64_t>(field.form));
      add(field.times);
      add(field.min);
      add(field.max);
    }
  }

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

 private:
  constexpr void add_byte(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100'0000'01b3; }

  std::uint64_t value_ = 0xcbf2'9ce4'8422'2325;
};

/// The number that stands for a value.
template <std::int64_t Min, std::int64_t Max>
constexpr std::int64_t number_of(Int<Min, Max> value) {
  return std::int32_t{value};
}

constexpr std::int64_t number_of(bool value) {
  return value ? 1 : 0;
}

constexpr std::int64_t number_of(Press value) {
  return value.down ? 1 : 0;
}

constexpr std::int64_t number_of(Player value) {
  return value.seat;
}

constexpr std::int64_t number_of(Ref value) {
  return static_cast<std::int64_t>(value.id);
}

template <class Value>
constexpr void add_default(DeclarationHash& hash, const Value& value) {
  hash.add(number_of(value));
}

template <class Value, std::size_t N>
constexpr void add_default(DeclarationHash& hash, const Array<Value, N>& values) {
  for (const Value& value : values.all) {
    hash.add(number_of(value));
  }
}

template <class Type>
void write_default(void* out) {
  static constexpr Type kByDefault{};
  std::memcpy(out, &kByDefault, sizeof(Type));
}

template <class Type>
constexpr TypeInfo type_info() {
  static_assert(check_declared<Type>());
  static_assert(sizeof(Type) <= kTypeBytesMax, "a declared type has at most 256 bytes");
  static_assert(alignof(Type) <= alignof(std::uint64_t));
  TypeInfo info{
      .name = Type::tickbox_name(), .bytes = sizeof(Type), .write_default = write_default<Type>};
  [[maybe_unused]] constexpr Type kByDefault{};  // a type may have no member
  DeclarationHash defaults;
  std::size_t end_of_fields = 0;
  Type::tickbox_visit(
      [&]<class Member>(std::string_view name, Member Type::* member, std::size_t offset) {
        FieldInfo field = MemberInfo<Member>::kInfo;
        field.name = name;
        field.offset = static_cast<std::uint16_t>(offset);
        info.add(field);
        add_default(defaults, kByDefault.*member);
        end_of_fields += std::size_t{field.bytes} * field.times;
      });
  info.has_gaps = end_of_fields != sizeof(Type);
  info.default_hash = defaults.value();
  return info;
}

}  // namespace detail

}  // namespace tickbox
