#pragma once
// A match whose every datagram is written down, as JSON lines, for a reader that knows nothing of
// this program. What the lines say: README.md.

#include "net/connect_token.h"
#include "tests/support/harness.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string_view>
#include <vector>

namespace tickbox::tests {

/// What the server said to somebody who is no client of the harness.
using Answers = std::vector<std::vector<std::byte>>;

class Capture {
 public:
  /// Writes to `out`, which it borrows, from the first datagram on.
  Capture(std::FILE* out, const HarnessOptions& options);

  [[nodiscard]] Harness& harness() { return harness_; }

  /// The claims of one more client, for a token of this server.
  [[nodiscard]] net::TokenClaims claims();
  /// Seals a token with these claims, and writes it down.
  net::ConnectToken hand_out(const net::TokenClaims& claims);
  net::ConnectToken hand_out(const net::TokenClaims& claims, const net::KeyRing& keys,
                             Duration good_for);

  /// One more client with a token of its own.
  std::size_t add_client();

  /// What was sent to this address since the last call for it.
  [[nodiscard]] Answers take_answers(const net::Address& address);

  /// The capture's own source of random bytes, for keys and nonces.
  [[nodiscard]] SeededEntropy& entropy() { return entropy_; }

  /// Writes that the server stops, and stops it. Does not move the clock.
  void stop();
  /// Writes that the server is killed and started again, and does so.
  void restart_server();
  /// Writes the drops that the server has counted.
  void finish();

 private:
  void on_drawn(ConstBytes drawn);
  void on_passed(const SimulatedNetwork::Passed& passed);
  [[nodiscard]] std::int64_t nanoseconds() const;
  void write_start(std::string_view event);
  void write_ticks();

  std::FILE* out_;
  HarnessOptions options_;
  Harness harness_;
  SeededEntropy entropy_;
  Instant began_;
  std::uint64_t clients_ = 0;  ///< claims made
  Tick written_;               ///< the last tick of the room that was written down
  std::map<net::Address, Answers> answers_;
};

}  // namespace tickbox::tests
