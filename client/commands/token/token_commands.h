#pragma once
// The three commands of `tickbox token`, and what they have in common.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "net/key_ring.h"

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace tickbox::commands {

struct TokenFlags {
  const cli::Command* program = nullptr;
  cli::CommonFlags common{};

  /// Given to the command, or to the program before it.
  [[nodiscard]] bool json() const;
  [[nodiscard]] bool quiet() const;
};

/// Where a command is added, and where it is remembered when it is the one chosen.
struct TokenCommand {
  cli::Command& token;
  std::function<int()>& run;
  std::shared_ptr<TokenFlags> flags;
};

void add_keygen(const TokenCommand& place);
void add_issue(const TokenCommand& place);
void add_inspect(const TokenCommand& place);

/// Says what failed, before anything was printed.  Returns the exit code of the program.
[[nodiscard]] int token_failed(const TokenFlags& flags, cli::ExitCode code, std::string_view why);

/// Says on stderr what is wrong with what was printed.  Returns the exit code of the program.
[[nodiscard]] int token_fell_short(cli::ExitCode code, std::string_view how);

/// Says on stderr what was done, unless told to be quiet.
void token_note(const TokenFlags& flags, std::string_view note);

/// Writes to stdout.  Returns the exit code of the program.
[[nodiscard]] int token_result(std::string_view text);

/// Writes a secret to stdout, or to a new private file.  Fails: with one line.
[[nodiscard]] std::expected<void, std::string> hand_out(const std::string& out,
                                                        std::string_view secret);

/// os::read_key_ring(), with its warning on stderr.
[[nodiscard]] std::expected<net::KeyRing, std::string> read_keys(const std::string& path,
                                                                 const TokenFlags& flags);

}  // namespace tickbox::commands
