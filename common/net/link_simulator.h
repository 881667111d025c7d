#pragma once
// One direction of a bad link: delays, jitters, loses, duplicates, reorders and damages datagrams,
// all from a seed. The file also has a transport with such a link in both directions.

#include "core/bytes.h"
#include "core/clock.h"
#include "core/rng.h"
#include "net/transport.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::net {

/// The faults of a link. Shares are in parts per million.
struct LinkConditions {
  Duration delay{};   ///< one way; the round trip has twice this delay
  Duration jitter{};  ///< largest extra delay of a datagram; evenly distributed
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t reorder_ppm = 0;   ///< datagrams held back until the next few have passed
  std::uint32_t corrupt_ppm = 0;   ///< datagrams with one bit flipped
  std::uint32_t truncate_ppm = 0;  ///< datagrams with their tail cut off
  std::uint64_t seed = 1;

  friend bool operator==(const LinkConditions&, const LinkConditions&) = default;
};

/// Reads
/// "delay=80ms,jitter=20ms,loss=5%,duplicate=1%,reorder=1%,corrupt=0.1%,truncate=0.1%,seed=7".
/// `delay` is the delay of the round trip: each direction gets half. Jitter and shares apply to
/// each direction. Fails: with one line that names the part and the values it accepts.
[[nodiscard]] std::expected<LinkConditions, std::string> parse_link_conditions(
    std::string_view text);

/// Counts of what happened to the datagrams that were pushed.
struct LinkCounts {
  std::uint64_t in = 0;
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t truncated = 0;
  std::uint64_t out = 0;
};

/// The most datagrams in transit at once: 10 s of delay at 6,000 a second. A link that holds more
/// is congested and loses datagrams.
inline constexpr std::size_t kLinkWaitingMax = 65'536;

class LinkSimulator {
 public:
  /// `stream` distinguishes two links with the same seed: another direction, another client.
  LinkSimulator(const LinkConditions& conditions, std::uint64_t stream);

  /// Puts a datagram in at `now`.
  void push(Instant now, ConstBytes datagram);

  /// Returns the next datagram due by `now`, in the order of arrival times, then of pushing. Valid
  /// until the next call.
  [[nodiscard]] std::optional<ConstBytes> pop(Instant now);

  /// Returns when the next datagram is due.
  [[nodiscard]] std::optional<Instant> next_due() const;

  [[nodiscard]] const LinkCounts& counts() const { return counts_; }

 private:
  /// The most buffers kept for reuse: the number of datagrams in transit on a steady link varies by
  /// less. The memory of a burst is freed.
  static constexpr std::size_t kSparesMax = 64;

  struct Waiting {
    Instant due;
    std::uint64_t order = 0;
    std::vector<std::byte> bytes;
  };

  /// A datagram held back until others have passed it.
  struct Held {
    Waiting waiting;
    Instant release;            ///< latest time of release
    std::uint32_t passers = 0;  ///< datagrams still to let pass
    bool passed = false;
  };

  [[nodiscard]] static bool arrives_later(const Waiting& a, const Waiting& b);
  [[nodiscard]] bool happens(std::uint32_t ppm);
  [[nodiscard]] Waiting make_waiting(Instant now, ConstBytes datagram);
  void damage(std::vector<std::byte>& bytes);
  void hold_or_enqueue(Waiting&& waiting);
  void let_pass(Instant due);
  void enqueue(Waiting&& waiting);
  void release(std::size_t held);

  LinkConditions conditions_;
  Rng rng_;
  std::vector<Waiting> waiting_;  ///< a heap by (due, order)
  std::vector<Held> held_;
  std::vector<std::vector<std::byte>> spare_;  ///< memory of arrived datagrams, at most kSparesMax
  std::vector<std::byte> current_;
  std::uint64_t pushed_ = 0;
  LinkCounts counts_;
};

/// A Transport behind a bad link, which `--net` puts between a client and its socket. Takes the
/// time from `clock`; send() and receive() move the datagrams that are due. Drops datagrams from
/// any sender except the server.
class ImpairedTransport final : public Transport {
 public:
  /// Borrows both.
  ImpairedTransport(Transport& inner, const Clock& clock, const LinkConditions& conditions,
                    std::uint64_t stream);

  void send(const Route& route, ConstBytes bytes) override;
  std::optional<Datagram> receive() override;

  /// Returns when the next datagram is due in either direction. After its last DISCONNECT a client
  /// calls receive() until then.
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
