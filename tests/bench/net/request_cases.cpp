// HELLO, CONNECT and RESUME through a whole shard: what strangers cost, and what a session costs.

#include "server/shard/session.h"
#include "tests/bench/net/bench_server.h"
#include "tests/bench/net/cases.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace tickbox::bench {
namespace {

using net::PacketType;

/// A server with one player, who stays, and has a ticket.
struct RequestStage {
  BenchServer server;
  Player player = server.let_in(sender(0));
  std::vector<Player> resumers;
  net::PacketBuffer out{};
  std::uint64_t before = 0;

  /// Lets seven seconds pass: every limit is fresh then, and sessions that nobody has proven are
  /// forgotten.
  void begin() {
    constexpr int kSeconds = 7;
    static_assert(std::chrono::seconds{kSeconds} > server::kSessionTimeout);
    for (int second = 0; second < kSeconds; ++second) {
      server.pass_second();
      server.add(player.address, make_input(player, server.next_tick(), 0, out));
      server.receive();
    }
  }

  net::ConnectRequest request(PacketType type) {
    return net::make_request(type, server.make_nonce());
  }
};

/// Makes the datagram of a sender, in the stage's buffer.
using Make = std::function<ConstBytes(RequestStage&, const net::Address&)>;
using Count = std::function<std::uint64_t(const BenchServer&)>;

/// kBatch datagrams, each of a network of its own, that let `count` grow by as many.
Case asked(
    std::string name, Make make, const Count& count,
    std::function<void(RequestStage&)> first = [](RequestStage&) {}) {
  const auto stage = std::make_shared<RequestStage>();
  return received({.name = std::move(name),
                   .bytes = net::kRequestBytes,
                   .prepare =
                       [stage, make = std::move(make), first = std::move(first)] {
                         stage->begin();
                         first(*stage);
                         // To make a CONNECT, a cookie is requested from the server: all are made
                         // before the first is added.
                         std::vector<net::PacketBuffer> made(kBatch);
                         for (std::uint32_t i = 0; i < kBatch; ++i) {
                           std::ranges::copy(make(*stage, sender(1 + i)), made[i].begin());
                         }
                         for (std::uint32_t i = 0; i < kBatch; ++i) {
                           stage->server.add(sender(1 + i), made[i]);
                         }
                       }},
                  stage, count);
}

/// Refusals for this reason, and repeated ones.
Count refusals(net::RefuseReason reason) {
  return [reason](const BenchServer& server) {
    const server::Metrics& metrics = server.metrics();
    return metrics.refusals[static_cast<std::size_t>(reason)] + metrics.refusals_repeated;
  };
}

Count sessions(server::ConnectionResult result) {
  return [result](const BenchServer& server) {
    return server.metrics().connections[static_cast<std::size_t>(result)];
  };
}

ConstBytes hello(RequestStage& stage, const net::Address& /*from*/) {
  return net::encode_hello(stage.request(PacketType::Hello), stage.out);
}

ConstBytes connect(RequestStage& stage, const net::Address& from) {
  return stage.server.make_connect(from, stage.server.make_token(), stage.out);
}

/// Makes a CONNECT with a valid and recent cookie, but that of another address.
ConstBytes connect_with_bad_cookie(RequestStage& stage, const net::Address& /*from*/) {
  return connect(stage, stage.player.address);
}

ConstBytes connect_with_forged_token(RequestStage& stage, const net::Address& from) {
  net::ConnectToken token = stage.server.make_token();
  token.sealed.back() ^= std::byte{1};
  return stage.server.make_connect(from, token, stage.out);
}

/// Makes a CONNECT with a valid token, and a tag by other keys than those of the token.
ConstBytes connect_without_keys(RequestStage& stage, const net::Address& from) {
  net::ConnectToken token = stage.server.make_token();
  token.keys = {};
  return stage.server.make_connect(from, token, stage.out);
}

/// Lets in as many players as a batch of RESUMEs needs: a seat has a limit of its own.
void let_in_resumers(RequestStage& stage) {
  constexpr std::size_t kResumers = kBatch / server::kAgreementsOfSeat.burst;
  stage.resumers.clear();
  for (std::uint32_t i = 0; i < kResumers; ++i) {
    stage.resumers.push_back(stage.server.let_in(sender(kBatch + 1 + i)));
  }
  stage.server.pass_second();
}

ConstBytes resume(RequestStage& stage, const net::Address& /*from*/) {
  std::ranges::rotate(stage.resumers, std::next(stage.resumers.begin()));
  return net::encode_resume(stage.request(PacketType::Resume), stage.resumers.front().ticket,
                            stage.out);
}

ConstBytes resume_forged(RequestStage& stage, const net::Address& /*from*/) {
  net::ResumeTicket ticket = stage.player.ticket;
  ticket.sealed.back() ^= std::byte{1};
  return net::encode_resume(stage.request(PacketType::Resume), ticket, stage.out);
}

ConstBytes resume_of_another_boot(RequestStage& stage, const net::Address& /*from*/) {
  return net::encode_resume(stage.request(PacketType::Resume), {}, stage.out);
}

/// Asks until the server answers no stranger in this second.
void use_up_replies(RequestStage& stage) {
  // Less than what a server takes from one tick to the next.
  constexpr auto kMore = static_cast<std::size_t>(server::kRepliesToStrangers.burst +
                                                  server::kRepliesToStrangers.burst / 4);
  const net::ConnectRequest request = stage.request(PacketType::Hello);
  for (std::size_t i = 0; i < kMore; ++i) {
    stage.server.add(stage.player.address, net::encode_hello(request, stage.out));
    if (i % server::kDatagramsPerReceive == 0) stage.server.receive();
  }
  stage.server.receive();
}

/// Asks until the server opens no ticket without a cookie in this second.
void use_up_opens(RequestStage& stage) {
  constexpr auto kMore = static_cast<std::uint32_t>(server::kOpensWithoutCookie.burst +
                                                    server::kOpensWithoutCookie.burst / 4);
  for (std::uint32_t i = 0; i < kMore; ++i) {
    stage.server.add(sender(i), resume_forged(stage, sender(i)));
    if (i % server::kDatagramsPerReceive == 0) stage.server.receive();
  }
  stage.server.receive();
}

}  // namespace

std::vector<Case> request_cases() {
  using net::DropReason;
  using net::RefuseReason;
  const Count answers = [](const BenchServer& server) { return server.sent(); };
  std::vector<Case> cases;
  cases.push_back(asked("HELLO, answered by COOKIE", hello, answers));
  cases.push_back(
      asked("HELLO, rate_limited", hello, drops(DropReason::RateLimited), use_up_replies));
  cases.push_back(
      asked("CONNECT, bad_cookie", connect_with_bad_cookie, drops(DropReason::BadCookie)));
  cases.push_back(asked("CONNECT, refused: token_forged", connect_with_forged_token,
                        refusals(RefuseReason::TokenForged)));
  cases.push_back(asked("CONNECT, tag forged", connect_without_keys, drops(DropReason::Forged)));
  cases.push_back(
      asked("CONNECT, a session", connect, sessions(server::ConnectionResult::Accepted)));
  cases.push_back(asked("RESUME, refused: restarted", resume_of_another_boot,
                        refusals(RefuseReason::Restarted)));
  cases.push_back(
      asked("RESUME, refused: ticket_forged", resume_forged, refusals(RefuseReason::TicketForged)));
  cases.push_back(asked("RESUME, answered by COOKIE", resume_forged, answers, use_up_opens));
  cases.push_back(asked("RESUME, a session", resume, sessions(server::ConnectionResult::Resumed),
                        let_in_resumers));
  return cases;
}

}  // namespace tickbox::bench
