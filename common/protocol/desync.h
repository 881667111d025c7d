#pragma once
// A desync, as one end knows it. It has both states of a view whose hash at the client differs from
// the server's, and the causes that led there. Also the text of it for a log.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/rules.h"
#include "game/view_difference.h"
#include "protocol/snapshot.h"
#include "protocol/view_parts.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::protocol {

enum class DesyncSide : std::uint8_t { Server, Client };

enum class DesyncEnd : std::uint8_t {
  Compared,    ///< both states are known, and their differences
  Forgotten,   ///< the server no longer remembers its view
  Unanswered,  ///< no answer arrived in time, or the session ended before
};

/// Why the view may differ from its base.
struct DesyncCause {
  enum class Kind : std::uint8_t {
    Input,     ///< value: direction of the stick from then on
    Shot,      ///< value: aim
    Ray,       ///< value: aim
    Teleport,  ///< value: number of the spawn point
    Exit,      ///< the body exited the view; at a client only
    InFull,    ///< the body was sent in full; at a client only
  };

  Tick tick;  ///< the tick that the step made
  BodyId entity;
  Kind kind = Kind::Input;
  std::uint16_t value = 0;

  friend bool operator==(const DesyncCause&, const DesyncCause&) = default;
};

[[nodiscard]] constexpr DesyncCause::Kind kind_of(game::Weapon weapon) {
  return weapon == game::Weapon::Ray ? DesyncCause::Kind::Ray : DesyncCause::Kind::Shot;
}

struct Desync {
  DesyncSide side = DesyncSide::Server;
  DesyncEnd end = DesyncEnd::Compared;
  PlayerId seat;  ///< the client's seat
  /// The client as its token named it; nothing at the client itself.
  std::optional<std::uint64_t> client;
  ViewName view;
  std::optional<std::vector<game::EntityState>> server_view;  ///< sorted by id, as the next two
  std::optional<std::vector<game::EntityState>> client_view;
  std::optional<std::vector<game::EntityState>> base_view;  ///< the base as this side had it
  std::vector<DesyncCause> causes;                          ///< as this side knows them
  std::optional<game::ViewDifference> difference;           ///< present if Compared
};

/// A receiver of the desyncs whose report has ended; a server notes only compared ones.
class DesyncSink {
 public:
  virtual ~DesyncSink() = default;

  /// Called while packets are received, so an implementation must not do slow work here.
  virtual void note(const Desync& desync) = 0;
};

[[nodiscard]] std::string_view name_of(DesyncEnd end);
[[nodiscard]] std::string_view name_of(DesyncSide side);

/// Formats a number; "absent" for none.
[[nodiscard]] std::string text_of(const std::optional<std::int64_t>& value);

/// Formats a difference as key=value, for a log. It names the first entity that differs, each of
/// its differing fields with both values, and the total of entities and fields that differ.
[[nodiscard]] std::string difference_in_words(const game::ViewDifference& difference);

/// Formats the desync as key=value, for a log.
[[nodiscard]] std::string in_words(const Desync& desync);

/// Returns the causes in a snapshot, on the base that its client held.
[[nodiscard]] std::vector<DesyncCause> causes_of(const Snapshot& snapshot, Tick tick,
                                                 std::span<const game::EntityState> base);

}  // namespace tickbox::protocol
