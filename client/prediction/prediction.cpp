#include "client/prediction/prediction.h"

#include "core/assert.h"
#include "game/entity_state.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace tickbox::client {
namespace {

/// The next view usually arrives within kNextViewTicks; a copy should last for several views.
constexpr std::uint32_t kNextViewTicks = 8;
constexpr std::uint32_t kCopyTicks = 20;
/// The maximum distance per axis between the corners of two bodies that touch.
constexpr std::int64_t kSizeMax = 2 * std::int64_t{kUnit};

}  // namespace

Prediction::Prediction(const game::SharedMap& map, std::shared_ptr<const game::Rules> rules,
                       PlayerId player, BodyId body)
    : rules_(std::move(rules)), player_(player), body_(body), world_(map, rules_->settings(), 0) {
  world_.seat(player) = {.generation = game::generation_of(body), .score = 0, .taken = true};
  TICKBOX_ASSERT(world_.body_of(player) == body);
}

void Prediction::predict(Tick tick, const game::Input& input) {
  TICKBOX_ASSERT(!newest_ || tick == *newest_ + 1);
  newest_ = tick;
  inputs_.insert(tick) = input;
  if (started_ && world_.tick + 1 == tick) {
    step_once(tick);
  } else if (started_) {
    before_ = own()->min;
  }
}

void Prediction::skip_to(Tick tick) {
  TICKBOX_ASSERT(!newest_ || tick > *newest_);
  newest_ = tick;
}

void Prediction::step_once(Tick tick) {
  before_ = world_.entity(world_.index_of(body_)).min;
  const game::Input* known = inputs_.find(tick);
  const game::PlayerInput input{.player = player_,
                                .input = known != nullptr ? *known : game::Input{}};
  const sim::StepReport& report =
      game::step(world_, *rules_, {.leaves = {}, .joins = {}, .inputs = {&input, 1}},
                 game::Authority::Client, stepper_);
  ++steps_;
  if (was_touched(report, body_)) last_touched_ = tick;
  if (predicted_.find(tick) == nullptr) {
    predicted_.insert(tick) = {.base = base_,
                               .touched = last_touched_ && *last_touched_ > base_,
                               .own = world_.entity(world_.index_of(body_))};
  }
  if (tick - base_ <= kExpectedTicks) expect(tick);
}

/// Stores the state of the copy after `tick`.
void Prediction::expect(Tick tick) {
  std::vector<game::EntityState>& expected = expected_.insert(tick);
  expected.clear();
  world_.append_entities(expected);
}

Reconciliation Prediction::reconcile(const View& view) {
  const game::EntityState* truth = game::find_entity(view.entities, body_);
  if (truth == nullptr) return {};
  Reconciliation reconciliation = compare(*truth, view);
  const std::optional<game::EntityState> before = own();
  if (is_as_expected({view, *truth, reach_from(view.tick, kNextViewTicks)})) {
    base_ = view.tick;
  } else {
    restore({view, *truth, reach_from(view.tick, kCopyTicks)});
  }
  // A tick that predict() could not step, for lack of the world just before it, is stepped for the
  // first time here.
  while (newest_ && world_.tick < *newest_ && world_.tick - view.tick < protocol::kReplayMax) {
    step_once(world_.tick + 1);
  }
  reconciliation.corrected = before && own()->min != before->min;
  return reconciliation;
}

Reconciliation Prediction::compare(const game::EntityState& truth, const View& view) const {
  const Predicted* predicted = predicted_.find(view.tick);
  if (predicted == nullptr) return {};
  const bool touched = predicted->touched || view.touched > predicted->base;
  return {.predicted = true,
          .exact = predicted->own == truth,
          .touched = touched,
          .corrected = false,
          .error = static_cast<std::uint32_t>(axis_distance(predicted->own.min, truth.min))};
}

void Prediction::restore(const Start& start) {
  world_.clear_entities();
  world_.tick = start.view.tick;
  base_ = start.view.tick;
  before_ = start.own.min;
  started_ = true;
  last_touched_ = std::nullopt;
  expected_.clear();
  for (const game::EntityState& entity : start.view.entities) {
    if (is_copied(entity, start)) world_.add(rules_->body_for(entity), entity.traits);
  }
}

/// Returns the distance at `tick` within which two bodies can meet until `ticks_more` after the
/// newest tick.
std::int64_t Prediction::reach_from(Tick tick, std::uint32_t ticks_more) const {
  const std::int64_t ahead = newest_ ? std::max<std::int64_t>(*newest_ - tick, 0) : 0;
  return 2 * (ahead + ticks_more) * rules_->run_speed() + kSizeMax;
}

/// Returns whether `entity` is near enough to be copied. Bullets of others never are: only the
/// server decides what they do to a body.
bool Prediction::is_copied(const game::EntityState& entity, const Start& start) const {
  const bool others_bullet =
      entity.traits.kind == game::EntityKind::Bullet && game::player_of(entity.id) != player_;
  return !others_bullet && axis_distance(entity.min, start.own.min) <= start.reach;
}

/// Returns whether the copy has the view's state of all bodies that could reach the own one.
bool Prediction::is_as_expected(const Start& start) const {
  const std::vector<game::EntityState>* expected = expected_.find(start.view.tick);
  if (expected == nullptr) return false;
  const auto is_near = [&](const game::EntityState& entity) { return is_copied(entity, start); };
  return std::ranges::equal(start.view.entities | std::views::filter(is_near),
                            *expected | std::views::filter(is_near));
}

std::optional<game::EntityState> Prediction::own() const {
  const std::size_t index = world_.index_of(body_);
  return index != world_.size() ? std::optional{world_.entity(index)} : std::nullopt;
}

}  // namespace tickbox::client
