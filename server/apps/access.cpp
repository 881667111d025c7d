#include "server/apps/access.h"

#include "os/interfaces.h"
#include "os/key_file.h"
#include "os/values.h"

#include <fmt/core.h>

namespace tickbox::server {

std::string host_of(const std::string& bind) {
  const bool bracketed = bind.size() > 2 && bind.starts_with('[') && bind.ends_with(']');
  return bracketed ? bind.substr(1, bind.size() - 2) : bind;
}

std::optional<std::string> contradiction(const Options& options) {
  if (!options.key_file.empty() && options.insecure) {
    return "--key-file and --insecure exclude each other, be they flags, TICKBOX_ variables or in "
           "the file; give one";
  }
  const auto address = os::resolve_host(host_of(options.bind), options.port);
  if (!address) {
    return "--bind: " + address.error();
  }
  if (options.key_file.empty() && !net::is_loopback(*address)) {
    return fmt::format(
        "--bind: {} is not a loopback address: without keys a server can only be trusted with this "
        "machine; make some by `tickbox token keygen --out keys` and add --key-file keys",
        options.bind);
  }
  return std::nullopt;
}

std::expected<net::KeyRing, std::string> read_keys(const Options& options) {
  if (options.key_file.empty()) {
    return net::KeyRing::published();
  }
  return os::read_key_ring(options.key_file);
}

std::expected<std::vector<net::Address>, std::string> public_addresses(const Options& options,
                                                                       const net::Address& bound) {
  if (!options.public_addresses.empty()) {
    return options.public_addresses;
  }
  if (os::is_wildcard(bound)) {
    return os::interface_addresses(bound.port);
  }
  return std::vector{bound};
}

net::Address address_to_try(const Options& options, const net::Address& bound) {
  if (!options.public_addresses.empty()) {
    return options.public_addresses.front();
  }
  if (!os::is_wildcard(bound)) {
    return bound;
  }
  net::Address loopback = net::parse_address("127.0.0.1:0").value();
  loopback.port = bound.port;
  return loopback;
}

std::string keys_in_words(const net::KeyRing& keys) {
  if (keys.is_published()) {
    return "keys=published";
  }
  return fmt::format("keys={} newest={}", keys.keys().size(), keys.newest().id);
}

}  // namespace tickbox::server
