#include "tests/simulator/client_check.h"

#include <fmt/format.h>

namespace tickbox::simulator {
namespace {

using std::chrono::seconds;

/// A link that loses a fifth each way, far away, and a clock that is drawing near: on such a one
/// views come every tenth of a second in the mean.
constexpr seconds kFreshWithin{2};
/// After a fault: five seconds until a client takes its server for gone, as long for the server,
/// and some attempts to come back that are lost.
constexpr seconds kRecoversWithin{12};

/// No room: for players, or for auditors.
bool is_turned_away(std::string_view reason) {
  return reason.contains("full") || reason.contains("audit");
}

double seconds_of(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

ClientCheck::ClientCheck(Findings& findings, Match& match) : findings_(findings), match_(match) {
  seen_.resize(match.players().size());
  for (Seen& seen : seen_) {
    seen.until = seen.fresh_at = match.now();
  }
}

void ClientCheck::look() {
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    look_at(i);
  }
}

void ClientCheck::look_at(std::size_t index) {
  const Match::Player& player = match_.players()[index];
  Seen& seen = seen_[index];
  const Instant now = match_.now();
  if (player.client == nullptr) {
    seen.fresh_at = now;
    return;
  }
  const client::Client& client = *player.client;
  const client::Connection& connection = client.connection();
  if (seen.process != &client || seen.session != connection.sessions() ||
      seen.view != client.newest_view()) {
    seen.fresh_at = seen.process != &client ? std::max(seen.fresh_at, player.began) : now;
    seen.process = &client;
    seen.session = connection.sessions();
    seen.view = client.newest_view();
  }
  const bool is_calm = now - seen.until > kRecoversWithin;
  if (connection.over()) {
    if (is_calm && !is_turned_away(connection.reason())) {
      findings_.add("sessions", fmt::format("client {} to play", index), connection.reason());
    }
    return;
  }
  const Instant since = std::max(seen.fresh_at, seen.until);
  const Duration waited = now - since;
  const bool is_there = connection.state() == client::Connection::State::Connected;
  Duration& longest = is_calm && is_there ? counts_.longest_calm : counts_.longest_recovery;
  longest = std::max(longest, waited);
  const seconds most = is_calm && is_there ? kFreshWithin : kRecoversWithin;
  if (waited <= most) return;
  findings_.add(
      "stall", fmt::format("client {} to have a fresh view within {} s", index, most.count()),
      fmt::format("none for {:.1f} s, {:.1f} s after the last fault; state {}, {}, "
                  "session {}, view {}",
                  seconds_of(now - seen.fresh_at), seconds_of(now - seen.until),
                  static_cast<int>(connection.state()), player.audits ? "audits" : "plays",
                  connection.sessions(), client.newest_view().value));
  seen.fresh_at = now;
}

void ClientCheck::add_up(const Match::Player& player) {
  if (player.client == nullptr) return;
  const client::ClientStats stats = player.client->stats();
  counts_.views += stats.hashes_checked;
  counts_.audited += stats.audited;
  counts_.predicted += stats.untouched.checked;
  counts_.exact += stats.untouched.exact;
  if (stats.hashes_mismatched != 0) {
    findings_.add("views", "every view's hash as the server said",
                  fmt::format("{} of {} differ, the first at tick {}", stats.hashes_mismatched,
                              stats.hashes_checked,
                              stats.first_mismatch ? stats.first_mismatch->tick.value : 0U));
  }
  if (stats.audit_mismatched != 0) {
    findings_.add("audit", "every tick's hash as the server said",
                  fmt::format("{} of {} differ", stats.audit_mismatched, stats.audited));
  }
}

}  // namespace tickbox::simulator
