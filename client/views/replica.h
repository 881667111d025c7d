#pragma once
// What the client holds of the room: views of the last ticks, each made from an older one by the
// causes that a snapshot tells, and checked against the server's hash.
//
// A snapshot says how to get from its base to its tick. The result is the same from any view in
// between that has all members that are replayed, so the newest is taken, and one step is enough
// mostly. Where a member is missing there that did not die in a replay, the way goes from the base.

#include "core/tick_ring.h"
#include "game/entity_state.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"
#include "net/drop_reason.h"
#include "protocol/history_depths.h"
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

/// The views that a client holds of the last ticks: what snapshots are built on.
struct HeldView {
  Tick tick;
  std::vector<game::EntityState> entities;  ///< by id
};

class HeldViews {
 public:
  /// The view of `tick`, or nullptr.
  [[nodiscard]] const HeldView* find(Tick tick) const { return views_.find(tick); }

  /// The newest of all, or nullptr.
  [[nodiscard]] const HeldView* newest() const;

  /// Where the view of `tick` is to be written; it takes the place of one protocol::kViewsHeld
  /// ticks older. Requires: later than the newest.
  std::vector<game::EntityState>& add(Tick tick);

  /// Holds none any more. What they were is still there to be read, until the next add().
  void clear();

 private:
  TickRing<HeldView, protocol::kViewsHeld> views_;
  std::optional<Tick> newest_;
};

/// A player's body that the server put somewhere when the tick was over.
struct Placed {
  BodyId id;
  Tick tick;
};

/// What a client sees at a tick: entities by id, as the server has them.
struct View {
  Tick tick;
  std::span<const game::EntityState> entities;
  Tick touched;  ///< the last tick in which another mover touched the own body, or the server put
                 ///< it somewhere; or could have, for all that is known
  bool has_news =
      false;  ///< the server had something to tell: without, it keeps silent for a while
  /// The first tick since the view before in which something happened, for all that is known, that
  /// does not follow from it; later than `tick`: nothing did.
  Tick news = {};
  /// The ticks between the view before and this one, oldest first, of what was stepped: as true as
  /// the view. Not of what came whole; none of it in a view on no base.
  std::span<const HeldView> passed = {};
  /// Since the view before, of what was stepped.
  std::span<const Placed> placed = {};
};

/// A view that did not come out as the server said, and the one it was made of. Valid until the
/// next snapshot.
struct WrongView {
  protocol::ViewName name;
  std::span<const game::EntityState> entities;  ///< by id, as the next
  std::span<const game::EntityState> base;      ///< nothing where it came whole
};

/// Why there is no view.
struct Rejected {
  net::DropReason reason = net::DropReason::Malformed;
  std::optional<WrongView> wrong;  ///< all is well formed, and wrong
};

/// Puts an entity of a view into a world, with the seat of its player.
void add_entity(game::World& world, const game::Rules& rules, const game::EntityState& entity);

/// Whether another mover touched `body` in the tick that was just stepped.
[[nodiscard]] bool was_touched(const sim::StepReport& report, BodyId body);

class Replica {
 public:
  Replica(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules, BodyId own);

  /// Makes the view of `tick`, valid until the next call, and holds it.
  /// Fails: Unexpected, where it is not newer than what is held, or on a base that is not held;
  /// Malformed, where it speaks of what is not there; with a wrong view, after which nothing is
  /// held. Cost: no allocation once warm; steps as many ticks as there are from the newest view, at
  /// most protocol::kBaseAgeMax.
  std::expected<View, Rejected> apply(const protocol::Snapshot& snapshot, Tick tick);

  /// Throws away all views.
  void forget();

  /// Ticks stepped so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// Bullets that a replay has shown to be gone: what is forgotten costs a longer replay, no more.
  static constexpr std::size_t kDeadRemembered = 256;

  struct Death {
    BodyId id;
    Tick tick;
  };

  /// Members of the base that are not replayed: they leave, or come whole.
  using Dropped = std::array<bool, protocol::kViewMembersMax>;

  /// A snapshot under way.
  struct Job {
    const protocol::Snapshot& snapshot;
    Tick tick;
    const HeldView& base;
    Dropped dropped{};
  };

  std::expected<View, Rejected> finish(const protocol::Snapshot& snapshot, Tick tick,
                                       std::span<const game::EntityState> base);
  [[nodiscard]] bool mark_dropped(Job& job) const;
  [[nodiscard]] bool names_what_is_there(const Job& job) const;
  [[nodiscard]] const HeldView& start_of(const Job& job);
  [[nodiscard]] Tick news_of(const protocol::Snapshot& snapshot, Tick tick) const;
  void gather_births(const Job& job, Tick until);
  [[nodiscard]] bool is_replayed(const Job& job, BodyId id) const;
  void load(const Job& job, const HeldView& start);
  void replay(const Job& job);
  void gather_inputs(const Job& job, std::uint8_t ago);
  void step();
  void pass();
  [[nodiscard]] bool has_died(BodyId id, Tick after) const;
  void bury(BodyId id);

  std::shared_ptr<const game::Rules> rules_;
  BodyId own_;
  game::World world_;
  bool world_is_newest_ = false;  ///< holds the newest view, body for body
  game::Stepper stepper_;
  HeldViews views_;
  Tick touched_;
  std::uint64_t steps_ = 0;

  std::vector<BodyId> births_;  ///< of bullets that causes tell, by id
  std::vector<BodyId> flying_;
  std::vector<BodyId> gone_;
  std::vector<game::PlayerInput> inputs_;
  std::vector<game::Placement> placements_;
  std::vector<game::EntityState> result_;
  std::vector<HeldView> passed_;  ///< the first passed_count_ are of this snapshot
  std::size_t passed_count_ = 0;
  Tick news_;
  std::vector<Placed> placed_;
  std::array<Death, kDeadRemembered> dead_{};
  std::size_t deaths_ = 0;
};

}  // namespace tickbox::client
