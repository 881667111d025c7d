#include "server/shard/replicator.h"

#include "core/assert.h"
#include "core/processor.h"
#include "protocol/snapshot.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <utility>

namespace tickbox::server {
namespace {

/// The age of a base, in ticks, that counts as much as twice the work.
constexpr std::int64_t kAgeThatDoubles = 16;

/// A wait of this time, in ticks, counts as much as half of the work. If it were shorter, views
/// would have to differ by more for the larger to wait longer.
constexpr std::int64_t kWaitThatHalves = 2;

/// Returns the tick of the newest view that the client holds, if it is new enough for a base.
std::optional<Tick> base_of(const SessionSnapshots& snapshots, Tick tick) {
  const SentViews& views = *snapshots.views;
  const bool is_new =
      views.has_base(tick) && tick - views.base_tick() <= snapshots.base_age.limit(tick);
  return is_new ? std::optional{views.base_tick()} : std::nullopt;
}

/// Counts a snapshot that is sent. `message_bytes`: the size of its message.
void count(SnapshotMetrics& metrics, const protocol::Snapshot& snapshot, const ViewPlan& plan,
           std::size_t message_bytes) {
  ++(plan.on_base ? metrics.on_base : metrics.full);
  (plan.on_base ? metrics.on_base_sizes : metrics.full_sizes)
      .add(static_cast<std::int64_t>(message_bytes + net::kPacketOverheadBytes));
  metrics.waiting += plan.waiting;
  metrics.deferred += plan.deferred;
  metrics.members += plan.members;
  const std::size_t content = snapshot.content.size();
  const std::size_t events = snapshot.events.size();
  const std::size_t bodies = plan.new_body_bytes + plan.known_body_bytes;
  metrics.add(SnapshotPart::Packet, net::kPacketOverheadBytes);
  metrics.add(SnapshotPart::Frame, message_bytes - content - events);
  metrics.add(SnapshotPart::Causes, content - plan.exit_bytes - bodies);
  metrics.add(SnapshotPart::NewBodies, plan.new_body_bytes);
  metrics.add(SnapshotPart::KnownBodies, plan.known_body_bytes);
  metrics.add(SnapshotPart::Exits, plan.exit_bytes);
  metrics.add(SnapshotPart::Events, events);
}

}  // namespace

std::uint64_t postpone_costliest(const DueSnapshots& due, const WorkLimit& limit,
                                 std::span<MayWait> may_wait) {
  const std::uint64_t least = std::max(limit.work, due.work / limit.ticks);
  std::uint64_t work = due.work;
  if (work <= least) return 0;
  std::ranges::sort(may_wait, std::greater{}, &MayWait::rank);
  for (const MayWait& each : may_wait) {
    if (work <= least) break;
    if (each.snapshots->plan_work <= limit.work / due.count) continue;
    each.snapshots->turn = SnapshotTurn::PutOff;
    work -= each.snapshots->plan_work;
  }
  return due.work - work;
}

std::uint64_t rank_under_load(const SessionSnapshots& snapshots, Tick tick) {
  const std::int64_t age = snapshots.base ? tick - *snapshots.base : protocol::kBaseAgeMax;
  return snapshots.plan_work * static_cast<std::uint64_t>(kAgeThatDoubles + age) /
         static_cast<std::uint64_t>(kWaitThatHalves + (tick - snapshots.last));
}

Replicator::Replicator(ShardContext& context, const SendPace& pace, const Rate& snapshot_bytes)
    : context_(context), pace_(pace), snapshot_bytes_(snapshot_bytes) {}

void Replicator::queue_events(HostedRoom& room) {
  router_.gather(room.match());
  if (router_.size() == 0) return;
  router_.route(room.match(), [&](Player player, std::size_t event) {
    Session* session = room.seats().seat_of({player.seat}).playing;
    if (session == nullptr) return false;
    const EventBits bits = router_.bits(event);
    const bool is_queued =
        session->snapshots.events->add(room.tick(), router_.bytes(), bits.first, bits.bits);
    ++(is_queued ? context_.metrics.events.queued : context_.metrics.events.lost);
    return is_queued;
  });
}

void Replicator::choose_due(RoomList& rooms, Instant now) {
  DueSnapshots due;
  may_wait_.clear();
  for (HostedRoom& room : rooms) {
    if (room.is_idle()) continue;
    may_wait_.reserve(may_wait_.size() + room.seats().count());
    for (const Seat& seat : room.seats().all()) {
      if (seat.playing == nullptr || !seat.in_world) continue;
      if (!choose_due(*seat.playing, now)) continue;
      ++due.count;
      due.work += seat.playing->snapshots.plan_work;
    }
  }
  postpone(due);
}

/// Returns whether a snapshot is due. Adds it to those that may be put off, if it is one.
bool Replicator::choose_due(Session& session, Instant now) {
  SessionSnapshots& snapshots = session.snapshots;
  const Tick tick = session.room->tick();
  snapshots.base = base_of(snapshots, tick);
  const bool is_due = pace_.is_due(session, tick, snapshots.base.has_value(), now);
  const SnapshotTurn before =
      std::exchange(snapshots.turn, is_due ? SnapshotTurn::Due : SnapshotTurn::None);
  if (!is_due) return false;
  if (is_overloaded()) {
    if (tick - snapshots.last < std::int64_t{pace_.least_interval()}) {
      may_wait_.push_back({&snapshots, rank_under_load(snapshots, tick)});
    }
  } else if (before != SnapshotTurn::PutOff) {
    may_wait_.push_back({&snapshots, snapshots.plan_work});
  }
  return true;
}

/// Puts off what is too much work. Work that the limit allows and that is not done is saved for the
/// next tick: a single large view then has its turn as often as there is time for it.
void Replicator::postpone(const DueSnapshots& due) {
  const WorkLimit limit = is_overloaded() ? WorkLimit{.work = work_limit_ + work_saved_,
                                                      .ticks = pace_.least_interval()}
                                          : WorkLimit{.work = usual_work(), .ticks = 2};
  const std::uint64_t done = due.work - postpone_costliest(due, limit, may_wait_);
  work_saved_ = std::min(limit.work - std::min(limit.work, done), due.work);
  work_.wanted = due.work;
  context_.metrics.snapshots.put_off += static_cast<std::uint64_t>(std::ranges::count_if(
      may_wait_, [](const MayWait& each) { return each.snapshots->turn == SnapshotTurn::PutOff; }));
}

void Replicator::send(HostedRoom& room, Instant now) {
  gather_due(room);
  if (due_.empty()) return;
  planner_.begin_tick(room.match(), room.planned());
  for (std::size_t i = 0; i < due_.size(); ++i) {
    // The place of a session's views is in the session, so that is read first.
    if (i + 2 < due_.size()) prefetch(due_[i + 2], sizeof(Session));
    if (i + 1 < due_.size()) due_[i + 1]->snapshots.views->prefetch();
    send(*due_[i], now);
  }
}

/// Gathers the clients of a room that are sent a snapshot. Cost: a counting sort.
void Replicator::gather_due(HostedRoom& room) {
  std::array<std::size_t, protocol::kBaseAgeMax + 2> ends{};  // by age, from the second on
  const auto visit_due = [&room](auto visit) {
    for (const Seat& seat : room.seats().all()) {
      if (seat.playing == nullptr || !seat.in_world) continue;
      const SessionSnapshots& snapshots = seat.playing->snapshots;
      if (snapshots.turn != SnapshotTurn::Due) continue;
      const std::int64_t age = snapshots.base ? room.tick() - *snapshots.base : 0;
      visit(*seat.playing, static_cast<std::size_t>(age));
    }
  };
  visit_due([&ends](Session& /*session*/, std::size_t age) { ++ends[age + 1]; });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  due_.resize(ends.back());
  visit_due([&](Session& session, std::size_t age) { due_[ends[age]++] = &session; });
}

void Replicator::send(Session& session, Instant now) {
  SessionSnapshots& snapshots = session.snapshots;
  const Tick tick = session.room->tick();
  const Members* base = snapshots.base ? snapshots.views->base(tick) : nullptr;
  const std::uint64_t bytes =
      std::min(static_cast<std::uint64_t>(session.limits.sent.available(snapshot_bytes_, now)),
               snapshots.receipts.bytes_allowed(now));
  if (bytes < kSnapshotBytesMin) {
    ++context_.metrics.snapshots.held_back;
    return;
  }
  const EventQueue::Due events = snapshots.events->due(tick, kEventBytesMax);
  const auto planned = plan(session, base, bytes, events);
  if (!planned) return;
  snapshots.views->add(tick, view_);
  const ConstBytes message = encode(session, *planned, events.count);
  snapshots.plan_work += message.size() / kBytesPerWork;
  work_.done += message.size() / kBytesPerWork;
  snapshots.last = tick;
  ++snapshots.sent;
  snapshots.base_age.on_sent(tick);
  const std::size_t size = message.size() + net::kPacketOverheadBytes;
  snapshots.bytes += size;
  snapshots.receipts.on_sent(tick, snapshot_.head.view_hash, size, now);
  ++session.hashes_sent;
  const bool paid =
      session.limits.sent.consume(snapshot_bytes_, now, static_cast<std::int64_t>(size));
  TICKBOX_ASSERT(paid);
  count(context_.metrics.snapshots, snapshot_, *planned, message.size());
  context_.send(session, net::PacketType::Snapshot, message);
}

/// Returns what a snapshot has, or nothing if none is to be sent: it does not fit the byte budget,
/// or the client can compute all of it.
std::optional<ViewPlan> Replicator::plan(Session& session, const Members* base, std::size_t bytes,
                                         const EventQueue::Due& events) {
  SessionSnapshots& snapshots = session.snapshots;
  HostedRoom& room = *session.room;
  const Tick tick = room.tick();
  const bool is_wanted =
      events.count > 0 || session.owes_command_ack || pace_.is_quiet_due(session, tick);
  const ViewRequest request{.player = {session.player.value},
                            .base = base,
                            .base_tick = snapshots.base.value_or(tick),
                            .last = snapshots.views->newest(tick),
                            .bytes_max = std::min(net::kDatagramBytesMax, bytes),
                            .bytes_kept = events.bytes,
                            .only_with_news = !is_wanted};
  const ViewPlan plan = planner_.plan(request, snapshots.waiting, snapshot_.content, view_);
  snapshots.plan_work = plan.work;
  work_.done += plan.work;
  if (!plan.fits) {
    ++context_.metrics.snapshots.held_back;
    return std::nullopt;
  }
  if (!plan.has_news && !is_wanted) {
    ++context_.metrics.snapshots.quiet;
    return std::nullopt;
  }
  return plan;
}

/// Completes the planned snapshot with head, status and events, and encodes it. Its events and
/// status count as sent from now on.
ConstBytes Replicator::encode(Session& session, const ViewPlan& plan, std::size_t events) {
  const Tick tick = session.room->tick();
  const std::int64_t base_age = plan.on_base ? tick - *session.snapshots.base : 0;
  snapshot_.head = {.report = input_report(session, tick),
                    .view_hash = static_cast<std::uint32_t>(plan.view_hash & 0xffff'ffff),
                    .base_age = static_cast<std::uint8_t>(base_age)};
  snapshot_.receipt = session.snapshots.receipts.receipt_of(tick);
  snapshot_.status = pace_.poll_status(session, tick);
  snapshot_.commands = consume_command_ack(session);
  session.snapshots.events->write(tick, events, snapshot_.events);
  return protocol::encode_snapshot(snapshot_, context_.message_buffer);
}

}  // namespace tickbox::server
