#pragma once
// Snapshots of a field match, made from all of its ticks in the simplest way: the test says which
// bodies are hidden and which are sent in full.

#include "engine/declared.h"
#include "engine/entity_id.h"
#include "tests/unit/match/planned_match.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::server {

/// Returns whether a list has a value.
template <class Value>
bool has_value(const std::vector<Value>& list, Value value) {
  return std::ranges::find(list, value) != list.end();
}

struct Snapshot {
  client::ViewHead head;
  std::vector<std::byte> content;
};

/// Exceptions from a snapshot in which causes describe all bodies.
struct Telling {
  std::vector<BodyId> hidden;   ///< bodies that are not in the view
  std::vector<BodyId> in_full;  ///< bodies that are sent in full, although they could be replayed
};

class StagedMatch : public FieldMatch {
 public:
  using FieldMatch::FieldMatch;

  void tick(const std::vector<Played>& played = {}) {
    const std::vector<std::vector<std::byte>> held = held_inputs();
    FieldMatch::tick(played);
    note(held);
  }

  void leave(std::uint16_t seat) {
    FieldMatch::leave({seat});
    note(held_inputs());
  }

  /// Returns the rows of the world without the hidden ones.
  [[nodiscard]] views::Rows seen(const std::vector<BodyId>& hidden = {}) const {
    views::Rows rows{field::game()};
    const views::Rows& all = match().state().rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!has_value(hidden, all.head(i).id)) rows.add(all.row(i));
    }
    return rows;
  }

  Snapshot full() {
    const views::Rows rows = seen();
    const ConstBytes room = match().world().room();
    const bool has_room =
        reinterpret_cast<const field::Weather*>(room.data())->rain != std::int32_t{0};
    Snapshot snapshot{.head = head_of(rows, 0), .content = {}};
    engine::BitWriter out{snapshot.content};
    views::write_head(0, {.room = has_room, .rows = true}, out);
    if (has_room) engine::pack_sparse(field::game().room, room, out);
    write_rows(rows, nullptr, out);
    sent_[now()] = rows;
    return snapshot;
  }

  /// Returns a snapshot on the view that full() or since() has made at `base`.
  Snapshot since(Tick base, const Telling& telling = {}) {
    const views::Rows view = seen(telling.hidden);
    const views::Rows members = sent_.at(base);
    const auto age = static_cast<std::uint32_t>(now() - base);
    views::Rows in_full{field::game()};
    for (std::size_t i = 0; i < view.size(); ++i) {
      const BodyId id = view.head(i).id;
      const bool is_spawned =
          engine::class_of(id) == engine::IdClass::ByEntity && engine::spawn_tick_of(id) > base;
      const bool is_replayed = members.contains(id) || is_spawned;
      if (!is_replayed || has_value(telling.in_full, id)) in_full.add(view.row(i));
    }
    std::vector<std::uint16_t> exits;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const BodyId id = members.head(i).id;
      const bool is_removed =
          !view.contains(id) && (match().state().rows.contains(id) || has_value(left_, id));
      if (is_removed) exits.push_back(static_cast<std::uint16_t>(i));
    }
    const auto is_told = [&](BodyId id) {
      const std::size_t i = members.index_of(id);
      return i != members.size() && !in_full.contains(id) &&
             !has_value(exits, static_cast<std::uint16_t>(i));
    };
    Causes causes;
    for (Tick tick = base + 1; tick <= now(); tick = tick + 1) {
      const Past& past = past_[tick];
      for (const Cause& cause : past.inputs) {
        if (is_told(cause.body)) causes.inputs.push_back({tick, cause});
      }
      for (const Cause& cause : past.outcomes) {
        if (is_told(cause.body)) causes.outcomes.push_back({tick, cause});
      }
      causes.has_room = causes.has_room || past.room.has_value();
    }
    Snapshot snapshot{.head = head_of(view, age), .content = {}};
    const views::Lists lists{.inputs = !causes.inputs.empty(),
                             .outcomes = !causes.outcomes.empty(),
                             .room = causes.has_room,
                             .exits = !exits.empty(),
                             .rows = !in_full.empty()};
    if (lists.any()) {
      engine::BitWriter out{snapshot.content};
      views::write_head(views::index_bits(members.size()), lists, out);
      if (lists.inputs) write_causes(causes.inputs, base, members, out);
      if (lists.outcomes) write_causes(causes.outcomes, base, members, out);
      if (lists.room) put_rooms(base, out);
      if (lists.exits) views::write_exits(exits, members.size(), out);
      if (lists.rows) write_rows(in_full, &members, out);
    }
    sent_[now()] = view;
    return snapshot;
  }

 private:
  /// A payload of at most 64 bits.
  struct Bits {
    std::uint64_t value = 0;
    unsigned count = 0;
  };

  struct Cause {
    BodyId body;
    Bits bits;
  };

  struct Past {
    std::vector<Cause> inputs;  ///< by id
    std::vector<Cause> outcomes;
    std::optional<Bits> room;
  };

  struct Causes {
    std::vector<std::pair<Tick, Cause>> inputs;
    std::vector<std::pair<Tick, Cause>> outcomes;
    bool has_room = false;
  };

  template <class Write>
  static Bits bits_of(Write write) {
    std::vector<std::byte> bytes;
    Bits bits;
    {
      engine::BitWriter out{bytes};
      write(out);
      bits.count = static_cast<unsigned>(out.written());
    }
    bits.value = engine::BitReader{bytes}.read(bits.count);
    return bits;
  }

  [[nodiscard]] std::vector<std::vector<std::byte>> held_inputs() const {
    std::vector<std::vector<std::byte>> held;
    for (std::uint16_t seat = 0; seat < match().world().seats().size(); ++seat) {
      const ConstBytes input = match().world().input({seat});
      held.emplace_back(input.begin(), input.end());
    }
    return held;
  }

  void note(const std::vector<std::vector<std::byte>>& held) {
    Past& past = past_[now()];
    const engine::TickRecord& record = match().record();
    for (const engine::TickRecord::Input& input : record.inputs) {
      const ConstBytes given =
          ConstBytes{record.bytes}.subspan(input.first, field::game().input.bytes);
      past.inputs.push_back({body(input.player.seat), bits_of([&](engine::BitWriter& out) {
                               engine::pack_change(field::game().input, held[input.player.seat],
                                                   given, out);
                             })});
    }
    for (const engine::Outcome& outcome : record.outcomes) {
      const ConstBytes bytes = record.bytes_of(outcome);
      if (outcome.kind == engine::OutcomeKind::Room) {
        past.room = bits_of(
            [&](engine::BitWriter& out) { engine::pack_sparse(field::game().room, bytes, out); });
      }
      if (outcome.kind == engine::OutcomeKind::Decided) {
        past.outcomes.push_back({engine::body_id(outcome.ref), bits_of([&](engine::BitWriter& out) {
                                   views::write_outcome(field::game(), outcome, bytes, out);
                                 })});
      }
    }
    for (const views::RowHead& head : before_.heads()) {
      const bool is_gone = !match().state().rows.contains(head.id);
      const bool has_left = is_gone && views::is_controlled(head.id);
      if (has_left) left_.push_back(head.id);
    }
    before_ = match().state().rows;
  }

  client::ViewHead head_of(const views::Rows& view, std::uint32_t age) const {
    const StateAt& state = match().state();
    std::uint64_t hash = state.room_hash;
    for (const views::RowHead& head : view.heads()) {
      hash += state.hashes[state.rows.index_of(head.id)];
    }
    return {.tick = now(),
            .base_age = age,
            .view_hash = static_cast<std::uint32_t>(hash & 0xffff'ffff)};
  }

  void write_causes(const std::vector<std::pair<Tick, Cause>>& causes, Tick base,
                    const views::Rows& members, engine::BitWriter& out) const {
    auto next = causes.begin();
    for (Tick tick = base + 1; tick <= now(); tick = tick + 1) {
      for (; next != causes.end() && next->first == tick; ++next) {
        out.write(1, 1);
        out.write(members.index_of(next->second.body), views::index_bits(members.size()));
        out.write(next->second.bits.value, next->second.bits.count);
      }
      out.write(0, 1);
    }
  }

  void put_rooms(Tick base, engine::BitWriter& out) {
    for (Tick tick = base + 1; tick <= now(); tick = tick + 1) {
      const std::optional<Bits>& room = past_[tick].room;
      out.write(room ? 1 : 0, 1);
      if (room) out.write(room->value, room->count);
    }
  }

  void write_rows(const views::Rows& rows, const views::Rows* members,
                  engine::BitWriter& out) const {
    views::write_origin({}, out);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const BodyId id = rows.head(i).id;
      const bool is_member = members != nullptr && members->contains(id);
      out.write(1, 1);
      if (members != nullptr) out.write(is_member ? 1 : 0, 1);
      if (is_member) {
        out.write(members->index_of(id), views::index_bits(members->size()));
      } else {
        engine::write_id(id, now(), out);
      }
      views::write_member(field::game(), rows.row(i), {}, out);
    }
    out.write(0, 1);
  }

  std::map<Tick, Past> past_;
  std::map<Tick, views::Rows> sent_;
  std::vector<BodyId> left_;
  views::Rows before_{field::game()};
};

}  // namespace tickbox::server
