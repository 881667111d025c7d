#include "tests/simulator/checks/traffic_check.h"

#include "core/hash.h"
#include "net/crypto.h"
#include "server/shard/limits.h"

#include <string>

namespace tickbox::simulator {
namespace {

using tests::SimulatedNetwork;
using Passed = SimulatedNetwork::Passed;
using Where = Passed::Where;

constexpr std::uint8_t kStrangersNet = 11;
/// The offset of the nonce in an ACCEPT: after type and connection (schema/README.md).
constexpr std::size_t kServerNonceAt = 5;
constexpr std::size_t kServerNonceBytes = net::kNonceBytes;
/// The limit of a CHALLENGE, in multiples of the bytes that came from its address
/// (schema/README.md).
constexpr std::uint64_t kChallengeTimes = 3;
/// The bits of a connection id that its session keeps when it moves (schema/README.md).
constexpr std::uint32_t kPlaceMask = (1U << 13U) - 1;
/// The most bytes to one client in a second, beside snapshots: CHALLENGEs, desync reports,
/// DISCONNECTs.
constexpr std::uint64_t kBytesBeside = 4'000;

}  // namespace

std::uint32_t sequence_of(ConstBytes datagram) {
  const auto high = std::to_integer<std::uint32_t>(datagram[0]) >> 6U;
  return high << 16U | load_le<std::uint16_t>(datagram.subspan(5));
}

net::Address stranger(std::uint32_t number) {
  net::Address address{.ip = {}, .port = 40'000};
  address.ip[10] = address.ip[11] = 0xff;
  address.ip[12] = kStrangersNet;
  address.ip[14] = static_cast<std::uint8_t>(number >> 8U & 0xffU);
  address.ip[15] = static_cast<std::uint8_t>(number & 0xffU);
  return address;
}

bool is_stranger(const net::Address& address) {
  return address.ip[12] == kStrangersNet;
}

void TrafficCheck::fold(std::uint64_t hash) {
  fingerprint_ = (fingerprint_ ^ hash) * 0x9e37'79b9'7f4a'7c15ULL;
  fingerprint_ ^= fingerprint_ >> 29U;
}

void TrafficCheck::on_passed(const Passed& passed, Instant now) {
  const bool is_sent = passed.where == Where::ToServer || passed.where == Where::FromServer;
  const auto type = net::packet_type(passed.bytes);
  if (is_sent) {
    ++datagrams_;
    fold(hash_bytes(passed.bytes));
    if (passed.bytes.size() > net::kDatagramBytesMax) {
      findings_.add("budget", "datagrams of at most 1200 bytes",
                    "one of " + std::to_string(passed.bytes.size()));
    }
    if (!type) return findings_.add("nonce", "packets of known types", "one of another");
    on_sent(*type, passed, now);
  } else if (passed.where == Where::AtServer) {
    sources_[passed.client].bytes_in += passed.bytes.size();
    if (type) on_arrived(*type, passed);
  }
}

void TrafficCheck::on_sent(net::PacketType type, const Passed& passed, Instant now) {
  const bool up = passed.where == Where::ToServer;
  if (type == net::PacketType::Accept) {
    on_accept(passed);
  } else if (net::travels_sealed(type, up ? net::Direction::ToServer : net::Direction::ToClient)) {
    on_sealed(type, passed, now);
  }
  if (!up) pay(type, passed);
}

void TrafficCheck::on_accept(const Passed& passed) {
  const std::uint32_t connection = net::packet_connection(passed.bytes);
  std::shared_ptr<Session>& session = sessions_[connection];
  const std::uint64_t accept = hash_bytes(passed.bytes);
  if (session != nullptr && session->accept == accept) return;  // a repeated ACCEPT
  const std::uint64_t nonce = hash_bytes(passed.bytes.subspan(kServerNonceAt, kServerNonceBytes));
  if (!nonces_.insert(nonce).second) {
    findings_.add("nonce", "a fresh nonce in each ACCEPT", "one of an ACCEPT before");
  }
  session = std::make_shared<Session>(Session{.accept = accept, .address = passed.client});
  by_place_[connection & kPlaceMask] = session;
}

/// Returns the session of a packet. With its first packet after a move, the server gives a session
/// another connection id.
TrafficCheck::Session* TrafficCheck::session_of(const Passed& passed) {
  const std::uint32_t connection = net::packet_connection(passed.bytes);
  const auto session = sessions_.find(connection);
  if (session != sessions_.end()) return session->second.get();
  const auto moved = by_place_.find(connection & kPlaceMask);
  if (passed.where != Where::FromServer || moved == by_place_.end()) return nullptr;
  return (sessions_[connection] = moved->second).get();
}

void TrafficCheck::on_sealed(net::PacketType type, const Passed& passed, Instant now) {
  Session* const session = session_of(passed);
  if (session == nullptr) {
    return findings_.add(
        "nonce", "packets of connections that were accepted",
        "one of connection " + std::to_string(net::packet_connection(passed.bytes)));
  }
  const bool up = passed.where == Where::ToServer;
  std::uint32_t& newest = up ? session->to_server : session->to_client;
  const std::uint32_t next = (newest + 1) & kSequenceMask;
  const std::uint32_t sequence = sequence_of(passed.bytes);
  if (sequence != next) {
    findings_.add("nonce", "sequence " + std::to_string(next),
                  std::to_string(sequence) + " of type " + std::to_string(static_cast<int>(type)) +
                      (up ? " up" : " down"));
  }
  newest = sequence;
  if (!up) spend(type, passed.bytes.size(), *session, now);
}

/// In each second: at most what a full bucket lets through in one second.
void TrafficCheck::spend(net::PacketType type, std::size_t bytes, Session& session, Instant now) {
  const std::int64_t second =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  if (second != session.second) session.spent = {};
  session.second = second;
  const auto pay_for = [&](const char* what, std::uint64_t& spent, std::uint64_t most) {
    spent += bytes;
    if (spent <= most) return;
    findings_.add("budget",
                  "at most " + std::to_string(most) + " bytes a second of " + what + " to a client",
                  std::to_string(spent));
  };
  if (type == net::PacketType::Snapshot) {
    return pay_for("snapshots", session.spent.snapshots,
                   static_cast<std::uint64_t>(snapshot_bytes_.per_second + snapshot_bytes_.burst));
  }
  pay_for("everything else", session.spent.beside, kBytesBeside);
}

void TrafficCheck::on_arrived(net::PacketType type, const Passed& passed) {
  if (is_stranger(passed.client) || !net::travels_sealed(type, net::Direction::ToServer) ||
      passed.bytes.size() < net::kPacketOverheadBytes) {
    return;
  }
  const auto session = sessions_.find(net::packet_connection(passed.bytes));
  if (session == sessions_.end()) return;
  // Only the reader of the ACCEPT can seal. So the address of the ACCEPT is real, wherever this
  // packet came from.
  sources_[session->second->address].is_proven = true;
  if (type == net::PacketType::Response) sources_[passed.client].is_proven = true;
}

void TrafficCheck::pay(net::PacketType type, const Passed& passed) {
  Source& source = sources_[passed.client];
  if (source.is_proven) return;
  const bool challenges = type == net::PacketType::Challenge;
  (challenges ? source.challenged : source.bytes_out) += passed.bytes.size();
  if (source.bytes_out > source.bytes_in) {
    findings_.add("budget",
                  "at most the " + std::to_string(source.bytes_in) + " bytes that came from " +
                      net::to_string(passed.client),
                  std::to_string(source.bytes_out) + ", the last of type " +
                      std::to_string(static_cast<int>(type)));
  }
  if (source.challenged > kChallengeTimes * source.bytes_in) {
    findings_.add("budget",
                  "challenges of at most three times the " + std::to_string(source.bytes_in) +
                      " bytes that came from " + net::to_string(passed.client),
                  std::to_string(source.challenged));
  }
}

}  // namespace tickbox::simulator
