#pragma once
// A Transport behind a bad link: what `--net` puts between a client and its socket.

#include "core/clock.h"
#include "net/link_simulator.h"
#include "net/transport.h"

namespace tickbox::net {

/// Takes the time from `clock`; send() and receive() move what has become due. What comes from
/// elsewhere than the server is dropped.
class ImpairedTransport final : public Transport {
 public:
  /// Borrows both.
  ImpairedTransport(Transport& inner, const Clock& clock, const LinkConditions& conditions,
                    std::uint64_t stream);

  void send(const Route& route, ConstBytes bytes) override;
  std::optional<Datagram> receive() override;

  /// When the next datagram is due either way: who has said goodbye calls receive() until then.
  [[nodiscard]] std::optional<Instant> next_due() const;

  [[nodiscard]] const LinkCounts& up() const { return up_.counts(); }

  [[nodiscard]] const LinkCounts& down() const { return down_.counts(); }

 private:
  void pass_on();

  Transport& inner_;
  const Clock& clock_;
  LinkSimulator up_;
  LinkSimulator down_;
  Route server_;  ///< the one peer: a client talks to one server
};

}  // namespace tickbox::net
