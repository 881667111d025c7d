#pragma once
// Puts the datagrams of a snapshot together again, in whatever order they come.

#include "game/entity_state.h"
#include "net/drop_reason.h"
#include "net/messages.h"

#include <array>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::client {

/// What a client sees at a tick, whole: entities by id. Its hash is not checked yet.
struct View {
  net::SnapshotHead head;
  std::span<const game::EntityState> entities;
};

class ViewAssembler {
 public:
  /// Adds one datagram's part; the view it completes, if it does, valid until the next call.
  /// Fails: Malformed, when the parts contradict each other; Unexpected, for a part of a snapshot
  /// given up.
  std::expected<std::optional<View>, net::DropReason> add(const net::SnapshotFragment& fragment);

 private:
  /// Snapshots that are put together at once: one for each of the last ticks.
  static constexpr std::size_t kOpenMax = 8;

  struct Open {
    net::SnapshotHead head;
    std::uint8_t arrived = 0;  ///< a bit for each fragment
    std::array<BoundedVector<game::EntityState, net::kEntitiesPerFragment>, net::kFragmentsMax>
        parts;
  };

  static_assert(net::kFragmentsMax <= 8);

  std::array<Open, kOpenMax> open_;
  std::vector<game::EntityState> whole_;
};

/// The sum of the hashes of all entities of a view, to be compared with the server's.
[[nodiscard]] std::uint64_t view_hash(std::span<const game::EntityState> entities);

}  // namespace tickbox::client
