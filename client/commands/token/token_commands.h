#pragma once
// The three commands of `tickbox token`, and what they have in common.

#include "client/commands/output.h"
#include "net/key_ring.h"

#include <expected>
#include <string>
#include <string_view>

namespace tickbox::commands {

void add_keygen(const Subcommand& place);
void add_issue(const Subcommand& place);
void add_inspect(const Subcommand& place);

/// Says on stderr what was done, unless told to be quiet.
void token_note(const Output& output, std::string_view note);

/// Writes a secret to stdout, or to a new private file.  Fails: with one line.
[[nodiscard]] std::expected<void, std::string> hand_out(const std::string& out,
                                                        std::string_view secret);

/// os::read_key_ring(), with its warning on stderr.
[[nodiscard]] std::expected<net::KeyRing, std::string> read_keys(const std::string& path,
                                                                 const Output& output);

}  // namespace tickbox::commands
