#include "client/prediction.h"

#include "core/assert.h"
#include "game/find_entity.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tickbox::client {
namespace {

constexpr std::int64_t kReach = std::int64_t{kReachUnits} * kUnit;

bool within_reach(const game::EntityState& entity, const game::EntityState& own) {
  return std::abs(std::int64_t{entity.min.x} - own.min.x) <= kReach &&
         std::abs(std::int64_t{entity.min.y} - own.min.y) <= kReach;
}

std::uint32_t distance(Vec2 a, Vec2 b) {
  return static_cast<std::uint32_t>(
      std::max(std::abs(std::int64_t{a.x} - b.x), std::abs(std::int64_t{a.y} - b.y)));
}

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
  inputs_[tick.value % kPredictionHistory] = input;
  if (started_ && world_.tick + 1 == tick) {
    step_once(tick);
  } else if (started_) {
    before_ = own()->min;
  }
}

void Prediction::skip_to(Tick tick) {
  TICKBOX_ASSERT(!newest_ || tick > *newest_);
  const Tick first = newest_ ? *newest_ + 1 : tick;
  const Tick left{tick.value - std::min(tick.value, std::uint32_t{kPredictionHistory} - 1)};
  for (Tick empty = std::max(first, left); empty <= tick; empty = empty + 1) {
    inputs_[empty.value % kPredictionHistory] = {};
  }
  newest_ = tick;
}

void Prediction::step_once(Tick tick) {
  before_ = world_.entity(world_.index_of(body_)).min;
  const game::PlayerInput input{.player = player_,
                                .input = inputs_[tick.value % kPredictionHistory]};
  const sim::StepReport& report =
      game::step(world_, *rules_, {.leaves = {}, .joins = {}, .inputs = {&input, 1}},
                 game::Authority::Replica, stepper_);
  touched_ = touched_ || was_touched(report, body_);
  Made& made = made_for(tick);
  if (!made.present || made.tick != tick) {
    made = {.present = true,
            .tick = tick,
            .base = base_,
            .touched = touched_,
            .own = world_.entity(world_.index_of(body_))};
  }
}

Verdict Prediction::reconcile(const View& view) {
  const game::EntityState* truth = game::find_entity(view.entities, body_);
  if (truth == nullptr) {
    return {};
  }
  Verdict verdict = compare(*truth, view);
  const std::optional<game::EntityState> before = own();
  restore(view, *truth);
  // Ticks whose inputs were sent before this view's world was known are stepped for the first time
  // here.
  while (newest_ && world_.tick < *newest_ && world_.tick - view.tick < kReplayMax) {
    step_once(world_.tick + 1);
  }
  verdict.corrected = before && own()->min != before->min;
  return verdict;
}

Verdict Prediction::compare(const game::EntityState& truth, const View& view) const {
  const Made& made = made_for(view.tick);
  if (!made.present || made.tick != view.tick) {
    return {};
  }
  const bool touched = made.touched || view.touched > made.base;
  return {.predicted = true,
          .exact = made.own == truth,
          .touched = touched,
          .corrected = false,
          .error = distance(made.own.min, truth.min)};
}

void Prediction::restore(const View& view, const game::EntityState& own) {
  world_.clear_entities();
  world_.tick = view.tick;
  base_ = view.tick;
  before_ = own.min;
  started_ = true;
  touched_ = false;
  for (const game::EntityState& entity : view.entities) {
    const bool others_bullet =
        entity.traits.kind == game::EntityKind::Bullet && game::player_of(entity.id) != player_;
    if (!others_bullet && within_reach(entity, own)) {
      world_.add(rules_->body_for(entity), entity.traits);
    }
  }
}

std::optional<game::EntityState> Prediction::own() const {
  const std::size_t index = world_.index_of(body_);
  return index != world_.size() ? std::optional{world_.entity(index)} : std::nullopt;
}

}  // namespace tickbox::client
