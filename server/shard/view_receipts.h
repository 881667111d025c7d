#pragma once
// The proof that a client receives its snapshots: it acknowledges each view with 16 bits of the
// hash that the snapshot carried. Without it a client could leave its address and have everything
// sent to the next owner.

#include "core/clock.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "protocol/history_depths.h"
#include "protocol/messages.h"

#include <cstdint>
#include <optional>

namespace tickbox::server {

class ViewReceipts {
 public:
  /// Stores the hash that was sent with the snapshot of `tick`.
  void on_sent(Tick tick, std::uint32_t view_hash) { hashes_.insert(tick) = view_hash; }

  /// Returns whether the snapshot of `tick` was sent with this hash, and is remembered.
  [[nodiscard]] bool has_sent(Tick tick, std::uint32_t view_hash) const {
    const std::uint32_t* hash = hashes_.find(tick);
    return hash != nullptr && *hash == view_hash;
  }

  /// Returns whether `ack` has the hash of a view that was sent and is remembered.
  [[nodiscard]] bool proves(const protocol::ViewAck& ack) const {
    const std::uint32_t* hash = hashes_.find(ack.tick);
    return hash != nullptr && protocol::ack_hash(*hash) == ack.hash;
  }

  /// Stores that the client was at its address when its session began.
  void begin(Instant now) { proven_ = now; }

  /// Stores that the client has proven the view of `tick` just now. Returns false, and stores
  /// nothing, if it has proven this view or a newer one before.
  bool on_proof(Tick tick, Instant now) {
    if (newest_ && tick <= *newest_) return false;
    newest_ = tick;
    proven_ = now;
    return true;
  }

  /// Returns the time since the last proof.
  [[nodiscard]] Duration silence(Instant now) const { return now - proven_; }

 private:
  TickRing<std::uint32_t, protocol::kTicksRemembered> hashes_;
  std::optional<Tick> newest_;  ///< newest proven view
  Instant proven_;
};

}  // namespace tickbox::server
