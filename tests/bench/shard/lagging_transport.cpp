#include "tests/bench/shard/lagging_transport.h"

#include <utility>

namespace tickbox::bench {

std::optional<net::Datagram> LaggingTransport::receive() {
  if (lag_ == Duration::zero()) return socket_.receive();
  const Instant now = clock_.now();
  while (const auto datagram = socket_.receive()) {
    waiting_.push_back({.due = now + lag_,
                        .from = datagram->from,
                        .to = datagram->to,
                        .bytes = {datagram->bytes.begin(), datagram->bytes.end()}});
  }
  if (waiting_.empty() || waiting_.front().due > now) return std::nullopt;
  received_ = std::move(waiting_.front());
  waiting_.pop_front();
  return net::Datagram{.from = received_.from, .bytes = received_.bytes, .to = received_.to};
}

}  // namespace tickbox::bench
