#include "client/commands/connect/credentials.h"

#include "client/commands/token/token_file.h"
#include "os/files/private_file.h"

#include <utility>

namespace tickbox::commands {

void add_credential_flags(cli::Command& command, CredentialFlags& flags) {
  command.add_option("--token", flags.token,
                     "Connect by the token in this file, from `tickbox token issue`; - is stdin",
                     {.value = "F"});
  command.add_option("--key-file", flags.key_file,
                     "Connect by the server's keys: a token of a minute for each client",
                     {.value = "F"});
  command.add_option("--insecure", flags.insecure,
                     "Connect by the published key, to a server without keys; the default");
}

std::optional<std::string> contradiction(const CredentialFlags& flags) {
  const std::pair<const char*, bool> given[] = {{"--token", !flags.token.empty()},
                                                {"--key-file", !flags.key_file.empty()},
                                                {"--insecure", flags.insecure}};
  const char* first = nullptr;
  for (const auto& [name, is_given] : given) {
    if (is_given && first != nullptr) {
      return std::string{first} + " and " + name +
             " exclude each other, be they flags or TICKBOX_ variables; give one";
    }
    if (is_given) first = name;
  }
  return std::nullopt;
}

std::expected<Credentials, std::string> read_credentials(const CredentialFlags& flags) {
  Credentials credentials;
  if (!flags.token.empty()) {
    auto token = read_token(flags.token);
    if (!token) return std::unexpected{std::move(token.error())};
    credentials.token = *token;
  } else if (!flags.key_file.empty()) {
    auto keys = os::read_key_ring(flags.key_file);
    if (!keys) return std::unexpected{std::move(keys.error())};
    credentials.keys = *std::move(keys);
  }
  return credentials;
}

std::optional<std::string> credential_warning(const CredentialFlags& flags) {
  return flags.key_file.empty() ? std::nullopt : os::key_file_warning(flags.key_file);
}

}  // namespace tickbox::commands
