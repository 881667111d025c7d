#pragma once
// Bugs that are planted, to show that a run would find them: in the test tree, around the
// production code, never in it.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/handshake.h"
#include "net/transport.h"
#include "tests/support/arena_wrappers.h"

#include <cstdint>
#include <deque>
#include <expected>
#include <map>
#include <optional>
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
  OtherView,     ///< what a client shows is not always the view whose hash was right
  OtherWorld,    ///< an auditor's world goes its own way
  SameSequence,  ///< a client seals two packets by one sequence
  SameNonce,     ///< the server draws one nonce for all its ACCEPTs
  Standstill,    ///< a client's process stands, and nobody has paused it
  LossyLink,     ///< a client's link loses more than the plan says
  DeafClient,    ///< a client never gets some of what its link delivers
  DeafServer,    ///< the server never gets some of what links deliver
  Leak,          ///< the room keeps the inputs of every tick
};

[[nodiscard]] std::string_view name_of(Plant plant);

/// Reads a name as name_of() gives it, but for "none".  Fails: one line that names them all.
[[nodiscard]] std::expected<Plant, std::string> parse_plant(std::string_view text);

/// Plants come up so rarely that a run has quiet stretches between them.
inline constexpr std::uint32_t kPlantedTicks = 31;
/// Of SealedTwice and Deaf, in packets.
inline constexpr std::uint64_t kPlantedPackets = 31;
/// Of Standstill, since the match began: later than that a client has to be new to be slow.
inline constexpr Duration kStandsAfter = std::chrono::seconds{15};
/// Of LossyLink: at 10 Hz, too, no chance loses as much.
inline constexpr std::uint32_t kLostBesidePpm = 200'000;

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

/// Of auditors: a bit of a body flips. Only who steps the whole room is wrong, no prediction.
class Misstepping final : public tests::WrappedArena {
 public:
  using WrappedArena::WrappedArena;

  [[nodiscard]] std::string_view name() const override { return "arena"; }

  void after_step(game::World& world, const sim::StepReport& report, game::Authority authority,
                  game::TickEvents& events) const override;
};

/// Of one client: some packet is sent twice under one sequence, the second time with other content.
class SealedTwice final : public net::Transport {
 public:
  /// Borrows it.
  explicit SealedTwice(net::Transport& inner) : inner_(inner) {}

  void send(const net::Route& route, ConstBytes bytes) override;

  std::optional<net::Datagram> receive() override { return inner_.receive(); }

 private:
  net::Transport& inner_;
  std::uint64_t sealed_ = 0;
};

/// Of one end: some packet never gets from the link to it.
class Deaf final : public net::Transport {
 public:
  /// Borrows it.
  explicit Deaf(net::Transport& inner) : inner_(inner) {}

  void send(const net::Route& route, ConstBytes bytes) override { inner_.send(route, bytes); }

  std::optional<net::Datagram> receive() override;

 private:
  net::Transport& inner_;
  std::uint64_t received_ = 0;
};

/// Of the server: all that it draws of a nonce's length is the same.
class OneNonce final : public Entropy {
 public:
  /// Borrows it.
  explicit OneNonce(Entropy& inner) : inner_(inner) {}

  void fill(MutableBytes out) override;

 private:
  Entropy& inner_;
  std::optional<net::HandshakeNonce> nonce_;
};

}  // namespace tickbox::simulator
