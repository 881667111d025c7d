#pragma once
// Looks at every datagram: none too large, no sequence of a connection sealed twice, nobody who has
// not proven an address is sent more than came from there, and nobody at all more than its budget.
// Takes the run's fingerprint, too.

#include "core/clock.h"
#include "net/packet.h"
#include "server/room/limits.h"
#include "tests/simulator/findings.h"
#include "tests/support/simulated_network.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace tickbox::simulator {

class TrafficCheck {
 public:
  /// Borrows both. `snapshot_bytes`: to each client.
  TrafficCheck(Findings& findings, const Clock& clock, server::Rate snapshot_bytes)
      : findings_(findings), clock_(clock), start_(clock.now()), snapshot_bytes_(snapshot_bytes) {}

  void on_passed(const tests::SimulatedNetwork::Passed& passed);

  void on_tick(std::uint64_t hash) { fold(hash); }

  /// Of all hashes and datagrams so far, in their order.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }

  [[nodiscard]] std::uint64_t datagrams() const { return datagrams_; }

 private:
  /// Bytes to a client.
  struct Spent {
    std::uint64_t snapshots = 0;
    std::uint64_t audits = 0;
    std::uint64_t beside = 0;
  };

  /// One session's packets: keys are fresh with each ACCEPT, so a pair of key and nonce is a
  /// connection, the ACCEPT it began with, a direction and a sequence. Those of a session go up by
  /// one, so it is enough to know the newest.
  struct Session {
    std::uint64_t accept = 0;  ///< hash of the datagram
    net::Address address;      ///< to which that was sent
    std::uint32_t to_server = 0;
    std::uint32_t to_client = 0;
    std::int64_t second = 0;  ///< of the run, in which it was last sent anything
    Spent spent;              ///< in that
  };

  struct Source {
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;   ///< while it had proven nothing
    std::uint64_t challenged = 0;  ///< bytes of CHALLENGEs, in that time
    bool is_proven = false;
  };

  void fold(std::uint64_t hash);
  void on_sent(net::PacketType type, const tests::SimulatedNetwork::Passed& passed);
  void on_accept(const tests::SimulatedNetwork::Passed& passed);
  void on_sealed(net::PacketType type, const tests::SimulatedNetwork::Passed& passed);
  void spend(net::PacketType type, std::size_t bytes, Session& session);
  void on_arrived(net::PacketType type, const tests::SimulatedNetwork::Passed& passed);
  void pay(net::PacketType type, const tests::SimulatedNetwork::Passed& passed);

  Findings& findings_;
  const Clock& clock_;
  Instant start_;
  server::Rate snapshot_bytes_;
  std::unordered_map<std::uint32_t, Session> sessions_;  ///< by connection id
  std::unordered_set<std::uint64_t> nonces_;             ///< of ACCEPTs, as hashes
  std::map<net::Address, Source> sources_;
  std::uint64_t fingerprint_ = 0;
  std::uint64_t datagrams_ = 0;
};

inline constexpr std::uint32_t kSequenceMask = (1U << net::kSequenceBits) - 1;

/// What travels of a sealed packet's sequence. The layout as the standard says: 2 bits of the
/// epoch, 16 of the sequence.  Requires: at least net::kPacketHeadBytes bytes.
[[nodiscard]] std::uint32_t sequence_of(ConstBytes datagram);

/// Whether an address is a stranger's, of tests/simulator/hostile.h: such a one proves nothing,
/// whatever it sends.
[[nodiscard]] bool is_stranger(const net::Address& address);
[[nodiscard]] net::Address stranger(std::uint32_t number);

}  // namespace tickbox::simulator
