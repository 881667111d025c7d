// How clients go: by their own goodbye, in silence, or with the server.

#include "net/handshake.h"
#include "server/shard/shard.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tickbox::server {

/// Moves what waits for a client by the time that this server has not lived.
void Shard::forgive_stall(Instant now) {
  const Duration missed = now - std::exchange(listened_, now);
  if (missed <= kStall) return;
  for (Seat& seat : seats_.all()) {
    if (!seat.held) continue;
    for (Session& session : seats_.sessions_of(seat)) {
      session.heard = std::min(session.heard + missed, now);
    }
    if (seat.orphaned) *seat.orphaned += missed;
  }
}

void Shard::close_silent_sessions(Instant now) {
  for (Seat& seat : seats_.all()) {
    if (!seat.held) continue;
    for (Session& session : seats_.sessions_of(seat)) {
      if (session.state != Session::State::Free && now - session.heard > kSessionTimeout) {
        close(session, net::DisconnectReason::TimedOut, now);
      }
    }
    if (seat.orphaned && now - *seat.orphaned > kBodyKept) let_go(seat);
  }
}

void Shard::say_goodbye(Session& session, net::DisconnectReason reason) {
  for (int i = 0; i < net::kGoodbyes; ++i) {
    send_packet(session, net::PacketType::Disconnect, encoder_.disconnect(reason));
  }
}

/// Ends a session. Its body stays for a while if its client has only fallen silent.
void Shard::close(Session& session, net::DisconnectReason reason, Instant now) {
  Seat& seat = seats_.of(session);
  const bool was_playing = seats_.playing(seat) == &session;
  if (was_playing) {
    if (reason != net::DisconnectReason::ClientLeft) say_goodbye(session, reason);
    --clients_;
    metrics_.count(reason);
    log_.event(LogKind::Closed, Severity::Info, now, [&] {
      const auto silent =
          std::chrono::duration_cast<std::chrono::milliseconds>(now - session.heard).count();
      return fmt::format("session_closed seat={} reason={} silent_ms={} clients={}",
                         session.seat.value, net::name_of(reason), silent, clients_);
    });
  }
  if (const auto unfinished = tracer_.forget(session)) note_unfinished(*unfinished, now);
  if (reason == net::DisconnectReason::ClientLeft) seats_.depart(session, now);
  seats_.reset(session);
  if (was_playing && reason == net::DisconnectReason::TimedOut) {
    seat.playing = std::nullopt;
    seat.orphaned = now;
  } else if (was_playing || !(seat.playing || seat.orphaned)) {
    let_go(seat);
  }
}

void Shard::let_go(Seat& seat) {
  if (seat.in_world) {
    left_.push_back(seat.player);
  }
  seats_.release(seat);
}

void Shard::stop(Instant now) {
  stopping_ = true;
  for (Session& session : seats_.sessions()) {
    if (session.state != Session::State::Free) {
      close(session, net::DisconnectReason::ServerStopping, now);
    }
  }
}

}  // namespace tickbox::server
