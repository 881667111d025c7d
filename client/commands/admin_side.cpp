#include "client/commands/admin_side.h"

#include "os/files/file.h"
#include "os/net/resolve.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

namespace tickbox::commands {
namespace {

constexpr std::size_t kTokenFileBytesMax = std::size_t{64} * 1024;

}  // namespace

std::expected<AdminPage, std::string> parse_admin_page(std::string_view url,
                                                       std::string_view example) {
  if (!url.starts_with(kHttp)) {
    return std::unexpected(
        fmt::format("'{}' does not begin with {}; an example is {}", url, kHttp, example));
  }
  std::string_view rest = url.substr(kHttp.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  auto server = parse_host_port(rest.substr(0, slash));
  if (!server) return std::unexpected(std::move(server.error()));
  rest.remove_prefix(slash);
  const std::size_t mark = std::min(rest.find('?'), rest.size());
  return AdminPage{.server = *std::move(server),
                   .path = std::string{rest.substr(0, mark)},
                   .query = std::string{rest.substr(std::min(mark + 1, rest.size()))}};
}

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
