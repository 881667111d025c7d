// Snapshots to a client that holds a full view of a small arena, each after its length in two
// bytes. A wrong hash is mended and the snapshot applied again, so that the next one can build on
// it: a fuzzer does not guess hashes.

#include "client/views/snapshot_world.h"
#include "protocol/snapshot_codec.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/staged_match.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

using namespace tickbox;

namespace {

constexpr std::size_t kSnapshotsMax = 8;
constexpr std::uint32_t kSeats = 4;

struct Received {
  protocol::Snapshot snapshot;
  Tick tick;
};

/// Two players beside each other, one further off, a crate or more, and a bullet on its way.
tests::StagedMatch make_match() {
  tests::StagedMatch match{kSeats};
  for (const std::uint16_t player : std::to_array<std::uint16_t>({0, 1, 2}))
    match.join({player});
  match.put({0}, 0, 0);
  match.put({1}, 2, 0);
  match.put({2}, 14, 0);
  match.tick({{.player = {2}, .input = {.buttons = game::kButtonShoot, .aim = 512}}});
  return match;
}

/// A snapshot world, and what has made it what it is.
class Client {
 public:
  Client() : snapshot_world_(fresh()) {
    apply({.snapshot = match().full(), .tick = match().now()});
  }

  [[nodiscard]] Tick newest() const { return applied_.back().tick; }

  void apply(Received received) {
    auto view = step(received);
    if (!view && view.error().wrong) {
      received.snapshot.head.view_hash = view.error().wrong->name.client_hash;
      snapshot_world_ = fresh();
      for (const Received& before : applied_)
        fuzz::check(snapshot_world_.apply(before.snapshot, before.tick).has_value());
      view = step(received);
      fuzz::check(view || (view.error().reason == net::DropReason::Malformed &&
                           !view.error().wrong));  // a body inside another one
    }
    if (!view) return;
    fuzz::check(view->tick == received.tick && view->entities.size() <= protocol::kViewMembersMax);
    fuzz::check(std::ranges::adjacent_find(view->entities, std::ranges::greater_equal{},
                                           &game::EntityState::id) == view->entities.end());
    applied_.push_back(received);
  }

 private:
  static tests::StagedMatch& match() {
    static tests::StagedMatch kMatch = make_match();
    return kMatch;
  }

  static client::SnapshotWorld fresh() {
    return {match().map(), match().rules(), match().body({0})};
  }

  std::expected<client::View, client::Rejected> step(const Received& received) {
    const std::uint64_t before = snapshot_world_.steps();
    const auto view = snapshot_world_.apply(received.snapshot, received.tick);
    fuzz::check(snapshot_world_.steps() - before <= protocol::kBaseAgeMax);
    return view;
  }

  client::SnapshotWorld snapshot_world_;
  std::vector<Received> applied_;
};

}  // namespace

TICKBOX_FUZZ_TARGET(apply_snapshot)(ConstBytes input) {
  ConstBytes rest = input;
  Client client;
  for (std::size_t i = 0; i < kSnapshotsMax && rest.size() > 2; ++i) {
    const std::size_t length =
        std::to_integer<std::size_t>(rest[0]) | std::to_integer<std::size_t>(rest[1]) << 8;
    rest = rest.subspan(2);
    const ConstBytes message = rest.first(std::min(length, rest.size()));
    rest = rest.subspan(message.size());
    const auto snapshot = protocol::decode_snapshot(message);
    if (!snapshot) continue;
    client.apply({.snapshot = *snapshot,
                  .tick = protocol::expand_tick(snapshot->head.report.tick, client.newest())});
  }
}
