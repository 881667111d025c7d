// A core dump of the server has none of its secrets. A core dump holds the memory that the kernel
// was not told to leave out, so the tests search exactly that memory of their own process.

#include "server/shard/session_table.h"
#include "tests/threats/raw_peer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace tickbox::tests {
namespace {

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
using Inverted = std::array<std::byte, net::kKeyBytes>;

Inverted inverted(ConstBytes secret) {
  Inverted bytes{};
  std::ranges::transform(secret, bytes.begin(), [](std::byte byte) { return ~byte; });
  return bytes;
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
      for (const Inverted& secret : secrets) {
        const auto is_inverted = [](std::byte a, std::byte b) { return a == ~b; };
        if (!std::ranges::search(bytes, secret, is_inverted).empty()) ++found;
      }
    }
  }
  ::close(memory);
  return found;
}

TEST(Threat, CoreDumpWithASecretIsRecognised) {
  const auto secret = std::make_unique<Inverted>(Inverted{std::byte{0x5a}, std::byte{0xc3}});
  EXPECT_TRUE(is_dumped(secret.get()));
  EXPECT_GE(dumped({inverted(*secret)}), 1U);
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

TEST(Threat, CoreDumpHasNoSession) {
  SeededEntropy entropy{142};
  server::SessionTable sessions{4};
  EXPECT_FALSE(is_dumped(&sessions.open(entropy)));
}

}  // namespace
}  // namespace tickbox::tests
