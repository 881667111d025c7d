#include "protocol/compact_form.h"

#include "core/rng.h"
#include "net/verified_root.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
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

flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>> copied(
    const flatbuffers::Vector<std::uint8_t>* vector, flatbuffers::FlatBufferBuilder& flat) {
  if (vector == nullptr) return {};
  return flat.CreateVector(vector->data(), vector->size());
}

/// The FlatBuffer that a builder makes of the same fields.
std::vector<std::byte> rebuilt(const schema::Snapshot& wire) {
  flatbuffers::FlatBufferBuilder flat;
  const auto content = copied(wire.content(), flat);
  const auto events = copied(wire.events(), flat);
  flat.Finish(schema::CreateSnapshot(flat, wire.head(), wire.receipt(), content, wire.status(),
                                     events, wire.commands()));
  return samples::copy_of(net::finished_bytes(flat));
}

std::vector<std::byte> rebuilt(const schema::InputMessage& wire) {
  flatbuffers::FlatBufferBuilder flat;
  const auto inputs = copied(wire.inputs(), flat);
  const auto commands = copied(wire.commands(), flat);
  flat.Finish(schema::CreateInputMessage(flat, wire.head(), inputs, wire.view(), commands));
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

// All sets of parts, and content of any length modulo 4.
TEST(CompactForm, OfASnapshotComesBackToTheBit) {
  MessageBuffer message_buffer;
  Rng rng{1};
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t most = samples::kContentOfFullSnapshot;
    Snapshot sent = samples::snapshot(rng.chance(1, 4) ? 0 : rng.below(most + 1));
    sent.head.view_hash = static_cast<std::uint32_t>(rng.next());
    if (rng.chance(1, 2)) sent.status = std::nullopt;
    if (rng.chance(1, 2)) sent.events.clear();
    if (rng.chance(1, 2)) sent.commands = std::nullopt;
    check_restored<schema::Snapshot>(CompactMessage::Snapshot,
                                     encode_snapshot(sent, message_buffer));
    if (HasFailure()) FAIL() << "round " << round;
  }
}

TEST(CompactForm, OfAnInputMessageComesBackToTheBit) {
  MessageBuffer message_buffer;
  for (std::size_t bytes = 0; bytes <= kInputBytesMax; ++bytes) {
    for (const bool has_view : {false, true}) {
      InputMessage sent = samples::input_message(bytes);
      if (!has_view) sent.view = std::nullopt;
      // A count of inputs is sent only where a vector follows it.
      sent.commands = samples::counted(bytes % (kCommandBytesMax + 1));
      check_restored<schema::InputMessage>(CompactMessage::Input,
                                           encode_input(sent, message_buffer));
    }
    if (HasFailure()) FAIL() << bytes << " bytes";
  }
}

TEST(CompactForm, IsWhatDiffersBetweenMessages) {
  MessageBuffer message_buffer;
  EXPECT_EQ(encode_input(samples::input_message(7), message_buffer).size(), 1 + 8 + 4 + 7U);
  Snapshot sent = samples::snapshot(35);
  sent.status = std::nullopt;
  sent.events.clear();
  sent.commands = std::nullopt;
  EXPECT_EQ(encode_snapshot(sent, message_buffer).size(), 1 + 12 + 2 + 35U);
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
  EXPECT_TRUE(is_restored(kInput, bytes({3}, 8 + 5)));
  EXPECT_FALSE(is_restored(kSnapshot, bytes({1 << 6 | 1}, 12)));
  EXPECT_TRUE(is_restored(kSnapshot, bytes({20, 2, 0, 0}, 16))) << "content and events";
  EXPECT_FALSE(is_restored(kSnapshot, bytes({20, 3, 0, 0}))) << "more content than bytes";
  EXPECT_FALSE(is_restored(kSnapshot, bytes({20, 0x82, 0, 0, 0}, 16))) << "a count in two bytes";
  EXPECT_FALSE(is_restored(kSnapshot, bytes({20, 0xff, 0xff, 0xff, 0xff, 0x0f}, 16)));
  EXPECT_TRUE(is_restored(kSnapshot, bytes({4}, net::kMessageBytesMax - 1)));
  EXPECT_FALSE(is_restored(kSnapshot, bytes({4}, net::kMessageBytesMax))) << "no datagram holds it";
}

}  // namespace
}  // namespace tickbox::protocol
