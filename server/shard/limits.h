#pragma once
// Limits on what strangers and clients may request from the server, each with its reason.

#include "core/clock.h"
#include "net/handshake.h"
#include "protocol/both_ends.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tickbox::server {

/// An average rate, and the most that may be used at once after a pause.
struct Rate {
  std::int64_t per_second = 0;  ///< at least 1
  std::int64_t burst = 0;       ///< at least 1
};

/// A rate limiter that allows bursts and stores one number, the time paid up to. Source: the
/// generic cell rate algorithm of ITU-T I.371.
class RateLimit {
 public:
  /// Consumes `amount` and returns true if `rate` allows it; otherwise consumes nothing.
  /// Requires: the same rate in every call.
  [[nodiscard]] bool consume(const Rate& rate, Instant now, std::int64_t amount = 1) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const Duration cost{amount * kSecond / rate.per_second};
    const Duration most{rate.burst * kSecond / rate.per_second};
    const Instant next = std::max(paid_until_, now) + cost;
    if (next - now > most) return false;
    paid_until_ = next;
    return true;
  }

  /// Returns the most that consume() would allow now.
  [[nodiscard]] std::int64_t available(const Rate& rate, Instant now) const {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const Duration used = std::max(Duration::zero(), paid_until_ - now);
    return rate.burst - (used.count() * rate.per_second + kSecond - 1) / kSecond;
  }

 private:
  Instant paid_until_{};
};

/// The most datagrams taken from the transport in one receive(), and between two ticks. A flood
/// then delays nothing else. At 1 µs each, one receive() takes about 2 ms and a tick's datagrams
/// about 8 ms.
inline constexpr std::size_t kDatagramsPerReceive = 2'048;
inline constexpr std::size_t kDatagramsPerTick = 8'192;

/// COOKIE and REFUSE replies to all strangers together. At about 3 µs each they take at most 6 % of
/// a core, and 1.2 MB/s. A client repeats its request three or four times per second. Under a flood
/// of 100,000 HELLOs per second, it gets an answer within one or two seconds.
inline constexpr Rate kRepliesToStrangers{.per_second = 20'000, .burst = 4'000};

/// Seals opened for unproven addresses, all networks together: at 2 µs each 1 % of a core. CONNECT,
/// RESUME with a cookie and packets from new addresses have one such limit each. A flood from
/// forged addresses has no cookies. It can only use up the limit of packets from new addresses: for
/// each connection id that it knows, at most kOpensOfSession. The burst is for all 4,000 clients of
/// a full server at once; kAgreements lets in 1,000 of them each second.
inline constexpr Rate kOpens{.per_second = 5'000, .burst = 4'096};
/// The same limit for one network. A load generator of 4,000 clients connects within four seconds.
inline constexpr Rate kOpensOfNetwork{.per_second = 512, .burst = 2'048};
/// The same limit for one session: packets from other addresses than its own. It is asked before
/// the limit of the network, so that a flood under one connection id takes at most a quarter of the
/// network's rate. The burst is two seconds of a client at 240 Hz that catches up while it moves.
inline constexpr Rate kOpensOfSession{.per_second = 128, .burst = 1'024};
/// RESUMEs without a cookie whose tickets are opened, all networks together. A RESUME beyond this
/// is answered with a cookie, which costs a client a round trip.
inline constexpr Rate kOpensWithoutCookie{.per_second = 500, .burst = 512};
/// Key agreements of new sessions, which take some 0.1 ms each: all together a tenth of a core, and
/// at most 6 ms before one tick. A client whose request is dropped repeats it after 250 ms, so
/// 1,000 clients of a server that has restarted are back within two seconds.
inline constexpr Rate kAgreements{.per_second = 1'000, .burst = 64};
/// The same limit for one token, and for one seat that is held, asked before the other. So the
/// holder of one ticket or token cannot use up the agreements of all.
inline constexpr Rate kAgreementsOfSeat{.per_second = 2, .burst = 8};
/// The number of limits for networks, and for tokens.
inline constexpr std::size_t kKeyedLimits = 4'096;

/// Clients whose used token is remembered, until their older tokens have expired: with the longest
/// life of a token of ten minutes 27 different clients per second, with one minute 270.
inline constexpr std::size_t kTokensRemembered = 16'384;

/// The longest life of a token, unless the operator chooses another: time to download the game's
/// data between the login and the CONNECT.
inline constexpr std::chrono::minutes kTokenLifeMax{10};
/// The longest time that a token may be issued after the server's time: the clocks of the servers
/// and of the issuer differ by less.
inline constexpr std::chrono::seconds kTokenLead{5};

/// The least time between two takeovers of a seat by tokens of its client. Two devices of one
/// player, or a client and the thief of its account, then do not exchange it at every packet.
inline constexpr Duration kTakeoverInterval = std::chrono::seconds{2};

/// The malformed messages after which a session is closed. An intact client sends none: its packets
/// are authenticated, so no link can damage them.
inline constexpr std::uint32_t kMalformedMax = 100;

/// The tick at which a shard stops: 65,536 ticks before the protocol's last, four minutes at 240
/// Hz. So no client is near the last tick, however far it runs ahead.
inline constexpr std::uint32_t kTickEnd = net::kTickMax - 65'536;

/// Repeated answers to the CONNECT or RESUME of one session. A client repeats its request at most
/// three or four times per second, but some of the requests can arrive together.
inline constexpr Rate kRepeatedAccepts{.per_second = 8, .burst = 8};

/// The time for which a client sends to a server that is silent, and some more: the burst of a
/// session's packets admits what waits when a stalled link or a stopped server continues.
inline constexpr std::int64_t kSecondsAtOnce = 6;

/// Returns the packet limit of one session. A client sends one packet per tick, and up to two while
/// it catches up.
[[nodiscard]] constexpr Rate packets_of_session(std::uint32_t tick_rate) {
  return {.per_second = 2 * std::int64_t{tick_rate}, .burst = kSecondsAtOnce * tick_rate};
}

/// Returns the byte limit of one session: a datagram of the largest size in each tick. A game may
/// have large inputs, and a client on a bad link repeats them.
[[nodiscard]] constexpr Rate bytes_of_session(std::uint32_t tick_rate) {
  const std::int64_t bytes = std::int64_t{tick_rate} * std::int64_t{net::kDatagramBytesMax};
  return {.per_second = bytes, .burst = bytes};
}

/// The least time between two CHALLENGEs to an address of a path check.
inline constexpr Duration kChallengeInterval = std::chrono::milliseconds{50};
/// The size of a CHALLENGE at most.
inline constexpr std::uint64_t kChallengeBytes = 64;
/// The most bytes sent to an address whose owner does not prove that it receives them, in multiples
/// of the bytes received from there.
inline constexpr std::uint64_t kUnprovenAnswers = 3;
/// The time in which a new address must answer.
inline constexpr Duration kPathCheckLife = std::chrono::seconds{2};
/// The session moves if its old address stays silent for this many round trips of the new one, so
/// an attacker who forwards packets must make them three times faster than the network does. This
/// silence is at least kOldPathSilence: four CHALLENGEs, because one or two can be lost.
inline constexpr int kPathRoundTrips = 3;
inline constexpr Duration kOldPathSilence = std::chrono::milliseconds{200};
/// The least time between the decision of a path check and the next check. After a check that has
/// expired there is no wait.
inline constexpr Duration kMoveInterval = std::chrono::seconds{2};

/// Snapshot bytes to one client: more than ten times the need of a client in a crowd of 64, and a
/// burst of some full views. Entities that do not fit wait for a later snapshot.
inline constexpr Rate kSnapshotBytes{.per_second = 64'000, .burst = 16'000};
/// The smallest byte budget with which a snapshot is sent.
inline constexpr std::size_t kSnapshotBytesMin = 400;
/// The most bytes of events in a snapshot: any event of a game fits alone.
inline constexpr std::size_t kEventBytesMax = 300;
/// Full views to a client whose newest acknowledged view is missing or too old to be a base. Each
/// takes up to a whole datagram. But the client's clock depends on them: with five per second, a
/// client that is 250 ms away takes seconds to synchronise its clock.
inline constexpr std::uint32_t kFullViewsPerSecond = 20;
/// Full views that a client may request after it has held a view and discarded it.
inline constexpr Rate kFullViewRequests{.per_second = 1, .burst = 2};
/// The commands of one session. A command beyond the limit waits: the client repeats it.
inline constexpr Rate kCommandsOfSession{.per_second = 10, .burst = 10};
/// The work of all plans of a shard in a second, in units of ViewPlan::work: at 15 ns each, 45 % of
/// a core. Beyond it the dearest clients wait for the next tick, none twice in a row.
inline constexpr std::uint64_t kPlanWorkPerSecond = 30'000'000;
/// The bytes of a snapshot that count as one unit of work: encoding, sealing and sending.
inline constexpr std::size_t kBytesPerWork = 4;

/// A client is far once its round trip, as the server measures it, is longer than the first, and
/// until it is shorter than the second.
inline constexpr Duration kFarRoundTrip = std::chrono::milliseconds{60};
inline constexpr Duration kNearRoundTrip = std::chrono::milliseconds{50};

/// The most snapshots per second to a client that has proven no receipt (ViewReceipts) for a time.
/// Its address may belong to another by now. A client on a working link proves each new view: at
/// least ten a second, or all if --snapshot-rate or --snapshot-rate-far is lower. The first proof
/// brings the full rate back.
struct UnprovenPace {
  Duration silence;
  std::uint32_t per_second;
};

/// The silence after which snapshots are few: one a second, and beyond kUnprovenSnapshots no more
/// than kUnprovenAnswers times what the client sends. If all packets of a client are lost, it gets
/// no more than kUnprovenSnapshots from then on, until it has timed out.
inline constexpr Duration kUnprovenFor = std::chrono::seconds{1};
inline constexpr std::uint64_t kUnprovenSnapshots = 4;

inline constexpr UnprovenPace kUnprovenPaces[] = {
    {.silence = kUnprovenFor, .per_second = 1},
    {.silence = std::chrono::milliseconds{250}, .per_second = 5}};

/// Snapshots per second to a client that could compute all of their content by itself.
inline constexpr std::uint32_t kQuietSnapshotsPerSecond = protocol::kQuietSnapshotsPerSecond;

/// Repeats per second of an event that the client has not acknowledged.
inline constexpr std::uint32_t kEventRepeatsPerSecond = 4;
/// Limits of desync reports: the interval between two of one client, and the rate of all clients
/// together. A report takes up to 70 KB each way (protocol::kViewBytesMax), and some 400 KB of
/// memory: both views as bytes and as rows, and the base.
inline constexpr Duration kDesyncReportInterval = protocol::kDesyncReportInterval;
inline constexpr Rate kDesyncReports{.per_second = 2, .burst = 8};
/// The time that a report is kept, for parts and answers that were lost.
inline constexpr Duration kDesyncReportKept = protocol::kDesyncReportKept;

/// The time between two DRAINs to a client, and while clients are handed over: a DRAIN that is lost
/// keeps its client from the next server, and few clients are left that get another one.
inline constexpr Duration kDrainTold = std::chrono::seconds{1};
inline constexpr Duration kHandOverTold = std::chrono::milliseconds{250};
/// The life of a token with which a server hands a client over, or token_life_max if that is less.
/// The client uses it at once.
inline constexpr Duration kHandOverTokenLife = std::chrono::seconds{30};

/// Log lines of one kind. Lines beyond the limit are counted; the next line has the count.
inline constexpr Rate kLogLines{.per_second = 2, .burst = 20};

}  // namespace tickbox::server
