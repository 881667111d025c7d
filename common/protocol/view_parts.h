#pragma once
// A whole view in parts that fit datagrams: what both ends tell each other of one that came out
// otherwise at the client than the server had said, so that each can say in which field.

#include "core/bounded.h"
#include "core/ids.h"
#include "game/entity_state.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::protocol {

/// Bodies in each part but the last: 24 bytes each, so that a datagram stays below 1,200.
inline constexpr std::size_t kViewPartBodies = 44;
inline constexpr std::size_t kViewPartsMax =
    (kViewMembersMax + kViewPartBodies - 1) / kViewPartBodies;
static_assert(kViewPartsMax <= 8, "a bit each in a byte");

/// Which view it is, of all that a session has been sent: three numbers that agree for no two.
struct ViewName {
  Tick tick;
  std::uint32_t said = 0;     ///< its hash as the snapshot told it, low 32 bits
  std::uint32_t made = 0;     ///< the hash of the view that the client made; another
  std::uint8_t base_age = 0;  ///< of the snapshot

  friend bool operator==(const ViewName&, const ViewName&) = default;
};

/// Bodies by id, of any values: what is wrong with them is the question.
struct ViewPart {
  ViewName view;
  std::uint8_t part = 0;
  std::uint8_t parts = 1;    ///< of the sender's view; 0: it is not remembered
  std::uint8_t arrived = 0;  ///< bit i: part i of the other end's view has
  BoundedVector<game::EntityState, kViewPartBodies> bodies;
};

/// How many parts a view of so many members makes: an empty one is a part, too.
[[nodiscard]] constexpr std::uint8_t parts_of(std::size_t members) {
  const std::size_t parts = (members + kViewPartBodies - 1) / kViewPartBodies;
  return static_cast<std::uint8_t>(parts == 0 ? 1 : parts);
}

/// Part `number` of a view.  Requires: number < parts_of(members.size()).
[[nodiscard]] ViewPart part_of(const ViewName& view, std::span<const game::EntityState> members,
                               std::uint8_t number);

/// The low 32 bits of a view's hash, as they travel.
[[nodiscard]] std::uint32_t view_hash(std::span<const game::EntityState> members);

/// The parts of one view as they arrive, in any order.
class ViewParts {
 public:
  void clear();

  /// False where the part and those before are not of one view: they differ in how many there are,
  /// or their bodies are not in one order.  Requires: decoded, with parts > 0.
  [[nodiscard]] bool take(const ViewPart& part);

  [[nodiscard]] bool is_whole() const { return parts_ > 0 && arrived_ == all(); }

  /// Bit i: part i has.
  [[nodiscard]] std::uint8_t arrived() const { return arrived_; }

  /// 0 before the first has arrived.
  [[nodiscard]] std::uint8_t parts() const { return parts_; }

  /// Requires: is_whole().
  [[nodiscard]] std::span<const game::EntityState> members() const { return members_; }

 private:
  [[nodiscard]] std::uint8_t all() const { return static_cast<std::uint8_t>((1U << parts_) - 1); }

  std::vector<game::EntityState> members_;
  std::uint8_t parts_ = 0;
  std::uint8_t arrived_ = 0;
};

}  // namespace tickbox::protocol
