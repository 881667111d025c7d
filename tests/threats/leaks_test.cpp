// What leaks, and when. Someone records all packets of a match, and later gets what can leak: the
// key ring, a token, a ticket. None of these opens what was recorded, because none contains the
// secrets of the handshake, and both ends have overwritten these secrets. A core dump of the server
// has none of its secrets. A core dump holds the memory that the kernel was not told to leave out,
// so the tests search exactly that memory of their own process.

#include "net/crypto.h"
#include "os/files/private_file.h"
#include "server/shard/session_table.h"
#include "tests/threats/peers/eavesdropper.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tickbox::tests {
namespace {

/// A handshake as recorded, and the keys of its token or ticket, which leaked later.
struct Recorded {
  Bytes accept;
  net::HandshakeNonce client{};
  net::HandshakeNonce server{};
  net::KeyPair leaked;
};

Recorded record(RawPeer& peer, const Bytes& request, const net::KeyPair& keys) {
  peer.inbox().clear();
  EXPECT_TRUE(peer.ask(request, keys).accepted);
  const auto accept = std::ranges::find_if(peer.inbox(), [](const Bytes& datagram) {
    return net::packet_type(datagram) == net::PacketType::Accept;
  });
  EXPECT_NE(accept, peer.inbox().end());
  return {.accept = *accept,
          .client = net::decode_request(request).value().client_nonce,
          .server = net::server_nonce_of(*accept).value(),
          .leaked = keys};
}

bool opens(const Recorded& recorded, const net::SecretKey& agreed) {
  return net::open_accept(
             recorded.accept,
             net::derive_session_keys(recorded.leaked, recorded.client, recorded.server, agreed))
      .has_value();
}

/// The secrets that the server has drawn, which nobody else can know.
class ServerDraws {
 public:
  explicit ServerDraws(Harness& harness) {
    harness.watch_draws([this](ConstBytes drawn) {
      if (const auto pair = drawn_pair(drawn)) pairs_.push_back(*pair);
    });
  }

  [[nodiscard]] bool open(const Recorded& recorded) const {
    const auto own = std::ranges::find(pairs_, recorded.server, &net::HandshakePair::nonce);
    return own != pairs_.end() && opens(recorded, net::agree(*own, recorded.client).value());
  }

 private:
  std::vector<net::HandshakePair> pairs_;
};

void expect_sealed(const Recorded& recorded) {
  EXPECT_FALSE(opens(recorded, net::SecretKey{}));
  SeededEntropy entropy{5};
  const net::HandshakePair own = net::handshake_pair(net::draw<net::SecretKey>(entropy));
  for (const net::HandshakeNonce& nonce : {recorded.client, recorded.server}) {
    EXPECT_FALSE(opens(recorded, net::agree(own, nonce).value()));
  }
  for (const net::SecretKey& leaked : {recorded.leaked.to_server, recorded.leaked.to_client}) {
    const net::HandshakePair guess = net::handshake_pair(leaked);
    EXPECT_FALSE(opens(recorded, net::agree(guess, recorded.client).value()));
    EXPECT_FALSE(opens(recorded, net::agree(guess, recorded.server).value()));
  }
}

TEST(Threat, LeakedLaterATokenOrTicketOpensNoRecordedSession) {
  Harness harness{{.seed = 131}};
  Wire wire{harness};
  const ServerDraws draws{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 1);
  const Recorded connected = record(peer, peer.make_connect(token), token.keys);
  peer.send_nothing_new();
  harness.run_for(std::chrono::milliseconds{10});
  const net::ResumeTicket ticket = peer.ticket();
  const Recorded resumed = record(peer, peer.make_resume(ticket), ticket.keys);

  for (const Recorded& recorded : {connected, resumed}) {
    expect_sealed(recorded);
    EXPECT_TRUE(draws.open(recorded)) << "the server itself has opened it";
  }
}

/// Sends HELLO and CONNECT with a nonce of a small order: anybody could compute the session keys.
void connect_with_nonce_of_small_order(Harness& harness, RawPeer& peer,
                                       const net::ConnectToken& token) {
  net::PacketBuffer packet{};
  const net::HandshakeNonce zero{};
  peer.send(net::encode_hello(net::make_request(net::PacketType::Hello, zero), packet));
  harness.run_for(std::chrono::milliseconds{1});
  const auto cookie = net::decode_cookie(peer.inbox().back());
  ASSERT_TRUE(cookie);
  const std::size_t received = peer.inbox().size();
  peer.send(net::encode_connect(net::make_request(net::PacketType::Connect, zero), cookie->cookie,
                                token, packet));
  harness.run_for(std::chrono::milliseconds{1});
  EXPECT_EQ(peer.inbox().size(), received) << "no answer";
  EXPECT_EQ(harness.shard().metrics().drops.of(net::DropReason::Malformed), 1U);
}

TEST(Threat, LeakedLaterNonceOfASmallOrderBeginsNoSession) {
  Harness harness{{.seed = 132}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 1);
  connect_with_nonce_of_small_order(harness, peer, token);
  EXPECT_TRUE(peer.connect(token).accepted) << "and the token is still good";
}

// Before the fix, a dropped CONNECT ended the session that it could not replace.
TEST(Threat, LeakedLaterNonceOfASmallOrderEndsNoPendingSession) {
  Harness harness{{.seed = 133}};
  Wire wire{harness};
  RawPeer peer{harness, wire, stranger_far_away(1)};
  const net::ConnectToken token = make_token(harness, net::KeyRing::published(), 1);
  ASSERT_TRUE(peer.connect(token).accepted);
  connect_with_nonce_of_small_order(harness, peer, token);
  peer.send_nothing_new();
  harness.run_for(std::chrono::milliseconds{50});
  EXPECT_EQ(harness.shard().clients(), 1U);
}

struct Mapping {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Returns the writable memory of this process that a core dump would have.
std::vector<Mapping> dumped_memory() {
  std::vector<Mapping> dumped;
  std::ifstream file{"/proc/self/smaps"};
  Mapping mapping;
  bool is_writable = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmFlags:")) {
      const bool is_left_out = (line + ' ').contains(" dd ");
      if (is_writable && !is_left_out) dumped.push_back(mapping);
      continue;
    }
    Mapping next;
    char dash = 0;
    std::string rights;
    std::istringstream words{line};
    if (words >> std::hex >> next.begin >> dash >> next.end >> rights && dash == '-') {
      mapping = next;
      is_writable = rights.starts_with("rw");
    }
  }
  return dumped;
}

bool is_dumped(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return std::ranges::any_of(dumped_memory(), [at](const Mapping& mapping) {
    return mapping.begin <= at && at < mapping.end;
  });
}

/// A secret with each bit inverted, so that the test itself does not hold what it searches for.
using Inverted = std::vector<std::byte>;

Inverted inverted(ConstBytes secret) {
  Inverted bytes(secret.size());
  std::ranges::transform(secret, bytes.begin(), [](std::byte byte) { return ~byte; });
  return bytes;
}

bool contains(ConstBytes memory, const Inverted& secret) {
  const auto is_inverted = [](std::byte a, std::byte b) { return a == ~b; };
  const auto first = std::to_integer<int>(~secret.front());
  while (memory.size() >= secret.size()) {
    const void* const found = std::memchr(memory.data(), first, memory.size() - secret.size() + 1);
    if (found == nullptr) return false;
    memory = memory.subspan(
        static_cast<std::size_t>(static_cast<const std::byte*>(found) - memory.data()));
    if (std::ranges::equal(memory.first(secret.size()), secret, is_inverted)) return true;
    memory = memory.subspan(1);
  }
  return false;
}

/// Returns how many of the secrets a core dump of this process would have.
std::size_t dumped(const std::vector<Inverted>& secrets) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::vector<std::byte> chunk(kChunk + net::kKeyBytes);
  std::size_t found = 0;
  const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  EXPECT_GE(memory, 0);
  for (const Mapping& mapping : dumped_memory()) {
    for (std::uintptr_t at = mapping.begin; at < mapping.end; at += kChunk) {
      const std::size_t size = std::min<std::size_t>(chunk.size(), mapping.end - at);
      const ssize_t read = ::pread(memory, chunk.data(), size, static_cast<off_t>(at));
      if (read <= 0) continue;  // a page that cannot be read is not dumped
      const ConstBytes bytes = ConstBytes{chunk}.first(static_cast<std::size_t>(read));
      found += static_cast<std::size_t>(std::ranges::count_if(
          secrets, [bytes](const Inverted& secret) { return contains(bytes, secret); }));
    }
  }
  ::close(memory);
  return found;
}

TEST(Threat, CoreDumpWithASecretIsRecognised) {
  Inverted secret(net::kKeyBytes);
  secret[0] = std::byte{0x5a};
  secret[1] = std::byte{0xc3};
  EXPECT_TRUE(is_dumped(secret.data()));
  EXPECT_GE(dumped({inverted(secret)}), 1U);
}

TEST(Threat, CoreDumpHasNoKeyOfTheRingAndNoSecretThatTheServerHasDrawn) {
  SeededEntropy entropy{141};
  Harness harness{{.seed = 141, .keys = net::KeyRing::fresh(entropy)}};
  Wire wire{harness};
  std::vector<Inverted> secrets;
  harness.watch_draws([&secrets](ConstBytes drawn) {
    if (drawn.size() == net::kKeyBytes) secrets.push_back(inverted(drawn));
  });
  harness.restart_server();  // draws the key of the tickets
  ASSERT_EQ(secrets.size(), 1U);
  harness.add_client();
  harness.run_for(std::chrono::seconds{1});
  harness.restart_with_ticket(0);
  harness.run_for(std::chrono::seconds{1});
  ASSERT_EQ(secrets.size(), 3U) << "and the secrets of two handshakes";
  secrets.push_back(inverted(harness.keys().newest().key));
  EXPECT_EQ(dumped(secrets), 0U);
}

/// Returns the pieces of 8 bytes of a secret, inverted.
std::vector<Inverted> pieces_of(ConstBytes secret) {
  std::vector<Inverted> pieces;
  for (; secret.size() >= 8; secret = secret.subspan(8)) {
    pieces.push_back(inverted(secret.first(8)));
  }
  return pieces;
}

// Before the fix, parts of the keys stayed in the stack of the thread that had read the key file,
// and as digits in the heap of the program that had written it.
TEST(Threat, CoreDumpHasNoKeyThatWasReadFromAFileOrWrittenToOne) {
  const std::string path = testing::TempDir() + "leaks_test_keys";
  std::filesystem::remove(path);
  SeededEntropy entropy{143};
  auto ring = std::make_unique<net::KeyRing>(net::KeyRing::fresh(entropy));
  std::vector<Inverted> secrets = pieces_of(ring->newest().key);
  {
    std::string text = ring->text();
    const std::string_view digits = std::string_view{text}.substr(text.size() - 65, 64);
    for (Inverted& piece : pieces_of(as_bytes_of(digits))) {
      secrets.push_back(std::move(piece));
    }
    ASSERT_TRUE(os::create_private_file(path, as_bytes_of(text)));
    net::wipe(std::as_writable_bytes(std::span{text}));
  }
  net::wipe_stack();
  std::thread reader{[&] { EXPECT_TRUE(os::read_key_ring(path, os::Exposed::Refused)); }};
  reader.join();
  EXPECT_EQ(secrets.size(), 4U + 8U);
  EXPECT_EQ(dumped(secrets), 0U);
}

TEST(Threat, CoreDumpHasNoSession) {
  SeededEntropy entropy{142};
  server::SessionTable sessions{4};
  EXPECT_FALSE(is_dumped(&sessions.open(entropy)));
}

}  // namespace
}  // namespace tickbox::tests
