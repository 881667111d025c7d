#include "client/commands/admin_side.h"

#include "os/files/file.h"
#include "os/net/resolve.h"

#include <cstddef>
#include <sstream>

namespace tickbox::commands {
namespace {

constexpr std::size_t kTokenFileBytesMax = std::size_t{64} * 1024;

}  // namespace

std::expected<AdminSide, std::string> find_admin_side(const HostPort& place,
                                                      const std::string& token_file) {
  const auto address = os::resolve_host(place.host, place.port);
  if (!address) return std::unexpected(address.error());
  AdminSide admin{.address = *address};
  if (token_file.empty()) return admin;
  const auto text = os::read_text(token_file, kTokenFileBytesMax);
  if (!text) return std::unexpected(text.error());
  std::istringstream{*text} >> admin.token;
  return admin;
}

std::string_view unauthorized_in_words(const AdminSide& admin) {
  return admin.token.empty() ? " asks for a token; add --admin-token-file F"
                             : " refuses the token of --admin-token-file";
}

}  // namespace tickbox::commands
