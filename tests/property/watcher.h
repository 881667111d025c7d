#pragma once
// A client without a network. Its snapshots pass the encoder and an unreliable link into a snapshot
// world.
// The acknowledgements return over an unreliable link too.

#include "client/views/snapshot_world.h"
#include "core/rng.h"
#include "protocol/message_buffer.h"
#include "server/replication/sent_views.h"
#include "server/replication/snapshot_planner.h"
#include "server/room/room.h"

#include <cstdint>
#include <vector>

namespace tickbox::test {

/// Counts of what the watchers have received. A test checks them to know that it has tested
/// anything.
struct Watched {
  std::uint64_t views = 0;  ///< views made and compared
  std::uint64_t full = 0;
  std::uint64_t causes = 0;
  std::uint64_t leaves = 0;
  std::uint64_t sets = 0;    ///< bodies in full that the base has
  std::uint64_t enters = 0;  ///< bodies in full that the base has not
  std::uint64_t waiting = 0;
  std::uint64_t oldest_base = 0;  ///< in ticks
  std::uint64_t from_base = 0;    ///< replays that stepped more ticks than the newest view needs
};

class Watcher {
 public:
  /// The watcher of the player in `seat`, which must be taken.
  Watcher(server::Room& room, PlayerId seat, std::uint32_t base_age_max, std::uint64_t seed);

  /// Runs after a tick of the room: sends, receives and acknowledges at random. Adds to `watched`.
  /// Failures are those of gtest.
  void tick(server::Room& room, Watched& watched);

 private:
  struct OnItsWay {
    Tick arrival;
    Tick tick;
    protocol::Snapshot snapshot;
  };

  struct Ack {
    Tick arrival;
    Tick tick;
  };

  /// The quality of the link; changes now and then.
  struct Link {
    std::uint64_t loss_percent = 0;
    std::uint64_t ack_loss_percent = 0;
    std::uint64_t delay_max = 0;  ///< in ticks; delayed snapshots arrive out of order
    std::uint64_t send_percent = 100;
    std::size_t bytes_min = 0;
  };

  void change_link();
  void send(server::Room& room, Watched& watched);
  void receive(const server::Room& room, Watched& watched);
  void apply(const server::Room& room, const OnItsWay& received, Watched& watched);
  void take_acks(Tick now);

  Rng rng_;
  PlayerId seat_;
  Link link_;
  server::SnapshotPlanner planner_;
  server::SentViews views_;
  server::WaitingBodies waiting_;
  client::SnapshotWorld snapshot_world_;
  protocol::MessageBuffer message_buffer_;
  protocol::Snapshot snapshot_;
  std::vector<OnItsWay> on_their_way_;
  std::vector<Ack> acks_;
  std::vector<Tick> held_;  ///< views that may be acknowledged again
  Tick newest_;
};

}  // namespace tickbox::test
