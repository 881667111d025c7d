#pragma once
// The bearer token of the admin side. With it the admin side may listen on any address.

#include "net/crypto.h"
#include "os/files/private_file.h"
#include "server/host/base/options.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::server {

/// The length of a token, in characters.
inline constexpr std::size_t kAdminTokenMin = 16;
inline constexpr std::size_t kAdminTokenMax = 1'024;

class AdminToken {
 public:
  /// Returns the token with this text; blanks and line ends around it do not count. Fails: with one
  /// line.
  [[nodiscard]] static std::expected<AdminToken, std::string> parse(std::string_view text,
                                                                    Entropy& entropy);

  /// Reads a file. `option`: what names it. Fails: with one line.
  [[nodiscard]] static std::expected<AdminToken, std::string> read(const std::string& path,
                                                                   std::string_view option,
                                                                   os::Exposed exposed,
                                                                   Entropy& entropy);

  /// Returns whether the value of an Authorization header has this token. Takes the same time for
  /// every token of one length.
  [[nodiscard]] bool is_shown_by(std::string_view authorization) const;

 private:
  AdminToken(std::string_view token, Entropy& entropy);

  [[nodiscard]] net::SecretKey hash_of(std::string_view token) const;

  net::SecretKey key_;   ///< drawn for this object: nobody can choose a token by its hash
  net::SecretKey hash_;  ///< of the token, which is not kept
};

/// The tokens that open an admin side, each if there is one.
struct AdminTokens {
  std::optional<AdminToken> all{};      ///< opens every path
  std::optional<AdminToken> metrics{};  ///< opens /metrics and /v1/status?clients=0
  std::optional<AdminToken> matches{};  ///< opens /matches alone

  /// Reads the files that the options name. Fails: with one line.
  [[nodiscard]] static std::expected<AdminTokens, std::string> read(const Options& options,
                                                                    Entropy& entropy);
};

}  // namespace tickbox::server
