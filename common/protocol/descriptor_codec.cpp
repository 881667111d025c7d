#include "protocol/descriptor_codec.h"

#include "core/assert.h"
#include "protocol/message_builder.h"

#include <algorithm>

namespace tickbox::protocol {

std::uint8_t descriptor_parts(ConstBytes descriptor) {
  TICKBOX_ASSERT(!descriptor.empty() && descriptor.size() <= kDescriptorBytesMax);
  return static_cast<std::uint8_t>((descriptor.size() + kDescriptorPartBytes - 1) /
                                   kDescriptorPartBytes);
}

DescriptorPart descriptor_part(ConstBytes descriptor, std::uint8_t number) {
  DescriptorPart part{.part = number, .parts = descriptor_parts(descriptor)};
  TICKBOX_ASSERT(number < part.parts);
  const ConstBytes rest = descriptor.subspan(number * kDescriptorPartBytes);
  part.bytes.resize(std::min(rest.size(), kDescriptorPartBytes));
  std::ranges::copy(rest.first(part.bytes.size()), part.bytes.begin());
  return part;
}

ConstBytes encode_descriptor_request(std::uint8_t part, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  return builder.finish(schema::CreateDescriptorRequest(builder.flat, part));
}

ConstBytes encode_descriptor_part(const DescriptorPart& part, MessageBuffer& buffer) {
  auto& builder = buffer.begin();
  const auto bytes = builder.add({part.bytes.data(), part.bytes.size()});
  return builder.finish(schema::CreateDescriptor(builder.flat, part.part, part.parts, bytes));
}

std::expected<std::uint8_t, net::DropReason> decode_descriptor_request(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::DescriptorRequest>();
  if (wire == nullptr) return std::unexpected{net::DropReason::Malformed};
  return wire->part();
}

std::expected<DescriptorPart, net::DropReason> decode_descriptor_part(ConstBytes message) {
  const net::ReceivedMessage received{message};
  const auto* wire = received.root<schema::Descriptor>();
  const std::optional<ConstBytes> bytes = wire != nullptr ? bytes_of(wire->bytes()) : std::nullopt;
  if (!bytes || bytes->empty() || wire->part() >= wire->parts())
    return std::unexpected{net::DropReason::Malformed};
  const bool is_last = wire->part() + 1 == wire->parts();
  const bool is_possible =
      is_last ? bytes->size() <= kDescriptorPartBytes : bytes->size() == kDescriptorPartBytes;
  if (!is_possible) return std::unexpected{net::DropReason::Malformed};
  DescriptorPart part{.part = wire->part(), .parts = wire->parts()};
  part.bytes.resize(bytes->size());
  std::ranges::copy(*bytes, part.bytes.begin());
  return part;
}

}  // namespace tickbox::protocol
