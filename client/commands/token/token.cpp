#include "cli/exit_code.h"
#include "client/commands/commands.h"
#include "client/commands/token/token_commands.h"
#include "client/commands/token/token_file.h"
#include "net/crypto.h"
#include "os/files/private_file.h"
#include "os/process/standard_output.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::commands {
namespace {

constexpr std::string_view kTokenName = "tickbox token";

}  // namespace

bool TokenFlags::json() const {
  return common.json || program->is_on("--json");
}

bool TokenFlags::quiet() const {
  return common.quiet || program->is_on("--quiet");
}

int token_failed(const TokenFlags& flags, cli::ExitCode code, std::string_view why) {
  return cli::to_int(cli::tell_failure({.name = kTokenName, .json = flags.json()}, code, why));
}

int token_fell_short(cli::ExitCode code, std::string_view how) {
  return cli::to_int(cli::tell_failure({.name = kTokenName}, code, how));
}

void token_note(const TokenFlags& flags, std::string_view note) {
  if (!flags.quiet()) os::write_to_stderr(fmt::format("{}\n", note));
}

int token_result(std::string_view text) {
  const auto written = os::write_to_stdout(text);
  return written ? cli::to_int(cli::ExitCode::Done)
                 : token_fell_short(cli::ExitCode::Failed, written.error());
}

std::expected<void, std::string> hand_out(const std::string& out, std::string_view secret) {
  return out == kStandardStream ? os::write_to_stdout(secret)
                                : os::create_private_file(out, as_bytes_of(secret));
}

std::expected<net::KeyRing, std::string> read_keys(const std::string& path,
                                                   const TokenFlags& flags) {
  auto ring = os::read_key_ring(path);
  if (const auto warning = os::key_file_warning(path); ring && warning) {
    token_note(flags, "tickbox token: warning: " + *warning);
  }
  return ring;
}

void add_token(cli::Command& program, std::function<int()>& run) {
  auto flags = std::make_shared<TokenFlags>();
  flags->program = &program;
  cli::Command token = program.add_command(
      {.name = "token",
       .description =
           "Make the keys of servers, issue connect tokens that let players in, look into one",
       .example =
           "tickbox token issue --key-file keys --client 7 --server 127.0.0.1:7777 --expires "
           "30s --out player.token"},
      flags->common);
  token.require_command();
  const TokenCommand place{.token = token, .run = run, .flags = flags};
  add_keygen(place);
  add_issue(place);
  add_inspect(place);
}

}  // namespace tickbox::commands
