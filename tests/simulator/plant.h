#pragma once
// Bugs that are planted, to show that a run would find them: in the test tree, around the
// production code, never in it.

#include "core/byte_sink.h"
#include "tests/support/arena_wrappers.h"

#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::simulator {

enum class Plant : std::uint8_t {
  None,
  InputTwice,    ///< the room steps an input a second time, in the place of the one that followed
  MissingCause,  ///< an input of some ticks never reaches one client's view
  LostRecord,    ///< a recording ends without its last record
  OtherInput,    ///< what a client sends is not always what it has decided
  WrongKey,      ///< one player's tokens are by a key that the server does not have
  Overspending,  ///< the server does not keep to the budget that the plan gives it
  Leak,          ///< the room keeps the inputs of every tick
};

[[nodiscard]] std::string_view name_of(Plant plant);

/// Reads a name as name_of() gives it, but for "none".  Fails: one line that names them all.
[[nodiscard]] std::expected<Plant, std::string> parse_plant(std::string_view text);

/// Plants come up so rarely that a run has quiet stretches between them.
inline constexpr std::uint32_t kPlantedTicks = 31;

/// Of the room: some input is that of the tick before.
class SteppedTwice final : public tests::WrappedArena {
 public:
  using WrappedArena::WrappedArena;

  [[nodiscard]] std::string_view name() const override { return "arena"; }

  void apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                    game::TickEvents& events) const override;

 private:
  mutable std::map<PlayerId, game::Input> before_;
};

/// Of the room: what it was told is never forgotten.
class Unforgetting final : public tests::WrappedArena {
 public:
  using WrappedArena::WrappedArena;

  [[nodiscard]] std::string_view name() const override { return "arena"; }

  void apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                    game::TickEvents& events) const override;

 private:
  mutable std::deque<std::vector<game::PlayerInput>> kept_;
};

/// Of one client: what is dropped has come, and was read, but never enters the view. (Where it is
/// the client's own prediction that does not hear of it, that is merely wrong.)
class Unheard final : public tests::WrappedArena {
 public:
  using WrappedArena::WrappedArena;

  [[nodiscard]] std::string_view name() const override { return "arena"; }

  void apply_inputs(game::World& world, std::span<const game::PlayerInput> inputs,
                    game::TickEvents& events) const override;
};

}  // namespace tickbox::simulator
