#include "client/connection.h"

#include "core/assert.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::client {
namespace {

/// A goodbye is sent this often, for UDP loses some.
constexpr int kGoodbyes = 3;

std::string in_words(net::DisconnectReason reason) {
  switch (reason) {
    case net::DisconnectReason::ClientLeft:
      return "left";
    case net::DisconnectReason::ServerStopping:
      return "server is stopping";
    case net::DisconnectReason::TimedOut:
      return "the server heard nothing from here for too long";
    case net::DisconnectReason::Kicked:
      return "removed by the server";
  }
  return "unknown";
}

}  // namespace

Connection::Connection(net::Transport& transport, const net::Address& server, Entropy& entropy,
                       Instant now)
    : transport_(transport),
      server_(server),
      nonce_(net::draw_nonce(entropy)),
      started_(now),
      heard_(now) {
  ask(now);
}

void Connection::ask(Instant now) {
  asked_ = now;
  transmit(net::encode_connect({.schema = net::schema_hash(), .client_nonce = nonce_},
                               net::published_key(), packet_));
}

void Connection::transmit(ConstBytes datagram) {
  ++use_.packets_up;
  use_.bytes_up += datagram.size();
  transport_.send(server_, datagram);
}

std::optional<Connection::Message> Connection::receive(Instant now) {
  while (const std::optional<net::Datagram> datagram = transport_.receive()) {
    ++use_.packets_down;
    use_.bytes_down += datagram->bytes.size();
    if (datagram->from != server_) {
      drops_.count(net::DropReason::UnknownConnection);
      continue;
    }
    if (state_ != State::Connected) {
      on_answer(datagram->bytes, now);
      continue;
    }
    if (net::packet_type(datagram->bytes) == net::PacketType::Accept) {
      continue;  // our CONNECT was asked twice, and so answered twice
    }
    const auto opened = channel_.open_packet(datagram->bytes, opened_);
    if (!opened) {
      drops_.count(opened.error());
      continue;
    }
    heard_ = now;
    if (opened->type != net::PacketType::Disconnect) {
      return Message{.type = opened->type, .bytes = opened->message};
    }
    if (const auto reason = net::decode_disconnect(opened->message)) {
      end(State::Closed, in_words(*reason));
    } else {
      drops_.count(reason.error());
    }
  }
  return std::nullopt;
}

void Connection::on_answer(ConstBytes datagram, Instant now) {
  const std::optional<net::PacketType> type = net::packet_type(datagram);
  if (state_ != State::Connecting) {
    drops_.count(net::DropReason::Unexpected);
  } else if (type == net::PacketType::Accept) {
    auto accepted = net::decode_accept(datagram, net::published_key(), nonce_);
    if (!accepted) {
      return drops_.count(accepted.error());
    }
    accept_ = std::move(accepted->accept);
    channel_ = net::PacketChannel{accepted->keys, accepted->connection, net::Direction::ToServer};
    state_ = State::Connected;
    connected_at_ = now;
    heard_ = now;
  } else if (type == net::PacketType::Refuse) {
    const auto refuse = net::decode_refuse(datagram, net::published_key());
    if (!refuse) {
      return drops_.count(refuse.error());
    }
    if (refuse->client_nonce == nonce_) {
      end(State::Refused, net::describe(*refuse));
    }
  } else {
    drops_.count(net::DropReason::UnknownType);
  }
}

void Connection::update(Instant now) {
  if (state_ == State::Connecting && now - started_ >= kServerTimeout) {
    end(State::Silent,
        fmt::format("no answer from {} after {} s; is a server running there?",
                    net::to_string(server_),
                    std::chrono::duration_cast<std::chrono::seconds>(kServerTimeout).count()));
  } else if (state_ == State::Connecting && now - asked_ >= kConnectRetry) {
    ask(now);
  } else if (state_ == State::Connected && now - heard_ >= kServerTimeout) {
    end(State::Closed,
        fmt::format("nothing heard from {} for {} s", net::to_string(server_),
                    std::chrono::duration_cast<std::chrono::seconds>(kServerTimeout).count()));
  }
}

std::uint64_t Connection::send(net::PacketType type, ConstBytes message) {
  TICKBOX_ASSERT(state_ == State::Connected);
  transmit(channel_.seal_packet(type, message, packet_));
  return channel_.sent();
}

void Connection::leave() {
  fail(in_words(net::DisconnectReason::ClientLeft));
}

void Connection::fail(std::string reason) {
  if (state_ == State::Connected) {
    for (int i = 0; i < kGoodbyes; ++i) {
      send(net::PacketType::Disconnect, encoder_.disconnect(net::DisconnectReason::ClientLeft));
    }
  }
  if (!over()) {
    end(State::Closed, std::move(reason));
  }
}

void Connection::end(State state, std::string reason) {
  state_ = state;
  reason_ = std::move(reason);
}

Instant Connection::next_wakeup() const {
  return state_ == State::Connecting ? asked_ + kConnectRetry : heard_ + kServerTimeout;
}

}  // namespace tickbox::client
