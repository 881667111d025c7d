#include "protocol/compact_form.h"

#include "core/rng.h"
#include "game/entity_codec.h"
#include "net/verified_root.h"
#include "protocol/messages.h"
#include "protocol/snapshot_codec.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tickbox::protocol {
namespace {

struct alignas(8) Restored {
  std::array<std::byte, kRestoredBytesMax> bytes{};
};

/// The FlatBuffer that a builder makes of the same fields.
std::vector<std::byte> rebuilt(const schema::Snapshot& wire) {
  flatbuffers::FlatBufferBuilder flat;
  const auto bytes = [&flat](const flatbuffers::Vector<std::uint8_t>* vector) {
    return vector == nullptr ? flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>{}
                             : flat.CreateVector(vector->data(), vector->size());
  };
  const auto structs = [&flat]<class T>(const flatbuffers::Vector<const T*>* vector) {
    return vector == nullptr ? flatbuffers::Offset<flatbuffers::Vector<const T*>>{}
                             : flat.CreateVectorOfStructs(
                                   reinterpret_cast<const T*>(vector->Data()), vector->size());
  };
  const auto causes = bytes(wire.causes());
  const auto bodies = structs(wire.bodies());
  const auto wide = structs(wire.wide());
  const auto events = bytes(wire.events());
  flat.Finish(schema::CreateSnapshot(flat, wire.head(), wire.receipt(), causes, bodies, wide,
                                     wire.status(), events));
  return samples::copy_of(net::finished_bytes(flat));
}

std::vector<std::byte> rebuilt(const schema::InputMessage& wire) {
  flatbuffers::FlatBufferBuilder flat;
  const auto inputs = flat.CreateVectorOfStructs(
      reinterpret_cast<const schema::Input*>(wire.inputs()->Data()), wire.inputs()->size());
  flat.Finish(schema::CreateInputMessage(flat, wire.head(), inputs, wire.view(), wire.audit()));
  return samples::copy_of(net::finished_bytes(flat));
}

/// A message comes back to the bit, and has one compact form. Returns the bytes that it saves.
template <class Root>
std::size_t check_restored(CompactMessage kind, ConstBytes message) {
  Restored buffer;
  const auto flat = restore(kind, message, buffer.bytes);
  EXPECT_TRUE(flat);
  const Root* root = flat ? net::verified_root<Root>(*flat) : nullptr;
  EXPECT_NE(root, nullptr);
  if (root == nullptr) return 0;
  EXPECT_EQ(samples::copy_of(*flat), rebuilt(*root));
  std::vector<std::byte> again;
  write_compact(kind, *flat, again);
  EXPECT_TRUE(std::ranges::equal(again, message));
  return flat->size() - message.size();
}

// All sets of parts, and causes of any length modulo 4.
TEST(CompactForm, OfASnapshotComesBackToTheBit) {
  MessageBuffer message_buffer;
  Rng rng{1};
  for (int round = 0; round < 20'000; ++round) {
    Snapshot sent = samples::snapshot(0);
    sent.head.view_hash = static_cast<std::uint32_t>(rng.next());
    if (rng.chance(1, 2)) sent.causes.clear();
    const std::uint64_t more = rng.below(6);
    for (std::uint64_t i = 0; i < more; ++i) {
      sent.causes.exits.push_back(static_cast<std::uint8_t>(251 + i));
    }
    const std::size_t bodies = rng.below(samples::kBodiesOfFullSnapshot);
    for (std::size_t i = 0; i < bodies; ++i) {
      game::EntityState body = samples::entity(static_cast<std::uint16_t>(i));
      body.traits.timer = static_cast<std::uint8_t>(rng.chance(1, 3) ? 64 : 63);
      sent.bodies.push_back(body);
    }
    if (rng.chance(1, 2)) sent.status = std::nullopt;
    if (rng.chance(1, 2)) sent.events.clear();
    check_restored<schema::Snapshot>(CompactMessage::Snapshot,
                                     encode_snapshot(sent, message_buffer));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(CompactForm, OfAnInputMessageComesBackToTheBit) {
  MessageBuffer message_buffer;
  for (std::size_t inputs = 0; inputs <= kInputsPerMessageMax; ++inputs) {
    for (const bool has_view : {false, true}) {
      for (const bool has_audit : {false, true}) {
        InputMessage sent = samples::input_message(inputs);
        if (!has_view) sent.view = std::nullopt;
        if (has_audit) sent.audit = AuditAck{.bits = ~std::uint64_t{0}, .next = 1, .run = 2};
        check_restored<schema::InputMessage>(CompactMessage::Input,
                                             encode_input(sent, message_buffer));
      }
    }
  }
}

TEST(CompactForm, IsWhatDiffersBetweenMessages) {
  MessageBuffer message_buffer;
  EXPECT_EQ(encode_input(samples::input_message(2), message_buffer).size(), 1 + 8 + 4 + 2 * 4U);
  Snapshot sent = samples::snapshot(0);
  sent.status = std::nullopt;
  sent.events.clear();
  EXPECT_EQ(encode_snapshot(sent, message_buffer).size(), 1 + 12 + 2 + samples::kCauseBytes);
  EXPECT_EQ(check_restored<schema::Snapshot>(CompactMessage::Snapshot,
                                             encode_snapshot(sent, message_buffer)),
            30U);
}

bool is_restored(CompactMessage kind, const std::vector<std::byte>& message) {
  Restored buffer;
  return restore(kind, message, buffer.bytes).has_value();
}

TEST(CompactForm, RefusesWhatNoWriterWrites) {
  const auto bytes = [](std::initializer_list<int> values, std::size_t zeros = 0) {
    std::vector<std::byte> all;
    for (const int value : values) {
      all.push_back(static_cast<std::byte>(value));
    }
    all.resize(all.size() + zeros);
    return all;
  };
  constexpr auto kInput = CompactMessage::Input;
  constexpr auto kSnapshot = CompactMessage::Snapshot;
  EXPECT_FALSE(is_restored(kInput, {})) << "no mask";
  EXPECT_TRUE(is_restored(kInput, bytes({1}, 8)));
  EXPECT_FALSE(is_restored(kInput, bytes({1}, 7))) << "half a head";
  EXPECT_FALSE(is_restored(kInput, bytes({1}, 9))) << "a byte more";
  EXPECT_FALSE(is_restored(kInput, bytes({1 << 4 | 1}, 8))) << "a field that there is not";
  EXPECT_TRUE(is_restored(kInput, bytes({3}, 8 + 8)));
  EXPECT_FALSE(is_restored(kInput, bytes({3}, 8 + 7))) << "one input and three quarters";
  EXPECT_FALSE(is_restored(kSnapshot, bytes({1 << 7 | 1}, 12)));
  EXPECT_TRUE(is_restored(kSnapshot, bytes({12, 2, 0, 0}, 16))) << "causes and a body";
  EXPECT_FALSE(is_restored(kSnapshot, bytes({12, 3, 0, 0}))) << "more causes than bytes";
  EXPECT_FALSE(is_restored(kSnapshot, bytes({12, 0x82, 0, 0, 0}, 16))) << "a count in two bytes";
  EXPECT_FALSE(is_restored(kSnapshot, bytes({12, 0xff, 0xff, 0xff, 0xff, 0x0f}, 16)));
  EXPECT_TRUE(is_restored(kSnapshot, bytes({4}, net::kMessageBytesMax - 1)));
  EXPECT_FALSE(is_restored(kSnapshot, bytes({4}, net::kMessageBytesMax))) << "no datagram holds it";
}

}  // namespace
}  // namespace tickbox::protocol
