#pragma once
// The descriptor of the game that a server plays (engine/FORMAT.md), part by part. It has all that
// a client without the game needs to read what the server sends. The client asks for each part.

#include "core/bytes.h"
#include "core/inplace_vector.h"
#include "net/drop_reason.h"
#include "protocol/message_buffer.h"

#include <cstddef>
#include <cstdint>
#include <expected>

namespace tickbox::protocol {

/// Bytes in each part except the last, so that a datagram stays below 1,200 bytes.
inline constexpr std::size_t kDescriptorPartBytes = 1'088;
inline constexpr std::size_t kDescriptorPartsMax = 255;
inline constexpr std::size_t kDescriptorBytesMax = kDescriptorPartBytes * kDescriptorPartsMax;

struct DescriptorPart {
  std::uint8_t part = 0;
  std::uint8_t parts = 1;
  InplaceVector<std::byte, kDescriptorPartBytes> bytes;
};

/// Returns the number of parts of a descriptor. Requires: 1 to kDescriptorBytesMax bytes.
[[nodiscard]] std::uint8_t descriptor_parts(ConstBytes descriptor);

/// Returns part `number` of a descriptor. Requires: number < descriptor_parts(descriptor).
[[nodiscard]] DescriptorPart descriptor_part(ConstBytes descriptor, std::uint8_t number);

/// Encodes a DESCRIPTOR_REQUEST, and a DESCRIPTOR.
[[nodiscard]] ConstBytes encode_descriptor_request(std::uint8_t part, MessageBuffer& buffer);
[[nodiscard]] ConstBytes encode_descriptor_part(const DescriptorPart& part, MessageBuffer& buffer);

/// Each function verifies the FlatBuffer, then the meaning: ranges and sizes. Fails: Malformed.
[[nodiscard]] std::expected<std::uint8_t, net::DropReason> decode_descriptor_request(
    ConstBytes message);
[[nodiscard]] std::expected<DescriptorPart, net::DropReason> decode_descriptor_part(
    ConstBytes message);

}  // namespace tickbox::protocol
