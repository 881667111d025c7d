#pragma once
// The views that a client holds, as bases of the snapshots to come.
//
// A server builds on the newest view that the client has acknowledged. So once a snapshot has built
// on a view, no later one builds on an older view, and the memory of older views is used again. A
// client holds about as many views as snapshots are on their way, and not those of a whole second.
//
// Other parts of the client share the newest view and need no copy of it. The memory of a view that
// somebody still keeps is not used again.

#include "core/assert.h"
#include "core/bytes.h"
#include "core/ids.h"
#include "engine/world.h"
#include "protocol/history_depths.h"
#include "views/rows.h"

#include <algorithm>
#include <cstddef>
#include <memory>
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

}  // namespace tickbox::client
