#pragma once
// The compact form of an INPUT and a SNAPSHOT. Each is a FlatBuffer, but the bytes that are the
// same in every message with the same fields are not sent. The receiver lays out the FlatBuffer
// again, to the bit, and verifies it.
//
//   mask       u8; bit i: field i of the table is present
//   structs    the bytes of each present struct
//   counts     of each present vector but the last, as in core/numbers.h
//   elements   of each present vector; those of the last fill the message
//
// All are in the order of the schema. The FlatBuffer is laid out as a FlatBufferBuilder does, which
// fills it from the end: the first vector, the other vectors, the last field, the other fields, the
// offset to the vtable, the vtable, the offset to the table.

#include "core/bytes.h"
#include "net/packet.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::protocol {

/// The messages that are sent in compact form.
enum class CompactMessage : std::uint8_t { Input, Snapshot };

/// The most bytes of a FlatBuffer that is laid out again. Offsets, vtable, counts and padding take
/// at most 88 bytes: 12 for each of six fields, and 16.
inline constexpr std::size_t kRestoredBytesMax = net::kMessageBytesMax + 88;

/// Writes the compact form of a FlatBuffer into `out` and replaces its content.
/// Requires: `flat` is a finished message of that kind. Cost: no allocation if `out` has enough
/// capacity.
void write_compact(CompactMessage kind, ConstBytes flat, std::vector<std::byte>& out);

/// Lays out the FlatBuffer of a compact form at the front of `out`, and returns it. Only its
/// layout is right: a Verifier and the decoder check the values.
/// Requires: `out` is zero. Fails: returns nothing for bytes that are no compact form, for more
/// than net::kMessageBytesMax, and if `out` is too small.
[[nodiscard]] std::optional<ConstBytes> restore(CompactMessage kind, ConstBytes message,
                                                MutableBytes out);

}  // namespace tickbox::protocol
