// What the C interface takes from the system, in a browser: random bytes and the time of day are
// those of the page. Sockets and names are the page's too, so here there are none.

#include "client/library/system.h"
#include "net/crypto.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

extern "C" {

/// Imported: fills `out` with bytes that nobody can predict.
__attribute__((import_module("tickbox"), import_name("random"))) void page_random(void* out,
                                                                                  std::size_t size);

// libsodium takes its random bytes from these two, which this libc does not have.
void arc4random_buf(void* out, std::size_t size);
std::uint32_t arc4random();

void arc4random_buf(void* out, std::size_t size) {
  page_random(out, size);
}

std::uint32_t arc4random() {
  std::uint32_t value = 0;
  page_random(&value, sizeof(value));
  return value;
}

// sodium_init() chooses how passwords are hashed, which nothing here does.
int _crypto_pwhash_argon2_pick_best_implementation();

int _crypto_pwhash_argon2_pick_best_implementation() {
  return 0;
}

}  // extern "C"

namespace tickbox::library {
namespace {

class PageEntropy final : public Entropy {
 public:
  void fill(MutableBytes out) override { page_random(out.data(), out.size()); }
};

}  // namespace

std::expected<std::unique_ptr<net::Transport>, std::string> open_socket(
    const net::Address& /*server*/) {
  return std::unexpected{std::string{"a browser has no sockets; give tb_options::send"}};
}

std::expected<std::unique_ptr<Entropy>, std::string> open_entropy() {
  if (!net::crypto_ready()) return std::unexpected{std::string{net::kNoCrypto}};
  return std::make_unique<PageEntropy>();
}

WallTime today() {
  return std::chrono::floor<WallTime::duration>(std::chrono::system_clock::now());
}

std::expected<net::Address, std::string> resolve(const std::string& /*host_and_port*/) {
  return std::unexpected{std::string{"a browser resolves no names; give a numeric address"}};
}

}  // namespace tickbox::library
