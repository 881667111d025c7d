#pragma once
// A whole view in parts that fit datagrams. After a desync each end sends the other its state of
// the view, so that each can report the fields that differ.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "game/entity_state.h"
#include "net/drop_reason.h"
#include "protocol/message_buffer.h"
#include "protocol/snapshot.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <vector>

namespace tickbox::protocol {

/// Bodies in each part except the last: 24 bytes each, so that a datagram stays below 1,200 bytes.
inline constexpr std::size_t kViewPartBodies = 44;
inline constexpr std::size_t kViewPartsMax =
    (kViewMembersMax + kViewPartBodies - 1) / kViewPartBodies;
static_assert(kViewPartsMax <= 8, "a bit each in a byte");

/// The identity of a view among all views that a session has received: no two have the same
/// numbers.
struct ViewName {
  Tick tick;
  std::uint32_t server_hash = 0;  ///< low 32 bits, from the snapshot
  std::uint32_t client_hash = 0;  ///< of the view that the client made; differs from server_hash
  std::uint8_t base_age = 0;      ///< of the snapshot

  friend bool operator==(const ViewName&, const ViewName&) = default;
};

/// One part of a view. Its bodies are sorted by id and may have any values, because the comparison
/// must find what is wrong with them.
struct ViewPart {
  ViewName view;
  std::uint8_t part = 0;
  std::uint8_t parts = 1;    ///< parts of the sender's view; 0: the sender has forgotten the view
  std::uint8_t arrived = 0;  ///< bit i: part i of the other end's view has arrived
  InplaceVector<game::EntityState, kViewPartBodies> bodies;
};

/// Returns the number of parts of a view with `members` members; an empty view has one part.
[[nodiscard]] constexpr std::uint8_t parts_of(std::size_t members) {
  const std::size_t parts = (members + kViewPartBodies - 1) / kViewPartBodies;
  return static_cast<std::uint8_t>(parts == 0 ? 1 : parts);
}

/// Returns part `number` of a view. Requires: number < parts_of(members.size()).
[[nodiscard]] ViewPart part_of(const ViewName& view, std::span<const game::EntityState> members,
                               std::uint8_t number);

/// The most bytes of a view part's message beyond its bodies.
inline constexpr std::size_t kViewPartFrameBytes = 48;

/// Returns the most bytes of the message of a view part with `bodies` bodies.
[[nodiscard]] constexpr std::size_t view_part_bytes(std::size_t bodies) {
  constexpr std::size_t kBodyBytes = 24;
  return kViewPartFrameBytes + bodies * kBodyBytes;
}

/// Encodes a DESYNC_REPORT or a DESYNC_STATE.
[[nodiscard]] ConstBytes encode_view_part(const ViewPart& part, MessageBuffer& buffer);

/// Verifies the FlatBuffer, then the meaning: ranges, counts, order. Fails: Malformed.
[[nodiscard]] std::expected<ViewPart, net::DropReason> decode_view_part(ConstBytes message);

/// Returns the low 32 bits of a view's hash, as they are sent.
[[nodiscard]] std::uint32_t view_hash(std::span<const game::EntityState> members);

/// The received parts of one view, which arrive in any order.
class ViewParts {
 public:
  void clear();

  /// Adds a part. Returns false if the parts are not of one view: the number of parts differs, a
  /// repeated part differs, or the bodies are not sorted by id.
  /// Requires: a decoded part, with parts > 0.
  [[nodiscard]] bool take(const ViewPart& part);

  [[nodiscard]] bool is_whole() const { return parts_ > 0 && arrived_ == all(); }

  /// Returns one bit for each part; bit i: part i has arrived.
  [[nodiscard]] std::uint8_t arrived() const { return arrived_; }

  /// Returns the number of parts; 0 before the first part has arrived.
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
