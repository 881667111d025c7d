#include "net/handshake.h"

#include "tests/unit/net/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <functional>

namespace tickbox::net {
namespace {

using Datagram = std::vector<std::byte>;

const SessionKeys& keys() {
  static const SessionKeys keys = samples::session_keys(1);
  return keys;
}

Datagram connect_datagram() {
  PacketBuffer buffer{};
  return samples::copy_of(encode_connect(samples::connect(), published_key(), buffer));
}

Datagram accept_datagram(const Accept& accept = samples::accept()) {
  PacketBuffer buffer{};
  return samples::copy_of(encode_accept(accept, 0xa1b2c3d4, samples::nonce(100), keys(), buffer));
}

Datagram refuse_datagram() {
  PacketBuffer buffer{};
  return samples::copy_of(encode_refuse(samples::refuse(), published_key(), buffer));
}

/// What became of a datagram: nothing when it was taken.
using Read = std::function<std::optional<DropReason>(ConstBytes)>;

std::optional<DropReason> read_connect(ConstBytes datagram) {
  const auto read = decode_connect(datagram, published_key());
  return read ? std::nullopt : std::optional{read.error()};
}

std::optional<DropReason> read_accept(ConstBytes datagram) {
  const auto read = decode_accept(datagram, published_key(), samples::nonce(1));
  return read ? std::nullopt : std::optional{read.error()};
}

std::optional<DropReason> read_refuse(ConstBytes datagram) {
  const auto read = decode_refuse(datagram, published_key());
  return read ? std::nullopt : std::optional{read.error()};
}

struct Kind {
  const char* name;
  Datagram datagram;
  Read read;
};

std::vector<Kind> kinds() {
  return {{"connect", connect_datagram(), read_connect},
          {"accept", accept_datagram(), read_accept},
          {"refuse", refuse_datagram(), read_refuse}};
}

TEST(Handshake, ConnectCarriesEveryField) {
  const auto read = decode_connect(connect_datagram(), published_key());
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, samples::connect());
}

TEST(Handshake, AcceptCarriesEveryFieldAndTheSameKeys) {
  const auto read = decode_accept(accept_datagram(), published_key(), samples::nonce(1));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->accept, samples::accept());
  EXPECT_EQ(read->connection, 0xa1b2c3d4U);
  EXPECT_EQ(read->keys.client_to_server, keys().client_to_server);
  EXPECT_EQ(read->keys.server_to_client, keys().server_to_client);
}

TEST(Handshake, RefuseCarriesEveryField) {
  for (const auto reason :
       {RefuseReason::Full, RefuseReason::Protocol, RefuseReason::Schema, RefuseReason::Draining}) {
    Refuse refuse = samples::refuse();
    refuse.reason = reason;
    PacketBuffer buffer{};
    const auto read =
        decode_refuse(encode_refuse(refuse, published_key(), buffer), published_key());
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, refuse);
  }
}

TEST(Handshake, NoAnswerIsAsLargeAsWhatAsked) {
  EXPECT_EQ(connect_datagram().size(), kConnectBytes);
  Accept longest = samples::accept();
  longest.rules = std::string(kRulesNameMax, 'r');
  EXPECT_LE(accept_datagram(longest).size(), kAcceptBytesMax);
  EXPECT_TRUE(decode_accept(accept_datagram(longest), published_key(), samples::nonce(1)));
  EXPECT_LE(refuse_datagram().size(), kRefuseBytesMax);
}

TEST(Handshake, TakesNothingThatHasABitFlipped) {
  for (Kind& kind : kinds()) {
    ASSERT_FALSE(kind.read(kind.datagram)) << kind.name;
    for (std::size_t bit = 0; bit < 8 * kind.datagram.size(); ++bit) {
      const auto mask = static_cast<std::byte>(1U << (bit % 8));
      kind.datagram[bit / 8] ^= mask;
      ASSERT_EQ(kind.read(kind.datagram), bit < 8 ? DropReason::UnknownType : DropReason::Forged)
          << kind.name << " bit " << bit;
      kind.datagram[bit / 8] ^= mask;
    }
  }
}

TEST(Handshake, TakesNoPartOfADatagramAndNoneWithATail) {
  for (Kind& kind : kinds()) {
    for (std::size_t size = 0; size < kind.datagram.size(); ++size) {
      const auto reason = kind.read(ConstBytes{kind.datagram}.first(size));
      ASSERT_TRUE(reason) << kind.name << " of " << size << " bytes";
      ASSERT_TRUE(reason == DropReason::TooShort || reason == DropReason::Forged)
          << kind.name << size;
    }
    EXPECT_EQ(kind.read({}), DropReason::TooShort) << kind.name;
    while (kind.datagram.size() <= kDatagramBytesMax) {
      kind.datagram.push_back(std::byte{0});
      ASSERT_TRUE(kind.read(kind.datagram))
          << kind.name << " of " << kind.datagram.size() << " bytes";
    }
    EXPECT_EQ(kind.read(kind.datagram), DropReason::TooLong) << kind.name;
  }
}

TEST(Handshake, TakesNothingUnderAnotherKey) {
  Key other = published_key();
  other[0] ^= std::byte{1};
  EXPECT_EQ(decode_connect(connect_datagram(), other).error(), DropReason::Forged);
  EXPECT_EQ(decode_refuse(refuse_datagram(), other).error(), DropReason::Forged);
  EXPECT_EQ(decode_accept(accept_datagram(), other, samples::nonce(1)).error(), DropReason::Forged);
}

TEST(Handshake, TakesNoAcceptForAnotherClient) {
  EXPECT_EQ(decode_accept(accept_datagram(), published_key(), samples::nonce(2)).error(),
            DropReason::Forged);
}

// ACCEPT and the packets after it use the same key: their sequences must never meet.
TEST(Handshake, AcceptIsSealedApartFromPackets) {
  PacketChannel server{keys(), 9, Direction::ToClient};
  PacketBuffer buffer{};
  const auto first = server.seal_packet(PacketType::Snapshot, {}, buffer);
  EXPECT_EQ(load_le<std::uint16_t>(first.subspan(5)), 1);
}

// Datagrams that are sealed and tagged rightly by a peer whose message is wrong.
Datagram tagged(PacketType type, flatbuffers::FlatBufferBuilder& builder, std::size_t size) {
  Datagram datagram(size);
  datagram[0] = static_cast<std::byte>(type);
  std::memcpy(datagram.data() + 1, builder.GetBufferPointer(), builder.GetSize());
  const auto tag = tag_of(published_key(), ConstBytes{datagram}.first(size - kTagBytes));
  std::ranges::copy(tag, datagram.end() - static_cast<std::ptrdiff_t>(kTagBytes));
  return datagram;
}

TEST(Handshake, RefusesAConnectWithoutItsNonce) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::CreateConnect(builder, 1, 2, nullptr));
  EXPECT_EQ(read_connect(tagged(PacketType::Connect, builder, kConnectBytes)),
            DropReason::Malformed);
}

TEST(Handshake, RefusesARefuseThatMeansNothing) {
  for (const std::uint8_t reason : std::to_array<std::uint8_t>({0, 5, 255})) {
    flatbuffers::FlatBufferBuilder builder;
    const schema::Nonce nonce;
    builder.Finish(schema::CreateRefuse(builder, &nonce, reason, 1, 2));
    EXPECT_EQ(read_refuse(tagged(PacketType::Refuse, builder, 17 + builder.GetSize())),
              DropReason::Malformed)
        << int{reason};
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::CreateRefuse(builder, nullptr, 1, 1, 2));
  EXPECT_EQ(read_refuse(tagged(PacketType::Refuse, builder, 17 + builder.GetSize())),
            DropReason::Malformed);
}

struct RawAccept {
  std::uint16_t player = 21;
  std::uint32_t body = game::player_body({21}, 3).value;
  std::uint16_t tick_rate = 60;
  const char* rules = "arena";
  std::uint32_t seats = 1'000;
};

Datagram sealed_accept(const RawAccept& raw) {
  flatbuffers::FlatBufferBuilder builder;
  const auto rules = raw.rules == nullptr ? 0 : builder.CreateString(raw.rules);
  builder.Finish(
      schema::CreateAccept(builder, raw.player, raw.body, raw.tick_rate, 5, rules, raw.seats, 7));
  Datagram datagram(37 + builder.GetSize() + kTagBytes);
  datagram[0] = static_cast<std::byte>(PacketType::Accept);
  std::ranges::copy(samples::nonce(100), datagram.begin() + 5);
  seal(keys().server_to_client, 0, ConstBytes{datagram}.first(37),
       std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()}),
       MutableBytes{datagram}.subspan(37));
  return datagram;
}

TEST(Handshake, RefusesAnAcceptThatCannotBe) {
  const std::string long_name(kRulesNameMax + 1, 'r');
  EXPECT_EQ(read_accept(sealed_accept({})), std::nullopt);
  EXPECT_EQ(read_accept(sealed_accept({.player = 20})), DropReason::Malformed)
      << "another seat than the body's";
  EXPECT_EQ(read_accept(sealed_accept({.body = game::crate_body(21).value})),
            DropReason::Malformed);
  EXPECT_EQ(read_accept(sealed_accept({.tick_rate = 0})), DropReason::Malformed);
  EXPECT_EQ(read_accept(sealed_accept({.rules = nullptr})), DropReason::Malformed);
  EXPECT_EQ(read_accept(sealed_accept({.rules = ""})), DropReason::Malformed);
  EXPECT_EQ(read_accept(sealed_accept({.rules = long_name.c_str()})), DropReason::Malformed);
  EXPECT_EQ(read_accept(sealed_accept({.seats = 21})), DropReason::Malformed)
      << "a seat the map does not have";
  EXPECT_EQ(read_accept(sealed_accept({.seats = game::kSeatsMax + 1})), DropReason::Malformed);
}

TEST(Handshake, TellsPeopleWhy) {
  EXPECT_EQ(describe({.reason = RefuseReason::Full, .have = 64, .limit = 64}), "server full 64/64");
  EXPECT_EQ(describe({.reason = RefuseReason::Protocol, .have = 3, .limit = 4}),
            "protocol 3, not 4");
  EXPECT_EQ(describe({.reason = RefuseReason::Draining}), "server is stopping");
  EXPECT_EQ(describe({.reason = RefuseReason::Schema}),
            "another schema of protocol 1: build both ends from one version");
  EXPECT_EQ(name_of(DisconnectReason::ClientLeft), "client_left");
  EXPECT_EQ(name_of(DisconnectReason::ServerStopping), "server_stopping");
  EXPECT_EQ(name_of(DisconnectReason::TimedOut), "timed_out");
  EXPECT_EQ(name_of(DisconnectReason::Kicked), "kicked");
}

}  // namespace
}  // namespace tickbox::net
