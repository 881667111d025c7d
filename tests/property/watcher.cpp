#include "tests/property/watcher.h"

#include "net/packet.h"
#include "protocol/snapshot_codec.h"
#include "server/shard/limits.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tickbox::test {
namespace {

/// From the body alone to most of the map.
server::Sight random_sight(Rng& rng) {
  return {.half_width = static_cast<std::int32_t>(rng.below(14)),
          .half_height = static_cast<std::int32_t>(rng.below(10))};
}

bool is_member(const server::BodySlots& slots, const server::ViewMembers* base, BodyId id) {
  return base != nullptr &&
         std::ranges::any_of(*base, [&](server::SlotId slot) { return slots.slot(slot).id == id; });
}

}  // namespace

Watcher::Watcher(server::Room& room, PlayerId seat, std::uint32_t base_age_max, std::uint64_t seed)
    : rng_(seed),
      seat_(seat),
      planner_(random_sight(rng_)),
      views_(base_age_max),
      snapshot_world_(room.world().map(),
                      std::shared_ptr<const game::Rules>{&room.rules(), [](auto*) {}},
                      room.world().body_of(seat)) {
  change_link();
}

void Watcher::tick(server::Room& room, Watched& watched) {
  if (rng_.chance(1, 80)) change_link();
  if (rng_.chance(1, 400)) {
    // Like a client that starts again, once its server knows it.
    snapshot_world_.forget();
    views_.forget();
    on_their_way_.clear();
    acks_.clear();
    held_.clear();
  }
  take_acks(room.world().tick);
  planner_.begin_tick(room);
  if (rng_.below(100) < link_.send_percent) send(room, watched);
  receive(room, watched);
}

void Watcher::change_link() {
  const auto percent = [this](std::uint64_t most) {
    return rng_.chance(1, 3) ? 0 : rng_.below(most + 1);
  };
  link_ = {.loss_percent = percent(60),
           .ack_loss_percent = rng_.chance(1, 8) ? 100 : percent(98),
           .delay_max = rng_.chance(1, 3) ? 0 : rng_.below(30),
           .send_percent = rng_.chance(1, 2) ? 100 : 10 + rng_.below(90),
           .bytes_min = rng_.chance(1, 2) ? net::kDatagramBytesMax : server::kSnapshotBytesMin};
}

void Watcher::send(server::Room& room, Watched& watched) {
  const Tick now = room.world().tick;
  const server::ViewMembers* base = views_.base(now);
  const server::ViewRequest request{
      .own = static_cast<std::uint32_t>(room.world().index_of(room.world().body_of(seat_))),
      .base = base,
      .base_tick = base != nullptr ? views_.base_tick() : now,
      .bytes_max = link_.bytes_min + rng_.below(net::kDatagramBytesMax - link_.bytes_min + 1)};
  const server::ViewPlan plan = planner_.plan(request, waiting_, snapshot_, views_.add(now));
  if (!plan.fits) {
    EXPECT_LT(request.bytes_max, net::kDatagramBytesMax);
    return views_.withdraw(now);
  }
  if (!plan.has_news && rng_.chance(3, 4)) return views_.withdraw(now);

  const auto age = plan.on_base ? static_cast<std::uint8_t>(now - request.base_tick) : 0;
  snapshot_.head = {.report = {.tick = static_cast<std::uint16_t>(now.value & 0xffff)},
                    .view_hash = static_cast<std::uint32_t>(plan.view_hash & 0xffff'ffff),
                    .base_age = static_cast<std::uint8_t>(age)};
  const ConstBytes message = protocol::encode_snapshot(snapshot_, message_buffer_);
  EXPECT_LE(message.size() + net::kPacketOverheadBytes, request.bytes_max);
  if (rng_.below(100) < link_.loss_percent) return;
  const auto arrived = protocol::decode_snapshot(message);
  ASSERT_TRUE(arrived);
  on_their_way_.push_back(
      {.arrival = now + static_cast<std::uint32_t>(rng_.below(link_.delay_max + 1)),
       .tick = now,
       .snapshot = *arrived});

  watched.full += plan.on_base ? 0U : 1U;
  watched.waiting += waiting_.size();
  watched.oldest_base = std::max<std::uint64_t>(watched.oldest_base, snapshot_.head.base_age);
  watched.causes += snapshot_.causes.inputs.size() + snapshot_.causes.shots.size() +
                    snapshot_.causes.teleports.size();
  watched.leaves += snapshot_.causes.exits.size();
  for (const game::EntityState& body : snapshot_.bodies) {
    const bool is_set = plan.on_base && is_member(room.replication_log().slots(), base, body.id);
    ++(is_set ? watched.sets : watched.enters);
  }
}

void Watcher::receive(const server::Room& room, Watched& watched) {
  const Tick now = room.world().tick;
  for (const OnItsWay& received : on_their_way_) {
    // Drops what is older than the newest view, as a client does.
    if (received.arrival <= now && newest_ < received.tick) apply(room, received, watched);
  }
  std::erase_if(on_their_way_, [now](const auto& packet) { return packet.arrival <= now; });
}

void Watcher::apply(const server::Room& room, const OnItsWay& received, Watched& watched) {
  const std::uint64_t steps = snapshot_world_.steps();
  const auto view = snapshot_world_.apply(received.snapshot, received.tick);
  ASSERT_TRUE(view) << "tick " << received.tick.value << " on "
                    << int{received.snapshot.head.base_age} << " seat " << seat_.value
                    << (view.error().wrong ? " comes out otherwise" : " is refused");
  ++watched.views;
  const auto stepped = static_cast<std::int64_t>(snapshot_world_.steps() - steps);
  const bool goes_back = stepped > received.tick - newest_;
  watched.from_base += goes_back ? 1U : 0U;
  EXPECT_TRUE(std::ranges::any_of(
      view->entities,
      [&](const game::EntityState& entity) { return entity.id == room.world().body_of(seat_); }))
      << "tick " << received.tick.value << " lacks the own body";
  newest_ = received.tick;
  held_.push_back(newest_);

  // Mostly acknowledges the newest view, and sometimes an older one again.
  const Tick told = rng_.chance(1, 8) ? held_[rng_.below(held_.size())] : newest_;
  if (rng_.below(100) < link_.ack_loss_percent) return;
  acks_.push_back({.arrival = room.world().tick + 1 +
                              static_cast<std::uint32_t>(rng_.below(link_.delay_max + 1)),
                   .tick = told});
}

void Watcher::take_acks(Tick now) {
  for (const Ack& ack : acks_) {
    if (ack.arrival <= now) views_.acknowledge(ack.tick);
  }
  std::erase_if(acks_, [now](const Ack& ack) { return ack.arrival <= now; });
}

}  // namespace tickbox::test
