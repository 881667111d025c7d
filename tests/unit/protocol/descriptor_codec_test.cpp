#include "protocol/descriptor_codec.h"

#include "engine/descriptor.h"
#include "games/catalog.h"
#include "net/packet.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tickbox::protocol {
namespace {

ConstBytes bytes_of(const flatbuffers::FlatBufferBuilder& builder) {
  return std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()});
}

/// What a client has after all parts.
std::vector<std::byte> sent_in_parts(ConstBytes descriptor) {
  MessageBuffer message_buffer;
  std::vector<std::byte> received;
  for (std::uint8_t number = 0; number < descriptor_parts(descriptor); ++number) {
    const auto wanted =
        decode_descriptor_request(encode_descriptor_request(number, message_buffer));
    EXPECT_EQ(wanted, number);
    const ConstBytes message =
        encode_descriptor_part(descriptor_part(descriptor, number), message_buffer);
    EXPECT_LE(message.size(), net::kMessageBytesMax);
    const auto read = decode_descriptor_part(message);
    EXPECT_TRUE(read);
    if (!read) return {};
    EXPECT_EQ(read->part, number);
    EXPECT_EQ(read->parts, descriptor_parts(descriptor));
    received.insert(received.end(), read->bytes.begin(), read->bytes.end());
  }
  return received;
}

TEST(Descriptor, ComesBackFromItsParts) {
  for (const std::size_t size :
       {std::size_t{1}, kDescriptorPartBytes - 1, kDescriptorPartBytes, kDescriptorPartBytes + 1,
        3 * kDescriptorPartBytes, kDescriptorBytesMax}) {
    const auto descriptor = samples::counted(size);
    EXPECT_EQ(sent_in_parts(descriptor), descriptor) << size;
  }
}

TEST(Descriptor, OfEveryGameFits) {
  for (const GameTable* game : games::all_games()) {
    std::vector<std::byte> descriptor;
    engine::encode_descriptor(*game, descriptor);
    ASSERT_LE(descriptor.size(), kDescriptorBytesMax) << game->name;
    EXPECT_EQ(sent_in_parts(descriptor), descriptor) << game->name;
  }
}

TEST(Descriptor, RefusesPartsThatNoDescriptorHas) {
  const auto reads = [](std::uint8_t part, std::uint8_t parts, std::size_t size) {
    flatbuffers::FlatBufferBuilder flat;
    const auto bytes = flat.CreateVector(std::vector<std::uint8_t>(size));
    flat.Finish(schema::CreateDescriptor(flat, part, parts, bytes));
    return decode_descriptor_part(bytes_of(flat)).has_value();
  };
  EXPECT_TRUE(reads(0, 1, 1));
  EXPECT_TRUE(reads(0, 1, 1'088));
  EXPECT_FALSE(reads(0, 1, 1'089));
  EXPECT_FALSE(reads(0, 1, 0));
  EXPECT_FALSE(reads(0, 0, 1));
  EXPECT_FALSE(reads(1, 1, 1));
  EXPECT_TRUE(reads(0, 2, 1'088));
  EXPECT_FALSE(reads(0, 2, 1'087)) << "not full, and not the last";
  EXPECT_FALSE(reads(0, 2, 1'089));
  EXPECT_TRUE(reads(254, 255, 7));
}

TEST(Descriptor, IsNoneWhenCut) {
  for (const net::PacketType type :
       {net::PacketType::DescriptorRequest, net::PacketType::Descriptor}) {
    const auto message = samples::message_of(type);
    for (std::size_t size = 0; size < message.size(); ++size) {
      const ConstBytes cut = ConstBytes{message}.first(size);
      const auto fault = type == net::PacketType::Descriptor
                             ? samples::fault_of(decode_descriptor_part(cut))
                             : samples::fault_of(decode_descriptor_request(cut));
      EXPECT_EQ(fault, net::DropReason::Malformed) << size;
    }
  }
}

}  // namespace
}  // namespace tickbox::protocol
