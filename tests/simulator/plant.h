#pragma once
// Planted bugs that show that a run would find them. They are in the test tree, around the
// production code, never in it. Those in the game are in planted_games.h.

#include "core/clock.h"
#include "core/rng.h"
#include "net/handshake.h"
#include "net/transport.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::simulator {

enum class Plant : std::uint8_t {
  None,
  InputTwice,    ///< the room steps an input a second time, in place of the next one
  MissingCause,  ///< the inputs of some ticks never reach one client's view
  LostRecord,    ///< a recording ends without its last record
  OtherInput,    ///< a client sometimes sends an input that it has not decided
  WrongKey,      ///< one player's tokens are sealed with a key that the server does not have
  Overspending,  ///< the server exceeds the budget of the plan
  OtherView,     ///< a client sometimes shows another view than the one whose hash was right
  SameSequence,  ///< a client seals two packets with one sequence
  SameNonce,     ///< the server uses one nonce for all its ACCEPTs
  Standstill,    ///< a client's process stops, and no fault has paused it
  LossyLink,     ///< a client's link loses more than the plan says
  DeafClient,    ///< a client never gets some of the packets that its link delivers
  DeafServer,    ///< the server never gets some of the packets that links deliver
  Leak,          ///< the room keeps the inputs of every tick
};

[[nodiscard]] std::string_view name_of(Plant plant);

/// Parses a name from name_of(), except "none". Fails: one line that names them all.
[[nodiscard]] std::expected<Plant, std::string> parse_plant(std::string_view text);

/// The interval of plants in ticks: so rare that a run has quiet stretches between them.
inline constexpr std::uint32_t kPlantedTicks = 31;
/// The interval of SealedTwice and Deaf, in packets.
inline constexpr std::uint64_t kPlantedPackets = 31;
/// The time of the match at which Standstill starts. Before it the client may still be connecting.
inline constexpr Duration kStandsAfter = std::chrono::seconds{15};
/// The additional loss of LossyLink. Chance alone adds less, even at 10 Hz.
inline constexpr std::uint32_t kLostBesidePpm = 200'000;

/// The transport of one client: one in kPlantedPackets packets is sent twice with one sequence, the
/// second time with other content.
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

/// The transport of one end: one in kPlantedPackets datagrams never gets from the link to it.
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

/// The entropy of the server: all draws of a nonce's length are the same.
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
