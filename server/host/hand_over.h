#pragma once
// Hands the clients of a draining server over to the next one, and takes along the matches whose
// games let them move.
//
// One match after the other: its room is frozen, the match goes to the admin side of the next
// server, and then the clients are sent tokens that name the room in which it goes on there. A
// match that cannot go on there stays: its room ticks on, and its clients are handed over to any
// room.

#include "core/clock.h"
#include "server/host/admin/admin_orders.h"
#include "server/host/base/threads.h"
#include "server/host/server.h"

#include <cstddef>

namespace tickbox::server {

/// The least time that the first order to hand the clients over leaves to them. They go within a
/// second, if the other server accepts them.
inline constexpr Duration kHandOverTime = std::chrono::seconds{10};

/// The hand-over runs in a thread of its own, because the next server may not answer.
class HandOver {
 public:
  explicit HandOver(Server& server) : server_(server) {}

  /// Begins to hand the clients over. Requires: the server drains; no hand-over is under way.
  void begin(NextServer next);

  /// Returns whether a hand-over is under way: its thread uses the server.
  [[nodiscard]] bool is_under_way();

 private:
  Server& server_;
  BackgroundCall<std::size_t> call_;  ///< returns how many matches it has moved
};

}  // namespace tickbox::server
