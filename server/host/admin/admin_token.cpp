#include "server/host/admin/admin_token.h"

#include "core/text.h"
#include "os/files/file.h"
#include "server/host/base/access.h"

#include <fmt/core.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tickbox::server {
namespace {

constexpr std::string_view kScheme = "bearer ";

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

AdminToken::AdminToken(std::string_view token, Entropy& entropy)
    : key_(net::draw<net::SecretKey>(entropy)), hash_(hash_of(token)) {}

net::SecretKey AdminToken::hash_of(std::string_view token) const {
  return net::derive_key(key_, "tickbox admin token", {as_bytes_of(token)});
}

std::expected<AdminToken, std::string> AdminToken::parse(std::string_view text, Entropy& entropy) {
  const std::string_view token = trimmed(text);
  const bool is_plain = std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
  if (token.size() < kAdminTokenMin || token.size() > kAdminTokenMax || !is_plain) {
    return std::unexpected{
        fmt::format("it must have {} to {} printable ASCII characters without blanks; try: head -c "
                    "24 /dev/urandom | base64",
                    kAdminTokenMin, kAdminTokenMax)};
  }
  return AdminToken{token, entropy};
}

std::expected<AdminToken, std::string> AdminToken::read(const std::string& path,
                                                        std::string_view option,
                                                        os::Exposed exposed, Entropy& entropy) {
  if (exposed == os::Exposed::Refused) {
    if (const auto exposure = os::file_exposure(path)) {
      return std::unexpected{os::to_line(*exposure) +
                             "; where you cannot, add --allow-exposed-keys"};
    }
  }
  auto bytes = os::read_file(path, os::kKeyFileBytesMax);
  if (!bytes) return std::unexpected{fmt::format("{}; {} needs a token", bytes.error(), option)};
  auto token = parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, entropy);
  net::wipe(*bytes);
  net::wipe_stack();
  if (!token) return std::unexpected{fmt::format("{} {}: {}", option, path, token.error())};
  return token;
}

std::expected<AdminTokens, std::string> AdminTokens::read(const Options& options,
                                                          Entropy& entropy) {
  AdminTokens tokens;
  for (const auto& [path, option, token] :
       {std::tuple{&options.admin_token_file, "--admin-token-file", &tokens.all},
        std::tuple{&options.metrics_token_file, "--metrics-token-file", &tokens.metrics},
        std::tuple{&options.matches_token_file, "--matches-token-file", &tokens.matches}}) {
    if (path->empty()) continue;
    auto read = AdminToken::read(*path, option, exposed_keys(options), entropy);
    if (!read) return std::unexpected{std::move(read.error())};
    *token = *std::move(read);
  }
  return tokens;
}

bool AdminToken::is_shown_by(std::string_view authorization) const {
  const std::string_view scheme = authorization.substr(0, kScheme.size());
  if (!std::ranges::equal(scheme, kScheme, {}, lower)) return false;
  return net::same_key(hash_of(trimmed(authorization.substr(kScheme.size()))), hash_);
}

}  // namespace tickbox::server
