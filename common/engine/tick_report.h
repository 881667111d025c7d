#pragma once
// What happened in one tick, beside the new state: for replication, and for players. What the ticks
// of a match have called: for the laws.

#include "core/bytes.h"
#include "engine/entity_id.h"
#include "sim/step_report.h"
#include "tickbox/game_table.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace tickbox::engine {

/// An event that a callback emitted.
struct Emitted {
  std::uint8_t type = 0;    ///< its number in the game's list
  std::uint32_t index = 0;  ///< among the events of its type in this tick
  Ref at;                   ///< the entity that the event is about
  /// The place of `at`; if `at` does not exist, that of the entity whose callback ran.
  Vec2 place;
  Vec2 size;  ///< of the entity that is at `place`
};

/// The events of one type, side by side.
struct EventList {
  std::vector<std::byte> bytes;
  std::size_t count = 0;
};

/// An entity that the callback of another one has spawned.
struct SpawnedBy {
  BodyId parent;
  BodyId child;
};

/// Valid until the next step of the same Stepper.
struct TickReport {
  const sim::StepReport* physics = nullptr;
  /// Pairs of entities of which one influenced the other, beside the contacts and influences of the
  /// physics; repeats included. A world that has all entities of an island, and no other, steps
  /// them to the same bits.
  std::vector<sim::BodyPair> influences;
  /// Also of entities that were removed in the same tick; parents come before their children.
  std::vector<SpawnedBy> spawns;
  std::vector<Emitted> emitted;   ///< in the order in which they were emitted
  std::vector<EventList> events;  ///< by type

  [[nodiscard]] ConstBytes event(const TypeInfo& type, const Emitted& which) const {
    return ConstBytes{events[which.type].bytes}.subspan(which.index * std::size_t{type.bytes},
                                                        type.bytes);
  }

  /// Calls visit(a, b) for each pair of entities of which one influenced the other, contacts
  /// included; repeats too.
  template <class Visit>
  void visit_influences(Visit visit) const {
    for (const sim::Contact& contact : physics->contacts) {
      if (is_entity(contact.a) && is_entity(contact.b)) visit(contact.a, contact.b);
    }
    for (const sim::BodyPair& pair : physics->influences) {
      visit(pair.low, pair.high);
    }
    for (const sim::BodyPair& pair : influences) {
      visit(pair.low, pair.high);
    }
  }

  void clear(std::size_t event_types) {
    physics = nullptr;
    influences.clear();
    spawns.clear();
    emitted.clear();
    events.resize(event_types);
    for (EventList& list : events) {
      list.bytes.clear();
      list.count = 0;
    }
  }
};

/// The callbacks and hooks of a game that a match calls, and what the game sends by them.
enum class Callback : std::uint8_t {
  Act,
  Ray,
  Struck,
  Contact,
  Wall,
  After,
  Apply,  ///< a decision for an entity that exists, also if its kind has no apply
  Crushed,
  Left,
  Open,
  Join,
  Leave,
  Decide,
  Command,
  Significant,
  Emit,
  Publish,
  Bot,  ///< asked by clients, not by a Stepper
};

/// A callback as the game defines it once.
struct CallbackCase {
  Callback callback = Callback::Act;
  std::size_t kind = 0;  ///< of the entity; of Bot the style; 0 of what is not by kind
  std::size_t with = 0;  ///< of Contact the other's kind, of Apply the outcome; of Command, Emit
                         ///< and Publish the type

  friend auto operator<=>(const CallbackCase&, const CallbackCase&) = default;
};

/// How often each was called.
class CallCounts {
 public:
  void add(const CallbackCase& called) { ++counts_[called]; }

  [[nodiscard]] std::uint64_t of(const CallbackCase& which) const {
    const auto found = counts_.find(which);
    return found != counts_.end() ? found->second : 0;
  }

 private:
  std::map<CallbackCase, std::uint64_t> counts_;
};

}  // namespace tickbox::engine
