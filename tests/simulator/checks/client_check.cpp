#include "tests/simulator/checks/client_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace tickbox::simulator {
namespace {

using std::chrono::seconds;

/// On a link far away that loses a fifth in each direction, while the clock still converges, views
/// arrive every tenth of a second on average.
constexpr seconds kFreshWithin{2};
/// After a fault: five seconds until a client times out, as long until the server does, and some
/// lost attempts to come back.
constexpr seconds kRecoversWithin{12};

/// The same limit for a client that replaces another, which was stopped or refused. Some of its
/// attempts are lost.
constexpr seconds kIsReplacedWithin{30};
/// The shortest run whose share of fresh views is checked.
constexpr seconds kPlaysWithin{30};
constexpr double kFreshShare = 0.33;
/// A vanished player keeps its seat for half a minute.
constexpr seconds kSeatsKept{40};

double seconds_of(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

double fresh_share(const ViewCounts& counts) {
  if (counts.looks == 0) return 0;
  return static_cast<double>(counts.fresh) / static_cast<double>(counts.looks);
}

ClientCheck::ClientCheck(Findings& findings, Match& match) : findings_(findings), match_(match) {
  seen_.resize(match.players().size());
  for (Seen& seen : seen_) {
    seen.until = seen.fresh_at = match.now();
  }
}

bool ClientCheck::is_calm(std::size_t player) const {
  return match_.now() - seen_[player].until > kRecoversWithin;
}

void ClientCheck::look() {
  while (!arrivals_.empty() && match_.now() - arrivals_.front() > kSeatsKept) {
    arrivals_.pop_front();
  }
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    look_at(i);
  }
}

void ClientCheck::look_at(std::size_t index) {
  const Match::Player& player = match_.players()[index];
  Seen& seen = seen_[index];
  const Instant now = match_.now();
  const bool is_there = player.client != nullptr;
  if (is_there && seen.process != player.client.get()) {
    seen.process = player.client.get();
    arrivals_.push_back(now);
  }
  const Tick view = is_there ? player.client->view_tick() : Tick{};
  if (view != seen.view && view != Tick{}) seen.fresh_at = now;
  seen.view = view;
  if (view <= last_end_.tick) seen.until = std::max(seen.until, last_end_.at);
  if (is_there && player.client->connection().over()) return look_at_one_sent_away(index);

  const Instant since = std::max(seen.fresh_at, seen.until);
  const Duration waited = now - since;
  const bool is_calm = this->is_calm(index);
  const bool is_connected =
      is_there && player.client->connection().state() == client::Connection::State::Connected;
  if (is_there) ++counts_.looks;
  if (is_connected && now - seen.fresh_at <= kFreshWithin) ++counts_.fresh;
  Duration& longest = is_calm && is_connected ? counts_.longest_calm : counts_.longest_recovery;
  longest = std::max(longest, waited);
  const bool is_another = !is_there || player.began > since;
  const seconds most = is_another                ? kIsReplacedWithin
                       : is_calm && is_connected ? kFreshWithin
                                                 : kRecoversWithin;
  if (waited > most) complain(index, most);
}

/// A refused client needs no fresh views while there is no room for it. If it asks again and again,
/// it gets other reasons too, because links damage requests and answers. The end of a match
/// disturbs its clients.
void ClientCheck::look_at_one_sent_away(std::size_t index) {
  const Match::Player& player = match_.players()[index];
  Seen& seen = seen_[index];
  const client::Connection& connection = player.client->connection();
  if (connection.match_has_ended()) seen.until = match_.now();
  if (may_be_full()) {
    seen.fresh_at = match_.now();
    return;
  }
  if (match_.now() - seen.until > kRecoversWithin) {
    findings_.add("sessions", fmt::format("client {} to play", index), connection.reason());
  }
}

/// Whether all seats may be taken by present clients and by those that have gone.
bool ClientCheck::may_be_full() const {
  return arrivals_.size() + match_.players().size() >= match_.map()->seats;
}

void ClientCheck::complain(std::size_t index, Duration most) {
  const Match::Player& player = match_.players()[index];
  Seen& seen = seen_[index];
  const Instant now = match_.now();
  std::string state = "its process is not there";
  if (player.client != nullptr) {
    const client::Connection& connection = player.client->connection();
    state = fmt::format("state {}, session {}, view {}", static_cast<int>(connection.state()),
                        connection.sessions(), player.client->view_tick().value);
  }
  findings_.add(
      "stall",
      fmt::format("client {} to have a fresh view within {:.0f} s", index, seconds_of(most)),
      fmt::format("none for {:.1f} s, {:.1f} s after the last fault; {}",
                  seconds_of(now - seen.fresh_at), seconds_of(now - seen.until), state));
  seen.fresh_at = now;
}

/// This limit covers runs in which faults are so dense that each one excuses the next missing view.
void ClientCheck::look_back(Duration played) {
  const double share = fresh_share(counts_);
  if (played < kPlaysWithin || share >= kFreshShare) return;
  findings_.add("sessions", fmt::format("fresh views {:.0f} % of the time", 100 * kFreshShare),
                fmt::format("{:.1f} %", 100 * share));
}

void ClientCheck::add_up(const Match::Player& player) {
  if (player.client == nullptr) return;
  const client::ClientStats stats = player.client->stats();
  counts_.views += stats.hashes_checked;
  counts_.predicted += stats.untouched.checked;
  counts_.exact += stats.untouched.exact;
  if (stats.hashes_mismatched != 0) {
    findings_.add("views", "every view's hash as the server said",
                  fmt::format("{} of {} differ, the first at tick {}", stats.hashes_mismatched,
                              stats.hashes_checked,
                              stats.first_mismatch ? stats.first_mismatch->tick.value : 0U));
  }
}

}  // namespace tickbox::simulator
