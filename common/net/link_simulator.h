#pragma once
// A bad link: its faults, the text of --net that names them, and one direction of it, which delays,
// jitters, loses, slows down, duplicates, reorders and damages datagrams, all from a seed. The file
// also has a transport with such a link in both directions.

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

inline constexpr std::uint64_t kMillion = 1'000'000;  ///< the whole, of shares

/// The faults of one direction of a link. Shares are in parts per million.
struct LinkConditions {
  Duration delay{};   ///< one way; the round trip has that of both directions
  Duration jitter{};  ///< largest extra delay of a datagram; evenly distributed
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t reorder_ppm = 0;   ///< datagrams held back until the next few have passed
  std::uint32_t corrupt_ppm = 0;   ///< datagrams with one bit flipped
  std::uint32_t truncate_ppm = 0;  ///< datagrams with their tail cut off
  std::uint64_t seed = 1;
  std::uint32_t burst = 1;            ///< mean number lost in a row; 1: each is lost by itself
  std::uint64_t bits_per_second = 0;  ///< 0: no limit

  friend bool operator==(const LinkConditions&, const LinkConditions&) = default;
};

struct TwoWayLink {
  LinkConditions up{};  ///< from the client to the server
  LinkConditions down{};

  friend bool operator==(const TwoWayLink&, const TwoWayLink&) = default;
};

/// Reads "delay=80ms,jitter=20ms,loss=5%,burst=3,rate=2Mbit/s,duplicate=1%,reorder=1%,corrupt=0.1%,
/// truncate=0.1%,seed=7". `delay` is that of the round trip: each direction gets half. The others
/// apply to each direction. Before a key, "up." or "down." means one direction, and a delay is then
/// of one way. The name of a profile may come first (profiles_in_words()); later parts change it.
/// Fails: with one line that names the part and the values it accepts.
[[nodiscard]] std::expected<TwoWayLink, std::string> parse_link(std::string_view text);

/// Returns the names of the profiles with the parts that they mean: "4g (delay=...); dsl (...)".
[[nodiscard]] std::string profiles_in_words();

/// Reads "5%" as parts per million, a whole number of them. Returns nothing if it is not that.
[[nodiscard]] std::optional<std::uint32_t> parse_share(std::string_view text);

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

/// The bytes of IPv4 and UDP around each datagram, which a limited rate carries too.
inline constexpr std::size_t kHeadersBytes = 28;

/// The longest time that a datagram waits for its turn on a link with a limited rate. One that had
/// to wait for longer is lost. Routers at home hold some hundred milliseconds, and more make it
/// lag.
inline constexpr Duration kLinkQueueMax = std::chrono::milliseconds{200};

class LinkSimulator {
 public:
  /// `stream` distinguishes two links with the same seed: another direction, another client.
  LinkSimulator(const LinkConditions& conditions, std::uint64_t stream);

  /// Puts a datagram in at `now`. `peer`: where it goes, or where it comes from.
  void push(Instant now, ConstBytes datagram, const Address& peer = {});

  /// Returns the next datagram due by `now`, in the order of arrival times, then of pushing. Valid
  /// until the next call.
  [[nodiscard]] std::optional<ConstBytes> pop(Instant now);

  /// Returns the peer of the datagram that pop() returned last.
  [[nodiscard]] const Address& popped_peer() const { return current_peer_; }

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
    Address peer;
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
  [[nodiscard]] bool loses_next();
  void transmit(Instant now, ConstBytes datagram, const Address& peer);
  [[nodiscard]] Waiting make_waiting(Instant sent, ConstBytes datagram, const Address& peer);
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
  Address current_peer_;
  std::uint64_t pushed_ = 0;
  bool is_losing_ = false;  ///< a burst has begun
  Instant free_at_;         ///< when the last datagram is sent, of a link with a limited rate
  LinkCounts counts_;
};

/// A Transport behind a bad link, which `--net` puts between a client and its socket. Takes the
/// time from `clock`; send() and receive() move the datagrams that are due. Drops datagrams from
/// any sender except the server.
class ImpairedTransport final : public Transport {
 public:
  /// Borrows both.
  ImpairedTransport(Transport& inner, const Clock& clock, const TwoWayLink& link,
                    std::uint64_t stream);

  void send(const Route& route, ConstBytes bytes) override;

  void flush() override { inner_.flush(); }

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
  Route server_;  ///< to which the client has sent last: it talks to one server at a time
};

}  // namespace tickbox::net
