#pragma once
// Checks every datagram. None is too large, and no sequence of a connection is sealed twice. An
// unproven address is not sent more than it sent, and no client more than its budget. It also
// computes the fingerprint of the run.

#include "core/clock.h"
#include "net/packet.h"
#include "server/shard/limits.h"
#include "tests/simulator/checks/findings.h"
#include "tests/support/simulated_network.h"

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace tickbox::simulator {

class TrafficCheck {
 public:
  /// Borrows `findings`. `snapshot_bytes` is the budget per client.
  TrafficCheck(Findings& findings, server::Rate snapshot_bytes)
      : findings_(findings), snapshot_bytes_(snapshot_bytes) {}

  /// `now`: on the server's clock. The server grants bytes by that clock.
  void on_passed(const tests::SimulatedNetwork::Passed& passed, Instant now);

  void on_tick(std::uint64_t hash) { fold(hash); }

  /// The hash of all hashes and datagrams so far, in their order.
  [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }

  [[nodiscard]] std::uint64_t datagrams() const { return datagrams_; }

 private:
  /// Bytes sent to a client.
  struct Spent {
    std::uint64_t snapshots = 0;
    std::uint64_t beside = 0;
  };

  /// The packets of one session. Keys are fresh with each ACCEPT, so a pair of key and nonce is a
  /// session, a direction and a sequence. Sequences of a session increase by one, so the newest is
  /// enough.
  struct Session {
    std::uint64_t accept = 0;  ///< hash of the ACCEPT datagram
    net::Address address;      ///< the address to which it was sent
    std::uint32_t to_server = 0;
    std::uint32_t to_client = 0;
    std::int64_t second = 0;  ///< the second in which it was last sent anything
    Spent spent;              ///< in that second
  };

  struct Source {
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;   ///< while it was unproven
    std::uint64_t challenged = 0;  ///< bytes of CHALLENGEs, in that time
    bool is_proven = false;
  };

  void fold(std::uint64_t hash);
  void on_sent(net::PacketType type, const tests::SimulatedNetwork::Passed& passed, Instant now);
  void on_accept(const tests::SimulatedNetwork::Passed& passed);
  [[nodiscard]] Session* session_of(const tests::SimulatedNetwork::Passed& passed);
  void on_sealed(net::PacketType type, const tests::SimulatedNetwork::Passed& passed, Instant now);
  void spend(net::PacketType type, std::size_t bytes, Session& session, Instant now);
  void on_arrived(net::PacketType type, const tests::SimulatedNetwork::Passed& passed);
  void pay(net::PacketType type, const tests::SimulatedNetwork::Passed& passed);

  Findings& findings_;
  server::Rate snapshot_bytes_;
  /// By connection id; a session that has moved has several.
  std::unordered_map<std::uint32_t, std::shared_ptr<Session>> sessions_;
  /// The newest session by the bits of its ids that stay the same.
  std::unordered_map<std::uint32_t, std::shared_ptr<Session>> by_place_;
  std::unordered_set<std::uint64_t> nonces_;  ///< of ACCEPTs, as hashes
  std::map<net::Address, Source> sources_;
  std::uint64_t fingerprint_ = 0;
  std::uint64_t datagrams_ = 0;
};

inline constexpr std::uint32_t kSequenceMask = (1U << net::kSequenceBits) - 1;

/// Returns the sent part of a sealed packet's sequence, its low 18 bits. Bits 16 and 17 are in the
/// first byte, the others in bytes 5 and 6. Requires: at least net::kPacketHeadBytes bytes.
[[nodiscard]] std::uint32_t sequence_of(ConstBytes datagram);

/// Whether an address is a stranger's (tests/simulator/hostile.h). No datagram of a stranger proves
/// an address.
[[nodiscard]] bool is_stranger(const net::Address& address);
[[nodiscard]] net::Address stranger(std::uint32_t number);

}  // namespace tickbox::simulator
