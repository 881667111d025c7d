#include "engine/stepper.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "engine/entity_id.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tickbox::engine {
namespace {}  // namespace

bool drop_insignificant(const World& world, std::size_t avatar, MutableBytes input) {
  const GameTable& game = world.game();
  if (game.significant == nullptr || avatar == world.size()) return false;
  if (world.infos()[avatar].kind != game.avatar) return false;
  drop_insignificant(game, world.state(avatar), input);
  return true;
}

void Stepper::open(World& world) {
  TICKBOX_ASSERT(world.tick.value == 0);
  opening_.clear();
  running_.begin(world, Authority::Server, opening_);
  if (world.game().open != nullptr) {
    running_.count_call({.callback = Callback::Open});
    running_.call_hook(OutcomePhase::Deciding, [&] { world.game().open(running_); });
  }
  running_.decisions().end_hooks(OutcomePhase::Deciding);
  running_.rows().end_phase();
  running_.decisions().follow_focuses();
}

const TickReport& Stepper::step(World& world, const TickRequest& request, TickRecord& record) {
  record.clear();
  record.is_idle = request.is_idle;
  if (request.is_idle) {
    TICKBOX_ASSERT(request.is_empty());
    return pass_idle(world);
  }
  begin(world, Authority::Server, record);
  run_request(world, request);
  running_.rows().end_phase();
  assign_inputs(world, request, record);
  act(world);
  judge(world, request, record);
  strike(world, record);
  release_inputs(world, record);
  move(world);
  act_after(world);
  running_.call_hook(OutcomePhase::Deciding, [&] {
    if (world.game().decide != nullptr) {
      running_.count_call({.callback = Callback::Decide});
      world.game().decide(running_);
    }
    running_.decisions().remove_surplus();
  });
  running_.decisions().end_hooks(OutcomePhase::Deciding);
  running_.rows().end_phase();
  running_.decisions().follow_focuses();
  return running_.report();
}

const TickReport& Stepper::replay(World& world, const TickRecord& record) {
  if (record.is_idle) return pass_idle(world);
  // A replay only reads its record.
  begin(world, Authority::Replay, opening_);
  running_.decisions().apply(record, OutcomePhase::Joining);
  running_.rows().end_phase();
  assign_inputs(world, record);
  act(world);
  strike(world, record);
  release_inputs(world, record);
  move(world);
  act_after(world);
  running_.decisions().apply(record, OutcomePhase::Deciding);
  running_.rows().end_phase();
  running_.decisions().follow_focuses();
  return running_.report();
}

/// Lets the number of a tick pass: nothing else of the world changes, and nothing happens.
const TickReport& Stepper::pass_idle(World& world) {
  world.tick = world.tick + 1;
  TickReport& report = running_.report();
  report.clear(world.game().events.size());
  report.physics = &no_physics_;
  return report;
}

void Stepper::begin(World& world, Authority authority, TickRecord& record) {
  world.tick = world.tick + 1;
  // Rows and movers have one order, and all movers are active.
  const std::span<const sim::Body> movers = std::as_const(world).physics().movers();
  std::size_t mover = 0;
  for (const std::uint32_t row : world.active_rows()) {
    const sim::Body& body = world.is_fixed(row) ? std::as_const(world).body(row) : movers[mover++];
    RowInfo& info = world.infos()[row];
    info.min_before = body.min;
    info.velocity_before = body.velocity;
  }
  if (game_ != &world.game()) bind(world.game());
  running_.begin(world, authority, record);
}

void Stepper::bind(const GameTable& game) {
  game_ = &game;
  default_input_ = default_of(game.input);
  default_avatar_ = default_of(game.kinds[game.avatar].type);
  contacts_.bind(game);
  after_kinds_.clear();
  for (std::size_t kind = 0; kind < game.kinds.size(); ++kind) {
    if (game.kinds[kind].after != nullptr) after_kinds_.push_back(kind);
  }
}

/// Leaves, then the next match if it opens, then joins and commands, with the decisions of the
/// game's hooks.
void Stepper::run_request(World& world, const TickRequest& request) {
  const GameTable& game = world.game();
  for (const Player player : request.leaves) {
    running_.call_hook(OutcomePhase::Joining, [&] {
      if (game.leave != nullptr && !request.opens_match) {
        running_.count_call({.callback = Callback::Leave});
        game.leave(running_, player);
      }
      running_.decisions().leave(player);
    });
  }
  if (request.opens_match) open_next(world);
  running_.decisions().set_joins(request.joins);
  for (const Join& join : request.joins) {
    running_.call_hook(OutcomePhase::Joining, [&] {
      running_.decisions().join_player(join);
      running_.count_call({.callback = Callback::Join});
      game.join(running_, join.player);
    });
  }
  for (const Command& command : request.commands) {
    running_.call_hook(OutcomePhase::Joining, [&] {
      running_.decisions().record_command(command);
      running_.count_call({.callback = Callback::Command, .with = command.type});
      const AlignedValue value{command.bytes};
      game.commands[command.type].run(running_, command.player, value.data());
    });
  }
  running_.decisions().end_hooks(OutcomePhase::Joining, request.opens_match);
}

/// Opens the match after the one that the game has closed.
void Stepper::open_next(World& world) {
  running_.call_hook(OutcomePhase::Joining, [this] { running_.decisions().empty_room(); });
  running_.call_hook(OutcomePhase::Joining, [&] {
    if (world.game().open == nullptr) return;
    running_.count_call({.callback = Callback::Open});
    world.game().open(running_);
  });
}

/// Finds the row of each player's first entity: avatars have the lowest ids.
void Stepper::find_avatars(const World& world) {
  avatars_.assign(world.seats().size(), world.size());
  for (std::size_t row = 0; row < world.size(); ++row) {
    const BodyId id = world.id(row);
    if (!is_controlled(id)) break;
    std::size_t& first = avatars_[lineage_of(id)];
    first = std::min(first, row);
  }
}

/// Assigns players their inputs, without what has no effect now; writes those that differ from what
/// their players hold.
void Stepper::assign_inputs(World& world, const TickRequest& request, TickRecord& record) {
  const GameTable& game = world.game();
  find_avatars(world);
  for (const PlayerInput& given : request.inputs) {
    TICKBOX_ASSERT(world.has(given.player) && given.input.size() == game.input.bytes);
    significant_.assign(given.input.begin(), given.input.end());
    if (drop_insignificant(world, avatars_[given.player.seat], significant_)) {
      running_.count_call({.callback = Callback::Significant});
    }
    const MutableBytes held = world.input(given.player);
    if (are_equal(game.input, held, significant_)) continue;
    record.inputs.push_back({.player = given.player, .first = record.bytes.size()});
    append_clean(game.input, significant_, record.bytes);
    std::ranges::copy(significant_, held.begin());
  }
}

void Stepper::assign_inputs(World& world, const TickRecord& record) {
  const std::size_t bytes = world.game().input.bytes;
  for (const TickRecord::Input& given : record.inputs) {
    std::ranges::copy(ConstBytes{record.bytes}.subspan(given.first, bytes),
                      world.input(given.player).begin());
  }
}

const void* Stepper::input_of(const World& world, std::size_t row) const {
  if (!is_controlled(world.id(row))) return default_input_.data();
  return world.input(world.infos()[row].owner).data();
}

/// Returns the active rows as they are now: callbacks may wake others.
std::span<const std::uint32_t> Stepper::active_rows(const World& world) {
  active_.assign(world.active_rows().begin(), world.active_rows().end());
  return active_;
}

void Stepper::act(World& world) {
  for (const std::uint32_t row : active_rows(world)) {
    const auto act = world.kind_of(row).act;
    if (act == nullptr || running_.is_removed(row)) continue;
    running_.count_call(Callback::Act, row);
    running_.call(row, [&](const detail::Row& me, const detail::AnyStep& step) {
      act(me, input_of(world, row), step);
    });
  }
  running_.rows().end_phase();
}

void Stepper::judge(World& world, const TickRequest& request, TickRecord& record) {
  if (request.judge == nullptr) return;
  rays_.clear();
  for (std::size_t row = 0; row < world.size(); ++row) {
    const BodyId id = world.id(row);
    if (!is_controlled(id)) break;
    const auto cast = world.kind_of(row).ray;
    if (cast == nullptr || running_.is_removed(row)) continue;
    running_.count_call(Callback::Ray, row);
    const std::optional<Ray> ray =
        cast(world.row(row), input_of(world, row), detail::Moment{running_});
    if (!ray) continue;
    rays_.push_back({.shooter = world.infos()[row].owner, .from = ref_of(id), .ray = *ray});
  }
  if (!rays_.empty()) (*request.judge)(rays_, record.strikes);
}

void Stepper::strike(World& world, const TickRecord& record) {
  for (const Strike& strike : record.strikes) {
    const std::size_t row = world.index_of(body_id(strike.victim));
    if (row == world.size() || running_.is_removed(row)) continue;
    const auto struck = world.kind_of(row).struck;
    if (struck == nullptr) continue;
    running_.count_call(Callback::Struck, row);
    running_.call(row, [&](const detail::Row& me, const detail::AnyStep& step) {
      struck(me, strike.shooter, step);
    });
  }
  running_.rows().end_phase();
}

/// Only an input of this tick can have a Press that is down.
void Stepper::release_inputs(World& world, const TickRecord& record) {
  for (const TickRecord::Input& given : record.inputs) {
    release_input(world.game(), default_avatar_, world.input(given.player));
  }
}

/// The physics, then the callbacks for contacts that begin, for crushed entities and for those
/// outside of the border.
void Stepper::move(World& world) {
  contacts_.begin(running_);
  const sim::StepReport& report = physics_.step(world.physics());
  running_.report().physics = &report;
  running_.rows().invalidate_places();
  contacts_.gather(world, report);
  end_first_step(world);
  contacts_.run(running_);
  for (const BodyId id : report.crushed) {
    const std::size_t row = world.index_of(id);
    const auto crushed = world.kind_of(row).crushed;
    if (crushed == nullptr || running_.is_removed(row)) continue;
    running_.count_call(Callback::Crushed, row);
    running_.call(row, crushed);
  }
  remove_departed(world);
  world.rest();
  running_.rows().end_phase();
}

/// Removes the entities outside of the map's border.
void Stepper::remove_departed(World& world) {
  const sim::Box& inside = world.map()->inside;
  const auto is_outside = [&inside](const sim::Body& body) {
    return !sim::overlap(sim::box_of(body.min, body.size), inside);
  };
  const sim::PhysicsWorld& physics = std::as_const(world).physics();
  if (!physics.has_fixed() && std::ranges::none_of(physics.movers(), is_outside)) return;
  for (const std::uint32_t row : active_rows(world)) {
    if (running_.is_removed(row) || !is_outside(std::as_const(world).body(row))) continue;
    if (const auto left = world.kind_of(row).left; left != nullptr) {
      running_.count_call(Callback::Left, row);
      running_.call(row, left);
    }
    if (!running_.is_removed(row)) running_.rows().remove(row);
  }
}

/// Ends the state of being new, because the physics has stepped the new entities. Lets each spawned
/// entity meet its parent when its Parent says so.
void Stepper::end_first_step(World& world) {
  if (!world.may_have_new() && !world.may_ignore()) return;
  bool ignores = false;
  for (const std::uint32_t row : world.active_rows()) {
    RowInfo& info = world.infos()[row];
    info.is_new = false;
    if (info.parent == Parent::Collides) continue;
    if (info.parent == Parent::IgnoredUntilApart && overlaps_parent(world, row)) {
      ignores = true;
      continue;
    }
    info.parent = Parent::Collides;
    world.change_body(row, [](sim::Body& body) { body.ignores = sim::kNoBody; });
  }
  world.end_new(ignores);
}

/// Whether an entity overlaps the one that it ignores. Its answer depends on both, so it joins
/// them.
bool Stepper::overlaps_parent(const World& world, std::size_t row) {
  const sim::Body& body = world.body(row);
  const std::size_t parent = world.index_of(body.ignores);
  if (parent == world.size()) return false;
  running_.add_influence(body.id, body.ignores);
  const sim::Body& other = world.body(parent);
  return sim::overlap(sim::box_of(body.min, body.size), sim::box_of(other.min, other.size));
}

void Stepper::act_after(World& world) {
  const auto has_rows = [&world](std::size_t kind) { return world.rows_of_kind(kind) != 0; };
  if (std::ranges::none_of(after_kinds_, has_rows)) return;
  for (const std::uint32_t row : active_rows(world)) {
    const auto after = world.kind_of(row).after;
    if (after == nullptr || running_.is_removed(row)) continue;
    running_.count_call(Callback::After, row);
    running_.call(row, after);
  }
  running_.rows().end_phase();
}

}  // namespace tickbox::engine
