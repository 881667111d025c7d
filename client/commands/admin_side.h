#pragma once
// The admin side of a server, as the commands reach it.

#include "core/text.h"
#include "net/transport.h"

#include <expected>
#include <string>
#include <string_view>

namespace tickbox::commands {

/// The admin side of a server.
struct AdminSide {
  net::Address address;
  std::string token{};  ///< the bearer token that it asks for; empty: none

  /// Returns the value of the Authorization header; empty without a token.
  [[nodiscard]] std::string authorization() const { return token.empty() ? "" : "Bearer " + token; }
};

/// The beginning of a URL.
inline constexpr std::string_view kHttp = "http://";

/// A page of a server's admin side.
struct AdminPage {
  HostPort server;
  std::string path{};   ///< "/recordings"; empty: the address has none
  std::string query{};  ///< "delay=10s"; empty: none
};

/// Parses http://HOST:PORT/PATH?QUERY. Fails: with one line, which shows `example`.
[[nodiscard]] std::expected<AdminPage, std::string> parse_admin_page(std::string_view url,
                                                                     std::string_view example);

/// Finds the address of an admin side and reads the file of --admin-token-file, unless `token_file`
/// is empty. Fails: with one line.
[[nodiscard]] std::expected<AdminSide, std::string> find_admin_side(const HostPort& place,
                                                                    const std::string& token_file);

/// Returns what to try after a 401, as the rest of a sentence that begins with an address.
[[nodiscard]] std::string_view unauthorized_in_words(const AdminSide& admin);

}  // namespace tickbox::commands
