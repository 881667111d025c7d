#include "net/packet.h"

#include "protocol/messages.h"
#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

namespace tickbox::net::packet_test {
namespace {

constexpr std::uint32_t kConnection = 0xa1b2c3d4;

PacketChannel client(Cipher cipher = Cipher::ChaCha20Poly1305) {
  return {samples::session_keys(1), kConnection, Direction::ToServer, cipher};
}

PacketChannel server(Cipher cipher = Cipher::ChaCha20Poly1305) {
  return {samples::session_keys(1), kConnection, Direction::ToClient, cipher};
}

std::vector<std::byte> sealed_by(PacketChannel& channel, PacketType type, ConstBytes message) {
  PacketBuffer buffer{};
  return samples::copy_of(channel.seal_packet(type, message, buffer));
}

TEST(PacketChannel, CarriesMessagesBothWays) {
  for (const Cipher cipher : samples::ciphers()) {
    PacketChannel here = client(cipher);
    PacketChannel there = server(cipher);
    protocol::MessageBuffer message_buffer;
    const auto input =
        samples::copy_of(protocol::encode_input(samples::input_message(5), message_buffer));
    const auto goodbye =
        samples::copy_of(protocol::encode_disconnect(DisconnectReason::Kicked, message_buffer));
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
}

TEST(PacketChannel, ChecksAllButTheSealWithoutTakingThePacket) {
  PacketChannel here = client();
  PacketChannel there = server();
  auto packet = sealed_by(here, PacketType::Input, {});
  EXPECT_EQ(there.check_packet(packet), 1U);
  packet.back() ^= std::byte{1};
  EXPECT_EQ(there.check_packet(packet), 1U) << "its seal is not looked at";
  packet.back() ^= std::byte{1};
  PacketBuffer buffer{};
  ASSERT_TRUE(there.open_packet(packet, buffer));
  EXPECT_EQ(samples::fault_of(there.check_packet(packet)), DropReason::Replayed);
  packet[0] |= std::byte{0x80};  // of an epoch after the next
  EXPECT_EQ(samples::fault_of(there.check_packet(packet)), DropReason::Replayed);
  EXPECT_EQ(samples::fault_of(there.check_packet(ConstBytes{packet}.first(22))),
            DropReason::TooShort);
}

// Each bit of each type, in both directions: whatever is named as the reason, nothing is taken and
// the window stays.
TEST(PacketChannel, TakesNothingThatHasABitFlipped) {
  for (const Cipher cipher : samples::ciphers()) {
    for (const auto& [type, direction] : samples::kSealedKinds) {
      PacketChannel sender{samples::session_keys(1), kConnection, direction, cipher};
      PacketChannel receiver = direction == Direction::ToServer ? server(cipher) : client(cipher);
      const auto datagram = sealed_by(sender, type, samples::message_of(type));
      PacketBuffer buffer{};
      samples::with_each_bit_flipped(
          datagram, [&](const std::vector<std::byte>& altered, std::size_t bit) {
            ASSERT_FALSE(receiver.open_packet(altered, buffer)) << "bit " << bit;
          });
      EXPECT_EQ(receiver.received().newest(), 0U);
      EXPECT_EQ(receiver.received().count(), 0U);
      EXPECT_TRUE(receiver.open_packet(datagram, buffer));
    }
  }
}

// A DISCONNECT goes both ways: only its key says which.
TEST(PacketChannel, TakesNoPacketOfItsOwnNorOfAnotherSession) {
  PacketChannel here = client();
  const auto goodbye = sealed_by(here, PacketType::Disconnect, samples::nonce(7));
  PacketChannel other{samples::session_keys(2), kConnection, Direction::ToClient};
  PacketBuffer buffer{};
  EXPECT_FALSE(here.open_packet(goodbye, buffer));
  EXPECT_FALSE(other.open_packet(goodbye, buffer));
  EXPECT_TRUE(server().open_packet(goodbye, buffer));
}

TEST(PacketChannel, TakesNoPartOfAPacketAndNoneWithATail) {
  PacketChannel sender = client();
  PacketChannel receiver = server();
  protocol::MessageBuffer message_buffer;
  auto datagram = sealed_by(sender, PacketType::Input,
                            protocol::encode_input(samples::input_message(200), message_buffer));
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
    return samples::fault_of(receiver.open_packet(changed, buffer));
  };
  // Every first byte: taken are INPUT, DISCONNECT, RESPONSE and DESYNC_REPORT, of this
  // epoch or the next.
  for (int first = 0; first < 256; ++first) {
    const int type = first % 64;
    const int epoch = first / 64;
    const bool is_known = type == 8 || type == 10 || type == 12 || type == 16;
    const auto expected = !is_known    ? DropReason::UnknownType
                          : epoch <= 1 ? DropReason::Forged
                                       : DropReason::Replayed;
    if (first != 8) {
      EXPECT_EQ(error_after(0, static_cast<std::uint8_t>(first)), expected) << first;
    }
  }
  EXPECT_EQ(error_after(1, 0), DropReason::UnknownConnection);
  EXPECT_EQ(error_after(4, 0), DropReason::UnknownConnection);
  EXPECT_EQ(error_after(5, 2), DropReason::Forged);
  EXPECT_EQ(error_after(5, 0), DropReason::Replayed);  // sequence 0 is no packet's
}

TEST(PacketChannelDeathTest, SealsNoTypeThatDoesNotTravelThisWay) {
  PacketChannel here = client();
  PacketChannel there = server();
  PacketBuffer buffer{};
  EXPECT_DEATH(here.seal_packet(PacketType::Snapshot, {}, buffer), "assertion failed");
  EXPECT_DEATH(here.seal_packet(PacketType::Hello, {}, buffer), "assertion failed");
  EXPECT_DEATH(there.seal_packet(PacketType::Response, {}, buffer), "assertion failed");
  const std::vector<std::byte> too_long(kMessageBytesMax + 1);
  EXPECT_DEATH(here.seal_packet(PacketType::Input, too_long, buffer), "assertion failed");
}

// Each packet is sent again 1, 1,023, 1,024 and 1,025 packets later, also where the 16 and the 18
// bits on the wire wrap; and when the same 16 or 18 bits come again.
TEST(PacketChannel, TakesNoPacketTwice) {
  PacketChannel sender = client();
  PacketChannel receiver = server();
  PacketBuffer buffer{};
  std::vector<std::vector<std::byte>> sent(1);
  constexpr std::uint64_t kSent = (1U << 18) + 3'000;
  for (std::uint64_t sequence = 1; sequence <= kSent; ++sequence) {
    sent.push_back(sealed_by(sender, PacketType::Input, {}));
    const auto opened = receiver.open_packet(sent.back(), buffer);
    ASSERT_TRUE(opened) << sequence;
    ASSERT_EQ(opened->sequence, sequence);
    for (const std::uint64_t later :
         {0U, 1U, 1'023U, 1'024U, 1'025U, 1U << 16, 1U << 17, 3U << 16, 1U << 18}) {
      if (later >= sequence) continue;
      const auto again = receiver.open_packet(sent[sequence - later], buffer);
      ASSERT_FALSE(again) << sequence << " and " << later << " later";
      // 196,608 later its bits are those of one of the next epoch, whose key does not open it.
      ASSERT_EQ(again.error(), later == 3U << 16 ? DropReason::Forged : DropReason::Replayed);
    }
  }
  EXPECT_EQ(receiver.received().count(), kSent);
}

}  // namespace
}  // namespace tickbox::net::packet_test
