#include "server/shard/metrics.h"

#include "net/packet.h"
#include "protocol/cause_codec.h"
#include "protocol/event_codec.h"
#include "protocol/snapshot_codec.h"
#include "server/replication/snapshot_planner.h"

namespace tickbox::server {

void SnapshotMetrics::count(const protocol::Snapshot& snapshot, const ViewPlan& plan,
                            std::size_t message_bytes) {
  ++(plan.on_base ? on_base : full);
  (plan.on_base ? on_base_sizes : full_sizes)
      .add(static_cast<std::int64_t>(message_bytes + net::kPacketOverheadBytes));
  waiting += plan.waiting;
  deferred += plan.deferred;
  members += plan.members;
  const std::size_t exits = snapshot.causes.exits.size();
  const std::size_t causes = protocol::encoded_bytes(snapshot.causes) - exits;
  const std::size_t bodies = plan.enter_bytes + plan.set_bytes;
  const std::size_t events = protocol::encoded_bytes(snapshot.events);
  add(SnapshotPart::Packet, net::kPacketOverheadBytes);
  add(SnapshotPart::Frame, message_bytes - causes - exits - bodies - events);
  add(SnapshotPart::Causes, causes);
  add(SnapshotPart::Enters, plan.enter_bytes);
  add(SnapshotPart::Sets, plan.set_bytes);
  add(SnapshotPart::Leaves, exits);
  add(SnapshotPart::Events, events);
}

}  // namespace tickbox::server
