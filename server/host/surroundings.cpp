#include "server/host/surroundings.h"

#include <fmt/core.h>

namespace tickbox::server {

std::optional<std::string> loopback_hint(const net::Address& bound, Surroundings surroundings) {
  if (surroundings == Surroundings::Machine || !net::is_loopback(bound)) return std::nullopt;
  return fmt::format(
      "loopback_in_container address={} reason=\"a published port does not reach loopback\" "
      "try=\"--bind 0.0.0.0 with --key-file, or with --allow-strangers for development\"",
      net::to_string(bound));
}

}  // namespace tickbox::server
