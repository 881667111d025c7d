#pragma once
// A bad link, one direction of it: delays, jitters, loses, doubles, reorders and damages datagrams
// by a seed. And a transport with such a link both ways.

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

/// Shares are in parts per million.
struct LinkConditions {
  Duration delay{};   ///< one way; a link both ways has twice it
  Duration jitter{};  ///< each datagram is late by up to this, evenly spread
  std::uint32_t loss_ppm = 0;
  std::uint32_t duplicate_ppm = 0;
  std::uint32_t reorder_ppm = 0;   ///< held back until the next few have passed
  std::uint32_t corrupt_ppm = 0;   ///< one bit flipped
  std::uint32_t truncate_ppm = 0;  ///< its tail cut off
  std::uint64_t seed = 1;

  friend bool operator==(const LinkConditions&, const LinkConditions&) = default;
};

/// Reads
/// "delay=80ms,jitter=20ms,loss=5%,duplicate=1%,reorder=1%,corrupt=0.1%,truncate=0.1%,seed=7".
/// `delay` is the round trip's: each direction gets half. Jitter and shares hold for each
/// direction. Fails: one line that names the part and what it takes.
[[nodiscard]] std::expected<LinkConditions, std::string> parse_link_conditions(
    std::string_view text);

/// What really happened to what was put in.
struct LinkCounts {
  std::uint64_t in = 0;
  std::uint64_t lost = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t truncated = 0;
  std::uint64_t out = 0;
};

/// Datagrams on their way at once: 10 s of delay at 6,000 a second. A link that holds more is
/// congested, and loses.
inline constexpr std::size_t kLinkWaitingMax = 65'536;

class LinkSimulator {
 public:
  /// `stream` tells two links of one seed apart: another direction, another client.
  LinkSimulator(const LinkConditions& conditions, std::uint64_t stream);

  /// Puts a datagram in at `now`.
  void push(Instant now, ConstBytes datagram);

  /// The next datagram due by `now`, in the order of arrival times (equal: of pushing). Valid until
  /// the next call.
  [[nodiscard]] std::optional<ConstBytes> pop(Instant now);

  /// When the next one is due.
  [[nodiscard]] std::optional<Instant> next_due() const;

  [[nodiscard]] const LinkCounts& counts() const { return counts_; }

 private:
  /// More than a steady link has on its way at one time beyond another. A burst's memory is given
  /// back.
  static constexpr std::size_t kSparesMax = 64;

  struct Waiting {
    Instant due;
    std::uint64_t order = 0;
    std::vector<std::byte> bytes;
  };

  /// A datagram held back until others have passed it.
  struct Held {
    Waiting waiting;
    Instant release;            ///< at the latest
    std::uint32_t passers = 0;  ///< datagrams still to let pass
    bool passed = false;
  };

  [[nodiscard]] static bool arrives_later(const Waiting& a, const Waiting& b);
  [[nodiscard]] bool happens(std::uint32_t ppm);
  [[nodiscard]] Waiting make_waiting(Instant now, ConstBytes datagram);
  void damage(std::vector<std::byte>& bytes);
  void put_on_the_way(Waiting&& waiting);
  void let_pass(Instant due);
  void enqueue(Waiting&& waiting);
  void release(std::size_t held);

  LinkConditions conditions_;
  Rng rng_;
  std::vector<Waiting> waiting_;  ///< a heap by (due, order)
  std::vector<Held> held_;
  std::vector<std::vector<std::byte>> spare_;  ///< memory of datagrams that have arrived, of few
  std::vector<std::byte> current_;
  std::uint64_t pushed_ = 0;
  LinkCounts counts_;
};

// A Transport behind a bad link: what `--net` puts between a client and its socket.

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
