// Sealing and opening by themselves, and the yardstick: copying and hashing as many bytes.

#include "core/hash.h"
#include "net/packet.h"
#include "tests/bench/net/cases.h"

#include <algorithm>
#include <array>

namespace tickbox::bench {
namespace {

/// Both ends of a session, and what passes between them.
struct Session {
  net::PacketChannel client;
  net::PacketChannel server;
  std::vector<std::byte> message;
  std::array<net::PacketBuffer, kBatch> packets{};
  std::array<ConstBytes, kBatch> sealed;
  net::PacketBuffer opened{};
  std::size_t done = 0;

  Session(std::size_t bytes, net::Cipher cipher) : message(bytes - net::kPacketOverheadBytes) {
    net::KeyPair keys;
    keys.to_server.fill(std::byte{1});
    keys.to_client.fill(std::byte{2});
    client = {keys, 1, net::Direction::ToServer, cipher};
    server = {keys, 1, net::Direction::ToClient, cipher};
  }

  void seal() {
    done = 0;
    for (std::size_t i = 0; i < kBatch; ++i) {
      sealed[i] = client.seal_packet(net::PacketType::Input, message, packets[i]);
      ++done;
    }
  }

  void open() {
    done = 0;
    for (const ConstBytes packet : sealed) {
      done += server.open_packet(packet, opened) ? 1U : 0U;
    }
  }
};

void add_cases(net::Cipher cipher, std::string_view suffix, std::vector<Case>& cases) {
  for (const std::size_t bytes : kSizes) {
    const auto session = std::make_shared<Session>(bytes, cipher);
    cases.push_back({.name = "seal" + std::string{suffix},
                     .bytes = bytes,
                     .prepare = [] {},
                     .run = [session] { session->seal(); },
                     .came_true = [session] { return session->done == kBatch; }});
  }
  for (const std::size_t bytes : kSizes) {
    const auto session = std::make_shared<Session>(bytes, cipher);
    cases.push_back({.name = "open" + std::string{suffix},
                     .bytes = bytes,
                     .prepare = [session] { session->seal(); },
                     .run = [session] { session->open(); },
                     .came_true = [session] { return session->done == kBatch; }});
  }
}

}  // namespace

std::vector<Case> seal_cases() {
  std::vector<Case> cases;
  add_cases(net::Cipher::ChaCha20Poly1305, "", cases);
  if (net::best_cipher() == net::Cipher::Aes256Gcm) {
    add_cases(net::Cipher::Aes256Gcm, " with AES", cases);
  }
  return cases;
}

Case yardstick(std::size_t bytes) {
  struct Buffers {
    std::vector<std::array<std::byte, net::kDatagramBytesMax>> from{kBatch};
    std::array<std::byte, net::kDatagramBytesMax> to{};
    std::uint64_t sum = 0;
  };

  const auto buffers = std::make_shared<Buffers>();
  return {.name = "copy and hash",
          .bytes = bytes,
          .prepare = [buffers] { buffers->sum = 0; },
          .run =
              [buffers, bytes] {
                for (const auto& from : buffers->from) {
                  std::copy_n(from.begin(), bytes, buffers->to.begin());
                  buffers->sum += hash_bytes(ConstBytes{buffers->to}.first(bytes));
                }
              },
          .came_true = [buffers] { return buffers->sum != 0; }};
}

}  // namespace tickbox::bench
