#pragma once
// What a stranger, and what a client, may ask of the server. Each number with its reason.

#include "core/clock.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tickbox::server {

// At most so much per second, with bursts: one number to remember.  Source: the generic cell rate
// algorithm of ITU-T I.371.

/// A rate, and how much of it may be used at once after a rest.
struct Rate {
  std::int64_t per_second = 0;  ///< at least 1
  std::int64_t burst = 0;       ///< at least 1
};

class RateLimit {
 public:
  /// Takes `amount`, if that is within `rate`.  Requires: amount ≤ rate.burst; the same rate every
  /// time.
  [[nodiscard]] bool take(const Rate& rate, Instant now, std::int64_t amount = 1) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const Duration cost{amount * kSecond / rate.per_second};
    const Duration most{rate.burst * kSecond / rate.per_second};
    const Instant next = std::max(paid_until_, now) + cost;
    if (next - now > most) return false;
    paid_until_ = next;
    return true;
  }

  /// How much take() would take now.
  [[nodiscard]] std::int64_t available(const Rate& rate, Instant now) const {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const Duration used = std::max(Duration::zero(), paid_until_ - now);
    return rate.burst - (used.count() * rate.per_second + kSecond - 1) / kSecond;
  }

 private:
  Instant paid_until_{};
};

/// Datagrams taken from the transport in one receive(), and from one tick to the next: so that a
/// flood holds up nothing but itself. At 1 µs each a receive() stays under 2 ms, a tick's under 8.
inline constexpr std::size_t kDatagramsPerReceive = 2'048;
inline constexpr std::size_t kDatagramsPerTick = 8'192;

/// COOKIE and REFUSE to strangers, in all: at some 3 µs each no more than 6 % of a core, and
/// 0.9 MB/s. Under a flood of 100,000 HELLOs a second a client that asks three or four times a
/// second is answered within a second or two.
inline constexpr Rate kRepliesToStrangers{.per_second = 20'000, .burst = 4'000};

/// Seals opened for addresses that have proven nothing, in all: at 2 µs each 1 % of a core. There
/// is one such limit for CONNECT, one for RESUME and one for packets from new addresses: only the
/// first asks for a cookie, and who forges addresses must not use up what those need who do not.
/// The burst lets a full server of 4,000 come back within one second.
inline constexpr Rate kOpens{.per_second = 5'000, .burst = 4'096};
/// The same of one network: a load generator of 4,000 clients gets in within four seconds.
inline constexpr Rate kOpensOfNetwork{.per_second = 512, .burst = 2'048};
/// Networks are told apart by a keyed hash of this many values: two may share one limit, nobody can
/// choose with whom.
inline constexpr std::size_t kNetworkBuckets = 4'096;

/// Tokens remembered until they expire: with tokens good for a minute, 270 arrivals a second.
inline constexpr std::size_t kTokensRemembered = 16'384;

/// Repeated answers to one session's CONNECT or RESUME: it asks three or four times a second at
/// most, and some of them come together.
inline constexpr Rate kRepeatedAccepts{.per_second = 8, .burst = 8};

/// Packets of one session: one a tick is right, twice that for a client that catches up, and all of
/// a second's that a stalled link delivers at once.
[[nodiscard]] constexpr Rate packets_of_session(std::uint32_t tick_rate) {
  return {.per_second = 2 * std::int64_t{tick_rate}, .burst = 2 * std::int64_t{tick_rate}};
}

/// Bytes of one session: as many packets of the largest that inputs can make.
[[nodiscard]] constexpr Rate bytes_of_session(std::uint32_t tick_rate) {
  constexpr std::int64_t kInputBytesMax = 400;
  const Rate packets = packets_of_session(tick_rate);
  return {.per_second = packets.per_second * kInputBytesMax,
          .burst = packets.burst * kInputBytesMax};
}

/// Between two CHALLENGEs to the address that a client may have moved to.
inline constexpr Duration kChallengeInterval = std::chrono::milliseconds{50};
/// What may be sent there before it has answered, in multiples of what came from there.
inline constexpr std::uint64_t kUnprovenAnswers = 3;

/// Snapshots to one client: ten times what a crowd of 64 needs, and a burst of some full views.
/// What does not fit waits to come into view.
inline constexpr Rate kSnapshotBytes{.per_second = 64'000, .burst = 16'000};
/// With less than this to spend no snapshot is sent: the own body and the frame must fit.
inline constexpr std::size_t kSnapshotBytesMin = 400;
/// Full views to a client that has acknowledged nothing, or too long ago for a base. Each is up to
/// a whole datagram; but its clock lives on them, and with five a second one that is 250 ms away
/// takes seconds to find its time.
inline constexpr std::uint32_t kFullViewsPerSecond = 20;
/// Full views that a client may ask for, having held a view and thrown it away.
inline constexpr Rate kFullViewRequests{.per_second = 1, .burst = 2};
/// Snapshots a second to a client that could work out all of it by itself.
inline constexpr std::uint32_t kQuietSnapshotsPerSecond = 10;

/// Events that were told to a client from which nothing is heard are told again so often.
inline constexpr std::uint32_t kEventRepeatsPerSecond = 4;
/// Clients of one shard that may audit at once. Each is sent what everybody does, from half a
/// megabyte of its own that waits to be sent.
inline constexpr std::uint32_t kAuditorsMax = 4;
/// Bytes to one auditor. 1,000 wandering players make 10,000 a second, and their room of 40,000
/// bytes is there within half a second; the burst is some full segments.
inline constexpr Rate kAuditBytes{.per_second = 128'000, .burst = 16'000};
/// Runs that an auditor may ask for, having found a fault.
inline constexpr Rate kAuditRunRequests{.per_second = 1, .burst = 2};
/// Traces of wrong views: of one client so far apart, and of all of them so many. A trace takes up
/// to 7 KB each way, some 20 KB of memory, and 30 µs to compare.
inline constexpr Duration kTraceInterval = std::chrono::seconds{5};
inline constexpr Rate kTraces{.per_second = 2, .burst = 8};
/// Each is held for so long, for parts and answers that were lost; shorter than the interval, so
/// that a client never has two.
inline constexpr Duration kTraceKept = std::chrono::seconds{4};
static_assert(kTraceKept < kTraceInterval);

/// Lines of one kind in the log: what is beyond is counted, and said with the next line.
inline constexpr Rate kLogLines{.per_second = 2, .burst = 20};

}  // namespace tickbox::server
