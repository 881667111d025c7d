#pragma once
// What strangers send a server: nonsense, things that look real, and real ones without end.

#include "core/bytes.h"
#include "core/rng.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/transport.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tickbox::flood {

enum class Kind : std::uint8_t {
  Malformed,  ///< random bytes of random length, and real datagrams with a few bits changed
  Hello,      ///< whole and right: each would be answered with a cookie
  Connect,    ///< a cookie that was made up, and a token that is good
  Resume,     ///< a ticket of this server, with random bytes in its seal
  Packets,    ///< random bytes as sealed packets of guessed connections
};
inline constexpr std::array kKinds = {Kind::Malformed, Kind::Hello, Kind::Connect, Kind::Resume,
                                      Kind::Packets};

/// As on the command line: "malformed".
[[nodiscard]] std::string_view name_of(Kind kind);

/// The longest malformed datagram: longer than the server's limit, so that too long ones are among
/// them.
inline constexpr std::size_t kMadeBytesMax = 1'400;

/// Returns a datagram of each type that a client sends, HELLO, CONNECT and RESUME first. Only a
/// RESUME with a real ticket would open a session.
[[nodiscard]] std::vector<std::vector<std::byte>> real_datagrams(const net::Address& server,
                                                                 const net::ResumeTicket& ticket,
                                                                 Entropy& entropy);

struct MakerOptions {
  Kind kind = Kind::Malformed;
  net::Address server;
  net::ResumeTicket ticket;  ///< of the server, as it gave it
  std::uint64_t seed = 1;
};

class DatagramMaker {
 public:
  DatagramMaker(const MakerOptions& options, Entropy& entropy);

  /// The next one; valid until the next call. Cost: a draw of random bytes, no cryptography.
  [[nodiscard]] ConstBytes next();

 private:
  [[nodiscard]] ConstBytes random(std::size_t size);
  [[nodiscard]] ConstBytes mutated();
  [[nodiscard]] ConstBytes packet();

  Kind kind_;
  Rng rng_;
  std::vector<std::vector<std::byte>> real_;
  std::array<std::byte, kMadeBytesMax> made_{};
};

}  // namespace tickbox::flood
