#include "protocol/compact_form.h"

#include "core/numbers.h"

#include "schema/wire_generated.h"

#include <algorithm>
#include <array>
#include <span>

namespace tickbox::protocol {
namespace {

/// A field of a message's table.
struct FieldLayout {
  enum class Kind : std::uint8_t { Struct, Vector };

  Kind kind;
  std::size_t size;   ///< of the struct, or of an element
  std::size_t align;  ///< of the struct, or of the vector's count
};

template <class T>
constexpr FieldLayout struct_of() {
  return {.kind = FieldLayout::Kind::Struct, .size = sizeof(T), .align = alignof(T)};
}

template <class T>
constexpr FieldLayout vector_of() {
  constexpr std::size_t kCountAlign = sizeof(std::uint32_t);
  static_assert(alignof(T) <= kCountAlign);
  return {.kind = FieldLayout::Kind::Vector, .size = sizeof(T), .align = kCountAlign};
}

using Fields = std::span<const FieldLayout>;

constexpr std::array kInputFields = {struct_of<schema::InputHead>(), vector_of<std::uint8_t>(),
                                     struct_of<schema::ViewAck>(), vector_of<std::uint8_t>()};
constexpr std::array kSnapshotFields = {
    struct_of<schema::SnapshotHead>(), struct_of<schema::Receipt>(),
    vector_of<std::uint8_t>(),         struct_of<schema::LinkStatus>(),
    vector_of<std::uint8_t>(),         struct_of<schema::CommandAck>()};
constexpr std::size_t kFieldsMax = std::max(kInputFields.size(), kSnapshotFields.size());
static_assert(kFieldsMax <= 8, "a bit each in the mask");

Fields fields_of(CompactMessage kind) {
  return kind == CompactMessage::Input ? Fields{kInputFields} : Fields{kSnapshotFields};
}

/// The bytes of each field: of the struct, or of all elements. Nothing if the field is absent.
using Parts = std::array<std::optional<ConstBytes>, kFieldsMax>;

/// Calls `visit(index)` for each present field of a kind.
template <class Visit>
void for_each(Fields fields, const Parts& parts, FieldLayout::Kind kind, Visit visit) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (parts[i] && fields[i].kind == kind) visit(i);
  }
}

Parts parts_of(Fields fields, ConstBytes flat) {
  const auto* table = flatbuffers::GetRoot<flatbuffers::Table>(flat.data());
  Parts parts;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto field = flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(i));
    if (fields[i].kind == FieldLayout::Kind::Struct) {
      const auto* bytes = table->GetStruct<const std::uint8_t*>(field);
      if (bytes != nullptr) parts[i] = std::as_bytes(std::span{bytes, fields[i].size});
    } else {
      const auto* vector = table->GetPointer<const flatbuffers::Vector<std::uint8_t>*>(field);
      if (vector == nullptr) continue;
      parts[i] = std::as_bytes(std::span{vector->Data(), vector->size() * fields[i].size});
    }
  }
  return parts;
}

std::optional<Parts> read_parts(Fields fields, ConstBytes message) {
  NumberReader reader{message};
  const unsigned mask = reader.fixed<std::uint8_t>();
  if (mask >> fields.size() != 0) return std::nullopt;
  Parts parts;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if ((mask >> i & 1) != 0) parts[i] = ConstBytes{};
  }
  for_each(fields, parts, FieldLayout::Kind::Struct,
           [&](std::size_t i) { parts[i] = reader.bytes(fields[i].size); });
  std::array<std::size_t, kFieldsMax> sizes{};
  std::optional<std::size_t> last;
  for_each(fields, parts, FieldLayout::Kind::Vector, [&](std::size_t i) {
    if (last) sizes[*last] = reader.number(net::kMessageBytesMax) * fields[*last].size;
    last = i;
  });
  for_each(fields, parts, FieldLayout::Kind::Vector, [&](std::size_t i) {
    parts[i] = reader.bytes(i == last ? reader.remaining() : sizes[i]);
  });
  const bool is_whole = !last || parts[*last]->size() % fields[*last].size == 0;
  return is_whole && !reader.failed() && reader.remaining() == 0 ? std::optional{parts}
                                                                 : std::nullopt;
}

/// A buffer that is filled from its end. A place is the distance from this end.
class Filling {
 public:
  /// Fills in `bytes` bytes, the first of which is aligned. Returns its place.
  std::size_t add(std::size_t bytes, std::size_t align) {
    align_ = std::max(align_, align);
    size_ = (size_ + bytes + align - 1) & ~(align - 1);
    return size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Returns the largest alignment so far.
  [[nodiscard]] std::size_t align() const { return align_; }

 private:
  std::size_t size_ = 0;
  std::size_t align_ = sizeof(std::uint32_t);
};

std::optional<ConstBytes> lay_out(Fields fields, const Parts& parts, MutableBytes out) {
  constexpr std::size_t kOffset = sizeof(std::uint32_t);
  constexpr std::size_t kEntry = sizeof(std::uint16_t);
  constexpr std::size_t kEntriesBefore = 2;  // the size of the vtable, and that of the table
  Filling filling;
  std::size_t entries = kEntriesBefore;
  std::array<std::size_t, kFieldsMax> count_at{};
  std::array<std::size_t, kFieldsMax> field_at{};
  for_each(fields, parts, FieldLayout::Kind::Vector, [&](std::size_t i) {
    filling.add(parts[i]->size(), fields[i].align);
    count_at[i] = filling.add(kOffset, kOffset);
  });
  const std::size_t table_end = filling.size();
  for (std::size_t i = fields.size(); i-- > 0;) {
    if (!parts[i]) continue;
    entries = std::max(entries, kEntriesBefore + i + 1);
    field_at[i] = fields[i].kind == FieldLayout::Kind::Struct
                      ? filling.add(fields[i].size, fields[i].align)
                      : filling.add(kOffset, kOffset);
  }
  const std::size_t table = filling.add(kOffset, kOffset);
  const std::size_t vtable = filling.add(kEntry * entries, kEntry);
  const std::size_t size = filling.add(kOffset, filling.align());
  if (size > out.size()) return std::nullopt;

  const auto write_offset = [&](std::size_t at, std::size_t value) {
    store_le(out.subspan(size - at), static_cast<std::uint32_t>(value));
  };
  const auto write_entry = [&](std::size_t entry, std::size_t value) {
    store_le(out.subspan(size - vtable + kEntry * entry), static_cast<std::uint16_t>(value));
  };
  write_offset(size, size - table);
  write_entry(0, kEntry * entries);
  write_entry(1, table - table_end);
  write_offset(table, vtable - table);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!parts[i]) continue;
    write_entry(kEntriesBefore + i, table - field_at[i]);
    std::size_t bytes_at = field_at[i];
    if (fields[i].kind == FieldLayout::Kind::Vector) {
      write_offset(field_at[i], field_at[i] - count_at[i]);
      write_offset(count_at[i], parts[i]->size() / fields[i].size);
      bytes_at = count_at[i] - kOffset;
    }
    std::ranges::copy(*parts[i], out.subspan(size - bytes_at).begin());
  }
  return out.first(size);
}

}  // namespace

void write_compact(CompactMessage kind, ConstBytes flat, std::vector<std::byte>& out) {
  const Fields fields = fields_of(kind);
  const Parts parts = parts_of(fields, flat);
  std::uint8_t mask = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (parts[i]) mask = static_cast<std::uint8_t>(mask | 1U << i);
  }
  out.assign(1, static_cast<std::byte>(mask));
  NumberWriter writer{out};
  for_each(fields, parts, FieldLayout::Kind::Struct,
           [&](std::size_t i) { writer.bytes(*parts[i]); });
  std::optional<std::size_t> last;
  for_each(fields, parts, FieldLayout::Kind::Vector, [&](std::size_t i) {
    if (last) writer.number(static_cast<std::uint32_t>(parts[*last]->size() / fields[*last].size));
    last = i;
  });
  for_each(fields, parts, FieldLayout::Kind::Vector,
           [&](std::size_t i) { writer.bytes(*parts[i]); });
}

std::optional<ConstBytes> restore(CompactMessage kind, ConstBytes message, MutableBytes out) {
  if (message.size() > net::kMessageBytesMax) return std::nullopt;
  const Fields fields = fields_of(kind);
  const std::optional<Parts> parts = read_parts(fields, message);
  return parts ? lay_out(fields, *parts, out) : std::nullopt;
}

}  // namespace tickbox::protocol
