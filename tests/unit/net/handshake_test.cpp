#include "net/handshake.h"

#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <functional>

namespace tickbox::net::handshake_test {
namespace {

using Datagram = std::vector<std::byte>;

const KeyPair& session() {
  static const KeyPair keys = samples::session_keys(1);
  return keys;
}

ConnectToken token() {
  return samples::token(samples::ring());
}

Datagram hello_datagram() {
  PacketBuffer buffer{};
  return samples::copy_of(encode_hello(samples::request(PacketType::Hello), buffer));
}

Datagram cookie_datagram() {
  PacketBuffer buffer{};
  return samples::copy_of(
      encode_cookie(samples::nonce(1), samples::counting<CookieBytes>(61), buffer));
}

Datagram connect_datagram() {
  PacketBuffer buffer{};
  return samples::copy_of(encode_connect(samples::request(PacketType::Connect),
                                         samples::counting<CookieBytes>(61), token(), buffer));
}

Datagram resume_datagram() {
  PacketBuffer buffer{};
  return samples::copy_of(
      encode_resume(samples::request(PacketType::Resume), samples::resume_ticket(), buffer));
}

Datagram accept_datagram(const Accept& accept = samples::accept()) {
  PacketBuffer buffer{};
  return samples::copy_of(
      encode_accept(accept, 0xa1b2c3d4, samples::pair(100).nonce, session(), buffer));
}

Datagram refuse_datagram() {
  PacketBuffer buffer{};
  return samples::copy_of(encode_refuse(samples::refuse(), buffer));
}

std::expected<Accepted, DropReason> decode_accepted(ConstBytes datagram,
                                                    Cipher best = Cipher::ChaCha20Poly1305) {
  return decode_accept(datagram, samples::handed_keys(), samples::pair(1), best);
}

/// Why a datagram was dropped: nothing if it was taken.
using Read = std::function<std::optional<DropReason>(ConstBytes)>;

std::optional<DropReason> read_request(ConstBytes datagram) {
  return samples::fault_of(decode_request(datagram));
}

std::optional<DropReason> read_accept(ConstBytes datagram) {
  return samples::fault_of(decode_accepted(datagram));
}

struct Kind {
  PacketType type;
  Datagram datagram;
  Read read;
};

std::vector<Kind> kinds() {
  return {{PacketType::Hello, hello_datagram(), read_request},
          {PacketType::Cookie, cookie_datagram(),
           [](ConstBytes datagram) { return samples::fault_of(decode_cookie(datagram)); }},
          {PacketType::Connect, connect_datagram(), read_request},
          {PacketType::Accept, accept_datagram(), read_accept},
          {PacketType::Resume, resume_datagram(), read_request},
          {PacketType::Refuse, refuse_datagram(),
           [](ConstBytes datagram) { return samples::fault_of(decode_refuse(datagram)); }}};
}

TEST(Handshake, WhatAsksCarriesEveryField) {
  EXPECT_EQ(decode_request(hello_datagram()), samples::request(PacketType::Hello));
  EXPECT_EQ(decode_request(connect_datagram()), samples::request(PacketType::Connect));
  EXPECT_EQ(decode_request(resume_datagram()), samples::request(PacketType::Resume));
  const ConnectRequest ours = make_request(PacketType::Hello, samples::nonce(5));
  EXPECT_EQ(ours.protocol, 8U);
  EXPECT_EQ(ours.schema, schema_hash());
  EXPECT_EQ(ours.client_nonce, samples::nonce(5));
}

TEST(Handshake, ConnectCarriesItsCookieAndToken) {
  const Datagram datagram = connect_datagram();
  EXPECT_EQ(cookie_of(datagram), samples::counting<CookieBytes>(61));
  EXPECT_TRUE(std::ranges::equal(sealed_token_of(datagram), token().sealed));
  EXPECT_TRUE(is_proven(datagram, token().keys.to_server));
  EXPECT_FALSE(is_proven(datagram, token().keys.to_client));
}

TEST(Handshake, ResumeCarriesItsTicket) {
  const Datagram datagram = resume_datagram();
  EXPECT_TRUE(std::ranges::equal(sealed_ticket_of(datagram), samples::resume_ticket().sealed));
  EXPECT_TRUE(is_proven(datagram, samples::handed_keys().to_server));
  EXPECT_FALSE(is_proven(datagram, samples::handed_keys().to_client));
}

TEST(Handshake, ResumeCarriesACookieIfItHasOne) {
  EXPECT_EQ(cookie_of(resume_datagram()), CookieBytes{});
  PacketBuffer out{};
  const auto cookie = samples::counting<CookieBytes>(61);
  const ConnectRequest resume = samples::request(PacketType::Resume);
  const ConstBytes datagram = encode_resume(resume, samples::resume_ticket(), out, cookie);
  EXPECT_EQ(cookie_of(datagram), cookie);
  EXPECT_TRUE(std::ranges::equal(datagram.subspan(180, 12), cookie)) << "as the standard says";
  EXPECT_EQ(decode_request(datagram), resume);
  EXPECT_TRUE(std::ranges::equal(sealed_ticket_of(datagram), samples::resume_ticket().sealed));
  EXPECT_TRUE(is_proven(datagram, samples::handed_keys().to_server));
  out[180] ^= std::byte{1};
  EXPECT_FALSE(is_proven(datagram, samples::handed_keys().to_server));
}

// The byte was zero before there were two ciphers, and a reader ignored it.
TEST(Handshake, AConnectAndAResumeNameTheBestCipherOfTheirClient) {
  constexpr std::size_t kAt = 1'183;
  for (const PacketType type : {PacketType::Hello, PacketType::Connect, PacketType::Resume}) {
    const bool has_tag = type != PacketType::Hello;
    for (const Cipher best : {Cipher::ChaCha20Poly1305, Cipher::Aes256Gcm}) {
      ConnectRequest request = samples::request(type);
      request.best_cipher = best;
      PacketBuffer out{};
      if (type == PacketType::Hello) encode_hello(request, out);
      if (type == PacketType::Connect) encode_connect(request, {}, token(), out);
      if (type == PacketType::Resume) encode_resume(request, samples::resume_ticket(), out);
      const bool names_aes = has_tag && best == Cipher::Aes256Gcm;
      EXPECT_EQ(out[kAt], std::byte{names_aes ? std::uint8_t{1} : std::uint8_t{0}});
      for (int value = 0; value < 256; ++value) {
        out[kAt] = static_cast<std::byte>(value);
        const Cipher read = decode_request(out)->best_cipher;
        EXPECT_EQ(read == Cipher::Aes256Gcm, has_tag && value % 2 != 0) << value;
      }
    }
  }
}

TEST(Handshake, AnAcceptNamesTheCipherOfItsSession) {
  for (const Cipher cipher : samples::ciphers()) {
    PacketBuffer out{};
    const ConstBytes datagram =
        encode_accept(samples::accept(), 1, samples::pair(100).nonce, session(), out, cipher);
    EXPECT_EQ(datagram[0],
              std::byte{cipher == Cipher::Aes256Gcm ? std::uint8_t{68} : std::uint8_t{4}});
    for (const Cipher best : samples::ciphers()) {
      const auto read = decode_accepted(datagram, best);
      ASSERT_EQ(read.has_value(), cipher <= best);
      if (!read) {
        EXPECT_EQ(read.error(), DropReason::UnknownType) << "a cipher that the client lacks";
        continue;
      }
      EXPECT_EQ(read->cipher, cipher);
      EXPECT_EQ(read->accept, samples::accept());
    }
  }
}

TEST(Handshake, CookieCarriesItsNonceAndCookie) {
  const auto answer = decode_cookie(cookie_datagram());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->client_nonce, samples::nonce(1));
  EXPECT_EQ(answer->cookie, samples::counting<CookieBytes>(61));
}

TEST(Handshake, AcceptCarriesEveryFieldAndTheSameKeys) {
  const auto read = decode_accepted(accept_datagram());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->accept, samples::accept());
  EXPECT_EQ(read->connection, 0xa1b2c3d4U);
  EXPECT_EQ(read->keys, session());
}

TEST(Handshake, RefuseCarriesEveryFieldOfEveryReason) {
  for (std::size_t reason = 1; reason < kServerRefusals; ++reason) {
    Refuse refuse = samples::refuse();
    refuse.reason = static_cast<RefuseReason>(reason);
    PacketBuffer buffer{};
    EXPECT_EQ(decode_refuse(encode_refuse(refuse, buffer)), refuse) << reason;
  }
}

TEST(Handshake, ARefuseIsProvenByTheKeyToTheClientAndNoOther) {
  const KeyPair keys = samples::handed_keys();
  PacketBuffer buffer{};
  const Datagram proven =
      samples::copy_of(encode_refuse(samples::refuse(), keys.to_client, buffer));
  EXPECT_EQ(decode_refuse(proven), samples::refuse());
  ASSERT_TRUE(has_proof(proven));
  EXPECT_FALSE(has_proof(refuse_datagram()));
  EXPECT_TRUE(is_refused_by_server(proven, keys.to_client));
  EXPECT_FALSE(is_refused_by_server(proven, keys.to_server));
  for (std::size_t byte = 0; byte < proven.size(); ++byte) {
    Datagram altered = proven;
    altered[byte] ^= std::byte{1};
    EXPECT_FALSE(is_refused_by_server(altered, keys.to_client)) << byte;
  }
  for (const std::size_t size : {kRefuseBytes + 1, kProvenRefuseBytes - 1}) {
    EXPECT_EQ(samples::fault_of(decode_refuse(ConstBytes{proven}.first(size))),
              DropReason::TooShort)
        << size;
  }
}

TEST(Handshake, RefusesARefuseThatMeansNothing) {
  for (const int reason : {0, 22, 23, 255}) {
    Datagram datagram = refuse_datagram();
    datagram[33] = static_cast<std::byte>(reason);
    EXPECT_EQ(samples::fault_of(decode_refuse(datagram)), DropReason::Malformed) << reason;
  }
}

TEST(Handshake, NoAnswerIsAsLargeAsWhatAsked) {
  for (const Datagram& asks : {hello_datagram(), connect_datagram(), resume_datagram()})
    EXPECT_EQ(asks.size(), 1'200U);
  EXPECT_EQ(cookie_datagram().size(), 45U);
  EXPECT_EQ(refuse_datagram().size(), 42U);
  Accept longest = samples::accept();
  longest.game = std::string(kGameNameMax, 'g');
  const Datagram accept = accept_datagram(longest);
  EXPECT_LE(accept.size(), 512U);
  EXPECT_EQ(decode_accepted(accept)->accept, longest);
}

TEST(Handshake, TakesNothingOfAnotherLength) {
  for (Kind& kind : kinds()) {
    const int type = static_cast<int>(kind.type);
    ASSERT_EQ(kind.read(kind.datagram), std::nullopt) << type;
    const bool is_accept = kind.type == PacketType::Accept;
    for (std::size_t size = 0; size < kind.datagram.size(); ++size) {
      const bool reaches_the_seal = is_accept && size >= 53;
      ASSERT_EQ(kind.read(ConstBytes{kind.datagram}.first(size)),
                reaches_the_seal ? DropReason::Forged : DropReason::TooShort)
          << type << " of " << size;
    }
    if (kind.type == PacketType::Refuse) {
      // A longer one must have a proof: it is too short until it has all of it.
      while (kind.datagram.size() + 1 < kProvenRefuseBytes) {
        kind.datagram.push_back(std::byte{0});
        ASSERT_EQ(kind.read(kind.datagram), DropReason::TooShort) << kind.datagram.size();
      }
      kind.datagram.push_back(std::byte{0});
      ASSERT_EQ(kind.read(kind.datagram), std::nullopt) << "its proof is checked elsewhere";
    }
    const std::size_t most = is_accept ? kAcceptBytesMax : kind.datagram.size();
    while (kind.datagram.size() <= kDatagramBytesMax) {
      kind.datagram.push_back(std::byte{0});
      ASSERT_EQ(kind.read(kind.datagram),
                kind.datagram.size() > most ? DropReason::TooLong : DropReason::Forged)
          << type << " of " << kind.datagram.size();
    }
  }
}

// Every first byte at every reader.
TEST(Handshake, TakesNothingOfAnotherType) {
  for (Kind& kind : kinds()) {
    const bool asks = kind.datagram.size() == kRequestBytes;
    for (int type = 0; type < 256; ++type) {
      kind.datagram[0] = static_cast<std::byte>(type);
      const bool is_known =
          asks ? type == 1 || type == 3 || type == 5 : type == static_cast<int>(kind.type);
      ASSERT_EQ(kind.read(kind.datagram) == DropReason::UnknownType, !is_known)
          << type << " for " << static_cast<int>(kind.type);
    }
  }
}

TEST(Handshake, TakesNoAcceptForAnotherClientOrUnderOtherKeys) {
  EXPECT_EQ(samples::fault_of(decode_accept(accept_datagram(), samples::handed_keys(),
                                            samples::pair(2), Cipher::ChaCha20Poly1305)),
            DropReason::Forged);
  const KeyPair published{.to_server = published_key(), .to_client = published_key()};
  EXPECT_EQ(samples::fault_of(decode_accept(accept_datagram(), published, samples::pair(1),
                                            Cipher::ChaCha20Poly1305)),
            DropReason::Forged);
}

struct RawAccept {
  std::uint16_t player = 21;
  std::uint32_t generation = 3;
  std::uint16_t tick_rate = 60;
  std::uint32_t tick = 5;
  const char* game = "arena";
  std::uint32_t seats = 1'000;
  std::optional<std::size_t> ticket_bytes = kSealedTicketBytes;
};

// An ACCEPT that is sealed rightly by a peer whose message is wrong.
Datagram sealed_accept(const RawAccept& raw) {
  flatbuffers::FlatBufferBuilder builder;
  const auto game = raw.game == nullptr ? 0 : builder.CreateString(raw.game);
  const auto ticket =
      raw.ticket_bytes ? builder.CreateVector(std::vector<std::uint8_t>(*raw.ticket_bytes)) : 0;
  builder.Finish(schema::CreateAccept(builder, raw.player, raw.generation, raw.tick_rate, raw.tick,
                                      game, 1, 2, raw.seats, 7, 6, 8, 9, ticket));
  Datagram datagram(37 + builder.GetSize() + kTagBytes);
  datagram[0] = static_cast<std::byte>(PacketType::Accept);
  std::ranges::copy(samples::pair(100).nonce, datagram.begin() + 5);
  seal(Cipher::ChaCha20Poly1305, session().to_client, 0, ConstBytes{datagram}.first(37),
       std::as_bytes(std::span{builder.GetBufferPointer(), builder.GetSize()}),
       MutableBytes{datagram}.subspan(37));
  return datagram;
}

// No reader of the traffic can tell these three numbers from others of their size.
TEST(Handshake, ReadsTheNumbersOfAnAcceptThatAnotherHasMade) {
  const auto read = decode_accepted(sealed_accept({}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->accept.game_hash, 2U);
  EXPECT_EQ(read->accept.map_hash, 7U);
  EXPECT_EQ(read->accept.shared_seed, 6U);
}

TEST(Handshake, RefusesAnAcceptThatCannotBe) {
  const std::string long_name(kGameNameMax + 1, 'g');
  EXPECT_EQ(read_accept(sealed_accept({})), std::nullopt);
  for (const RawAccept& raw :
       {RawAccept{.tick_rate = 0}, RawAccept{.game = nullptr}, RawAccept{.game = ""},
        RawAccept{.game = long_name.c_str()},
        RawAccept{.seats = 21},  // a seat that the map does not have
        RawAccept{.ticket_bytes = std::nullopt}, RawAccept{.ticket_bytes = 0},
        RawAccept{.ticket_bytes = kSealedTicketBytes - 1},
        RawAccept{.ticket_bytes = kSealedTicketBytes + 1}}) {
    EXPECT_EQ(read_accept(sealed_accept(raw)), DropReason::Malformed)
        << raw.tick_rate << " " << raw.seats;
  }
}

// What a client adds to a tick must not wrap: the last tick is 2^31.
TEST(Handshake, TakesAnAcceptOfTheLastTickAndNoneBeyond) {
  constexpr std::uint32_t kLast = 0x8000'0000;
  const auto read = decode_accepted(sealed_accept({.tick = kLast}));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->accept.tick, Tick{kLast});
  for (const std::uint32_t beyond : {kLast + 1, 0xffff'ffffU})
    EXPECT_EQ(read_accept(sealed_accept({.tick = beyond})), DropReason::Malformed) << beyond;
}

}  // namespace
}  // namespace tickbox::net::handshake_test
