// Seeing through walls: nothing is sent of what is outside a client's view. Read from the packets
// themselves, as a client that cheats would, and compared with where everything really is.

#include "server/interest.h"
#include "tests/threats/eavesdropper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

namespace tickbox::tests {
namespace {

using std::chrono::seconds;

struct Seen {
  std::uint64_t snapshots = 0;
  std::uint64_t entities = 0;
  std::uint64_t outside = 0;   ///< sent, and beyond the border of the view
  std::uint64_t untrue = 0;    ///< sent, and not as it is
  std::uint64_t hidden = 0;    ///< not sent, and beyond the border
  std::uint64_t left_out = 0;  ///< not sent, though within it
};

bool is_in_view(Vec2 of, Vec2 centre) {
  const auto within = [](std::int32_t a, std::int32_t b, std::int32_t units) {
    return std::abs(std::int64_t{a} - b) <= std::int64_t{units} * kUnit;
  };
  return within(of.x, centre.x, server::kViewHalfWidthUnits) &&
         within(of.y, centre.y, server::kViewHalfHeightUnits);
}

/// A snapshot goes out between two ticks, so that the room is still as it was told.
void look(const server::Room& room, const net::Accept& place, const net::SnapshotFragment& sent,
          std::map<std::uint32_t, std::size_t>& of_tick, Seen& seen) {
  const auto entities = room.entities();
  const auto own = std::ranges::find(entities, place.body, &game::EntityState::id);
  ASSERT_NE(own, entities.end());
  ASSERT_EQ(sent.head.tick, room.world().tick);
  for (std::size_t i = 0; i < sent.entities.size(); ++i) {
    const game::EntityState& entity = sent.entities[i];
    const auto real = std::ranges::find(entities, entity.id, &game::EntityState::id);
    const bool is_true = real != entities.end() && *real == entity;
    seen.untrue += is_true ? 0U : 1U;
    seen.outside += is_in_view(entity.min, own->min) ? 0U : 1U;
    ++seen.entities;
  }
  of_tick[place.player.value] += sent.entities.size();
  if (sent.head.fragment + 1 < sent.head.fragments) return;
  const auto inside = static_cast<std::size_t>(std::ranges::count_if(
      entities, [&](const game::EntityState& e) { return is_in_view(e.min, own->min); }));
  seen.hidden += entities.size() - inside;
  seen.left_out += std::min(inside, net::kViewEntitiesMax) - of_tick[place.player.value];
  of_tick[place.player.value] = 0;
  ++seen.snapshots;
}

TEST(Threat, SeeingThroughWallsIsNotPossibleForWhatIsOutsideIsNotSent) {
  constexpr std::size_t kClients = 60;
  Harness harness{{.seed = 111, .max_clients = 400}};
  Wire wire{harness};
  Eavesdropper ears{wire};
  Seen seen;
  std::map<std::uint32_t, std::size_t> of_tick;
  ears.listen([&](const Eavesdropper::Read& read) {
    if (read.type != net::PacketType::Snapshot) return;
    const auto fragment = net::decode_snapshot(read.message);
    ASSERT_TRUE(fragment.has_value());
    look(harness.room(), read.session.accept, *fragment, of_tick, seen);
  });
  for (std::size_t i = 0; i < kClients; ++i) {
    const net::ConnectToken token = harness.make_token(i + 1);
    ears.is_handed(token);
    harness.add_client({}, token);
  }
  harness.run_for(seconds{15});
  EXPECT_EQ(ears.unread(), 0U);
  EXPECT_GT(seen.snapshots, kClients * 14 * 60);
  EXPECT_GT(seen.hidden, seen.snapshots * 20) << "a room so small shows nothing";
  EXPECT_GT(seen.entities, 5 * seen.snapshots);
  EXPECT_EQ(seen.outside, 0U);
  EXPECT_EQ(seen.untrue, 0U);
  EXPECT_EQ(seen.left_out, 0U);
}

}  // namespace
}  // namespace tickbox::tests
