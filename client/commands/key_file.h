#pragma once
// The key file of the servers, as an option of the commands that issue or open tokens.

#include "cli/command_line.h"
#include "client/commands/output.h"
#include "net/connect_token.h"

#include <expected>
#include <string>

namespace tickbox::commands {

struct KeyFileFlags {
  std::string path{};          ///< empty: none
  bool allow_exposed = false;  ///< accepts a file to which every user of the machine has access
};

/// Adds --key-file and --allow-exposed-keys. Requires: `flags` outlives `command`.
void add_key_file(cli::CommandParser& command, KeyFileFlags& flags, const std::string& help,
                  bool required);

/// Reads the key file, with a warning on stderr if it is exposed and that is allowed.
/// Requires: a path. Fails: with one line.
[[nodiscard]] std::expected<net::KeyRing, std::string> read_keys(const KeyFileFlags& flags,
                                                                 const Output& output);

}  // namespace tickbox::commands
