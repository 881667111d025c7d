// Reads and writes datagrams by schema/README.md alone: libsodium, and bytes at the places that the
// page gives, without FlatBuffers and without the code under test.

#include "core/hash.h"
#include "tests/unit/net/samples.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <string>
#include <string_view>

namespace tickbox::net {
namespace {

using Bytes = std::vector<std::byte>;
using RawKey = std::array<unsigned char, 32>;

const unsigned char* raw(ConstBytes bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

void append(Bytes& to, ConstBytes bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <std::unsigned_integral T>
void append_le(Bytes& to, T value) {
  std::array<std::byte, sizeof(T)> bytes{};
  store_le(MutableBytes{bytes}, value);
  append(to, bytes);
}

RawKey page_published_key() {
  constexpr std::string_view kText = "tickbox published key, loopback only";
  RawKey key{};
  crypto_generichash(key.data(), key.size(), raw(as_bytes_of(kText)), kText.size(), nullptr, 0);
  return key;
}

RawKey page_session_key(std::uint8_t direction, ConstBytes client_nonce, ConstBytes server_nonce) {
  Bytes input;
  append(input, as_bytes_of(std::string_view{"tickbox session"}));
  input.push_back(std::byte{direction});
  append(input, client_nonce);
  append(input, server_nonce);
  const RawKey published = page_published_key();
  RawKey key{};
  crypto_generichash(key.data(), key.size(), raw(input), input.size(), published.data(),
                     published.size());
  return key;
}

Bytes page_nonce(std::uint64_t sequence) {
  Bytes nonce(4);
  append_le(nonce, sequence);
  return nonce;
}

Bytes page_open(const RawKey& key, std::uint64_t sequence, ConstBytes clear, ConstBytes sealed) {
  Bytes message(sealed.size() - 16);
  const int failed = crypto_aead_chacha20poly1305_ietf_decrypt(
      reinterpret_cast<unsigned char*>(message.data()), nullptr, nullptr, raw(sealed),
      sealed.size(), raw(clear), clear.size(), raw(page_nonce(sequence)), key.data());
  EXPECT_EQ(failed, 0);
  return message;
}

Bytes page_tag(ConstBytes bytes) {
  Bytes tag(16);
  const RawKey key = page_published_key();
  crypto_generichash(reinterpret_cast<unsigned char*>(tag.data()), tag.size(), raw(bytes),
                     bytes.size(), key.data(), key.size());
  return tag;
}

/// The root table of a message, as the page says that FlatBuffers lie.
class Root {
 public:
  explicit Root(ConstBytes message) : message_(message), table_(u32(0)) {}

  template <std::unsigned_integral T>
  [[nodiscard]] T at(std::size_t place) const {
    return load_le<T>(message_.subspan(place));
  }

  [[nodiscard]] std::uint32_t u32(std::size_t place) const { return at<std::uint32_t>(place); }

  /// Where field `number` lies, or 0 when it is absent.
  [[nodiscard]] std::size_t field(std::size_t number) const {
    const auto back = static_cast<std::int32_t>(u32(table_));
    const auto vtable = static_cast<std::size_t>(static_cast<std::int64_t>(table_) - back);
    const std::size_t entry = 4 + 2 * number;
    if (entry + 2 > at<std::uint16_t>(vtable)) return 0;
    const std::uint16_t offset = at<std::uint16_t>(vtable + entry);
    return offset == 0 ? 0 : table_ + offset;
  }

  template <std::unsigned_integral T>
  [[nodiscard]] T number(std::size_t number) const {
    return field(number) == 0 ? T{0} : at<T>(field(number));
  }

  /// Where the vector or string of field `number` has its count; its elements begin 4 bytes on.
  [[nodiscard]] std::size_t vector(std::size_t number) const {
    return field(number) + u32(field(number));
  }

 private:
  ConstBytes message_;
  std::size_t table_;
};

TEST(Standard, ReadsAConnect) {
  PacketBuffer buffer{};
  const ConstBytes datagram = encode_connect(samples::connect(), published_key(), buffer);
  ASSERT_EQ(datagram.size(), 1'200U);
  EXPECT_EQ(datagram[0], std::byte{1});
  EXPECT_EQ(samples::copy_of(datagram.last(16)), page_tag(datagram.first(1'184)));
  const Root root{datagram.subspan(1, 1'183)};
  EXPECT_EQ(root.number<std::uint32_t>(0), 11U);
  EXPECT_EQ(root.number<std::uint64_t>(1), 0x1213141516171819U);
  const auto nonce = datagram.subspan(1 + root.field(2), 32);
  EXPECT_TRUE(std::ranges::equal(nonce, samples::nonce(1)));
}

TEST(Standard, ReadsAnAcceptAndASnapshotOfItsSession) {
  const SessionKeys keys =
      derive_session_keys(published_key(), samples::nonce(1), samples::nonce(100));
  PacketBuffer buffer{};
  const ConstBytes accept =
      encode_accept(samples::accept(), 0xa1b2c3d4, samples::nonce(100), keys, buffer);
  EXPECT_EQ(accept[0], std::byte{2});
  EXPECT_EQ(load_le<std::uint32_t>(accept.subspan(1)), 0xa1b2c3d4U);
  const RawKey to_client = page_session_key(1, samples::nonce(1), accept.subspan(5, 32));
  const Bytes accept_message = page_open(to_client, 0, accept.first(37), accept.subspan(37));
  const Root root{accept_message};
  EXPECT_EQ(root.number<std::uint16_t>(0), 21U);
  EXPECT_EQ(root.number<std::uint32_t>(1), 3U << 12 | 21U);
  EXPECT_EQ(root.number<std::uint16_t>(2), 60U);
  EXPECT_EQ(root.number<std::uint32_t>(3), 2'300'000U);
  ASSERT_EQ(root.u32(root.vector(4)), 5U);
  EXPECT_TRUE(std::ranges::equal(ConstBytes{accept_message}.subspan(root.vector(4) + 4, 6),
                                 as_bytes_of(std::string{"arena\0", 6})));
  EXPECT_EQ(root.number<std::uint32_t>(5), 1'000U);
  EXPECT_EQ(root.number<std::uint64_t>(6), 0x2425262728292a2bU);

  PacketChannel server{keys, 0xa1b2c3d4, Direction::ToClient};
  MessageEncoder encoder;
  PacketBuffer wire{};
  const auto entities = samples::entities(2);
  const ConstBytes packet =
      server.seal_packet(PacketType::Snapshot, encoder.snapshot(samples::head(), entities), wire);
  EXPECT_EQ(packet[0], std::byte{9});
  EXPECT_EQ(load_le<std::uint16_t>(packet.subspan(5)), 1U);
  const Bytes message = page_open(to_client, 1, packet.first(7), packet.subspan(7));
  const Root snapshot{message};
  const std::size_t head = snapshot.field(0);
  EXPECT_EQ(snapshot.at<std::uint64_t>(head), 0x5152535455565758U);
  const std::uint32_t words[] = {5'200, 5'300, 5'400, 5'500};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(snapshot.u32(head + 8 + 4 * i), words[i]);
  const std::uint16_t halves[] = {5'600, 100, 5'800, 5'900, static_cast<std::uint16_t>(-60)};
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(snapshot.at<std::uint16_t>(head + 24 + 2 * i), halves[i]);
  const std::uint8_t bytes[] = {61, 1, 3, 0, 0, 0};
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(message[head + 34 + i], std::byte{bytes[i]});
  ASSERT_EQ(snapshot.u32(snapshot.vector(1)), 2U);
  const std::size_t second = snapshot.vector(1) + 4 + 28;
  EXPECT_EQ(snapshot.u32(second), 7U << 12 | 1U);
  EXPECT_EQ(static_cast<std::int32_t>(snapshot.u32(second + 8)), -2'001);
}

TEST(Standard, ReadsARefuse) {
  PacketBuffer buffer{};
  const ConstBytes datagram = encode_refuse(samples::refuse(), published_key(), buffer);
  EXPECT_EQ(datagram[0], std::byte{3});
  EXPECT_LE(datagram.size(), 96U);
  const ConstBytes tagged = datagram.first(datagram.size() - 16);
  EXPECT_EQ(samples::copy_of(datagram.last(16)), page_tag(tagged));
  const Root root{tagged.subspan(1)};
  EXPECT_TRUE(std::ranges::equal(tagged.subspan(1 + root.field(0), 32), samples::nonce(1)));
  EXPECT_EQ(root.number<std::uint8_t>(1), 1U);
  EXPECT_EQ(root.number<std::uint32_t>(2), 64U);
  EXPECT_EQ(root.number<std::uint32_t>(3), 65U);
}

// A message laid by hand: root, vtable, table with the head inline and an offset to the inputs, the
// inputs.
Bytes page_input_message() {
  Bytes message;
  append_le(message, std::uint32_t{12});  // root: table at 12
  append_le(message, std::uint16_t{8});   // vtable at 4: its size,
  append_le(message, std::uint16_t{32});  // the table's,
  append_le(message, std::uint16_t{4});   // head at 16,
  append_le(message, std::uint16_t{28});  // inputs' offset at 40
  append_le(message, std::uint32_t{8});   // table at 12: its vtable lies 8 before
  append_le(message, std::uint64_t{0x3132333435363738});
  append_le(message, std::uint32_t{4'100});
  append_le(message, std::uint32_t{4'300});
  append_le(message, std::uint32_t{42});
  append_le(message, std::uint32_t{0});
  append_le(message, std::uint32_t{4});  // at 40: count at 44
  append_le(message, std::uint32_t{2});
  for (const std::uint32_t input : {900U | 0U << 16 | 0U << 24, 901U | 1U << 16 | 1U << 24})
    append_le(message, input);
  return message;
}

TEST(Standard, WritesAConnectAndAnInputThatTheServerTakes) {
  const SessionKeys keys =
      derive_session_keys(published_key(), samples::nonce(1), samples::nonce(100));
  PacketChannel server{keys, 0xa1b2c3d4, Direction::ToClient};
  Bytes datagram{std::byte{8}};
  append_le(datagram, std::uint32_t{0xa1b2c3d4});
  append_le(datagram, std::uint16_t{1});
  const Bytes message = page_input_message();
  const RawKey to_server = page_session_key(0, samples::nonce(1), samples::nonce(100));
  Bytes sealed(message.size() + 16);
  crypto_aead_chacha20poly1305_ietf_encrypt(
      reinterpret_cast<unsigned char*>(sealed.data()), nullptr, raw(message), message.size(),
      raw(datagram), datagram.size(), nullptr, raw(page_nonce(1)), to_server.data());
  append(datagram, sealed);
  PacketBuffer buffer{};
  const auto opened = server.open_packet(datagram, buffer);
  ASSERT_TRUE(opened);
  const auto read = decode_input(opened->message);
  ASSERT_TRUE(read);
  const InputMessage expected = samples::input_message(2);
  EXPECT_EQ(read->ack_bits, expected.ack_bits);
  EXPECT_EQ(read->newest_snapshot, expected.newest_snapshot);
  EXPECT_EQ(read->first_tick, expected.first_tick);
  EXPECT_EQ(read->mismatches, expected.mismatches);
  EXPECT_TRUE(std::ranges::equal(read->inputs, expected.inputs));
}

TEST(Standard, HashesAnEntityByTwentySixBytes) {
  const game::EntityState entity = samples::entity(3);
  Bytes fields;
  append_le(fields, entity.id.value);
  fields.push_back(std::byte{0});
  for (const std::int32_t number :
       {entity.min.x, entity.min.y, entity.velocity.x, entity.velocity.y}) {
    append_le(fields, static_cast<std::uint32_t>(number));
  }
  fields.push_back(std::byte{entity.traits.held.move});
  fields.push_back(std::byte{entity.traits.held.buttons});
  append_le(fields, entity.traits.held.aim);
  fields.push_back(std::byte{entity.traits.timer});
  ASSERT_EQ(fields.size(), 26U);
  EXPECT_EQ(hash_bytes(fields, entity.id.value), game::entity_hash(entity));
}

}  // namespace
}  // namespace tickbox::net
