#include "engine/tick/contacts.h"

#include "engine/entity_id.h"
#include "sim/box.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace tickbox::engine {
namespace {

/// Whether one of the two kinds has a callback for contacts with the other kind.
bool has_callback(const World& world, std::size_t a, std::size_t b) {
  const std::size_t kind_a = world.infos()[a].kind;
  const std::size_t kind_b = world.infos()[b].kind;
  return world.kind_of(a).contact[kind_b] != nullptr || world.kind_of(b).contact[kind_a] != nullptr;
}

/// Whether two boxes touch on the sides to which the normal points, from b to a.
bool touch_along(const sim::Box& a, const sim::Box& b, Contact normal) {
  const std::size_t axis = normal.nx != 0 ? 0 : 1;
  const std::size_t other = 1 - axis;
  const bool is_after = normal.nx > 0 || normal.ny > 0;
  const bool is_at_side = is_after ? a.min[axis] == b.max[axis] : a.max[axis] == b.min[axis];
  return is_at_side && a.min[other] < b.max[other] && b.min[other] < a.max[other];
}

}  // namespace

void Contacts::bind(const GameTable& game) {
  kinds_.clear();
  for (std::size_t kind = 0; kind < game.kinds.size(); ++kind) {
    const KindTable& table = game.kinds[kind];
    const auto is_given = [](KindTable::Meet callback) { return callback != nullptr; };
    if (table.wall != nullptr || std::ranges::any_of(table.contact, is_given)) {
      kinds_.push_back(kind);
    }
  }
}

/// Whether an entity of the world has a callback for contacts.
bool Contacts::are_heard(const World& world) const {
  return std::ranges::any_of(kinds_,
                             [&world](std::size_t kind) { return world.rows_of_kind(kind) != 0; });
}

void Contacts::begin(detail::Running& running) {
  overlaps_before_.clear();
  World& world = running.world();
  if (!world.may_have_new() || !are_heard(world)) return;
  const sim::PhysicsWorld& physics = std::as_const(world).physics();
  const bool has_sensor =
      physics.has_fixed() || std::ranges::any_of(physics.movers(), sim::is_ghost);
  if (!has_sensor) return;
  for (const std::uint32_t row : world.active_rows()) {
    if (!world.infos()[row].is_new) continue;
    const sim::Body& body = std::as_const(world).body(row);
    const auto wants = [&body](std::uint8_t /*number*/, const Space::Kind& kind) {
      return kind.may_meet(body.layers, body.collides_with);
    };
    running.rows().visit_overlapping(sim::box_of(body.min, body.size), wants, [&](std::size_t at) {
      const sim::Body& other = std::as_const(world).body(at);
      const bool can_meet = at != row && !(world.is_fixed(row) && world.is_fixed(at));
      const bool is_begin =
          can_meet && (sim::is_ghost(body) || sim::is_ghost(other)) && sim::may_meet(body, other);
      if (is_begin) overlaps_before_.push_back(sim::ordered_pair(body.id, other.id));
    });
  }
}

void Contacts::gather(const World& world, const sim::StepReport& report) {
  begun_.clear();
  if (!are_heard(world)) return;
  gather_contacts(world, report);
  gather_overlaps(world, report);
  // Each pair once, at its first contact.
  const auto by_pair = [](const Begun& begun) {
    return std::tuple{begun.a.value, begun.b.value, begun.order};
  };
  std::ranges::sort(begun_, {}, by_pair);
  const auto repeats = std::ranges::unique(begun_, [](const Begun& first, const Begun& second) {
    return first.a == second.a && first.b == second.b;
  });
  begun_.erase(repeats.begin(), repeats.end());
  std::ranges::sort(begun_, {}, &Begun::order);
}

void Contacts::run(detail::Running& running) const {
  for (const Begun& begun : begun_) {
    run_callbacks(running, begun);
  }
}

void Contacts::gather_contacts(const World& world, const sim::StepReport& report) {
  for (std::size_t order = 0; order < report.contacts.size(); ++order) {
    const sim::Contact& contact = report.contacts[order];
    // Walls and the border have the highest ids.
    if (!is_entity(contact.a)) continue;
    Begun begun{
        .order = order,
        .a = contact.a,
        .b = contact.b,
        .row_a = world.index_of(contact.a),
        .row_b = is_entity(contact.b) ? world.index_of(contact.b) : kWall,
        .contact = {
            .nx = contact.normal_x, .ny = contact.normal_y, .before = contact.relative_velocity}};
    const bool is_heard = begun.row_b == kWall ? world.kind_of(begun.row_a).wall != nullptr
                                               : has_callback(world, begun.row_a, begun.row_b);
    if (is_heard && !is_resting(world, begun)) begun_.push_back(begun);
  }
}

void Contacts::add_overlap(const World& world, BodyId a, BodyId b) {
  if (!is_entity(a) || !is_entity(b)) return;
  const Begun begun{.order = 0,
                    .a = std::min(a, b),
                    .b = std::max(a, b),
                    .row_a = world.index_of(std::min(a, b)),
                    .row_b = world.index_of(std::max(a, b)),
                    .contact = {}};
  if (has_callback(world, begun.row_a, begun.row_b)) begun_.push_back(begun);
}

/// Overlaps come after all contacts, by ids.
void Contacts::gather_overlaps(const World& world, const sim::StepReport& report) {
  const std::size_t first = begun_.size();
  for (const sim::BodyPair& pair : report.begin) {
    add_overlap(world, pair.low, pair.high);
  }
  for (const sim::BodyPair& pair : overlaps_before_) {
    add_overlap(world, pair.low, pair.high);
  }
  const std::span<Begun> overlaps = std::span{begun_}.subspan(first);
  std::ranges::sort(overlaps, {},
                    [](const Begun& begun) { return std::pair{begun.a.value, begun.b.value}; });
  for (std::size_t i = 0; i < overlaps.size(); ++i) {
    overlaps[i].order = report.contacts.size() + i;
  }
}

sim::Box Contacts::box_before(const World& world, std::size_t row, BodyId id) const {
  if (row != kWall) {
    // The physics moves no fixed body.
    const sim::Body& body = world.body(row);
    return sim::box_of(world.is_fixed(row) ? body.min : world.infos()[row].min_before, body.size);
  }
  if (id == sim::kWorldBorder) return sim::kWholeWorld;
  const sim::Body* wall = world.physics().statics().find(id);
  return sim::box_of(wall->min, wall->size);
}

bool Contacts::is_resting(const World& world, const Begun& begun) const {
  const RowInfo& a = world.infos()[begun.row_a];
  const RowInfo b = begun.row_b != kWall ? world.infos()[begun.row_b] : RowInfo{.is_new = false};
  if (a.is_new || b.is_new) return false;
  const Vec2 before_a = a.velocity_before;
  const Vec2 before_b = b.velocity_before;
  const std::int64_t approach = (std::int64_t{before_a.x} - before_b.x) * begun.contact.nx +
                                (std::int64_t{before_a.y} - before_b.y) * begun.contact.ny;
  if (approach < 0) return false;
  const sim::Box box = box_before(world, begun.row_a, begun.a);
  sim::Box other = box_before(world, begun.row_b, begun.b);
  if (begun.b == sim::kWorldBorder) {
    // The border is the outside of the world: its sides face inwards.
    const std::size_t axis = begun.contact.nx != 0 ? 0 : 1;
    std::swap(other.min[axis], other.max[axis]);
    const bool is_after = begun.contact.nx > 0 || begun.contact.ny > 0;
    return is_after ? box.min[axis] == other.max[axis] : box.max[axis] == other.min[axis];
  }
  return touch_along(box, other, begun.contact);
}

void Contacts::run_callbacks(detail::Running& running, const Begun& begun) const {
  World& world = running.world();
  if (running.is_removed(begun.row_a)) return;
  if (begun.row_b == kWall) {
    running.count_call(Callback::Wall, begun.row_a);
    running.call(begun.row_a, [&](const detail::Row& me, const detail::AnyStep& step) {
      world.kind_of(begun.row_a).wall(me, begun.contact, step);
    });
    return;
  }
  if (running.is_removed(begun.row_b)) return;
  running.add_influence(begun.a, begun.b);
  const std::size_t kind_a = world.infos()[begun.row_a].kind;
  const std::size_t kind_b = world.infos()[begun.row_b].kind;
  if (const auto meet = world.kind_of(begun.row_a).contact[kind_b]; meet != nullptr) {
    running.count_call({Callback::Contact, kind_a, kind_b});
    running.call(begun.row_a, begun.row_b,
                 [&](const detail::Row& a, const detail::Row& b, const detail::AnyStep& step) {
                   meet(a, b, begun.contact, step);
                 });
  }
  if (running.is_removed(begun.row_a) || running.is_removed(begun.row_b)) return;
  if (const auto meet = world.kind_of(begun.row_b).contact[kind_a]; meet != nullptr) {
    running.count_call({Callback::Contact, kind_b, kind_a});
    const Contact turned{.nx = static_cast<std::int8_t>(-begun.contact.nx),
                         .ny = static_cast<std::int8_t>(-begun.contact.ny),
                         .before = {-begun.contact.before.x, -begun.contact.before.y}};
    running.call(begun.row_b, begun.row_a,
                 [&](const detail::Row& b, const detail::Row& a, const detail::AnyStep& step) {
                   meet(b, a, turned, step);
                 });
  }
}

}  // namespace tickbox::engine
