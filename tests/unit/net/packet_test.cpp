#include "net/packet.h"

#include "tests/unit/net/samples.h"

#include <gtest/gtest.h>

namespace tickbox::net {
namespace {

constexpr std::uint32_t kConnection = 0xa1b2c3d4;

PacketChannel client() {
  return {samples::session_keys(1), kConnection, Direction::ToServer};
}

PacketChannel server() {
  return {samples::session_keys(1), kConnection, Direction::ToClient};
}

std::vector<std::byte> sealed_by(PacketChannel& channel, PacketType type, ConstBytes message) {
  PacketBuffer buffer{};
  return samples::copy_of(channel.seal_packet(type, message, buffer));
}

TEST(PacketChannel, CarriesMessagesBothWays) {
  PacketChannel here = client();
  PacketChannel there = server();
  MessageEncoder encoder;
  const auto input = samples::copy_of(encoder.input(samples::input_message(5)));
  const auto goodbye = samples::copy_of(encoder.disconnect(DisconnectReason::Kicked));
  PacketBuffer buffer{};
  for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
    const auto up = there.open_packet(sealed_by(here, PacketType::Input, input), buffer);
    ASSERT_TRUE(up);
    EXPECT_EQ(up->type, PacketType::Input);
    EXPECT_EQ(up->sequence, sequence);
    EXPECT_EQ(samples::copy_of(up->message), input);
    const auto down = here.open_packet(sealed_by(there, PacketType::Disconnect, goodbye), buffer);
    ASSERT_TRUE(down);
    EXPECT_EQ(down->type, PacketType::Disconnect);
    EXPECT_EQ(samples::copy_of(down->message), goodbye);
    EXPECT_EQ(here.sent(), sequence);
    EXPECT_EQ(there.received().newest(), sequence);
  }
}

TEST(PacketChannel, CostsTwentyThreeBytes) {
  PacketChannel here = client();
  const std::vector<std::byte> message(kMessageBytesMax);
  EXPECT_EQ(sealed_by(here, PacketType::Input, message).size(), kDatagramBytesMax);
  EXPECT_EQ(sealed_by(here, PacketType::Input, {}).size(), 23U);
}

TEST(PacketChannel, LaysItsHeadAsTheStandardSays) {
  PacketChannel here = client();
  std::vector<std::byte> datagram;
  for (int i = 0; i < 0x0102; ++i)
    datagram = sealed_by(here, PacketType::Input, {});
  const std::uint8_t head[] = {8, 0xd4, 0xc3, 0xb2, 0xa1, 0x02, 0x01};
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_EQ(datagram[i], std::byte{head[i]}) << i;
}

// Each bit of each type, in both directions: whatever is named as the reason, nothing is taken and
// the window stays.
TEST(PacketChannel, TakesNothingThatHasABitFlipped) {
  MessageEncoder encoder;
  const auto input = samples::copy_of(encoder.input(samples::input_message(64)));
  const auto all = samples::entities(kEntitiesPerFragment);
  const auto snapshot = samples::copy_of(encoder.snapshot(samples::head(), all));
  const auto goodbye = samples::copy_of(encoder.disconnect(DisconnectReason::Kicked));

  struct Case {
    PacketType type;
    Direction direction;
    ConstBytes message;
  };

  for (const Case& each : {Case{PacketType::Input, Direction::ToServer, input},
                           Case{PacketType::Snapshot, Direction::ToClient, snapshot},
                           Case{PacketType::Disconnect, Direction::ToServer, goodbye},
                           Case{PacketType::Disconnect, Direction::ToClient, goodbye}}) {
    PacketChannel sender{samples::session_keys(1), kConnection, each.direction};
    PacketChannel receiver = each.direction == Direction::ToServer ? server() : client();
    auto datagram = sealed_by(sender, each.type, each.message);
    PacketBuffer buffer{};
    for (std::size_t bit = 0; bit < 8 * datagram.size(); ++bit) {
      const auto mask = static_cast<std::byte>(1U << (bit % 8));
      datagram[bit / 8] ^= mask;
      ASSERT_FALSE(receiver.open_packet(datagram, buffer)) << "bit " << bit;
      datagram[bit / 8] ^= mask;
    }
    EXPECT_EQ(receiver.received().newest(), 0U);
    EXPECT_TRUE(receiver.open_packet(datagram, buffer));
  }
}

TEST(PacketChannel, TakesNoPartOfAPacketAndNoneWithATail) {
  PacketChannel sender = client();
  PacketChannel receiver = server();
  MessageEncoder encoder;
  auto datagram = sealed_by(sender, PacketType::Input, encoder.input(samples::input_message(64)));
  PacketBuffer buffer{};
  for (std::size_t size = 0; size < datagram.size(); ++size) {
    const auto opened = receiver.open_packet(ConstBytes{datagram}.first(size), buffer);
    ASSERT_FALSE(opened) << size;
    EXPECT_EQ(opened.error(),
              size < kPacketOverheadBytes ? DropReason::TooShort : DropReason::Forged)
        << size;
  }
  while (datagram.size() <= kDatagramBytesMax) {
    datagram.push_back(std::byte{0});
    const auto opened = receiver.open_packet(datagram, buffer);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(),
              datagram.size() > kDatagramBytesMax ? DropReason::TooLong : DropReason::Forged);
  }
}

TEST(PacketChannel, NamesWhyItDrops) {
  PacketChannel sender = client();
  PacketBuffer buffer{};
  const auto datagram = sealed_by(sender, PacketType::Input, {});
  const auto error_after = [&](std::size_t at, std::uint8_t value) {
    auto changed = datagram;
    changed[at] = std::byte{value};
    PacketChannel receiver = server();
    return receiver.open_packet(changed, buffer).error();
  };
  for (const int type : {0, 1, 2, 3, 4, 7, 9, 11, 63, 8 + 64, 8 + 128, 8 + 192}) {
    EXPECT_EQ(error_after(0, static_cast<std::uint8_t>(type)), DropReason::UnknownType) << type;
  }
  EXPECT_EQ(error_after(0, 10), DropReason::Forged);
  EXPECT_EQ(error_after(1, 0), DropReason::UnknownConnection);
  EXPECT_EQ(error_after(5, 2), DropReason::Forged);
  EXPECT_EQ(error_after(5, 0), DropReason::Replayed);  // sequence 0 is no packet's
}

// Each packet again 1, 1,023, 1,024 and 1,025 later, also where the 16 bits on the wire wrap; and
// 65,536 later, when the same 16 bits come round.
TEST(PacketChannel, TakesNoPacketTwice) {
  PacketChannel sender = client();
  PacketChannel receiver = server();
  PacketBuffer buffer{};
  std::vector<std::vector<std::byte>> sent(1);
  constexpr std::uint64_t kSent = 3 * 65'536;
  for (std::uint64_t sequence = 1; sequence <= kSent; ++sequence) {
    sent.push_back(sealed_by(sender, PacketType::Input, {}));
    const auto opened = receiver.open_packet(sent.back(), buffer);
    ASSERT_TRUE(opened) << sequence;
    ASSERT_EQ(opened->sequence, sequence);
    for (const std::uint64_t later : {0U, 1U, 1'023U, 1'024U, 1'025U}) {
      if (later >= sequence) continue;
      const auto again = receiver.open_packet(sent[sequence - later], buffer);
      ASSERT_FALSE(again) << sequence << " and " << later << " later";
      ASSERT_EQ(again.error(), DropReason::Replayed);
    }
    if (sequence > 65'536) {
      const auto again = receiver.open_packet(sent[sequence - 65'536], buffer);
      ASSERT_FALSE(again) << sequence;
    }
  }
}

TEST(PacketChannel, TakesLatePacketsWithinTheWindowAcrossAWrap) {
  for (const std::uint64_t late : {65'000U, 65'535U, 65'536U, 65'537U, 66'000U}) {
    for (const std::uint64_t by : {1U, 1'023U, 1'024U, 1'025U}) {
      PacketChannel sender = client();
      PacketChannel receiver = server();
      PacketBuffer buffer{};
      std::vector<std::byte> held;
      for (std::uint64_t sequence = 1; sequence <= late + by; ++sequence) {
        const auto datagram = sealed_by(sender, PacketType::Input, {});
        if (sequence == late) held = datagram;
        const bool near = sequence + 2'000 > late && sequence != late;
        if (near || sequence % 30'000 == 0) {
          ASSERT_TRUE(receiver.open_packet(datagram, buffer));
        }
      }
      const auto opened = receiver.open_packet(held, buffer);
      EXPECT_EQ(opened.has_value(), by < kReplayWindow) << late << " by " << by;
      if (opened) {
        EXPECT_EQ(opened->sequence, late);
      }
    }
  }
}

TEST(ExpandSequence, FindsTheNearest) {
  for (const std::uint64_t newest :
       {std::uint64_t{0}, std::uint64_t{40'000}, std::uint64_t{65'535}, std::uint64_t{65'536},
        std::uint64_t{1} << 32, (std::uint64_t{1} << 48) - 1}) {
    for (std::int64_t offset = -32'767; offset <= 32'767; offset += 331) {
      if (offset < 0 && newest < static_cast<std::uint64_t>(-offset)) continue;
      const std::uint64_t sequence = newest + static_cast<std::uint64_t>(offset);
      EXPECT_EQ(expand_sequence(static_cast<std::uint16_t>(sequence & 0xffff), newest), sequence)
          << newest;
    }
  }
  EXPECT_EQ(expand_sequence(0xffff, 0), 0xffffU);  // nothing lies before 0
}

}  // namespace
}  // namespace tickbox::net
