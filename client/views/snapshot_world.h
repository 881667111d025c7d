#pragma once
// The client's views of the last ticks. Each is made from an older view by the causes in a
// snapshot, and checked against the server's hash.
//
// A snapshot describes the change from its base to its tick. A replay gives the same result from
// any later view that has all members to replay. So it starts from the newest view, and one step is
// usually enough. If that view lacks a member that did not despawn in a replay, the replay starts
// from the base.

#include "client/views/received_views.h"
#include "game/entity_state.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"
#include "net/drop_reason.h"
#include "protocol/snapshot.h"
#include "protocol/view_parts.h"

#include <array>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::client {

/// A view whose hash differs from the server's, and its base. Valid until the next snapshot.
struct WrongView {
  protocol::ViewName name;
  std::span<const game::EntityState> entities;  ///< by id, as in `base`
  std::span<const game::EntityState> base;      ///< empty for a full view
};

/// The reason why a snapshot made no view.
struct Rejected {
  net::DropReason reason = net::DropReason::Malformed;
  std::optional<WrongView> wrong;  ///< set if the snapshot is well formed and the hash differs
};

/// Adds an entity of a view to a world; for a player also takes its seat.
void add_entity(game::World& world, const game::Rules& rules, const game::EntityState& entity);

/// Returns whether another mover touched `body` in the tick that was just stepped.
[[nodiscard]] bool was_touched(const sim::StepReport& report, BodyId body);

class SnapshotWorld {
 public:
  SnapshotWorld(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules, BodyId own);

  /// Makes the view of `tick` and holds it. The returned view is valid until the next call.
  /// Fails: Unexpected, if a view as new was made or the base is not held; Malformed, if the
  /// snapshot has something that no server has, such as a body inside another one; with a wrong
  /// view, after which no view is held.
  /// Cost: no allocation once warm; normally steps the ticks since the newest view, at most
  /// protocol::kBaseAgeMax.
  std::expected<View, Rejected> apply(const protocol::Snapshot& snapshot, Tick tick);

  /// Drops all held views: only a full view makes another one.
  void forget();

  /// Returns the acknowledgement of the newest view that the client holds, or nothing.
  [[nodiscard]] const std::optional<protocol::ViewAck>& ack() const { return views_.ack(); }

  /// Returns the number of ticks stepped so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// The number of despawned bullets to remember. A forgotten one only costs a longer replay.
  static constexpr std::size_t kDespawnsRemembered = 256;

  struct Despawn {
    BodyId id;
    Tick tick;
  };

  /// Marks the members of the base that are not replayed: they exit, or are sent in full.
  using Dropped = std::array<bool, protocol::kViewMembersMax>;

  /// A snapshot that is being applied.
  struct Job {
    const protocol::Snapshot& snapshot;
    Tick tick;
    const HeldView& base;
    Dropped dropped{};
  };

  std::expected<View, Rejected> finish(const protocol::Snapshot& snapshot, Tick tick,
                                       std::span<const game::EntityState> base);
  [[nodiscard]] bool mark_dropped(Job& job) const;
  [[nodiscard]] bool has_valid_causes(const Job& job) const;
  [[nodiscard]] const HeldView& find_start(const Job& job);
  [[nodiscard]] Tick find_news(const protocol::Snapshot& snapshot, Tick tick) const;
  void find_shot_bullets(const Job& job, Tick until);
  [[nodiscard]] bool is_replayed(const Job& job, BodyId id) const;
  void load(const Job& job, const HeldView& start);
  [[nodiscard]] bool replay(const Job& job);
  [[nodiscard]] bool is_inside_another(const sim::Body& body) const;
  void gather_commands(const Job& job, std::uint8_t ago);
  void step();
  void keep_tick();
  [[nodiscard]] bool has_despawned(BodyId id, Tick after) const;
  void note_despawn(BodyId id);

  std::shared_ptr<const game::Rules> rules_;
  BodyId own_;
  game::World world_;
  bool world_is_newest_ = false;  ///< world_ has exactly the bodies of the newest view
  game::Stepper stepper_;
  ReceivedViews views_;
  std::optional<Tick> made_;  ///< the tick of the last view made, also if it was forgotten
  Tick touched_;
  std::uint64_t steps_ = 0;

  std::vector<BodyId> shot_bullets_;  ///< ids of the bullets that shot causes spawn, ascending
  std::vector<BodyId> flying_;
  std::vector<BodyId> removed_;
  std::vector<game::PlayerInput> inputs_;
  std::vector<game::Teleport> teleports_;
  std::vector<game::EntityState> result_;
  std::vector<HeldView> replayed_ticks_;  ///< the first replayed_tick_count_ are of this snapshot
  std::size_t replayed_tick_count_ = 0;
  Tick news_;
  std::vector<SeenTeleport> seen_teleports_;
  std::array<Despawn, kDespawnsRemembered> despawns_{};
  std::size_t despawn_count_ = 0;
};

}  // namespace tickbox::client
