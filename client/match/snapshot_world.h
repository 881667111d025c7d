#pragma once
// What a client makes of snapshots: its views of the last ticks, and the events in order. Each view
// is made from an older one by the causes in a snapshot, and checked against the server's hash.
//
// A snapshot describes the change from its base to its tick. A replay gives the same result from
// any later view that has all members to replay. So it starts from the newest view, and one step is
// usually enough.
//
// The newest view may lack a member that had left the view since the base and now returns. Such
// members catch up first, in a world of their own, from the newest view that has all of them; the
// base has them in any case. While they were out of view, they normally influenced nobody in it.
// There are two exceptions. They may have met a member that was sent in full meanwhile. And the
// newest view may lack what a member had spawned before it was sent in full. In both cases the hash
// of the view differs, and all members are replayed from the base.

#include "core/assert.h"
#include "core/bytes.h"
#include "core/ids.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "net/reasons.h"
#include "protocol/history_depths.h"
#include "views/content.h"
#include "views/events.h"
#include "views/rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::client {

/// A view that the client holds.
struct HeldView {
  Tick tick;
  views::Rows rows;             ///< by id
  std::vector<std::byte> room;  ///< the room's state
};

/// What a world is made of: a view, wherever it is kept.
struct WorldSource {
  Tick tick;
  ConstBytes room;
  const views::Rows* rows;
};

/// Makes `world` that of a view, or of a part of it: of the rows `taken`, whose indexes ascend. Its
/// seats that no row takes stay as they are. `adding`: memory to reuse. Fails: false, as
/// views::add_all().
template <class Indexes>
[[nodiscard]] bool restore_world(engine::World& world, const WorldSource& view, Indexes&& taken,
                                 std::vector<views::RowRef>& adding) {
  world.clear_rows();
  world.tick = view.tick;
  std::ranges::copy(view.room, world.room().begin());
  adding.clear();
  for (const std::size_t row : taken) {
    adding.push_back(view.rows->row(row));
  }
  return views::add_all(world, adding);
}

/// The views that a client holds, as bases of the snapshots to come.
///
/// A server builds on the newest view that the client has acknowledged. So once a snapshot has
/// built on a view, no later one builds on an older view, and the memory of older views is used
/// again. A client holds about as many views as snapshots are on their way, and not those of a
/// whole second.
///
/// Other parts of the client share the newest view and need no copy of it. The memory of a view
/// that somebody still keeps is not used again.
class HeldViews {
 public:
  /// Returns the view of `tick`, or nullptr; valid until the views change.
  [[nodiscard]] const HeldView* find(Tick tick) const {
    const std::span held = std::span{views_}.first(count_);
    const auto view = std::ranges::lower_bound(held, tick, {}, &Held::tick);
    return view != held.end() && view->tick == tick ? view->view.get() : nullptr;
  }

  /// Returns the newest view for which is_wanted(view) returns true, or nullptr.
  template <class IsWanted>
  [[nodiscard]] const HeldView* find_newest(IsWanted is_wanted) const {
    for (std::size_t i = count_; i-- > 0;) {
      if (is_wanted(*views_[i].view)) return views_[i].view.get();
    }
    return nullptr;
  }

  /// Returns a view to be overwritten, which counts as that of `tick`. Drops the oldest one of too
  /// many. Requires: no view is as new.
  [[nodiscard]] std::shared_ptr<HeldView> add(Tick tick) {
    TICKBOX_ASSERT(count_ == 0 || views_[count_ - 1].tick < tick);
    if (count_ == protocol::kViewsHeld) remove_oldest(1);
    const std::span dropped = std::span{views_}.subspan(count_);
    const auto unused =
        std::ranges::find_if(dropped, [](const Held& held) { return held.view.use_count() == 1; });
    if (unused != dropped.end()) {
      std::swap(dropped.front(), *unused);
    } else {
      views_.push_back({.view = std::make_shared<HeldView>()});
      std::swap(views_[count_], views_.back());
    }
    Held& held = views_[count_++];
    held.tick = held.view->tick = tick;
    return held.view;
  }

  /// Drops the views before `tick`.
  void remove_before(Tick tick) {
    const std::span held = std::span{views_}.first(count_);
    remove_oldest(std::ranges::lower_bound(held, tick, {}, &Held::tick) - held.begin());
  }

  void clear() { count_ = 0; }

 private:
  struct Held {
    Tick tick;  ///< of the view: a search reads no view
    std::shared_ptr<HeldView> view;
  };

  /// Drops the oldest views. The next views reuse their memory.
  void remove_oldest(std::ptrdiff_t views) {
    const auto first = views_.begin();
    std::rotate(first, first + views, first + static_cast<std::ptrdiff_t>(count_));
    count_ -= static_cast<std::size_t>(views);
  }

  std::vector<Held> views_;  ///< the first count_, by tick; never shrinks
  std::size_t count_ = 0;
};

/// A body of a view at a tick on the way to that view.
struct BodyPosition {
  BodyId id;
  Vec2 min;
  std::uint8_t kind = 0;
};

struct BodyPositions {
  Tick tick;
  std::vector<BodyPosition> bodies;  ///< by id
};

/// An entity in view that was put elsewhere by rules at the end of a tick.
struct SeenTeleport {
  BodyId id;
  Tick tick;
};

/// A client's view at a tick, exactly as on the server.
struct View {
  Tick tick;
  /// Its entities, and the room's state. They stay as they are while somebody keeps them.
  std::shared_ptr<const views::Rows> rows = nullptr;
  std::shared_ptr<const std::vector<std::byte>> room = nullptr;
  /// The last tick in which a body of another player, or of nobody, influenced an own one, or the
  /// server decided for it or changed the room's state. A tick in which this is possible but
  /// unknown counts too.
  Tick touched;
  /// The server had news to send; without news it sends nothing for a while.
  bool has_news = false;
  /// The first tick after the previous view with a change that does not follow from that view, as
  /// far as the client knows. Later than `tick`: there was none.
  Tick news = {};
  /// Where its bodies were at the ticks between the previous view and this one, oldest first, as
  /// correct as the view. Bodies that were sent in full are missing. Empty for a full view.
  std::span<const BodyPositions> replayed_positions = {};
  /// The teleports of replayed bodies since the previous view.
  std::span<const SeenTeleport> teleports = {};
  /// The centre of the view, in sub-units. A snapshot has it rounded to whole units, and only with
  /// a body in full.
  std::optional<Vec2> centre = std::nullopt;
};

/// What the head of a snapshot says of its view.
struct ViewHead {
  Tick tick;
  std::uint32_t base_age = 0;   ///< ticks from the base; 0: no base
  std::uint32_t view_hash = 0;  ///< low 32 bits
};

/// A view whose hash differs from the server's, its base, and the content that led from the base to
/// it. Valid until the next snapshot.
struct WrongView {
  ViewHead head;
  std::uint32_t client_hash = 0;
  const HeldView* view = nullptr;
  const HeldView* base = nullptr;  ///< nullptr for a full view
  const views::Content* content = nullptr;
  ConstBytes bytes;  ///< of the content
};

/// The reason why a snapshot made no view.
struct Rejected {
  net::DropReason reason = net::DropReason::Malformed;
  std::optional<WrongView> wrong;  ///< set if the snapshot is well formed and the hash differs
};

/// Returns why no view follows from a head, whatever the content: Unexpected, if a view as new was
/// made, `newest`; Malformed, if no server writes it. Nothing if one may follow.
[[nodiscard]] std::optional<Rejected> reject_head(const ViewHead& head,
                                                  const std::optional<Tick>& newest);

/// Returns whether something that the player does not own has influenced something that the player
/// owns, in the tick that was just stepped.
[[nodiscard]] bool was_touched(const engine::TickReport& report, Player player);

class SnapshotWorld {
 public:
  /// `like`: an empty world of the match's game, map, tick rate and shared seed. Borrows `stepper`.
  SnapshotWorld(const engine::World& like, Player own, engine::Stepper& stepper);

  /// Makes the view and holds it. The returned view is valid until the next call.
  /// Fails: Unexpected, if a view as new was made or the base is not held; Malformed, if the
  /// snapshot has something that no server has, or if the stepper has given up (its limit);
  /// Unexpected with the wrong view, if its hash differs: then no view is held.
  /// Cost: no allocation once warm; normally steps the ticks since the newest view. At worst it
  /// does so, lets members catch up, and steps again from the base: each at most kBaseAgeMax ticks.
  std::expected<View, Rejected> apply(const ViewHead& head, ConstBytes content);

  /// Drops all held views: only a full view makes another one.
  void clear();

  /// Returns the newest view that the client holds, or nullptr.
  [[nodiscard]] const HeldView* newest() const { return newest_ ? views_.find(*newest_) : nullptr; }

  /// Returns the number of ticks stepped so far, without those of members that caught up.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// The number of despawned bodies to remember. A forgotten one only costs a longer replay.
  static constexpr std::size_t kDespawnsRemembered = 256;

  struct Despawn {
    BodyId id;
    Tick tick;
  };

  /// A spawn in a replay.
  struct Spawn {
    BodyId child;
    BodyId parent;
    Tick tick;
  };

  std::expected<View, Rejected> finish(const ViewHead& head, const HeldView* base);
  [[nodiscard]] bool mark_dropped(const HeldView& base);
  [[nodiscard]] bool causes_are_valid(const HeldView& base) const;
  std::expected<View, Rejected> replay_from(const HeldView& start, const ViewHead& head,
                                            const HeldView& base);
  [[nodiscard]] bool can_start_from(const HeldView& newest, const ViewHead& head,
                                    const HeldView& base);
  [[nodiscard]] Tick find_news(const ViewHead& head) const;
  [[nodiscard]] std::optional<std::size_t> origin_of(const HeldView& base, BodyId id) const;
  [[nodiscard]] bool is_replayed(const HeldView& base, BodyId id) const;
  [[nodiscard]] bool returns(std::size_t member) const;
  void load(const HeldView& base, const HeldView& start);
  [[nodiscard]] bool catch_up(const ViewHead& head, const HeldView& base);
  [[nodiscard]] bool replay(const ViewHead& head, const HeldView& base);
  template <class IsTaken>
  void gather_record(const engine::World& world, const ViewHead& head, const HeldView& base,
                     IsTaken is_taken);
  void step(engine::World& world);
  void record_changes(const engine::World& world);
  void record_spawns(const engine::World& world, const engine::TickReport& report);
  void keep_tick();
  void record_despawn(BodyId id, Tick tick);
  [[nodiscard]] bool has_despawned(BodyId id, Tick after) const;

  Player own_;
  engine::World world_;
  bool world_is_newest_ = false;  ///< world_ has exactly the rows of the newest view
  engine::Stepper& stepper_;
  engine::World part_;  ///< of the members that catch up
  HeldViews views_;
  std::optional<Tick> newest_;  ///< of the views held
  std::optional<Tick> made_;    ///< the tick of the last view made, also if it was forgotten
  Tick touched_;
  std::uint64_t steps_ = 0;

  ConstBytes bytes_;  ///< the content that is being applied
  views::Content content_;
  std::vector<std::uint8_t> dropped_;   ///< by member of the base: exits, or is sent in full
  std::vector<std::size_t> returning_;  ///< the members of the base that catch up
  Tick returning_spawn_;                ///< of their first spawn that the newest view lacks
  std::vector<std::uint8_t> removed_;   ///< by row of world_
  std::vector<views::RowRef> adding_;   ///< rows that world_ gets next
  engine::TickRecord record_;
  std::vector<Spawn> spawns_;       ///< since the oldest base that can come, by child
  std::vector<BodyId> before_;      ///< the rows before a step
  std::vector<BodyId> teleported_;  ///< in the last step
  HeldView wrong_;
  std::vector<BodyPositions>
      replayed_positions_;  ///< the first replayed_position_count_ are of this snapshot
  std::size_t replayed_position_count_ = 0;
  Tick news_;
  std::vector<SeenTeleport> seen_teleports_;
  std::array<Despawn, kDespawnsRemembered> despawns_{};
  std::size_t despawn_count_ = 0;
};

/// The events that the server sends, delivered once each and in order.
class EventInbox {
 public:
  /// Calls visit(tick, event) for the event with the next number and for those that directly
  /// follow it. Skips repeats, and events that arrive too early: the server sends those again.
  /// `tick`: the snapshot's; visit() gets that of the event, or a later one if it arrived more than
  /// 255 ticks after it.
  template <class Visit>
  void receive(const GameTable& game, const views::ReceivedEvents& received, Tick tick,
               Visit visit) {
    for (std::size_t i = 0; i < received.events.size(); ++i) {
      const views::ReceivedEvent& event = received.events[i];
      if (event.number != static_cast<std::uint16_t>(newest_ + 1)) continue;
      newest_ = event.number;
      const std::uint32_t age = event.age < tick.value ? event.age : tick.value;
      visit(Tick{tick.value - age}, received.event(game, i));
    }
  }

  /// Returns the number of the newest event taken, after all before it; 0: none yet.
  [[nodiscard]] std::uint16_t newest() const { return newest_; }

 private:
  std::uint16_t newest_ = 0;
};

}  // namespace tickbox::client
