#include "engine/declared.h"

#include "core/assert.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace tickbox::engine {
namespace {

std::size_t place_of(const FieldInfo& field, std::size_t i) {
  return field.offset + i * field.bytes;
}

template <class Stored>
Stored load(const FieldInfo& field, std::size_t i, ConstBytes type) {
  Stored stored{};
  std::memcpy(&stored, type.data() + place_of(field, i), sizeof(Stored));
  return stored;
}

template <class Stored>
void store(const FieldInfo& field, std::size_t i, std::int64_t value, MutableBytes type) {
  const auto stored = static_cast<Stored>(value);
  std::memcpy(type.data() + place_of(field, i), &stored, sizeof(Stored));
}

bool is_unsigned_byte(const FieldInfo& field) {
  return field.bytes == 1 && (field.form != FieldForm::Whole || field.max > INT8_MAX);
}

/// Calls visit(field, i) for every value of a type, in order, while it returns true.
template <class Visit>
bool for_each_value(const TypeInfo& type, Visit visit) {
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      if (!visit(field, i)) return false;
    }
  }
  return true;
}

/// Writes the value that a type has by default; the bytes between its fields are zero.
void write_default(const TypeInfo& type, std::byte* out) {
  if (type.has_gaps) std::memset(out, 0, type.bytes);
  type.write_default(out);
}

/// The value that a type has by default.
class ByDefault {
 public:
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as the type has bytes
  explicit ByDefault(const TypeInfo& type) : size_(type.bytes) {
    write_default(type, bytes_.data());
  }

  [[nodiscard]] ConstBytes bytes() const { return ConstBytes{bytes_}.first(size_); }

 private:
  std::size_t size_;
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> bytes_;
};

std::uint64_t packed(const FieldInfo& field, std::int64_t value) {
  return static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(field.min);
}

std::int64_t unpacked(const FieldInfo& field, BitReader& in) {
  return static_cast<std::int64_t>(in.read(field.bits) + static_cast<std::uint64_t>(field.min));
}

}  // namespace

std::int64_t value_of(const FieldInfo& field, std::size_t i, ConstBytes type) {
  switch (field.bytes) {
    case 1:
      return is_unsigned_byte(field) ? std::int64_t{load<std::uint8_t>(field, i, type)}
                                     : std::int64_t{load<std::int8_t>(field, i, type)};
    case 2:
      return field.form == FieldForm::Player ? std::int64_t{load<std::uint16_t>(field, i, type)}
                                             : std::int64_t{load<std::int16_t>(field, i, type)};
    case 4:
      return load<std::int32_t>(field, i, type);
    default:
      return load<std::int64_t>(field, i, type);
  }
}

void set_value(const FieldInfo& field, std::size_t i, std::int64_t value, MutableBytes type) {
  TICKBOX_ASSERT(is_in_range(field, value));
  switch (field.bytes) {
    case 1:
      return store<std::uint8_t>(field, i, value, type);
    case 2:
      return store<std::uint16_t>(field, i, value, type);
    case 4:
      return store<std::int32_t>(field, i, value, type);
    default:
      return store<std::int64_t>(field, i, value, type);
  }
}

bool is_in_range(const FieldInfo& field, std::int64_t value) {
  return field.form == FieldForm::Ref || (field.min <= value && value <= field.max);
}

bool is_in_range(const TypeInfo& type, ConstBytes bytes) {
  return for_each_value(type, [&](const FieldInfo& field, std::size_t i) {
    return is_in_range(field, value_of(field, i, bytes));
  });
}

bool are_equal(const TypeInfo& type, ConstBytes a, ConstBytes b) {
  return std::ranges::all_of(type.runs(), [&](const FieldRun& run) {
    return std::memcmp(a.data() + run.offset, b.data() + run.offset, run.bytes) == 0;
  });
}

std::string difference(const TypeInfo& type, ConstBytes a, ConstBytes b) {
  std::string names;
  for (const FieldInfo& field : type.fields()) {
    bool is_equal = true;
    for (std::size_t i = 0; i < field.times; ++i) {
      is_equal = is_equal && value_of(field, i, a) == value_of(field, i, b);
    }
    if (is_equal) continue;
    if (!names.empty()) names += ", ";
    names += field.name;
  }
  return names;
}

void append_clean(const TypeInfo& type, ConstBytes bytes, std::vector<std::byte>& out) {
  const std::size_t first = out.size();
  out.resize(first + type.bytes);
  const MutableBytes copy = MutableBytes{out}.subspan(first);
  for_each_value(type, [&](const FieldInfo& field, std::size_t i) {
    set_value(field, i, value_of(field, i, bytes), copy);
    return true;
  });
}

void pack_sparse(const TypeInfo& type, ConstBytes bytes, BitWriter& out) {
  const ByDefault by_default{type};
  for_each_value(type, [&](const FieldInfo& field, std::size_t i) {
    const std::int64_t value = value_of(field, i, bytes);
    const bool is_other = value != value_of(field, i, by_default.bytes());
    out.write(is_other ? 1 : 0, 1);
    if (is_other) out.write(packed(field, value), field.bits);
    return true;
  });
}

void pack_sparse(const TypeInfo& type, ConstBytes bytes, std::vector<std::byte>& out) {
  BitWriter writer{out};
  pack_sparse(type, bytes, writer);
}

std::size_t sparse_bits_max(const TypeInfo& type) {
  std::size_t bits = type.bits;
  for (const FieldInfo& field : type.fields()) {
    bits += field.times;
  }
  return bits;
}

std::size_t sparse_bits(const TypeInfo& type, ConstBytes bytes) {
  const ByDefault by_default{type};
  std::size_t bits = 0;
  for_each_value(type, [&](const FieldInfo& field, std::size_t i) {
    const bool is_other = value_of(field, i, bytes) != value_of(field, i, by_default.bytes());
    bits += is_other ? 1U + field.bits : 1U;
    return true;
  });
  return bits;
}

bool unpack_sparse(const TypeInfo& type, BitReader& in, MutableBytes bytes) {
  write_default(type, bytes.data());
  const bool is_valid = for_each_value(type, [&](const FieldInfo& field, std::size_t i) {
    if (in.read(1) == 0) return true;
    const std::int64_t value = unpacked(field, in);
    if (!is_in_range(field, value) || value == value_of(field, i, bytes)) return false;
    set_value(field, i, value, bytes);
    return true;
  });
  return is_valid && !in.failed();
}

bool unpack_sparse(const TypeInfo& type, NumberReader& in, MutableBytes bytes) {
  BitReader reader{in.rest()};
  if (!unpack_sparse(type, reader, bytes) || !reader.skip_to_byte()) return false;
  in.bytes(reader.bytes_taken());
  return true;
}

void pack_change(const TypeInfo& type, ConstBytes before, ConstBytes after, BitWriter& out) {
  for_each_value(type, [&](const FieldInfo& field, std::size_t i) {
    const std::int64_t value = value_of(field, i, after);
    const bool has_changed = value != value_of(field, i, before);
    out.write(has_changed ? 1 : 0, 1);
    if (has_changed && field.bits > 1) out.write(packed(field, value), field.bits);
    return true;
  });
}

bool unpack_change(const TypeInfo& type, BitReader& in, MutableBytes bytes) {
  return for_each_value(type, [&](const FieldInfo& field, std::size_t i) {
    if (in.read(1) == 0) return !in.failed();
    const std::int64_t value =
        field.bits > 1 ? unpacked(field, in) : field.min + field.max - value_of(field, i, bytes);
    if (in.failed() || !is_in_range(field, value)) return false;
    set_value(field, i, value, bytes);
    return true;
  });
}

bool skip_change(const TypeInfo& type, BitReader& in) {
  const bool is_in_range = for_each_value(type, [&](const FieldInfo& field, std::size_t) {
    return in.read(1) == 0 || field.bits <= 1 || engine::is_in_range(field, unpacked(field, in));
  });
  return is_in_range && !in.failed();
}

void release_presses(const TypeInfo& type, MutableBytes bytes) {
  if (!type.has_presses) return;
  for_each_value(type, [&](const FieldInfo& field, std::size_t i) {
    if (field.form == FieldForm::Press) set_value(field, i, 0, bytes);
    return true;
  });
}

std::vector<std::byte> default_of(const TypeInfo& type) {
  std::vector<std::byte> value(type.bytes);
  type.write_default(value.data());
  return value;
}

void drop_insignificant(const GameTable& game, ConstBytes avatar, MutableBytes input) {
  if (game.significant != nullptr) game.significant(input.data(), avatar.data());
}

void release_input(const GameTable& game, ConstBytes avatar, MutableBytes input) {
  if (!has_press_down(game.input, input)) return;
  release_presses(game.input, input);
  drop_insignificant(game, avatar, input);
}

bool has_press_down(const TypeInfo& type, ConstBytes bytes) {
  const auto is_down = [bytes](const FieldInfo& field) {
    if (field.form != FieldForm::Press) return false;
    const auto values = bytes.subspan(field.offset, field.times);
    return std::ranges::any_of(values, [](std::byte value) { return value != std::byte{0}; });
  };
  return type.has_presses && std::ranges::any_of(type.fields(), is_down);
}

}  // namespace tickbox::engine
