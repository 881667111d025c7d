#pragma once
// The client's end of a session: asks until it is answered, opens what arrives, comes back by its
// ticket when the link was down, notices when it is over.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/connect_token.h"
#include "net/drop_reason.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/resume_ticket.h"
#include "net/transport.h"
#include "protocol/messages.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::client {

/// What is asked is asked again after so long until an answer comes, and after up to so much more,
/// drawn each time: else all clients that have lost one server would ask it in step for ever.
inline constexpr Duration kAskRetry = std::chrono::milliseconds{250};
inline constexpr Duration kAskJitter = kAskRetry / 4;
/// What is due to be asked again after this begins anew, with a fresh nonce: cookies last for 4 s,
/// and a RESUME that somebody else has sent on before us is answered to them.
inline constexpr Duration kAttempt = std::chrono::seconds{2};
/// Silence after which nobody is there, before the answer; and after which, being connected, a
/// client tries to come back.
inline constexpr Duration kServerTimeout = std::chrono::seconds{5};
/// For so long it tries: as long as a server keeps its body.
inline constexpr Duration kResumeTimeout = std::chrono::seconds{30};

/// Counts of what passed the transport.
struct LinkUse {
  std::uint64_t packets_up = 0;
  std::uint64_t packets_down = 0;
  std::uint64_t bytes_up = 0;    ///< UDP payload
  std::uint64_t bytes_down = 0;  ///< UDP payload
};

struct ConnectionOptions {
  net::Address server;
  std::optional<net::ConnectToken> token;   ///< one of these two, or both
  std::optional<net::ResumeTicket> ticket;  ///< is tried first
  net::Wish wish = net::Wish::Play;
};

class Connection {
 public:
  enum class State : std::uint8_t {
    Greeting,  ///< has said HELLO
    Asking,    ///< has a cookie, and has shown its token
    Resuming,  ///< has shown its ticket
    Connected,
    Refused,  ///< the server said no
    Closed,   ///< was connected; the server ended it or fell silent, or leave() was called
    Silent,   ///< never answered
  };

  /// Borrows the transport and the entropy.  Requires: a token or a ticket.
  Connection(const ConnectionOptions& options, net::Transport& transport, Entropy& entropy,
             Instant now);

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

  /// Greeting, Asking or Resuming.
  [[nodiscard]] bool connecting() const { return state_ <= State::Resuming; }

  [[nodiscard]] bool over() const { return state_ > State::Connected; }

  /// Why it is over, in words; empty while it is not.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// The server's reason where it is over by a refusal: of the first session, or of a way back.
  [[nodiscard]] std::optional<net::RefuseReason> refused() const { return refused_; }

  /// Sessions begun: 1 with the first ACCEPT, and one more each time it came back.
  [[nodiscard]] std::uint32_t sessions() const { return sessions_; }

  /// How many of them began by a ticket.
  [[nodiscard]] std::uint32_t resumed() const { return resumed_; }

  /// Why a ticket was not good, in words; empty where none was refused.
  [[nodiscard]] const std::string& ticket_refusal() const { return ticket_refusal_; }

  /// Requires: has been Connected, as the next.
  [[nodiscard]] const net::Accept& accept() const { return accept_; }

  /// Whether the server has taken part in the newest session: from then on its ticket is the only
  /// good one.
  [[nodiscard]] bool is_proven() const { return is_proven_; }

  /// The way back into this session: worth keeping where a crash cannot reach it, once it is
  /// proven.
  [[nodiscard]] const net::ResumeTicket& ticket() const { return *options_.ticket; }

  [[nodiscard]] const net::PacketChannel& channel() const { return channel_; }

  /// From what was asked last to the ACCEPT: a round trip, or less where that answers what was
  /// asked before. Too short is the better error: a clock that starts late by any span is put right
  /// after one round trip; one that starts early has nothing for the server until that span is
  /// over.
  [[nodiscard]] Duration connect_time() const { return connect_time_; }

  [[nodiscard]] const LinkUse& use() const { return use_; }

  [[nodiscard]] const net::DropCounts& drops() const { return drops_; }

  void drop(net::DropReason reason) { drops_.count(reason); }

  [[nodiscard]] Instant next_wakeup() const;

 private:
  void transmit(ConstBytes datagram);
  void begin(State state, Instant now);
  void ask(Instant now);
  void ask_again(Instant now);
  void on_answer(ConstBytes datagram, Instant now);
  void on_cookie(ConstBytes datagram, Instant now);
  void on_accept(ConstBytes datagram, Instant now);
  void on_refuse(ConstBytes datagram, Instant now);
  [[nodiscard]] std::optional<Message> on_packet(ConstBytes datagram, Instant now);
  void answer_challenge(ConstBytes message);
  void on_disconnect(ConstBytes message, Instant now);
  void come_back(Instant now);
  [[nodiscard]] Instant gives_up_at() const;
  void give_up(Instant now);
  void end(State state, std::string reason);

  ConnectionOptions options_;
  net::Transport& transport_;
  Entropy& entropy_;
  net::HandshakeNonce nonce_{};
  net::CookieBytes cookie_{};
  State state_ = State::Greeting;
  std::string reason_;
  std::optional<net::RefuseReason> refused_;
  std::string ticket_refusal_;
  bool is_proven_ = false;  ///< a packet of this session has come: the server knows that we have it
  std::optional<net::ResumeTicket> ticket_before_;  ///< good as long as it does not
  Instant started_;                                 ///< of this attempt to get in
  Instant began_asking_;                            ///< in this state
  Instant asked_;
  Instant asks_again_;
  Duration connect_time_{};
  Instant heard_;
  std::uint32_t sessions_ = 0;
  std::uint32_t resumed_ = 0;
  net::Accept accept_;
  net::PacketChannel channel_;
  net::PacketBuffer packet_{};
  net::PacketBuffer opened_{};
  protocol::MessageEncoder encoder_;
  LinkUse use_;
  net::DropCounts drops_;
};

}  // namespace tickbox::client
