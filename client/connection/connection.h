#pragma once
// The client's end of a session: it opens arriving packets and seals sent ones. It begins sessions
// by a Handshake, resumes them by ticket after a link failure, and detects their end.
//
// A server that stops may hand its clients over: its DRAIN has a token for another server. The
// client connects there by itself. It leaves the first server only when the session at the other
// one has begun, with a packet of that server. Until then it can return by its ticket.

#include "core/clock.h"
#include "core/rng.h"
#include "net/connect_token.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/reasons.h"
#include "net/transport.h"
#include "protocol/both_ends.h"
#include "protocol/message_buffer.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <variant>

namespace tickbox::client {

// One attempt to begin a session: HELLO and CONNECT with a token, or RESUME with a ticket. A server
// under load requires a cookie for a RESUME, too.
//
// Each request is repeated until an answer arrives. A handshake sends nothing by itself and ends
// nothing: Connection sends the requests, and decides what an ACCEPT or REFUSE means.

/// A request is repeated after kRequestRetry plus a random time up to kRequestJitter, until an
/// answer arrives. Without the random time, all clients that have lost one server would repeat in
/// step.
inline constexpr Duration kRequestRetry = std::chrono::milliseconds{250};
inline constexpr Duration kRequestJitter = kRequestRetry / 4;
/// The age at which a CONNECT or RESUME is replaced by a HELLO or RESUME with a fresh nonce.
/// Cookies last for 4 s, and the answer to a RESUME that somebody else forwarded first goes to that
/// sender.
inline constexpr Duration kRequestLife = std::chrono::seconds{2};

/// The server's answer that it does not begin a session. Without proof anybody who saw the request
/// can have sent it.
struct Refusal {
  net::Refuse refuse;
  bool is_proven = false;  ///< the sender has opened the token or ticket
};

/// The most COOKIEs of one nonce that a client takes. A sender that sees a request can answer
/// before the server does, and each COOKIE that the client takes draws a request.
inline constexpr int kCookiesTaken = 4;

class Handshake {
 public:
  using Credential = std::variant<net::ConnectToken, net::ResumeTicket>;

  /// Begins with HELLO if `credential` is a token, with RESUME if it is a ticket. The request is
  /// due at once. `best`: the best cipher of this end. Borrows `entropy`.
  Handshake(const Credential& credential, net::Cipher best, Entropy& entropy, Instant now);

  /// Returns the request to send at `now`, if one is due. Valid until the next call.
  [[nodiscard]] std::optional<ConstBytes> poll_request(Instant now);

  /// Returns the time at which the next request is due.
  [[nodiscard]] Instant next_request() const { return next_request_; }

  /// Returns the time of the newest request.
  [[nodiscard]] Instant requested_at() const { return requested_at_; }

  // The next functions fail as the decoder of the datagram does. They also fail with Unexpected:
  // for a COOKIE or a REFUSE of another nonce, for a COOKIE that is held already or is one too
  // many, and for an ACCEPT while the request is a HELLO.

  /// Receives a COOKIE: CONNECT, or RESUME with the cookie, is due at once. A later COOKIE of the
  /// same nonce replaces it, because the first may be forged. Takes at most kCookiesTaken.
  std::expected<void, net::DropReason> receive_cookie(ConstBytes datagram, Instant now);

  /// Reads an ACCEPT. Fails also: Malformed, for seats that no game has.
  [[nodiscard]] std::expected<net::Accepted, net::DropReason> read_accept(
      ConstBytes datagram) const;

  /// Reads a REFUSE. Fails also: Forged, for a wrong proof.
  [[nodiscard]] std::expected<Refusal, net::DropReason> read_refuse(ConstBytes datagram) const;

 private:
  void begin(net::PacketType request, Instant now);
  [[nodiscard]] const net::KeyPair& keys() const;

  Credential credential_;
  net::Cipher best_;
  Entropy& entropy_;
  net::PacketType request_ = net::PacketType::Hello;  ///< Hello, Connect or Resume
  net::HandshakePair pair_;
  std::optional<net::CookieBytes> cookie_;  ///< the newest of this nonce
  int cookies_taken_ = 0;                   ///< of this nonce
  Instant began_;                           ///< time from which request_ has been sent
  Instant requested_at_;
  Instant next_request_;
  net::PacketBuffer packet_{};
};

/// The silence after which a connecting client gives up, and a connected one tries to resume.
inline constexpr Duration kServerTimeout = protocol::kSilenceMax;
/// The time for which a client that was connected tries to resume.
inline constexpr Duration kResumeTimeout = protocol::kSeatKept;
/// The time after a failed hand-over for which a client does not try another one. It doubles with
/// each further failure, because each one can cost kServerTimeout of play.
inline constexpr Duration kHandOverRetry = std::chrono::seconds{10};
/// The failed hand-overs after which a client stays where it is: a server that names address after
/// address sends its clients against others.
inline constexpr std::uint32_t kHandOversFailedMax = 5;

/// Counts of the datagrams sent and received.
struct LinkUse {
  std::uint64_t packets_up = 0;
  std::uint64_t packets_down = 0;
  std::uint64_t bytes_up = 0;    ///< UDP payload
  std::uint64_t bytes_down = 0;  ///< UDP payload
};

struct ConnectionOptions {
  net::Address server;
  std::optional<net::ConnectToken> token;                   ///< required: a token, a ticket or both
  std::optional<net::ResumeTicket> ticket;                  ///< tried before the token
  net::Cipher best_cipher = net::Cipher::ChaCha20Poly1305;  ///< of this processor, or a lesser one
};

/// The time after which a client believes a REFUSE without proof, if it has repeated its requests
/// since and got nothing better. A forged REFUSE then ends nothing, unless the server is silent.
inline constexpr Duration kRefusalDoubted = std::chrono::seconds{2};
static_assert(kRefusalDoubted < kServerTimeout);
/// The least time for which a client doubts a REFUSE for a reason that stays (net::is_final()). It
/// doubts one for as long as the handshake took until then: the server's own answer to a good
/// request would have arrived.
inline constexpr Duration kFinalRefusalDoubted = std::chrono::milliseconds{250};

/// The newest REFUSE without proof.
struct UnprovenRefusal {
  net::Refuse refuse;
  Instant since;  ///< arrival of the first one
  Instant until;  ///< time at which the client believes it
};

class Connection {
 public:
  enum class State : std::uint8_t {
    Connecting,  ///< HELLO or CONNECT with the token sent, also to the next server of a hand-over
    Resuming,    ///< RESUME with the ticket sent
    Connected,
    Refused,  ///< the server refused the first session, or this client did
    Closed,   ///< ended by the server or its silence after a session, or by leave() or fail()
    Silent,   ///< no answer in time, before the first session
  };

  /// Starts to connect. Borrows the transport and the entropy. Requires: a token or a ticket.
  Connection(const ConnectionOptions& options, net::Transport& transport, Entropy& entropy,
             Instant now);

  struct Message {
    net::PacketType type;
    ConstBytes bytes;
  };

  /// Returns the next message of the session that has arrived, or nothing. Valid until the next
  /// call.
  [[nodiscard]] std::optional<Message> receive(Instant now);

  /// Repeats requests, starts to resume and gives up, when their times are reached.
  void update(Instant now);

  /// Seals and sends a message; returns the packet's sequence. Requires: Connected.
  std::uint64_t send(net::PacketType type, ConstBytes message);

  /// Ends the connection; sends DISCONNECT first if connected.
  void leave();

  // The next two end the hand-over alone if the server is the next one of a hand-over: the client
  // returns to the server that it has left.

  /// Ends the connection as leave() does, with `reason` for reason(), because this client cannot
  /// play what the server sends.
  void fail(std::string reason, Instant now);

  /// Ends the connection because this client does not have what the newest ACCEPT names, and tells
  /// the server so. Requires: Connected; `refusal` is a client's; nothing has been sent since the
  /// ACCEPT.
  void refuse(net::RefuseReason refusal, std::string reason, Instant now);

  /// Connects again after the end of a session, for a new seat: in the next match, or at a server
  /// that has started again. `token`: one that is not used yet. `server`: nothing for the last one.
  /// Requires: over(), after a session.
  void connect_again(const net::ConnectToken& token, Instant now,
                     const std::optional<net::Address>& server = {});

  [[nodiscard]] State state() const { return state_; }

  /// Returns whether the state is Connecting or Resuming.
  [[nodiscard]] bool connecting() const { return state_ <= State::Resuming; }

  [[nodiscard]] bool over() const { return state_ > State::Connected; }

  /// Returns when the newest answer of the server arrived: its ACCEPT or a packet of the session.
  [[nodiscard]] Instant heard() const { return heard_; }

  /// Returns the reason for the end, in words; empty before the end.
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// Returns whether fail() has ended the connection.
  [[nodiscard]] bool failed() const { return failed_; }

  /// Returns the server's reason if its DISCONNECT ended the connection.
  [[nodiscard]] std::optional<net::DisconnectReason> disconnected() const { return disconnected_; }

  /// Returns whether the connection is over because its match is.
  [[nodiscard]] bool match_has_ended() const {
    return disconnected_ == net::DisconnectReason::MatchEnded;
  }

  /// Returns the number of matches that have ended while this client was in them.
  [[nodiscard]] std::uint32_t matches_ended() const { return matches_ended_; }

  /// Returns when the server stops, if it has told this session that it drains.
  [[nodiscard]] std::optional<Instant> drains_to() const { return drains_to_; }

  /// Returns whether the client connects to the next server of a hand-over.
  [[nodiscard]] bool is_moving() const { return left_ && connecting(); }

  /// Returns the number of hand-overs that have brought the client to another server.
  [[nodiscard]] std::uint32_t moved() const { return moved_; }

  /// Returns the server to which the client sends.
  [[nodiscard]] const net::Address& server() const { return options_.server; }

  /// Returns the reason of refusal().
  [[nodiscard]] std::optional<net::RefuseReason> refused() const {
    return refusal_ ? std::optional{refusal_->reason} : std::nullopt;
  }

  /// Returns the REFUSE that ended the connection, or one with the reason of refuse().
  [[nodiscard]] const std::optional<net::Refuse>& refusal() const { return refusal_; }

  /// Returns the number of sessions begun: 1 with the first ACCEPT, and one more with each later
  /// one.
  [[nodiscard]] std::uint32_t sessions() const { return sessions_; }

  /// Returns the number of sessions that began with a ticket. The others began in a new seat.
  [[nodiscard]] std::uint32_t resumed() const { return resumed_; }

  /// Returns the number of the session that began in the seat of this one: its own number, if it
  /// was not resumed. 0: another Connection began in that seat.
  [[nodiscard]] std::uint32_t began_in_seat() const { return began_in_seat_; }

  /// Returns the reason for which a ticket was refused before the token was tried; empty otherwise.
  [[nodiscard]] const std::string& ticket_refusal() const { return ticket_refusal_; }

  /// Returns the newest ACCEPT. Requires: was Connected once; the same for is_proven().
  [[nodiscard]] const net::Accept& accept() const { return accept_; }

  /// Returns whether a packet of the newest session has arrived. From then on, only this session's
  /// ticket is valid.
  [[nodiscard]] bool is_proven() const { return is_proven_; }

  /// Returns the ticket that resumes this session. Once is_proven(), it is worth storing where it
  /// survives a crash.
  [[nodiscard]] const net::ResumeTicket& ticket() const { return *options_.ticket; }

  [[nodiscard]] const net::PacketChannel& channel() const { return channel_; }

  /// Returns the time from the last request to the ACCEPT: a round trip, or less if the ACCEPT
  /// answers an earlier request. Too short is the better error: a clock that starts too far back is
  /// corrected after one round trip. A clock that starts too far ahead has to wait, and has no
  /// input to send until the error is over.
  [[nodiscard]] Duration connect_time() const { return connect_time_; }

  [[nodiscard]] const LinkUse& use() const { return use_; }

  [[nodiscard]] const net::DropCounts& drops() const { return drops_; }

  void drop(net::DropReason reason) { drops_.count(reason); }

  [[nodiscard]] Instant next_wakeup() const;

 private:
  /// The session at the server that hands this client over.
  struct LeftSession {
    net::Address server;
    net::ResumeTicket ticket;
    net::PacketChannel channel;
    net::Accept accept;
    std::uint32_t began_in_seat;
  };

  /// Those since one that did not fail.
  struct FailedHandOvers {
    std::uint32_t count = 0;
    Instant again_at;  ///< the earliest time of the next one
  };

  void transmit(ConstBytes datagram);
  void hand_over(const net::ConnectToken& token, Instant now);
  void finish_hand_over();
  void end_left_session();
  [[nodiscard]] bool give_up_hand_over(net::DisconnectReason reason, Instant now);
  void return_to_left_server(Instant now);
  void connect(Instant now);
  void resume(Instant now);
  void begin(State state, const Handshake::Credential& credential, Instant now);
  void send_request(Instant now);
  [[nodiscard]] std::optional<Message> on_packet(ConstBytes datagram, Instant now);
  void on_challenge(ConstBytes message);
  void on_drain(ConstBytes message, Instant now);
  void on_disconnect(ConstBytes message, Instant now);
  void on_answer(ConstBytes datagram, Instant now);
  void on_accepted(const net::Accepted& accepted, Instant now);
  void on_refusal(const Refusal& refusal, Instant now);
  [[nodiscard]] Duration doubt_of(net::RefuseReason reason, Instant since) const;
  void end_refused(const net::Refuse& refuse, Instant now);
  [[nodiscard]] Instant gives_up_at() const;
  void give_up(Instant now);
  void part(std::string reason);
  void send_disconnect(net::PacketChannel& channel, net::DisconnectReason reason);
  void end(State state, std::string reason);

  ConnectionOptions options_;
  net::Transport& transport_;
  Entropy& entropy_;
  std::optional<Handshake> handshake_;    ///< while connecting()
  std::optional<UnprovenRefusal> doubt_;  ///< of handshake_
  State state_ = State::Connecting;
  std::string reason_;
  bool failed_ = false;
  std::optional<net::DisconnectReason> disconnected_;
  std::uint32_t matches_ended_ = 0;
  std::optional<Instant> drains_to_;  ///< of this session
  std::optional<LeftSession> left_;   ///< until the session at the next server is proven
  FailedHandOvers failed_hand_overs_;
  std::uint32_t moved_ = 0;
  std::optional<net::Refuse> refusal_;
  std::string ticket_refusal_;
  bool is_proven_ = false;  ///< a packet of this session arrived: the server knows that we have it
  std::optional<net::ResumeTicket> ticket_before_;  ///< valid until is_proven_
  Instant started_;                                 ///< start of Connecting or Resuming
  Duration connect_time_{};
  Instant heard_;
  std::uint32_t sessions_ = 0;
  std::uint32_t resumed_ = 0;
  std::uint32_t began_in_seat_ = 0;
  net::Accept accept_;
  net::PacketChannel channel_;
  net::PacketBuffer packet_{};
  net::PacketBuffer opened_{};
  protocol::MessageBuffer message_buffer_;
  LinkUse use_;
  net::DropCounts drops_;
};

}  // namespace tickbox::client
