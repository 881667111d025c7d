#pragma once
// The three commands of `tickbox token`, and the functions that they share.

#include "client/commands/output.h"

#include <expected>
#include <string>
#include <string_view>

namespace tickbox::commands {

void add_keygen(const Subcommand& place);
void add_issue(const Subcommand& place);
void add_inspect(const Subcommand& place);

/// Writes a note to stderr, unless --quiet is given.
void token_note(const Output& output, std::string_view note);

/// Writes a secret to stdout, or to a new private file. Fails: with one line.
[[nodiscard]] std::expected<void, std::string> write_secret(const std::string& out,
                                                            std::string_view secret);

}  // namespace tickbox::commands
