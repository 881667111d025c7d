#include "os/files/key_file.h"

#include "os/files/file.h"
#include "os/files/private_file.h"

#include <string_view>
#include <sys/stat.h>

namespace tickbox::os {

std::expected<net::KeyRing, std::string> read_key_ring(const std::string& path) {
  auto bytes = read_file(path, kKeyFileBytesMax);
  if (!bytes) {
    return std::unexpected{bytes.error() + "; tickbox token keygen --out FILE makes a key file"};
  }
  auto ring = net::KeyRing::parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  net::wipe(*bytes);
  if (!ring) {
    const bool says_what_to_try = ring.error().contains(';');
    return std::unexpected{"key file " + path + ": " + ring.error() +
                           (says_what_to_try ? "" : "; a line is an id, a blank and a key")};
  }
  return *std::move(ring);
}

std::optional<std::string> key_file_warning(const std::string& path) {
  struct stat status{};
  const bool others_may =
      ::stat(path.c_str(), &status) == 0 && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0;
  if (!others_may) return std::nullopt;
  return "others than its owner may use the key file " + path + "; try: chmod 600 " + path;
}

}  // namespace tickbox::os
