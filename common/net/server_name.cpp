#include "net/server_name.h"

#include "core/assert.h"

#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace tickbox::net {

bool is_server_name(std::string_view name) {
  return !name.empty() && name.size() <= kServerNameMax &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; });
}

Address address_of_name(std::string_view name) {
  std::array<std::uint8_t, crypto_generichash_BYTES_MIN> hash{};
  const int failed = crypto_generichash(hash.data(), hash.size(),
                                        reinterpret_cast<const unsigned char*>(name.data()),
                                        name.size(), nullptr, 0);
  TICKBOX_ASSERT(failed == 0);
  Address address{.ip = {0x01, 0x00}, .port = 1};
  std::copy_n(hash.begin(), 8, address.ip.begin() + 8);
  return address;
}

}  // namespace tickbox::net
