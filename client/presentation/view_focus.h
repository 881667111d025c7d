#pragma once
// Where the player's view is centred, for a camera.
//
// The server does not send what a view is centred on. A snapshot with bodies in full has the centre
// in whole units, because their places count from it. A view is normally centred on an avatar. So
// the avatar at that centre is followed, and the place itself if there is none. The next snapshot
// with a body in full corrects a wrong choice.

#include "client/match/snapshot_world.h"
#include "client/presentation/interpolation.h"
#include "core/fixed.h"
#include "core/ids.h"
#include "views/sight.h"

#include <optional>
#include <span>

namespace tickbox::client {

/// The largest distance, in sub-units, from the middle of an avatar to a centre that is on it: the
/// centre is rounded to whole units.
inline constexpr std::int32_t kFocusRounding = kUnit;

class ViewFocus {
 public:
  explicit ViewFocus(Player player) : player_(player) {}

  void on_view(const View& view);

  /// Returns the place to centre on, in sub-units: the middle of the followed avatar as shown, else
  /// the last known place. Nothing before the first view that has one.
  [[nodiscard]] std::optional<Vec2> place(std::span<const PresentedBody> shown) const;

  /// Returns half the extent of the view, in sub-units.
  [[nodiscard]] Vec2 sight() const { return sight_; }

 private:
  struct Followed {
    BodyId id;
    Vec2 half;  ///< of its size
  };

  void choose(const views::Rows& rows, Vec2 centre);
  void find_sight(const views::Rows& rows);

  Player player_;
  std::optional<Followed> followed_;
  std::optional<Vec2> place_;  ///< of the followed avatar in the newest view; else the last known
  Vec2 sight_ = views::kSight;
};

}  // namespace tickbox::client
