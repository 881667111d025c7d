#pragma once
// The client's end of a session: asks until it is answered, opens what arrives, notices when it is
// over.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/drop_reason.h"
#include "net/handshake.h"
#include "net/messages.h"
#include "net/packet.h"
#include "net/transport.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::client {

/// A CONNECT is asked again this often until an answer comes.
inline constexpr Duration kConnectRetry = std::chrono::milliseconds{250};
/// Silence after which nobody is there, before and after the answer.
inline constexpr Duration kServerTimeout = std::chrono::seconds{5};

/// Counts of what passed the transport.
struct LinkUse {
  std::uint64_t packets_up = 0;
  std::uint64_t packets_down = 0;
  std::uint64_t bytes_up = 0;    ///< UDP payload
  std::uint64_t bytes_down = 0;  ///< UDP payload
};

class Connection {
 public:
  enum class State : std::uint8_t {
    Connecting,
    Connected,
    Refused,  ///< the server said no
    Closed,   ///< was connected; the server ended it or fell silent, or leave() was called
    Silent,   ///< never answered
  };

  /// Borrows the transport.
  Connection(net::Transport& transport, const net::Address& server, Entropy& entropy, Instant now);

  struct Message {
    net::PacketType type;
    ConstBytes bytes;
  };

  /// The next message of the session that has arrived, or nothing. Valid until the next call.
  [[nodiscard]] std::optional<Message> receive(Instant now);

  /// Asks again and gives up, as time passes.
  void update(Instant now);

  /// Seals and sends; returns the packet's sequence.  Requires: Connected.
  std::uint64_t send(net::PacketType type, ConstBytes message);

  /// Says goodbye, if there is anybody to say it to.
  void leave();

  /// Says goodbye, with a reason of our own.
  void fail(std::string reason);

  [[nodiscard]] State state() const { return state_; }

  [[nodiscard]] bool over() const {
    return state_ != State::Connecting && state_ != State::Connected;
  }

  /// Why it is over, in words; empty while it is not.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// Requires: has been Connected.
  [[nodiscard]] const net::Accept& accept() const { return accept_; }

  [[nodiscard]] const net::PacketChannel& channel() const { return channel_; }

  /// From the first CONNECT to its ACCEPT.
  [[nodiscard]] Duration connect_time() const { return connected_at_ - started_; }

  [[nodiscard]] const LinkUse& use() const { return use_; }

  [[nodiscard]] const net::DropCounts& drops() const { return drops_; }

  void drop(net::DropReason reason) { drops_.count(reason); }

  [[nodiscard]] Instant next_wakeup() const;

 private:
  void transmit(ConstBytes datagram);
  void ask(Instant now);
  void on_answer(ConstBytes datagram, Instant now);
  void end(State state, std::string reason);

  net::Transport& transport_;
  net::Address server_;
  net::HandshakeNonce nonce_;
  State state_ = State::Connecting;
  std::string reason_;
  Instant started_;
  Instant asked_;
  Instant connected_at_;
  Instant heard_;
  net::Accept accept_;
  net::PacketChannel channel_;
  net::PacketBuffer packet_{};
  net::PacketBuffer opened_{};
  net::MessageEncoder encoder_;
  LinkUse use_;
  net::DropCounts drops_;
};

}  // namespace tickbox::client
