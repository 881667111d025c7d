#pragma once
// The stages of a plan, and what they pass on. Each stage is a function whose signature has all of
// its inputs and outputs; planner.h has their order.
//
// Sizes are in bits, for causes and rows are packed without gaps (common/views/content.h).

#include "engine/bits.h"
#include "engine/world.h"
#include "protocol/snapshot.h"
#include "server/match/body_slots.h"
#include "server/match/interest.h"
#include "server/match/match.h"
#include "server/match/plan/slot_table.h"
#include "server/match/sent_views.h"
#include "views/content.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

/// The bits of the smallest row in full.
inline constexpr std::size_t kRowBitsMin = 64;

// --- the rows of a tick as bits ---
//
// Many clients see the same rows, so each is packed once, when the first plan asks for it;
// snapshots have copies of the bits.
//
// Only the place of a row depends on the snapshot, by the snapshot's origin. A row is packed with
// its own place as the origin, so the bits of the place are zeros. A copy has the bits of the place
// from the snapshot's origin instead.

/// The bits of a row in full.
struct RowBits {
  std::uint16_t id = 0;
  std::uint16_t row = 0;  ///< near the origin, without the id
};

class PackedRows {
 public:
  /// Forgets all rows, to begin with those of `world`. `slots`: the limit of its slots.
  void begin(const engine::World& world, std::size_t slots);

  /// Returns the size of a row. `slot`: of the body of world row `row`. Cost: packed once a tick.
  [[nodiscard]] RowBits bits_of(SlotId slot, std::size_t row) { return packed(slot, row).bits; }

  void write_id(SlotId slot, std::size_t row, engine::BitWriter& out);

  /// Writes the row without its id. `origin`: of the places in the snapshot.
  void write_row(SlotId slot, std::size_t row, Vec2 origin, engine::BitWriter& out);

 private:
  struct Packed {
    std::uint32_t id = 0;   ///< the first of its words
    std::uint32_t row = 0;  ///< the same
    RowBits bits;
  };

  const Packed& packed(SlotId slot, std::size_t row) {
    return rows_.contains(slot) ? rows_[slot] : pack(slot, row);
  }

  const Packed& pack(SlotId slot, std::size_t row);

  const engine::World* world_ = nullptr;
  SlotTable<Packed> rows_;
  std::vector<std::uint64_t> words_;
  std::vector<std::byte> bytes_;  ///< scratch memory
};

// --- what a plan reads ---

/// Not the number of a seat.
inline constexpr std::uint16_t kNoSeat = 0xffff;

/// What plans read of a body, side by side: each plan reads hundreds of bodies in no order.
struct PlannedBody {
  /// Hash and extent are valid while the body is present.
  std::uint64_t hash = 0;
  Extent extent;
  std::uint32_t row = kNoRow;    ///< among the world's rows, while present
  std::uint16_t seat = kNoSeat;  ///< of an avatar: the seat whose input moves it
  bool is_present = false;
  bool removed_by_server = false;  ///< despawned by the server, which no replay shows
  BodyId id;

  static constexpr std::uint32_t kNoRow = 0xffff'ffff;
};

/// What all plans of a tick share; read once a tick.
struct TickContext {
  /// Cost: linear in the active rows, if the last match is read again and its bodies are the same.
  void read(Match& of);

  [[nodiscard]] Tick now() const { return match->world().tick; }

  [[nodiscard]] bool is_present(SlotId slot) const { return bodies[slot].is_present; }

  Match* match = nullptr;
  const BodySlots* slots = nullptr;

  /// Returns the size of a body in full. Requires: is_present(slot).
  [[nodiscard]] RowBits bits_of(SlotId slot) const { return rows.bits_of(slot, bodies[slot].row); }

  std::uint64_t slots_version = 0;
  std::vector<PlannedBody> bodies;  ///< by slot
  std::size_t room_bits = 0;        ///< of the room's state in full
  Interest interest;
  mutable PackedRows rows;  ///< as far as plans have asked for them

 private:
  void read_all();
  void read_row(std::uint32_t row);
};

/// The client for which a plan is made, and the size limit of its snapshot.
struct ViewRequest {
  Player player;
  const Members* base = nullptr;
  Tick base_tick;                 ///< valid with a base
  const Members* last = nullptr;  ///< the view sent last, if any
  std::size_t bytes_max = 0;      ///< size limit of the whole datagram
  std::size_t bytes_kept = 0;     ///< the part of bytes_max for content other than the view
  /// The most members of the view, at most views::kMembersMax.
  std::size_t members_max = views::kMembersMax;
  /// Without news no snapshot is sent: the plan may end without a view.
  bool only_with_news = false;
};

/// A body in sight that the client's base does not have yet, with its gathered priority.
struct WaitingBody {
  SlotId slot;
  std::uint32_t priority;

  friend bool operator==(const WaitingBody&, const WaitingBody&) = default;
};

using WaitingBodies = std::vector<WaitingBody>;

/// What the stages of a plan read.
struct ClientContext {
  ClientContext(const TickContext& planned, const ViewRequest& requested);

  /// Returns whether the player controls the body.
  [[nodiscard]] bool is_own(SlotId slot) const {
    return tick.bodies[slot].row - own_row < own.size();
  }

  /// Returns the bits that name a member of the base.
  [[nodiscard]] unsigned index_bits() const {
    return views::index_bits(request.base != nullptr ? request.base->size() : 0);
  }

  const TickContext& tick;
  const ViewRequest& request;
  Eye eye;
  Vec2 origin;                  ///< of the places in the snapshot
  std::uint32_t own_row;        ///< of the first body that the player controls
  std::span<const SlotId> own;  ///< the bodies that the player controls: their rows are adjacent
};

// --- which bodies the client knows, and which of them it replays ---
//
// An island is replayed if all of its members are inside (planner.h). Otherwise its bodies in view
// are sent in full, because a body that the client does not know may have moved them.

/// Whether a body is known to the client. Known are the members of its base, and the bodies that
/// Inside members have spawned since.
enum class Membership : std::uint8_t {
  Unknown,
  Outside,  ///< known, but not in the new view: out of sight, or removed by the server
  Inside,   ///< known; in the new view, or despawned by the rules of the game
};

/// What a plan has about one body.
struct SlotState {
  Membership membership = Membership::Unknown;
  bool is_in_base = false;
  bool is_replayed = false;      ///< the client steps it from causes; it is Inside
  std::uint16_t base_index = 0;  ///< valid if is_in_base
  SlotId root = kNoSlot;         ///< root of its island since the base, if known
  std::uint32_t priority = 0;    ///< priority gathered while it waited
};

/// What a plan has about one island.
struct IslandPlan {
  bool is_own = false;         ///< it has a body that the player controls
  std::size_t cause_bits = 0;  ///< as far as they were gathered; not of an own island
  std::size_t row_bits = 0;    ///< the size of its bodies in full, where the causes are large
};

struct ClientBodies {
  /// `slots`: the limit of the match's slots.
  void grow(std::size_t slots) {
    states.grow(slots);
    islands.grow(slots);
  }

  void clear() {
    states.clear();
    islands.clear();
    known.clear();
  }

  /// Returns whether the client replays the body.
  [[nodiscard]] bool is_replayed(SlotId slot) const { return states[slot].is_replayed; }

  SlotTable<SlotState> states;
  SlotTable<IslandPlan> islands;  ///< by the root of the island
  /// The members of the base in order, then what they have spawned since.
  std::vector<SlotId> known;
};

/// Returns the membership of a known body. A body teleported out of view since the base stays
/// inside for a few ticks, until a base has its new place. Otherwise all that it influenced would
/// have to be sent in full. A body that another has spawned also stays inside for its first
/// second: one that flies out of sight costs nothing and does not last long.
/// Requires: the request has a base.
[[nodiscard]] Membership membership_of(const ClientContext& client, SlotId slot);

/// Adds the bodies that wait since earlier snapshots.
void mark_waiting(const WaitingBodies& waiting, ClientBodies& bodies);

/// Adds the bodies that the client knows. `islands`: those since the base.
/// Requires: the request has a base.
void mark_known(const ClientContext& client, Islands& islands, ClientBodies& bodies);

/// Marks the bodies of the islands that are replayed. `islands`: those since the base.
void plan_islands(const Islands& islands, ClientBodies& bodies);

// --- the causes of the islands that are replayed ---

/// The causes since the base, with the slots of their bodies, until it is known which are sent.
struct PendingCauses {
  struct Outcome {
    SlotId slot = kNoSlot;
    Tick tick;
    Payload payload;
  };

  /// The changed inputs of an avatar.
  struct Inputs {
    SlotId slot;
    std::uint16_t seat;
    std::uint64_t ticks;  ///< see ChangeHistory::ticks_since()
  };

  [[nodiscard]] std::size_t size() const { return inputs.size() + outcomes.size(); }

  void clear() {
    inputs.clear();
    outcomes.clear();
  }

  std::vector<Inputs> inputs;     ///< by base index
  std::vector<Outcome> outcomes;  ///< of each body the newest first
};

/// Gathers the causes since the base of all replayed bodies. An island is sent in full if its
/// causes take more bits than its bodies, if the snapshot cannot hold them beside those before it,
/// or if one acts on a body that the base does not have; the walk over its causes ends there. The
/// own islands come first: the client must know what touched its bodies. `islands`: those since the
/// base.
/// Fails: false, if an own island would have to be sent in full for one of the last two reasons.
/// Cost: linear in the known bodies and the bits of the datagram, however old the base is.
[[nodiscard]] bool gather_causes(const ClientContext& client, const Islands& islands,
                                 ClientBodies& bodies, PendingCauses& pending);

/// A cause as it is written.
struct WrittenCause {
  std::uint8_t ago = 0;
  std::uint16_t index = 0;
  Payload payload;
};

/// The causes of the islands that are replayed, the oldest first: inputs by index, outcomes in the
/// order of their effect.
struct WrittenCauses {
  void clear() {
    inputs.clear();
    outcomes.clear();
    bits = 0;
  }

  std::vector<WrittenCause> inputs;
  std::vector<WrittenCause> outcomes;
  std::size_t bits = 0;  ///< of all, with what names their members
};

/// Sorts the causes of the islands that are still replayed; drops the others.
void sort_causes(const ClientContext& client, const ClientBodies& bodies, PendingCauses& pending,
                 WrittenCauses& causes);

// --- which bodies are wanted in full, and which of them fit ---

/// Priorities: own bodies go before known bodies, and these before bodies that are new to the view.
inline constexpr std::uint32_t kOwnPriority = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint32_t kKnownPriority = 1U << 30;

/// The distance in units from which on all bodies count as equally far.
inline constexpr std::int64_t kFarUnits = 64;

/// A body that the client should have in full.
struct Candidate {
  SlotId slot = kNoSlot;
  std::uint32_t priority = 0;
  bool replaces_state = false;  ///< the client replaces its own state of the body
  bool can_wait = false;        ///< new to the view, and not an own body

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Orders by priority, then by slot.
inline constexpr auto kGoesBefore = [](const Candidate& a, const Candidate& b) {
  return (std::uint64_t{a.priority} << 32 | ~a.slot) > (std::uint64_t{b.priority} << 32 | ~b.slot);
};

/// Gives candidates in order, as far as they are asked for. In a crowd few of hundreds fit, and
/// sorting all of them would take most of the time of a plan. Counting puts them into classes of
/// similar priorities, without comparing them. A class is sorted when its first candidate is asked
/// for.
class BestFirst {
 public:
  /// Requires: at most views::kMembersMax candidates, which live longer.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as there are candidates
  explicit BestFirst(std::span<const Candidate> candidates) : candidates_(candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      classes_[i] = class_of(candidates[i].priority);
      ++ends_[classes_[i]];
    }
    std::uint16_t first = 0;
    for (std::uint16_t& end : ends_) {
      first = static_cast<std::uint16_t>(first + std::exchange(end, first));
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      order_[ends_[classes_[i]]++] = static_cast<std::uint16_t>(i);
    }
  }

  /// Requires: not more often than there are candidates.
  const Candidate& pop() {
    if (at_ == end_) sort_class();
    return candidates_[order_[at_++]];
  }

 private:
  /// The classes of known and own bodies have one priority each. Those of new bodies are four for
  /// each power of two.
  static constexpr unsigned kNewShift = 2;
  static constexpr std::uint32_t kNewClasses = 30U << kNewShift;
  static constexpr std::uint32_t kKnownClasses = kFarUnits + 2;

  static std::uint16_t class_of(std::uint32_t priority) {
    if (priority >= kKnownPriority) {
      const std::uint32_t above = std::min(priority - kKnownPriority, kKnownClasses - 1);
      return static_cast<std::uint16_t>(kKnownClasses - 1 - above);
    }
    constexpr unsigned kExact = kNewShift + 1;
    const auto width = static_cast<unsigned>(std::bit_width(priority));
    const unsigned shift = width > kExact ? width - kExact : 0;
    const std::uint32_t above = (shift << kNewShift) + (priority >> shift);
    return static_cast<std::uint16_t>(kKnownClasses + kNewClasses - 1 - above);
  }

  void sort_class() {
    while (ends_[class_] == at_) {
      ++class_;
    }
    end_ = ends_[class_];
    std::ranges::sort(order_.begin() + at_, order_.begin() + end_, [this](auto a, auto b) {
      return kGoesBefore(candidates_[a], candidates_[b]);
    });
  }

  std::span<const Candidate> candidates_;
  std::array<std::uint16_t, kKnownClasses + kNewClasses> ends_{};
  std::array<std::uint16_t, views::kMembersMax> classes_;  ///< by candidate
  std::array<std::uint16_t, views::kMembersMax> order_;    ///< candidates, by class
  std::size_t class_ = 0;
  std::uint16_t at_ = 0;
  std::uint16_t end_ = 0;  ///< of the class that is sorted
};

/// The bits that bodies in full may take, and how many there may be.
struct RowBudget {
  std::size_t bits = 0;
  std::size_t headroom = 0;  ///< the part of them that new bodies must leave free
  std::size_t members = 0;   ///< that the view may have beside the replayed ones

  /// Returns the most bodies that fit into the bits.
  [[nodiscard]] std::size_t rows_max() const { return bits / kRowBitsMin; }
};

/// Returns what the rest of the snapshot leaves. `replayed`: the number of replayed bodies.
/// Fails: std::nullopt, if the rest alone does not fit.
[[nodiscard]] std::optional<RowBudget> row_budget(const ClientContext& client,
                                                  const WrittenCauses& causes,
                                                  std::size_t replayed);

/// Lists the bodies in sight that are not replayed. Own bodies have the highest priority, then
/// known bodies, then new bodies; bodies that are near, or wait for long, have a higher one than
/// others. The first candidates of the list, as many as a view may have members, are those with the
/// highest priorities. They are not sorted: in a crowd, sorting all candidates would take most of
/// the time of a plan. With a base, a body of the view sent last stays in sight as a member of the
/// base does. Otherwise the body would leave the view until the client has acknowledged the view
/// sent last, and then come back. Returns a part of `memory`. `visible`: scratch memory.
[[nodiscard]] std::span<Candidate> list_candidates(const ClientContext& client,
                                                   const RowBudget& budget,
                                                   const ClientBodies& bodies,
                                                   std::vector<Interest::Found>& visible,
                                                   std::vector<Candidate>& memory);

struct ChosenBodies {
  std::size_t new_bits = 0;    ///< of chosen bodies that are new to the view
  std::size_t known_bits = 0;  ///< of chosen bodies that the client knows
  std::size_t deferred = 0;    ///< number of bodies that did not fit
};

/// Adds candidates to `chosen` while they fit, the highest priority first. `candidates`: from
/// list_candidates().
/// Fails: std::nullopt, if an own body does not fit; a full view in a whole datagram has as many of
/// them as fit.
[[nodiscard]] std::optional<ChosenBodies> choose_bodies(const ClientContext& client,
                                                        const RowBudget& budget,
                                                        const ClientBodies& bodies,
                                                        std::span<const Candidate> candidates,
                                                        Members& chosen);

/// Lists the new candidates for the client's next snapshot. Chosen ones stay in the list, because
/// the client may not receive this snapshot.
void list_waiting(std::span<const Candidate> candidates, std::size_t members_max,
                  WaitingBodies& waiting);

/// Lists the members of the base that are not in the new view, and whose despawn no replay shows.
/// `chosen`: sorted by id. Requires: the request has a base.
void list_exits(const ClientContext& client, const ClientBodies& bodies, const Members& chosen,
                std::vector<std::uint16_t>& exits);

}  // namespace tickbox::server
