#pragma once
// A client that was let in, and then sends its inputs many times per tick: real packets with fresh
// sequences, all of which open.

#include "client/connection/connection.h"
#include "core/rng.h"
#include "os/net/udp_transport.h"
#include "protocol/message_buffer.h"
#include "protocol/messages.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace tickbox::flood {

class EagerClient {
 public:
  /// Asks `server` to be let in, with a token of the published key. Borrows the entropy.
  /// Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<EagerClient>, std::string> open(
      const net::Address& server, Entropy& entropy);

  /// Receives and answers; asks again where no answer came.
  void poll(Instant now);

  /// The inputs of a few ticks to come, once more. Requires: connected.
  void send_inputs();

  void leave() { connection_->leave(); }

  [[nodiscard]] const client::Connection& connection() const { return *connection_; }

  [[nodiscard]] std::uint64_t snapshots() const { return snapshots_; }

 private:
  EagerClient(std::unique_ptr<os::UdpTransport> socket, const net::Address& server,
              Entropy& entropy);

  std::unique_ptr<os::UdpTransport> socket_;
  std::unique_ptr<client::Connection> connection_;
  protocol::MessageBuffer message_buffer_;
  protocol::ViewAck newest_;  ///< of the newest snapshot
  std::uint64_t snapshots_ = 0;
};

}  // namespace tickbox::flood
