#pragma once
// A desync, as one end knows it: both states of a view that came out otherwise at the client than
// the server had said, and what led there. What a log says of it.

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
  Compared,    ///< both states are known, and where they differ
  Forgotten,   ///< the server does not remember its view any more
  Unanswered,  ///< nothing came back in time, or the session was over before
};

/// Why something moved between the base and the view.
struct DesyncCause {
  enum class Kind : std::uint8_t {
    Input,      ///< value: where its stick is from then on
    Shot,       ///< value: aim
    Ray,        ///< value: aim
    Placement,  ///< value: number of the place
    Leave,      ///< out of the view; of a client alone
    Whole,      ///< came whole; of a client alone
  };

  Tick tick;  ///< the one that the step made
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
  PlayerId seat;  ///< of the client
  ViewName view;
  std::optional<std::vector<game::EntityState>> server_view;  ///< by id, as the next two
  std::optional<std::vector<game::EntityState>> client_view;
  std::optional<std::vector<game::EntityState>> base_view;  ///< as this side had it
  std::vector<DesyncCause> causes;                          ///< as this side knows them
  std::optional<game::ViewDifference> difference;           ///< where Compared
};

/// Whoever wants to know of each that was traced.
class DesyncSink {
 public:
  virtual ~DesyncSink() = default;

  /// Called where packets are taken: what takes long is not done here.
  virtual void note(const Desync& desync) = 0;
};

[[nodiscard]] std::string_view name_of(DesyncEnd end);
[[nodiscard]] std::string_view name_of(DesyncSide side);

/// "player", "crate", "bullet" or "none", by what the id tells.
[[nodiscard]] std::string_view kind_of(BodyId id);

/// A number, or "absent".
[[nodiscard]] std::string text_of(const std::optional<std::int64_t>& value);

/// As key=value, for a log: the first entity that differs, each of its fields with both values, and
/// how much differs in all.
[[nodiscard]] std::string difference_in_words(const game::ViewDifference& difference);

/// All of it, as key=value, for a log.
[[nodiscard]] std::string in_words(const Desync& desync);

/// The causes that a snapshot told, on the base that its client held.
[[nodiscard]] std::vector<DesyncCause> causes_of(const Snapshot& snapshot, Tick tick,
                                                 std::span<const game::EntityState> base);

}  // namespace tickbox::protocol
