#include "server/host/base/access.h"

#include "net/connect_token.h"
#include "os/net/resolve.h"
#include "os/process/steady_clock.h"
#include "server/match/sent_views.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <sys/stat.h>
#include <tuple>
#include <utility>

namespace tickbox::server {
namespace {

/// Returns true only if there is certainly no file: one that cannot be examined is not missing.
bool is_missing(const std::string& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/// Looks for addresses, again and again until kLookupPatience is over for all together.
class PatientLookup {
 public:
  explicit PatientLookup(const Lookup& lookup)
      : lookup_(lookup), end_(lookup.clock.now() + kLookupPatience) {}

  /// Returns what `find()` finds in time.
  template <class Find>
  auto find(const Find& find) -> decltype(find()) {
    auto found = find();
    while (!found && lookup_.clock.now() < end_) {
      if (!std::exchange(is_logged_, true)) {
        lookup_.log.event(Severity::Warning,
                          {"public_address_not_found",
                           {{"reason", found.error()},
                            {"waits_seconds", kLookupPatience / std::chrono::seconds{1}}}});
      }
      lookup_.pause(kLookupPause);
      found = find();
    }
    if (!found) return std::unexpected{"--public-address: " + found.error()};
    return found;
  }

 private:
  const Lookup& lookup_;
  Instant end_;
  bool is_logged_ = false;
};

}  // namespace

std::string host_of(const std::string& bind) {
  const bool bracketed = bind.size() > 2 && bind.starts_with('[') && bind.ends_with(']');
  return bracketed ? bind.substr(1, bind.size() - 2) : bind;
}

std::optional<std::string> contradiction(const Options& options) {
  if (!options.key_file.empty() && options.insecure) {
    return "--key-file and --insecure cannot be combined, as options, TICKBOX_ variables or in the "
           "file of --config; give one";
  }
  if (!options.key_file.empty() && options.allow_strangers) {
    return "--key-file and --allow-strangers cannot be combined: with keys, a server admits only "
           "clients with a token; give one";
  }
  if (options.allow_exposed_keys && options.key_file.empty() && options.admin_token_file.empty()) {
    return "--allow-exposed-keys concerns the file that --key-file names; add --key-file F";
  }
  for (const auto& [file, flag, path] :
       {std::tuple{&options.metrics_token_file, "--metrics-token-file",
                   "/metrics and /v1/status?clients=0"},
        std::tuple{&options.matches_token_file, "--matches-token-file", "/matches"}}) {
    if (file->empty() || !options.admin_token_file.empty()) continue;
    return fmt::format(
        "{} is a second token, for {} alone: without the first one it opens nothing; add "
        "--admin-token-file F",
        flag, path);
  }
  if (options.create_key && options.key_file.empty()) {
    return "--create-key makes the file that --key-file names; add --key-file F";
  }
  if (options.snapshot_rate.value_or(0) > options.tick_rate) {
    return fmt::format(
        "--snapshot-rate: {} cannot be above the tick rate ({}); leave it out to send one per tick",
        *options.snapshot_rate, options.tick_rate);
  }
  const std::uint32_t snapshot_rate = options.snapshot_rate.value_or(options.tick_rate);
  if (options.snapshot_rate_far.value_or(0) > snapshot_rate) {
    return fmt::format(
        "--snapshot-rate-far: {} cannot be above the rate to the other clients ({}); leave it out "
        "to send as many to all",
        *options.snapshot_rate_far, snapshot_rate);
  }
  const std::uint32_t interval_max = base_age_max(options.tick_rate) / 2;
  for (const auto& [flag, rate] : {std::pair{"--snapshot-rate", options.snapshot_rate},
                                   std::pair{"--snapshot-rate-far", options.snapshot_rate_far}}) {
    if (!rate || options.tick_rate / *rate <= interval_max) continue;
    return fmt::format(
        "{}: {} is too low for a snapshot to build on the one before; give at least {}", flag,
        *rate, options.tick_rate / (interval_max + 1) + 1);
  }
  if (!options.agones && std::ranges::find(options.public_addresses, kAgonesAddress) !=
                             options.public_addresses.end()) {
    return "--public-address agones is the address that the side car of Agones says; add --agones";
  }
  const auto address = os::resolve_host(host_of(options.bind), options.port);
  if (!address) return "--bind: " + address.error();
  if (options.key_file.empty() && !options.allow_strangers && !net::is_loopback(*address)) {
    return fmt::format(
        "--bind: {} is not a loopback address: without keys a server accepts only clients on this "
        "machine; make keys with `tickbox token keygen --out keys` and add --key-file keys",
        options.bind);
  }
  const auto admin = os::resolve_host(host_of(options.admin_bind), options.admin_port);
  if (!admin) return "--admin-bind: " + admin.error();
  if (options.admin_token_file.empty() && !net::is_loopback(*admin)) {
    return fmt::format(
        "--admin-bind: {} is not a loopback address: without a token the admin side has no "
        "authentication and serves only this machine; add --admin-token-file F",
        options.admin_bind);
  }
  return std::nullopt;
}

std::expected<KeyFile, std::string> create_key_file(const Options& options) {
  if (!options.create_key || !is_missing(options.key_file)) return KeyFile::AsItWas;
  os::SystemEntropy entropy;
  std::string text = net::KeyRing::fresh(entropy).text();
  const auto written = os::create_private_file(options.key_file, as_bytes_of(text));
  net::wipe(std::as_writable_bytes(std::span{text}));
  net::wipe_stack();
  if (written) return KeyFile::Created;
  if (!is_missing(options.key_file)) {
    return KeyFile::AsItWas;  // another server on the same folder created it first: its key is used
  }
  return std::unexpected{written.error()};
}

os::Exposed exposed_keys(const Options& options) {
  return options.allow_exposed_keys ? os::Exposed::Allowed : os::Exposed::Refused;
}

std::expected<GivenAddresses, std::string> given_addresses(const Options& options,
                                                           const Lookup& lookup) {
  GivenAddresses given;
  if (options.key_file.empty()) return given;
  PatientLookup patient{lookup};
  for (const std::string& name : options.public_addresses) {
    if (name == kAgonesAddress) {
      auto own = patient.find(lookup.own_addresses);
      if (!own) return std::unexpected(std::move(own.error()));
      given.by_shard = *std::move(own);
    } else {
      const auto address = patient.find([&] { return lookup.resolve(name); });
      if (!address) return std::unexpected(address.error());
      given.named.push_back(*address);
    }
  }
  return given;
}

std::expected<std::vector<net::Address>, std::string> public_addresses(const Options& options,
                                                                       const GivenAddresses& given,
                                                                       const net::Address& bound,
                                                                       std::size_t shard) {
  if (options.key_file.empty()) return {};
  std::vector<net::Address> addresses = given.named;
  for (net::Address& address : addresses) {
    address.port = static_cast<std::uint16_t>(address.port + shard);
  }
  if (!given.by_shard.empty()) addresses.push_back(given.by_shard.at(shard));
  if (addresses.empty()) {
    if (os::is_wildcard(bound)) {
      auto found = os::interface_addresses(bound.port);
      if (!found) return found;
      addresses = *std::move(found);
    } else {
      addresses.push_back(bound);
    }
  }
  if (!options.name.empty()) addresses.push_back(net::address_of_name(options.name));
  return addresses;
}

net::Address on_this_machine(const net::Address& bound) {
  if (!os::is_wildcard(bound)) return bound;
  net::Address loopback = net::parse_address("127.0.0.1:0").value();
  loopback.port = bound.port;
  return loopback;
}

std::string address_to_try(const Options& options, const net::Address& bound) {
  for (const std::string& address : options.public_addresses) {
    if (address != kAgonesAddress) return address;
  }
  return net::to_string(on_this_machine(bound));
}

LogFields keys_as_fields(const net::KeyRing& keys) {
  if (keys.is_published()) return {{"keys", "published"}};
  return {{"keys", keys.keys().size()}, {"newest", keys.newest().id}};
}

std::optional<LogEvent> loopback_hint(const net::Address& bound, Surroundings surroundings) {
  if (surroundings == Surroundings::Machine || !net::is_loopback(bound)) return std::nullopt;
  return LogEvent{
      "loopback_in_container",
      {{"address", net::to_string(bound)},
       {"reason", "a published port does not reach loopback"},
       {"try", "--bind 0.0.0.0 with --key-file, or with --allow-strangers for development"}}};
}

}  // namespace tickbox::server
