// Datagrams of the handshake and packets, read and written by schema/README.md alone.

#include "tests/unit/net/standard.h"

#include "protocol/messages.h"
#include "protocol/snapshot_codec.h"
#include "tests/support/paths.h"
#include "tests/unit/protocol/samples.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace tickbox::net {
namespace {

using standard::append;
using standard::Bytes;
using standard::laid;
using standard::Root;
using standard::slice;

constexpr std::uint32_t kConnection = 0xa1b2c3d4;

Bytes session_key(const Key& handed) {
  const HandshakePair client = samples::pair(1);
  const HandshakePair server = samples::pair(100);
  return standard::session_key(handed, client.nonce, server.nonce,
                               standard::agreed(client.secret, server.nonce));
}

Bytes session_key_to_server() {
  return session_key(samples::handed_keys().to_server);
}

Bytes session_key_to_client() {
  return session_key(samples::handed_keys().to_client);
}

// What HELLO, CONNECT and RESUME begin with, of samples::request().
Bytes ask_head(std::uint8_t type) {
  return laid(std::byte{type}, std::uint32_t{11}, std::uint64_t{0x1213141516171819},
              samples::nonce(1));
}

// Zeros up to byte 1,183, and the tag.
void pad_and_tag(Bytes& datagram, const Key& to_server) {
  datagram.resize(1'184);
  append(datagram, standard::blake2b(16, to_server, datagram));
}

TEST(Standard, WritesAHelloThatIsTheOneWeSend) {
  PacketBuffer buffer{};
  Bytes hello = ask_head(1);
  hello.resize(1'200);
  EXPECT_EQ(samples::copy_of(encode_hello(samples::request(PacketType::Hello), buffer)), hello);
  EXPECT_EQ(decode_request(hello), samples::request(PacketType::Hello));
}

// Before the fix, the head of the page named version 4, and the table of the requests version 3.
TEST(Standard, NamesOneProtocolVersionInEveryPlace) {
  std::ifstream file{tests::source_file("schema/README.md")};
  const std::string page{std::istreambuf_iterator<char>{file}, {}};
  const std::regex place{R"(protocol(?: version |, u32: )(\d+))"};
  const std::sregex_iterator first{page.begin(), page.end(), place};
  std::size_t places = 0;
  for (auto match = first; match != std::sregex_iterator{}; ++match, ++places) {
    EXPECT_EQ((*match)[1], std::to_string(kProtocolVersion)) << match->str();
  }
  EXPECT_EQ(places, 2U) << "the head of the page, and the table of the requests";
}

TEST(Standard, WritesAConnectThatIsTheOneWeSend) {
  const ConnectToken token = samples::token(samples::ring());
  Bytes connect = ask_head(3);
  append(connect, samples::counting<CookieBytes>(61));
  EXPECT_EQ(connect.size(), 57U);
  append(connect, token.sealed);
  EXPECT_EQ(connect.size(), 468U);
  for (const auto mode : std::to_array<std::uint8_t>({0, 1})) {
    Bytes whole = connect;
    append(whole, mode);
    pad_and_tag(whole, token.keys.to_server);
    ConnectRequest request = samples::request(PacketType::Connect);
    request.mode = static_cast<ConnectMode>(mode);
    PacketBuffer buffer{};
    EXPECT_EQ(samples::copy_of(
                  encode_connect(request, samples::counting<CookieBytes>(61), token, buffer)),
              whole);
    EXPECT_TRUE(is_proven(whole, token.keys.to_server));
    EXPECT_EQ(decode_request(whole), request);
    whole[468] |= std::byte{0xfe};
    EXPECT_EQ(decode_request(whole), request) << "bits of no meaning are not looked at";
  }
}

TEST(Standard, WritesAResumeThatIsTheOneWeSend) {
  const ResumeTicket ticket = samples::resume_ticket();
  Bytes resume = ask_head(5);
  append(resume, ticket.sealed);
  EXPECT_EQ(resume.size(), 180U);
  for (const auto mode : std::to_array<std::uint8_t>({0, 1})) {
    Bytes whole = resume;
    append(whole, mode);
    pad_and_tag(whole, ticket.keys.to_server);
    ConnectRequest request = samples::request(PacketType::Resume);
    request.mode = static_cast<ConnectMode>(mode);
    PacketBuffer buffer{};
    EXPECT_EQ(samples::copy_of(encode_resume(request, ticket, buffer)), whole);
    EXPECT_TRUE(is_proven(whole, ticket.keys.to_server));
    EXPECT_EQ(decode_request(whole), request);
    whole[180] |= std::byte{0xfe};
    EXPECT_EQ(decode_request(whole), request) << "bits of no meaning are not looked at";
  }
}

// "Where a table below ends before the size, zeros follow. A reader ignores them."
TEST(Standard, ReadersDoNotLookAtWhatFollowsATable) {
  Bytes hello = ask_head(1);
  hello.resize(1'200, std::byte{0xee});
  EXPECT_EQ(decode_request(hello), samples::request(PacketType::Hello));
}

TEST(Standard, WritesACookieThatIsTheOneWeSend) {
  Bytes cookie = laid(std::byte{2}, samples::nonce(1), samples::counting<CookieBytes>(61));
  ASSERT_EQ(cookie.size(), 45U);
  PacketBuffer buffer{};
  EXPECT_EQ(samples::copy_of(
                encode_cookie(samples::nonce(1), samples::counting<CookieBytes>(61), buffer)),
            cookie);
  EXPECT_TRUE(decode_cookie(cookie));
}

TEST(Standard, WritesARefuseThatIsTheOneWeSend) {
  Bytes refuse =
      laid(std::byte{6}, samples::nonce(1), std::uint8_t{1}, std::uint32_t{64}, std::uint32_t{65});
  ASSERT_EQ(refuse.size(), 42U);
  PacketBuffer buffer{};
  EXPECT_EQ(samples::copy_of(encode_refuse(samples::refuse(), buffer)), refuse);
  EXPECT_EQ(decode_refuse(refuse), samples::refuse());
}

TEST(Standard, ReadsAnAcceptAndASnapshotOfItsSession) {
  const KeyPair keys = samples::session_keys(1);
  PacketBuffer buffer{};
  const ConstBytes accept =
      encode_accept(samples::accept(), kConnection, samples::pair(100).nonce, keys, buffer);
  EXPECT_EQ(accept[0], std::byte{4});
  EXPECT_EQ(load_le<std::uint32_t>(accept.subspan(1)), kConnection);
  EXPECT_EQ(slice(accept, 5, 32), samples::copy_of(samples::pair(100).nonce));
  const Bytes to_client = session_key_to_client();
  const Bytes accept_message = standard::open(to_client, 0, accept.first(37), accept.subspan(37));
  const Root root{accept_message};
  EXPECT_EQ(root.number<std::uint16_t>(0), 21U);
  EXPECT_EQ(root.number<std::uint32_t>(1), 0x2b2c2dU);
  EXPECT_EQ(root.number<std::uint16_t>(2), 60U);
  EXPECT_EQ(root.number<std::uint32_t>(3), 2'300'000U);
  ASSERT_EQ(root.u32(root.vector(4)), 5U);
  EXPECT_TRUE(std::ranges::equal(ConstBytes{accept_message}.subspan(root.vector(4) + 4, 6),
                                 as_bytes_of(std::string{"arena\0", 6})));
  EXPECT_EQ(root.number<std::uint32_t>(5), 29U);
  EXPECT_EQ(root.number<std::uint64_t>(6), 0x3132333435363738U);
  EXPECT_EQ(root.number<std::uint32_t>(7), 1'000U);
  EXPECT_EQ(root.number<std::uint64_t>(8), 0x2425262728292a2bU);
  EXPECT_EQ(root.number<std::uint64_t>(9), 0x4142434445464748U);
  EXPECT_EQ(root.number<std::uint64_t>(10), 0x8182838485868788U);
  EXPECT_EQ(root.number<std::uint32_t>(11), 33U);
  ASSERT_EQ(root.u32(root.vector(12)), 135U);
  EXPECT_EQ(slice(accept_message, root.vector(12) + 4, 135),
            samples::copy_of(samples::counting<SealedTicket>(34)));

  PacketChannel server{keys, kConnection, Direction::ToClient};
  protocol::MessageBuffer message_buffer;
  PacketBuffer wire{};
  const ConstBytes packet = server.seal_packet(
      PacketType::Snapshot, protocol::encode_snapshot(samples::snapshot(35), message_buffer), wire);
  EXPECT_EQ(packet[0], std::byte{9});
  EXPECT_EQ(load_le<std::uint16_t>(packet.subspan(5)), 1U);
  const Bytes message = standard::open(to_client, 1, packet.first(7), packet.subspan(7));
  const auto u16 = [&](std::size_t at) {
    return load_le<std::uint16_t>(ConstBytes{message}.subspan(at));
  };
  const auto u32 = [&](std::size_t at) {
    return load_le<std::uint32_t>(ConstBytes{message}.subspan(at));
  };
  EXPECT_EQ(message[0], std::byte{0x3f});  // all six fields
  constexpr std::size_t kHead = 1;
  EXPECT_EQ(u32(kHead), 0x51525354U);
  EXPECT_EQ(u16(kHead + 4), 5'200U);
  EXPECT_EQ(u16(kHead + 6), 5'300U);
  const std::uint8_t bytes[] = {55, static_cast<std::uint8_t>(-60), 58, 59};
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(message[kHead + 8 + i], std::byte{bytes[i]});
  constexpr std::size_t kReceipt = kHead + 12;
  EXPECT_EQ(u16(kReceipt), 0x6162U);
  constexpr std::size_t kStatus = kReceipt + 2;
  const std::uint32_t words[] = {5'400, 5'500, 5'600};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(u32(kStatus + 4 * i), words[i]);
  }
  constexpr std::size_t kCommands = kStatus + 12;
  EXPECT_EQ(u16(kCommands), 0x5758U);
  constexpr std::size_t kCount = kCommands + 2;
  EXPECT_EQ(message[kCount], std::byte{35});
  EXPECT_EQ(slice(message, kCount + 1, 35), samples::counted(35, 101));
  constexpr std::size_t kEvents = kCount + 1 + 35;
  ASSERT_EQ(message.size(), kEvents + samples::kEventBytes);
  EXPECT_EQ(slice(message, kEvents, samples::kEventBytes),
            samples::counted(samples::kEventBytes, 7));
}

// A message by hand, in compact form: mask, head, the acknowledged view, the inputs.
Bytes input_message_by_hand() {
  Bytes message{std::byte{7}};            // head, inputs, view
  append(message, std::uint32_t{42});     // wrong hashes
  append(message, std::uint16_t{4'300});  // of 69,836
  append(message, std::uint16_t{61'000});
  append(message, std::uint16_t{4'100});  // of 69,636
  append(message, std::uint16_t{0x3132});
  append(message, samples::counted(20));
  return message;
}

// The head of a packet, and its message sealed with the key of its epoch.
Bytes packet_by_hand(std::uint8_t type, std::uint64_t sequence, Bytes key, ConstBytes message) {
  for (std::uint64_t epoch = 0; epoch < sequence / 65'536; ++epoch)
    key = standard::derived(key, "tickbox next key");
  Bytes datagram{static_cast<std::byte>(type + 64 * (sequence / 65'536 % 4))};
  append(datagram, kConnection);
  append(datagram, static_cast<std::uint16_t>(sequence % 65'536));
  append(datagram, standard::seal(key, sequence, datagram, message));
  return datagram;
}

TEST(Standard, WritesAnInputThatTheServerTakes) {
  PacketChannel server{samples::session_keys(1), kConnection, Direction::ToClient};
  PacketBuffer buffer{};
  const auto opened = server.open_packet(
      packet_by_hand(8, 1, session_key_to_server(), input_message_by_hand()), buffer);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->type, PacketType::Input);
  protocol::InputMessage read;
  ASSERT_TRUE(protocol::decode_input(opened->message, samples::kInputArrival, read));
  const protocol::InputMessage expected = samples::input_message(20);
  EXPECT_EQ(read.view, expected.view);
  EXPECT_EQ(read.first_tick, expected.first_tick);
  EXPECT_EQ(read.mismatches, expected.mismatches);
  EXPECT_EQ(read.events, expected.events);
  EXPECT_EQ(read.inputs, expected.inputs);
}

// Root, vtable with one field, padding up to the table, which has its u64 at an address divisible
// by 8.
Bytes path_check_by_hand(std::uint64_t data) {
  Bytes message;
  append(message, std::uint32_t{12});  // root: table at 12
  append(message, std::uint16_t{6});   // vtable at 4: its size,
  append(message, std::uint16_t{12});  // the table's,
  append(message, std::uint16_t{4});   // data at 16
  append(message, std::uint16_t{0});
  append(message, std::uint32_t{8});  // table at 12: its vtable lies 8 before
  append(message, data);
  return message;
}

TEST(Standard, WritesAChallengeThatTheClientTakesAndReadsItsResponse) {
  PacketChannel client{samples::session_keys(1), kConnection, Direction::ToServer};
  PacketBuffer buffer{};
  const auto challenge = client.open_packet(
      packet_by_hand(11, 1, session_key_to_client(), path_check_by_hand(0x7172737475767778)),
      buffer);
  ASSERT_TRUE(challenge);
  EXPECT_EQ(challenge->type, PacketType::Challenge);
  EXPECT_EQ(protocol::decode_path_check(challenge->message), 0x7172737475767778U);

  protocol::MessageBuffer message_buffer;
  const ConstBytes response =
      client.seal_packet(PacketType::Response,
                         protocol::encode_path_check(0x7172737475767778, message_buffer), buffer);
  EXPECT_EQ(response[0], std::byte{12});
  const Bytes message =
      standard::open(session_key_to_server(), 1, response.first(7), response.subspan(7));
  EXPECT_EQ(Root{message}.number<std::uint64_t>(0), 0x7172737475767778U);
}

TEST(Standard, ReadsADisconnect) {
  PacketChannel server{samples::session_keys(1), kConnection, Direction::ToClient};
  protocol::MessageBuffer message_buffer;
  PacketBuffer buffer{};
  const ConstBytes packet = server.seal_packet(
      PacketType::Disconnect,
      protocol::encode_disconnect(DisconnectReason::TakenOver, message_buffer), buffer);
  EXPECT_EQ(packet[0], std::byte{10});
  const Bytes message =
      standard::open(session_key_to_client(), 1, packet.first(7), packet.subspan(7));
  EXPECT_EQ(Root{message}.number<std::uint8_t>(0), 5U);
}

TEST(Standard, ReadsADrain) {
  PacketChannel server{samples::session_keys(1), kConnection, Direction::ToClient};
  protocol::MessageBuffer message_buffer;
  PacketBuffer buffer{};
  const ConstBytes packet = server.seal_packet(
      PacketType::Drain, protocol::encode_drain(std::chrono::milliseconds{70'000}, message_buffer),
      buffer);
  EXPECT_EQ(packet[0], std::byte{14});
  const Bytes message =
      standard::open(session_key_to_client(), 1, packet.first(7), packet.subspan(7));
  EXPECT_EQ(Root{message}.number<std::uint32_t>(0), 70'000U);
}

// Packets of epochs 0 to 5, sealed by hand. The two bits of the epoch repeat after four epochs.
TEST(Standard, WritesPacketsOfEveryEpochThatTheServerTakes) {
  PacketChannel server{samples::session_keys(1), kConnection, Direction::ToClient};
  PacketBuffer buffer{};
  for (std::uint64_t sequence = 40'000; sequence < 6 * 65'536; sequence += 40'000) {
    const auto opened = server.open_packet(
        packet_by_hand(8, sequence, session_key_to_server(), input_message_by_hand()), buffer);
    ASSERT_TRUE(opened) << sequence;
    EXPECT_EQ(opened->sequence, sequence);
  }
}

TEST(Standard, ReadsPacketsOfEveryEpoch) {
  PacketChannel client{samples::session_keys(1), kConnection, Direction::ToServer};
  PacketBuffer buffer{};
  for (std::uint64_t sequence = 1; sequence <= 5 * 65'536; ++sequence) {
    const auto packet =
        client.seal_packet(PacketType::Input, as_bytes_of(std::string_view{"message"}), buffer);
    const bool is_border = sequence % 65'536 <= 1 || sequence % 65'536 == 65'535;
    if (!is_border) continue;
    EXPECT_EQ(samples::copy_of(packet), packet_by_hand(8, sequence, session_key_to_server(),
                                                       as_bytes_of(std::string_view{"message"})))
        << sequence;
  }
}

TEST(Standard, ReadsAPartOfAView) {
  PacketChannel server{samples::session_keys(1), kConnection, Direction::ToClient};
  protocol::MessageBuffer message_buffer;
  PacketBuffer buffer{};
  const ConstBytes packet =
      server.seal_packet(PacketType::DesyncState,
                         protocol::encode_view_part(samples::view_part(), message_buffer), buffer);
  EXPECT_EQ(packet[0], std::byte{17});
  const Bytes message =
      standard::open(session_key_to_client(), 1, packet.first(7), packet.subspan(7));
  const Root root{message};
  const std::size_t head = root.field(0);
  EXPECT_EQ(root.u32(head), 6'000U);
  EXPECT_EQ(root.u32(head + 4), 0x61626364U);
  EXPECT_EQ(root.u32(head + 8), 0x65666768U);
  EXPECT_EQ(root.at<std::uint8_t>(head + 12), 55U);
  EXPECT_EQ(root.at<std::uint8_t>(head + 13), 0U);
  EXPECT_EQ(root.at<std::uint8_t>(head + 14), 2U);
  EXPECT_EQ(root.at<std::uint64_t>(head + 16), 2U);
  ASSERT_EQ(root.u32(root.vector(1)), 1'088U);
  EXPECT_EQ(slice(message, root.vector(1) + 4, 1'088), samples::counted(1'088));
}

}  // namespace
}  // namespace tickbox::net
