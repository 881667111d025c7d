#include "client/presentation/view_focus.h"

#include <algorithm>

namespace tickbox::client {
namespace {

Vec2 half_of(const views::Rows& rows, std::size_t row) {
  const Vec2 size = rows.kind_of(row).body(rows.state(row).data()).size;
  return {.x = size.x / 2, .y = size.y / 2};
}

Vec2 sum(Vec2 a, Vec2 b) {
  return {.x = a.x + b.x, .y = a.y + b.y};
}

Vec2 middle_of(const views::Rows& rows, std::size_t row) {
  return sum(rows.head(row).min, half_of(rows, row));
}

}  // namespace

void ViewFocus::on_view(const View& view) {
  const views::Rows& rows = *view.rows;
  if (view.centre) choose(rows, *view.centre);
  find_sight(rows);
  if (!followed_) return;
  const std::size_t row = rows.index_of(followed_->id);
  if (row != rows.size()) place_ = middle_of(rows, row);
}

/// Follows the first own avatar at the centre, else the nearest avatar there.
void ViewFocus::choose(const views::Rows& rows, Vec2 centre) {
  followed_.reset();
  place_ = centre;
  std::int64_t nearest = std::int64_t{kFocusRounding} + 1;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!views::is_controlled(rows.id(row))) continue;
    const std::int64_t distance = axis_distance(middle_of(rows, row), centre);
    if (distance > kFocusRounding) continue;
    const bool is_own = views::owner_of(rows.id(row)) == player_;
    if (!is_own && distance >= nearest) continue;
    followed_ = {.id = rows.id(row), .half = half_of(rows, row)};
    nearest = distance;
    if (is_own) return;
  }
}

void ViewFocus::find_sight(const views::Rows& rows) {
  sight_ = views::kSight;
  const GameTable& game = rows.game();
  if (game.sight == nullptr) return;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const BodyId id = rows.id(row);
    if (!views::is_controlled(id) || views::owner_of(id) != player_) continue;
    if (rows.head(row).kind == game.avatar) sight_ = game.sight(rows.state(row).data());
    return;
  }
}

std::optional<Vec2> ViewFocus::place(std::span<const PresentedBody> shown) const {
  if (!followed_) return place_;
  const auto body = std::ranges::lower_bound(shown, followed_->id, {}, &PresentedBody::id);
  if (body == shown.end() || body->id != followed_->id) return place_;
  return sum(body->min, followed_->half);
}

}  // namespace tickbox::client
