#include "tests/conformance/stranger.h"

#include "protocol/snapshot.h"

#include <chrono>

namespace tickbox::tests {
namespace {

/// The time until the server has looked at its socket, and answered.
constexpr Duration kMoment = std::chrono::milliseconds{2};

}  // namespace

Stranger::Stranger(Capture& capture, std::uint16_t port)
    : capture_(capture), address_(SimulatedNetwork::server_address()) {
  address_.port = port;
  (void)capture_.take_answers(address_);
  begin_anew();
}

void Stranger::begin_anew() {
  pair_ = net::handshake_pair(net::draw<net::SecretKey>(capture_.entropy()));
  accepted_.reset();
  refused_ = false;
}

void Stranger::hello() {
  hello(net::make_request(net::PacketType::Hello, pair_.nonce));
}

void Stranger::hello(const net::ConnectRequest& hello) {
  net::PacketBuffer buffer{};
  net::ConnectRequest own = hello;
  own.client_nonce = pair_.nonce;
  send(net::encode_hello(own, buffer));
}

void Stranger::connect(const net::ConnectToken& token) {
  keys_ = token.keys;
  net::PacketBuffer buffer{};
  const net::ConnectRequest request = net::make_request(net::PacketType::Connect, pair_.nonce);
  send(net::encode_connect(request, cookie_, token, buffer));
}

void Stranger::resume(const net::ResumeTicket& ticket) {
  resume(ticket, {});
}

void Stranger::resume_with_cookie(const net::ResumeTicket& ticket) {
  resume(ticket, cookie_);
}

void Stranger::resume(const net::ResumeTicket& ticket, const net::CookieBytes& cookie) {
  keys_ = ticket.keys;
  net::PacketBuffer buffer{};
  send(net::encode_resume(net::make_request(net::PacketType::Resume, pair_.nonce), ticket, buffer,
                          cookie));
}

void Stranger::enter(const net::ConnectToken& token) {
  hello();
  connect(token);
}

void Stranger::say(net::PacketType type, ConstBytes message) {
  net::PacketBuffer buffer{};
  send(channel_.seal_packet(type, message, buffer));
}

void Stranger::send(ConstBytes bytes) {
  last_.assign(bytes.begin(), bytes.end());
  capture_.harness().network().inject(address_, last_);
  capture_.harness().run_for(kMoment);
  take_answers();
}

void Stranger::take_answers() {
  for (const auto& answer : capture_.take_answers(address_)) {
    if (const auto cookie = net::decode_cookie(answer)) {
      cookie_ = cookie->cookie;
    } else if (auto accepted =
                   net::decode_accept(answer, keys_, pair_, net::Cipher::ChaCha20Poly1305)) {
      const bool again = accepted_ && accepted_->connection == accepted->connection;
      accepted_ = std::move(*accepted);
      if (!again) {
        channel_ =
            net::PacketChannel{accepted_->keys, accepted_->connection, net::Direction::ToServer};
      }
    } else if (net::decode_refuse(answer)) {
      refused_ = true;
    } else {
      take_packet(answer);
    }
  }
}

void Stranger::take_packet(ConstBytes datagram) {
  net::PacketBuffer buffer{};
  const auto opened = channel_.open_packet(datagram, buffer);
  if (!opened) return;
  protocol::Snapshot snapshot;
  if (opened->type == net::PacketType::Snapshot &&
      protocol::decode_snapshot(opened->message, snapshot)) {
    newest_view_ = {.tick = {snapshot.head.report.tick}, .receipt = snapshot.receipt};
  }
}

protocol::ViewAck Stranger::newest_view() {
  take_answers();
  return newest_view_;
}

net::ResumeTicket Stranger::ticket() const {
  return {.sealed = accepted_->accept.ticket, .keys = net::derive_resume_keys(accepted_->keys)};
}

}  // namespace tickbox::tests
