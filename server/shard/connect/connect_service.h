#pragma once
// Answers HELLO, CONNECT and RESUME: opens sessions for the clients that the admission accepts. A
// client gets a free seat by its token, or the seat that its client id holds. By its ticket it
// returns to its own seat.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/hash.h"
#include "net/handshake.h"
#include "net/reasons.h"
#include "net/transport.h"
#include "server/shard/connect/admission.h"
#include "server/shard/connect/session_lifecycle.h"
#include "server/shard/context.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"
#include "server/shard/paced_logs.h"
#include "server/shard/session.h"
#include "server/shard/session_table.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

/// The time after the first refusal of a client or an address in which the same refusal is a
/// repeat.
inline constexpr Duration kRefusalRepeats = std::chrono::seconds{10};

/// The refusals that are remembered. If two share a place, the newer one replaces the older one,
/// whose repeat then counts again.
inline constexpr std::size_t kRefusalsRemembered = 4'096;

/// Tells repeats of a refusal from the first: a client repeats its request until it believes the
/// answer.
class RecentRefusals {
 public:
  /// Returns whether this client at this address was not refused for this reason in the last
  /// kRefusalRepeats. Then remembers it. `client`: nothing, if it has proven no id.
  [[nodiscard]] bool is_first(const net::Address& from, std::optional<std::uint64_t> client,
                              net::RefuseReason reason, Instant now) {
    FieldHasher<32> hasher;
    for (const std::uint8_t byte : from.ip) {
      hasher.add(byte);
    }
    hasher.add(from.port);
    hasher.add(client.value_or(0));
    hasher.add(static_cast<std::uint8_t>(reason));
    const std::uint64_t key = hasher.digest(0);
    Place& place = places_[key % kRefusalsRemembered];
    if (place.at && place.key == key && now - *place.at < kRefusalRepeats) return false;
    place = {.key = key, .at = now};
    return true;
  }

 private:
  struct Place {
    std::uint64_t key = 0;
    std::optional<Instant> at;  ///< the time of the first refusal; empty if the place is free
  };

  std::vector<Place> places_ = std::vector<Place>(kRefusalsRemembered);
};

/// The parts of a shard that decide on a connect. All are borrowed.
struct ConnectParts {
  RoomList& rooms;
  Admission& admission;
  SessionTable& sessions;
  SessionLifecycle& lifecycle;
};

class ConnectService {
 public:
  /// `best`: the best cipher of this end.
  ConnectService(ShardContext& context, const ConnectParts& parts, std::uint32_t tick_rate,
                 net::Cipher best)
      : context_(context),
        parts_(parts),
        tick_rate_(tick_rate),
        best_cipher_(best),
        agreements_of_token_(context.entropy) {}

  /// Takes a HELLO, CONNECT or RESUME of any sender.
  void receive(const net::Datagram& datagram, const Now& now);

  /// Ends a session that its client refuses in answer to the ACCEPT. Its token admits the client
  /// again. Requires: the session is pending.
  void on_refused(Session& session, net::RefuseReason reason, Instant now);

  /// Refuses all further clients because the server stops.
  void stop() { stopping_ = true; }

  [[nodiscard]] bool stopping() const { return stopping_; }

  /// Refuses all further clients that hold no seat.
  void drain() { draining_ = true; }

  /// Refuses all further clients that hold no seat, or admits them again.
  void set_refuses_joins(bool refuses) { is_overloaded_ = refuses; }

  /// Logs the refused connects that have not been logged yet, if it is time.
  void log_refusals(Instant now) { refusals_.write(context_.log, now); }

 private:
  /// A request, and the datagram that had it.
  struct Incoming {
    const net::ConnectRequest& request;
    const net::Datagram& datagram;
    Now now;
  };

  struct Place {
    HostedRoom* room = nullptr;
    Seat* seat = nullptr;  ///< free, or held by the same client
  };

  /// The keys of a new session, and the nonce with which its client derives them.
  struct AgreedKeys {
    net::HandshakeNonce server_nonce{};
    net::KeyPair session;
  };

  void on_token(const Incoming& incoming, const TokenAccepted& accepted);
  void on_ticket(const Incoming& incoming, const ResumeAccepted& accepted);
  void on_repeated(const Incoming& incoming, const RepeatedRequest& repeated);
  [[nodiscard]] Place find_place(const TokenAccepted& accepted);
  [[nodiscard]] HostedRoom* find_room(RoomId id);
  [[nodiscard]] Place find_seat(const net::TokenClaims& claims);
  [[nodiscard]] net::Refuse full(RoomId named);
  [[nodiscard]] std::optional<AgreedKeys> agree(const Incoming& incoming, const net::KeyPair& keys);
  [[nodiscard]] bool may_agree(Seat& seat, Instant now);
  Attempt& open_session(const Incoming& incoming, Session& session, HostedRoom& room, Seat& seat,
                        const AgreedKeys& keys);
  void accept_again(Session& session, Instant now);
  void refuse(const Incoming& incoming, const Refused& refused);
  void reply(const Incoming& incoming, ConstBytes datagram);

  ShardContext& context_;
  ConnectParts parts_;
  std::uint32_t tick_rate_;
  net::Cipher best_cipher_;
  RateLimit replies_;     ///< limit of replies to strangers
  RateLimit agreements_;  ///< limit of key agreements
  KeyedLimits agreements_of_token_;
  RecentRefusals recent_refusals_;
  RefusalLog refusals_;
  net::PacketBuffer packet_{};
  bool stopping_ = false;
  bool draining_ = false;
  bool is_overloaded_ = false;
};

}  // namespace tickbox::server
