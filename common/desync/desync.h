#pragma once
// A desync, as one end knows it. The hash of a view at the client differs from the server's. A
// desync has each end's state of this view, if it is known, and the causes since the base. The file
// also has the text of a desync for a log.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/log_event.h"
#include "engine/bits.h"
#include "engine/log/words.h"
#include "protocol/messages.h"
#include "views/view_state.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::desync {

enum class DesyncSide : std::uint8_t { Server, Client };

enum class DesyncEnd : std::uint8_t {
  Compared,    ///< both states are known, and their differences
  Forgotten,   ///< the server no longer remembers its view
  Unanswered,  ///< no answer arrived in time, or the session ended before
};

/// Why the view may differ from its base.
struct Cause {
  enum class Kind : std::uint8_t {
    Input,    ///< the player of the entity holds another input
    Outcome,  ///< the server decided for the entity
    Strike,   ///< a ray struck the entity
    Room,     ///< the room's state changed; of no entity
    Exit,     ///< the entity left the view; at a client only
    InFull,   ///< the entity was sent in full; at a client only
  };

  Tick tick;      ///< the tick that the step made
  BodyId entity;  ///< sim::kNoBody for Room
  Kind kind = Kind::Input;
  std::string what;  ///< in words, as in "move 3, fire 1" or "Opened door 7"; may be empty

  friend bool operator==(const Cause&, const Cause&) = default;
};

struct Desync {
  DesyncSide side = DesyncSide::Server;
  DesyncEnd end = DesyncEnd::Compared;
  RoomId room;    ///< 0 at the client itself
  PlayerId seat;  ///< the client's seat
  /// The client as its token named it; nothing at the client itself.
  std::optional<std::uint64_t> client;
  protocol::ViewName view;
  std::optional<views::ViewState> server_view;
  std::optional<views::ViewState> client_view;
  std::optional<views::ViewState> base_view;          ///< the base as this side had it
  std::vector<Cause> causes;                          ///< as this side knows them, by tick and id
  std::optional<engine::WorldDifference> difference;  ///< present if Compared
};

/// Collects causes in words. What a content says of them is read from its bits.
class Causes {
 public:
  explicit Causes(const GameTable& game) : game_(game) {}

  void add(Tick tick, BodyId entity, Cause::Kind kind, std::string what = {});
  void add_strike(Tick tick, BodyId entity, std::uint64_t shooter_seat);

  /// An outcome of a declared type. Requires: type < game.outcomes.size().
  void add_outcome(Tick tick, BodyId entity, std::size_t type, engine::BitReader value);
  void add_room(Tick tick, engine::BitReader value);

  /// A change of the input that the player of the entity holds, and that becomes what the player
  /// holds in the next tick.
  void add_input(Tick tick, BodyId entity, engine::BitReader change, MutableBytes held);

  /// Returns them by tick, entity and kind.
  [[nodiscard]] std::vector<Cause> finish();

 private:
  [[nodiscard]] std::string in_words(const TypeInfo& type, engine::BitReader& value) const;

  const GameTable& game_;
  std::vector<Cause> causes_;
};

/// A receiver of the desyncs whose report has ended; a server notes only compared ones.
class DesyncSink {
 public:
  virtual ~DesyncSink() = default;

  /// Called while packets are received, so an implementation must not do slow work here.
  virtual void record(const Desync& desync) = 0;
};

[[nodiscard]] std::string_view name_of(DesyncEnd end);
[[nodiscard]] std::string_view name_of(DesyncSide side);

/// Formats the desync as key=value, for a log. If the views were compared, the text names what
/// differs first (an entity, or the room), each of its differing fields with both values, and how
/// many entities and fields differ in total.
[[nodiscard]] std::string in_words(const Desync& desync);

/// Returns the same as the fields of a log event.
[[nodiscard]] LogFields fields_of(const Desync& desync);

/// Returns the name of a kind: "input", "outcome", "strike", "room", "exit", "in_full".
[[nodiscard]] std::string_view name_of(Cause::Kind kind);

}  // namespace tickbox::desync
