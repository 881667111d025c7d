#include "tests/simulator/checks/loss_check.h"

#include "core/hash.h"
#include "tests/simulator/checks/traffic_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tickbox::simulator {
namespace {

using Passed = tests::SimulatedNetwork::Passed;
using Where = Passed::Where;

/// Longer than any client tries to come back into a session.
constexpr std::chrono::minutes kForgottenAfter{1};
/// A packet that is older than this many newer ones is not accepted (schema/README.md).
constexpr std::uint64_t kTakenWithin = 1'024;

/// In standard deviations of a binomial distribution: in a million runs none of some hundred links
/// is outside.
constexpr double kDeviations = 7;
/// Added to these deviations, because the distribution is not normal if next to nothing is lost.
constexpr double kSpare = 8;

}  // namespace

void LossCheck::Way::arrive(std::uint32_t low, std::uint64_t hash) {
  const std::uint64_t ago = (newest_sent_ - low) & kSequenceMask;
  if (ago >= kUnderWayMax || ago >= newest_sent_) return;
  const std::uint64_t sequence = newest_sent_ - ago;
  std::uint64_t& sent = sent_[sequence % kUnderWayMax];
  if (sent != hash || newest_ >= sequence + kTakenWithin) return;  // damaged, repeated or too late
  sent = 0;
  ++came_;
  Count& count = counts_[std::max(newest_, sequence) % kTold];
  if (sequence > newest_) count = {.newest = sequence, .first = came_, .last = came_};
  count.last = came_;
  newest_ = std::max(newest_, sequence);
}

std::optional<LossCheck::Count> LossCheck::Way::count_at(std::uint64_t newest) const {
  const Count& count = counts_[newest % kTold];
  if (count.newest > newest) return std::nullopt;
  return count.newest == newest ? count : Count{.newest = newest};
}

void LossCheck::on_passed(const Passed& passed) {
  if (passed.bytes.size() < net::kPacketOverheadBytes) return;
  const auto type = net::packet_type(passed.bytes);
  if (!type) return;
  if (*type == net::PacketType::Accept && passed.where == Where::FromServer) on_accept(passed);
  const bool up = passed.where == Where::ToServer || passed.where == Where::AtServer;
  const auto direction = up ? net::Direction::ToServer : net::Direction::ToClient;
  if (!net::travels_sealed(*type, direction)) return;
  const auto found = sessions_.find(net::packet_connection(passed.bytes));
  if (found == sessions_.end()) return;
  Session& session = *found->second;
  Way& way = up ? session.up : session.down;
  const std::uint64_t hash = hash_bytes(passed.bytes) | 1U;
  if (passed.where == Where::ToServer || passed.where == Where::FromServer) {
    session.used = match_.now();
    way.send(hash);
  } else if (up || is_held(session, passed)) {
    way.arrive(sequence_of(passed.bytes), hash);
  }
}

void LossCheck::on_accept(const Passed& passed) {
  std::unique_ptr<Session>& session = sessions_[net::packet_connection(passed.bytes)];
  const std::uint64_t accept = hash_bytes(passed.bytes);
  if (session && session->accept == accept) return;  // a repeated ACCEPT
  session = std::make_unique<Session>();
  session->accept = accept;
  session->used = match_.now();
  std::erase_if(sessions_, [this](const auto& one) {
    return match_.now() - one.second->used > kForgottenAfter;
  });
}

/// Whether the packet has reached the client in this session. A client that is not in it yet, or
/// tries to come back, ignores the packet and counts nothing.
bool LossCheck::is_held(Session& session, const Passed& passed) const {
  const std::uint32_t connection = net::packet_connection(passed.bytes);
  const auto holds = [&](const Match::Player& player) {
    return player.client != nullptr &&
           player.client->connection().state() == client::Connection::State::Connected &&
           player.client->connection().channel().connection() == connection;
  };
  const auto& players = match_.players();
  if (!holds(players[session.player])) {
    const auto holder = std::ranges::find_if(players, holds);
    if (holder == players.end()) return false;
    session.player = static_cast<std::size_t>(holder - players.begin());
  }
  return match_.network().address(session.player) == passed.client;
}

void LossCheck::add_up(const Match::Player& player) {
  if (player.client == nullptr || player.client->connection().sessions() == 0) return;
  const auto session = sessions_.find(player.client->connection().channel().connection());
  if (session == sessions_.end()) return;
  const client::ClientStats stats = player.client->stats();
  ++counts_.sessions;
  compare("client", session->second->down, {.newest = stats.down_sent, .came = stats.down_arrived});
  compare("server", session->second->up, {.newest = stats.up_sent, .came = stats.up_arrived});
}

/// A client's own counts are current; the server's are as old as its last report.
void LossCheck::compare(const char* which, const Way& way, const Report& report) {
  const std::optional<Count> count = way.count_at(report.newest);
  if (report.newest == 0 || !count) return;
  counts_.sent += report.newest;
  counts_.lost += report.newest - std::min(report.newest, report.came);
  if (report.came >= count->first && report.came <= count->last) return;
  findings_.add("loss",
                fmt::format("{} to {} of {} packets to have come to the {}", count->first,
                            count->last, report.newest, which),
                fmt::format("{} in its report", report.came));
}

void LossCheck::look_back(const Plan& plan) {
  const tests::SimulatedNetwork& network = match_.network();
  for (std::size_t i = 0; i < plan.clients.size(); ++i) {
    const double share = plan.clients[i].link.loss_ppm / 1e6;
    for (const net::LinkCounts& counts : {network.up(i), network.down(i)}) {
      const auto sent = static_cast<double>(counts.in);
      const auto lost = static_cast<double>(counts.lost);
      const double expected = sent * share;
      const double most_off = kDeviations * std::sqrt(expected * (1 - share)) + kSpare;
      if (std::abs(lost - expected) <= most_off) continue;
      findings_.add(
          "loss",
          fmt::format("{:.0f} of {} lost, give or take {:.0f}", expected, counts.in, most_off),
          fmt::format("{}, of client {}", counts.lost, i));
    }
  }
}

}  // namespace tickbox::simulator
