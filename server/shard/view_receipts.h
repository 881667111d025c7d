#pragma once
// The proof that a client receives its snapshots. Each snapshot has a number that the client cannot
// guess, its receipt, and the acknowledgement of the view repeats the receipt. Without receipts a
// client could leave its address and have everything sent to the next owner.

#include "core/assert.h"
#include "core/bytes.h"
#include "core/clock.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "net/crypto.h"
#include "protocol/history_depths.h"
#include "protocol/messages.h"
#include "server/shard/limits.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace tickbox::server {

class ViewReceipts {
 public:
  /// Stores that the client was at its address when its session began. `key`: a new one, unknown to
  /// the client.
  void begin(const net::ShortKey& key, Instant now) {
    key_ = key;
    proven_ = now;
  }

  /// Returns the receipt of the snapshot of `tick`.
  [[nodiscard]] std::uint16_t receipt_of(Tick tick) const {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof tick.value>>(tick.value);
    return static_cast<std::uint16_t>(net::short_hash(key_, bytes) & 0xffff);
  }

  /// Stores that the snapshot of `tick` was sent, a datagram of `bytes`, with this hash.
  void on_sent(Tick tick, std::uint32_t view_hash, std::size_t bytes, Instant now) {
    hashes_.insert(tick) = view_hash;
    if (silence(now) >= kUnprovenFor && ++sent_slowly_ > kUnprovenSnapshots) sent_ += bytes;
  }

  /// Stores that a datagram of the client arrived.
  void on_received(std::size_t bytes) { received_ += bytes; }

  /// Returns the most bytes that the next snapshot may have. Requires: no snapshot had more.
  [[nodiscard]] std::uint64_t bytes_allowed(Instant now) const {
    if (silence(now) < kUnprovenFor || sent_slowly_ < kUnprovenSnapshots) {
      return std::numeric_limits<std::uint64_t>::max();
    }
    TICKBOX_ASSERT(sent_ <= kUnprovenAnswers * received_);
    return kUnprovenAnswers * received_ - sent_;
  }

  /// Returns whether the snapshot of `tick` was sent with this hash, and is remembered.
  [[nodiscard]] bool has_sent(Tick tick, std::uint32_t view_hash) const {
    const std::uint32_t* hash = hashes_.find(tick);
    return hash != nullptr && *hash == view_hash;
  }

  /// Returns whether `ack` has the receipt of a snapshot that was sent and is remembered.
  [[nodiscard]] bool proves(const protocol::ViewAck& ack) const {
    return hashes_.find(ack.tick) != nullptr && receipt_of(ack.tick) == ack.receipt;
  }

  /// Stores that the client has proven the view of `tick` just now. Returns false, and stores
  /// nothing, if it has proven this view or a newer one before.
  bool on_proof(Tick tick, Instant now) {
    if (newest_ && tick <= *newest_) return false;
    newest_ = tick;
    proven_ = now;
    received_ = sent_ = sent_slowly_ = 0;
    return true;
  }

  /// Stores that the server was stopped for `missed`: the client is not silent for this time.
  void forgive(Duration missed, Instant now) { proven_ = std::min(proven_ + missed, now); }

  /// Returns the time since the last proof.
  [[nodiscard]] Duration silence(Instant now) const { return now - proven_; }

 private:
  Instant proven_;
  std::optional<Tick> newest_;     ///< newest proven view
  std::uint64_t received_ = 0;     ///< bytes since the last proof
  std::uint64_t sent_slowly_ = 0;  ///< snapshots sent after a silence of kUnprovenFor
  std::uint64_t sent_ = 0;         ///< bytes of those beyond the first kUnprovenSnapshots
  net::ShortKey key_;
  TickRing<std::uint32_t, protocol::kTicksRemembered> hashes_;
};

}  // namespace tickbox::server
