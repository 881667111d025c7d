#pragma once
// What lets clients in, as the command line has it: one token, or keys to issue tokens with.

#include "cli/command_line.h"
#include "net/connect_token.h"
#include "net/key_ring.h"

#include <expected>
#include <optional>
#include <string>

namespace tickbox::commands {

struct CredentialFlags {
  std::string token{};     ///< a file; empty for none
  std::string key_file{};  ///< a file; empty for none
  bool insecure = false;   ///< said aloud; the default where neither file is given
};

struct Credentials {
  /// Issues a token to each client that has none: the published one unless a file was named.
  net::KeyRing keys = net::KeyRing::published();
  std::optional<net::ConnectToken> token{};
};

/// Adds --token, --key-file and --insecure.  Requires: `flags` outlives `command`.
void add_credential_flags(cli::Command& command, CredentialFlags& flags);

/// Two that exclude each other, in one line; nothing when there are none.
[[nodiscard]] std::optional<std::string> contradiction(const CredentialFlags& flags);

/// Reads the file that was named.   Fails: with one line.
[[nodiscard]] std::expected<Credentials, std::string> read_credentials(
    const CredentialFlags& flags);

/// One line when others may read the keys, else nothing.
[[nodiscard]] std::optional<std::string> credential_warning(const CredentialFlags& flags);

}  // namespace tickbox::commands
