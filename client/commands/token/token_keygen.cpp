// `tickbox token keygen`: creates a key file, or adds a fresh key at the front of an existing one.

#include "client/commands/key_file.h"
#include "client/commands/new_file.h"
#include "client/commands/token/token_commands.h"
#include "client/commands/token_file.h"
#include "net/crypto.h"
#include "os/files/private_file.h"
#include "os/process/steady_clock.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct KeygenOptions {
  std::shared_ptr<Output> output;
  std::string out{};
  bool rotate = false;
};

/// Returns the key ring to write. Fails: with one line.
std::expected<net::KeyRing, std::string> make_ring(const KeygenOptions& options) {
  os::SystemEntropy entropy;
  if (!options.rotate) return net::KeyRing::fresh(entropy);
  auto ring = read_keys({.path = options.out, .allow_exposed = true}, *options.output);
  if (ring && !ring->rotate(entropy)) {
    return std::unexpected{fmt::format(
        "{} has {} keys, the highest number; remove the last line, which is the oldest key",
        options.out, net::kRingKeysMax)};
  }
  return ring;
}

std::expected<void, std::string> write_ring(const KeygenOptions& options,
                                            const net::KeyRing& ring) {
  std::string text = ring.text();
  const auto written = options.rotate ? os::replace_private_file(options.out, as_bytes_of(text),
                                                                 os::Access::AsBefore)
                                      : write_secret(options.out, text);
  net::wipe(std::as_writable_bytes(std::span{text}));
  return written;
}

std::string keygen_note(const KeygenOptions& options, const net::KeyRing& ring) {
  const std::uint32_t id = ring.newest().id;
  if (!options.rotate) {
    const std::string where = options.out == kStandardStream ? "" : " in " + options.out;
    return fmt::format("made key {}{}: keep it secret, it can issue tokens for any client", id,
                       where);
  }
  return fmt::format(
      "put key {} before {} older in {}: send servers SIGHUP to read it before you issue tokens "
      "with it",
      id, ring.keys().size() - 1, options.out);
}

/// Returns why these options cannot be followed; empty if they can.
std::string obstacle(const KeygenOptions& options) {
  if (options.out == kStandardStream) return {};
  // A link counts: no key file is created through one.
  if (options.rotate && !exists(options.out)) {
    return options.out + " does not exist; omit --rotate to make it";
  }
  if (!options.rotate && exists(options.out)) {
    return options.out +
           " exists, and keys are never overwritten; name another file, or add --rotate to put a "
           "fresh key before the existing ones";
  }
  return {};
}

ExitCode run_keygen(const KeygenOptions& options) {
  if (options.rotate && options.out == kStandardStream) {
    return options.output->failed(ExitCode::WrongUsage,
                                  "--rotate: --out must name the file to rotate");
  }
  if (!net::crypto_ready()) return options.output->failed(ExitCode::Failed, net::kNoCrypto);
  if (const std::string why = obstacle(options); !why.empty()) {
    return options.output->failed(ExitCode::Failed, why);
  }
  const auto ring = make_ring(options);
  if (!ring) return options.output->failed(ExitCode::Failed, ring.error());
  if (const auto written = write_ring(options, *ring); !written) {
    return options.output->failed(ExitCode::Failed, written.error());
  }
  token_note(*options.output, keygen_note(options, *ring));
  if (!options.output->json()) return ExitCode::Done;
  nlohmann::ordered_json ids = nlohmann::ordered_json::array();
  for (const net::RingKey& key : ring->keys()) {
    ids.push_back(key.id);
  }
  return options.output->print_document(
      nlohmann::ordered_json{{"file", options.out}, {"newest", ring->newest().id}, {"keys", ids}});
}

}  // namespace

void add_keygen(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "keygen",
       .description = "Make a key file. Servers and the issuer of tokens need it; keep it secret.",
       .example = place.output->name + " keygen --out keys"},
      run_keygen);
  command.add_option("-o,--out", options->out,
                     "The new file, readable by its owner only (-: stdout)",
                     {.required = true, .value = "F"});
  command.add_option(
      "--rotate", options->rotate,
      "Put a fresh key before those in F. Tokens sealed with the old keys stay valid");
}

}  // namespace tickbox::commands
