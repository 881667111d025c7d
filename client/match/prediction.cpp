#include "client/match/prediction.h"

#include "core/assert.h"
#include "engine/declared.h"

#include <algorithm>
#include <utility>

namespace tickbox::client {
namespace {

/// The next view usually arrives within kNextViewTicks; a copy should last for several views.
constexpr std::uint32_t kNextViewTicks = 8;
constexpr std::uint32_t kCopyTicks = 20;

/// Returns the gap between two boxes on the larger axis; 0 if they meet.
std::int64_t gap_between(const sim::Box& a, const sim::Box& b) {
  std::int64_t gap = 0;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    gap = std::max({gap, a.min[axis] - b.max[axis], b.min[axis] - a.max[axis]});
  }
  return gap;
}

sim::Box box_of(const views::Rows& rows, std::size_t row) {
  const Body body = rows.kind_of(row).body(rows.state(row).data());
  return sim::box_of(rows.head(row).min, body.size);
}

/// Whether a body is at most `reach` from a box, on both axes.
bool is_within(const views::Rows& rows, std::size_t row, const sim::Box& box, std::int64_t reach) {
  const Vec2 corner = rows.head(row).min;
  bool is_certain = true;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (corner[axis] - box.max[axis] > reach) return false;
    is_certain = is_certain && box.min[axis] - corner[axis] <= reach;
  }
  // The size matters only where the corner is too far away.
  return is_certain || gap_between(box_of(rows, row), box) <= reach;
}

}  // namespace

Prediction::Prediction(const engine::World& like, Player player, engine::Stepper& stepper)
    : player_(player), world_(like), stepper_(stepper), own_(like.game()), before_(like.game()) {
  world_.clear_rows();
}

void Prediction::predict(Tick tick, ConstBytes input) {
  TICKBOX_ASSERT(!newest_ || tick == *newest_ + 1);
  TICKBOX_ASSERT(input.size() == world_.game().input.bytes);
  newest_ = tick;
  inputs_.insert(tick).assign(input.begin(), input.end());
  if (started_ && world_.tick + 1 == tick) {
    step_once(tick);
  } else if (started_) {
    before_ = own_;
  }
}

void Prediction::continue_after(Tick tick) {
  if (!newest_ || tick == *newest_) return;
  if (tick < *newest_) {
    predicted_.clear();
    expected_.clear();
    started_ = false;
  }
  newest_ = tick;
}

void Prediction::step_once(Tick tick) {
  const GameTable& game = world_.game();
  const std::vector<std::byte>* known = inputs_.find(tick);
  given_.resize(game.input.bytes);
  if (known != nullptr) {
    std::ranges::copy(*known, given_.begin());
  } else {
    game.input.write_default(given_.data());
  }
  engine::drop_insignificant(world_, world_.avatar_of(player_), given_);
  record_.clear();
  if (!engine::are_equal(game.input, given_, std::as_const(world_).input(player_))) {
    record_.inputs.push_back({.player = player_, .first = 0});
    engine::append_clean(game.input, given_, record_.bytes);
  }
  const engine::TickReport& report = stepper_.replay(world_, record_);
  ++steps_;
  std::swap(before_, own_);
  keep_own();
  if (was_touched(report, player_)) last_touched_ = tick;
  if (predicted_.find(tick) == nullptr) {
    Predicted& predicted = predicted_.insert(tick);
    predicted.base = base_;
    predicted.touched = last_touched_ && *last_touched_ > base_;
    predicted.own = own_;
  }
  if (tick - base_ <= kExpectedTicks) expected_.insert(tick).assign(world_);
}

/// Copies the own bodies from the world.
void Prediction::keep_own() {
  own_.clear();
  for (std::size_t row = world_.avatar_of(player_);
       row < world_.size() && world_.is_controlled_by(row, player_); ++row) {
    own_.add(views::row_of(world_, row));
  }
}

Reconciliation Prediction::reconcile(const View& view) {
  find_own(view);
  if (own_in_view_.empty()) {
    stop();
    return {};
  }
  Reconciliation reconciliation = compare(view);
  own_before_ = own_;
  if (is_as_expected(view)) {
    base_ = view.tick;
  } else {
    restore(view);
  }
  // A tick that predict() could not step, for lack of the world just before it, is stepped for the
  // first time here.
  while (newest_ && !stepper_.gave_up() && world_.tick < *newest_ &&
         world_.tick - view.tick < protocol::kReplayMax) {
    step_once(world_.tick + 1);
  }
  for (std::size_t row = 0; row < own_.size() && !own_before_.empty(); ++row) {
    const std::size_t before = own_before_.index_of(own_.head(row).id);
    const bool was_there = before != own_before_.size();
    if (!was_there || own_before_.head(before).min != own_.head(row).min) {
      reconciliation.corrected = true;
    }
  }
  return reconciliation;
}

void Prediction::find_own(const View& view) {
  own_in_view_.clear();
  for (std::size_t row = 0; row < view.rows->size() && views::is_controlled(view.rows->id(row));
       ++row) {
    if (views::owner_of(view.rows->id(row)) != player_) continue;
    own_in_view_.push_back({.row = row,
                            .box = box_of(*view.rows, row),
                            .top_speed = world_.top_speed(view.rows->head(row).kind)});
  }
}

Reconciliation Prediction::compare(const View& view) const {
  const Predicted* predicted = predicted_.find(view.tick);
  if (predicted == nullptr || predicted->own.empty()) return {};
  Reconciliation result{.predicted = true,
                        .exact = true,
                        .touched = predicted->touched || view.touched > predicted->base};
  const views::Rows& own = predicted->own;
  for (const OwnInView& each : own_in_view_) {
    const views::RowHead& truth = view.rows->head(each.row);
    const std::size_t at = own.index_of(truth.id);
    if (at == own.size()) {
      result.exact = false;
      continue;
    }
    result.exact =
        result.exact && views::are_equal(world_.game(), own.row(at), view.rows->row(each.row));
    const auto error = static_cast<std::uint32_t>(axis_distance(own.head(at).min, truth.min));
    result.error = std::max(result.error, error);
  }
  result.exact = result.exact && own_in_view_.size() == own.size();
  return result;
}

void Prediction::restore(const View& view) {
  base_ = view.tick;
  started_ = true;
  last_touched_ = std::nullopt;
  expected_.clear();
  find_copied(*view.rows, view, kCopyTicks, copied_);
  const bool is_restored =
      restore_world(world_, {view.tick, *view.room, view.rows.get()}, copied_, adding_);
  TICKBOX_ASSERT(is_restored);
  keep_own();
  before_ = own_;
}

/// Ends the steps until a view has an own body.
void Prediction::stop() {
  started_ = false;
  expected_.clear();
  own_.clear();
  before_.clear();
}

/// Lists the rows of the view's tick to copy: the own bodies, and the predicted entities that can
/// meet one of them until `ticks_more` after the newest tick.
void Prediction::find_copied(const views::Rows& rows, const View& view, std::uint32_t ticks_more,
                             std::vector<std::size_t>& out) const {
  const std::int64_t ahead = newest_ ? std::max<std::int64_t>(*newest_ - view.tick, 0) : 0;
  const std::int64_t ticks = ahead + ticks_more;
  const auto is_near = [&](std::size_t row) {
    const std::int64_t top_speed = world_.top_speed(rows.head(row).kind);
    return std::ranges::any_of(own_in_view_, [&](const OwnInView& own) {
      return is_within(rows, row, own.box, ticks * (top_speed + own.top_speed));
    });
  };
  out.clear();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const bool is_mine = views::owner_of(rows.id(row)) == player_;
    const bool is_avatar = is_mine && views::is_controlled(rows.id(row));
    const Predict predict = rows.kind_of(row).predict;
    const bool is_predicted = predict == Predict::Near || (predict == Predict::OwnOnly && is_mine);
    if (is_avatar || (is_predicted && is_near(row))) out.push_back(row);
  }
}

/// Returns whether the copy has the view's state of the room, and of all bodies that could reach an
/// own one.
bool Prediction::is_as_expected(const View& view) {
  const views::Rows* expected = expected_.find(view.tick);
  if (expected == nullptr) return false;
  if (!engine::are_equal(world_.game().room, *view.room, world_.room())) return false;
  find_copied(*view.rows, view, kNextViewTicks, copied_);
  find_copied(*expected, view, kNextViewTicks, copied_before_);
  return std::ranges::equal(copied_, copied_before_, [&](std::size_t a, std::size_t b) {
    return views::are_equal(world_.game(), view.rows->row(a), expected->row(b));
  });
}

}  // namespace tickbox::client
