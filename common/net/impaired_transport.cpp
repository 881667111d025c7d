#include "net/impaired_transport.h"

#include <algorithm>

namespace tickbox::net {
namespace {

/// Datagrams taken from the socket in one go; the rest waits there. A flood must not hold the
/// caller.
constexpr int kTakenAtOnceMax = 1'024;

}  // namespace

ImpairedTransport::ImpairedTransport(Transport& inner, const Clock& clock,
                                     const LinkConditions& conditions, std::uint64_t stream)
    : inner_(inner),
      clock_(clock),
      up_(conditions, 2 * stream),
      down_(conditions, 2 * stream + 1) {}

void ImpairedTransport::send(const Route& route, ConstBytes bytes) {
  server_ = route;
  up_.push(clock_.now(), bytes);
  pass_on();
}

std::optional<Datagram> ImpairedTransport::receive() {
  pass_on();
  const auto bytes = down_.pop(clock_.now());
  if (!bytes) return std::nullopt;
  return Datagram{.from = server_.peer, .bytes = *bytes};
}

std::optional<Instant> ImpairedTransport::next_due() const {
  const auto up = up_.next_due();
  const auto down = down_.next_due();
  if (!up || !down) return up ? up : down;
  return std::min(*up, *down);
}

void ImpairedTransport::pass_on() {
  const Instant now = clock_.now();
  while (const auto bytes = up_.pop(now)) {
    inner_.send(server_, *bytes);
  }
  for (int taken = 0; taken < kTakenAtOnceMax; ++taken) {
    const auto datagram = inner_.receive();
    if (!datagram) break;
    if (datagram->from == server_.peer) down_.push(now, datagram->bytes);
  }
}

}  // namespace tickbox::net
