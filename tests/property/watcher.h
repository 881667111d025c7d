#pragma once
// A client without a network: what the server would send to it goes through the encoder and an
// unreliable way into a replica, whose acknowledgements come back as unreliably.

#include "client/views/replica.h"
#include "core/rng.h"
#include "protocol/messages.h"
#include "server/replication/sent_views.h"
#include "server/replication/snapshot_planner.h"
#include "server/room/room.h"

#include <cstdint>
#include <vector>

namespace tickbox::test {

/// What watchers have seen, to know that a test has tried anything at all.
struct Watched {
  std::uint64_t views = 0;  ///< made and compared
  std::uint64_t full = 0;
  std::uint64_t causes = 0;
  std::uint64_t leaves = 0;
  std::uint64_t sets = 0;    ///< whole bodies of what the base has
  std::uint64_t enters = 0;  ///< whole bodies of what it has not
  std::uint64_t waiting = 0;
  std::uint64_t oldest_base = 0;  ///< ticks
  std::uint64_t from_base = 0;    ///< replays that had to step more than the newest needs
};

class Watcher {
 public:
  /// Of whoever has `seat`, who must be in the room.
  Watcher(server::Room& room, PlayerId seat, std::uint32_t base_age_max, std::uint64_t seed);

  /// After a tick of the room: sends, receives and acknowledges, as chance has it. Adds to
  /// `watched`. Failures are of gtest.
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

  /// How bad the way is; changes now and then.
  struct Link {
    std::uint64_t loss_percent = 0;
    std::uint64_t ack_loss_percent = 0;
    std::uint64_t delay_max = 0;  ///< ticks; who is late comes out of order
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
  server::Waiters waiters_;
  client::Replica replica_;
  protocol::MessageEncoder encoder_;
  protocol::Snapshot snapshot_;
  std::vector<OnItsWay> on_their_way_;
  std::vector<Ack> acks_;
  std::vector<Tick> held_;  ///< that may be acknowledged once more
  Tick newest_;
};

}  // namespace tickbox::test
