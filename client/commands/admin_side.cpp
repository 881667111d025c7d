#include "client/commands/admin_side.h"

#include "os/files/file.h"

#include <cstddef>
#include <sstream>

namespace tickbox::commands {
namespace {

constexpr std::size_t kTokenFileBytesMax = std::size_t{64} * 1024;

}  // namespace

std::expected<std::string, std::string> read_admin_token(const std::string& path) {
  const auto bytes = os::read_file(path, kTokenFileBytesMax);
  if (!bytes) return std::unexpected(bytes.error());
  std::string token;
  std::istringstream{std::string{reinterpret_cast<const char*>(bytes->data()), bytes->size()}} >>
      token;
  return token;
}

std::string_view unauthorized_in_words(const AdminSide& admin) {
  return admin.token.empty() ? " asks for a token; add --admin-token-file F"
                             : " refuses the token of --admin-token-file";
}

}  // namespace tickbox::commands
