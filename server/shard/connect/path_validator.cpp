#include "server/shard/connect/path_validator.h"

#include "core/assert.h"
#include "protocol/messages.h"
#include "server/shard/hosted_room.h"
#include "server/shard/limits.h"

#include <algorithm>

namespace tickbox::server {

void PathValidator::on_packet(Session& session, const net::Datagram& datagram, bool is_newest,
                              Instant now) {
  if (session.path_check && now > session.path_check->expires) session.path_check.reset();
  const bool from_elsewhere = datagram.from != session.route.peer;
  if (!session.path_check && from_elsewhere && is_newest && now >= session.next_path_check) {
    session.path_check = PathCheck{.route = datagram.back(),
                                   .new_number = draw_number<std::uint64_t>(context_.entropy),
                                   .old_number = draw_number<std::uint64_t>(context_.entropy),
                                   .began = now,
                                   .asked = now - kChallengeInterval,
                                   .expires = now + kPathCheckLife};
  }
  if (!session.path_check) return;
  PathCheck& check = *session.path_check;
  const bool from_there = datagram.from == check.route.peer;
  if (from_there) check.received += datagram.bytes.size();
  if (from_there && check.moves_at && now >= *check.moves_at) return move(session, now);
  if (now - check.asked >= kChallengeInterval) ask(session, now);
}

void PathValidator::ask(Session& session, Instant now) {
  PathCheck& check = *session.path_check;
  check.asked = now;
  challenge(session, session.route, check.old_number);
  const bool may_send = check.sent + kChallengeBytes <= kUnprovenAnswers * check.received;
  if (check.moves_at || !may_send) return;
  check.sent += kChallengeBytes;
  challenge(session, check.route, check.new_number);
}

void PathValidator::challenge(Session& session, const net::Route& route, std::uint64_t number) {
  const ConstBytes message = protocol::encode_path_check(number, context_.message_buffer);
  TICKBOX_ASSERT(message.size() + net::kPacketOverheadBytes <= kChallengeBytes);
  context_.send(route, session.channel.seal_packet(net::PacketType::Challenge, message, packet_));
}

std::expected<void, net::DropReason> PathValidator::on_response(Session& session,
                                                                const net::Address& from,
                                                                ConstBytes message, Instant now) {
  const auto number = protocol::decode_path_check(message);
  if (!number) return std::unexpected(number.error());
  if (!session.path_check) return std::unexpected(net::DropReason::Unexpected);
  PathCheck& check = *session.path_check;
  if (*number == check.old_number) {
    // From any address: the client receives what is sent to the session's address.
    context_.metrics.count(ConnectionResult::Stayed);
    end(session, now);
    return {};
  }
  if (*number != check.new_number || from != check.route.peer) {
    return std::unexpected(net::DropReason::Unexpected);
  }
  if (check.moves_at) return {};
  const Duration round_trip = now - check.began;
  check.moves_at = now + std::max((kPathRoundTrips - 1) * round_trip, kOldPathSilence);
  check.expires = *check.moves_at + kPathCheckLife;
  return {};
}

void PathValidator::move(Session& session, Instant now) {
  session.route = session.path_check->route;
  sessions_.renew(session, context_.entropy);
  end(session, now);
  context_.metrics.count(ConnectionResult::Moved);
  context_.log.event(LogKind::Moved, Severity::Info, now, [&] {
    return LogEvent{"session_moved",
                    {{"room", session.room->id().value},
                     {"seat", session.player.value},
                     {"address", net::to_string(session.route.peer)}}};
  });
}

void PathValidator::end(Session& session, Instant now) {
  session.path_check.reset();
  session.next_path_check = now + kMoveInterval;
}

}  // namespace tickbox::server
