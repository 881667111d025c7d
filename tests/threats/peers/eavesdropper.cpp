#include "tests/threats/peers/eavesdropper.h"

#include <ranges>
#include <utility>

namespace tickbox::tests {
std::optional<net::HandshakePair> drawn_pair(ConstBytes drawn) {
  net::SecretKey secret;
  if (drawn.size() != secret.size()) return std::nullopt;
  std::ranges::copy(drawn, secret.begin());
  return net::handshake_pair(secret);
}

Eavesdropper::Eavesdropper(Harness& harness, Wire& wire) {
  harness.watch_draws([this](ConstBytes drawn) {
    if (const auto pair = drawn_pair(drawn)) drawn_[pair->nonce] = *pair;
  });
  wire.listen([this](const Wire::Passed& passed) { on_passed(passed); });
}

void Eavesdropper::is_handed(const net::ConnectToken& token) {
  tokens_[copy_of(token.sealed)] = token.keys;
}

void Eavesdropper::on_passed(const Wire::Passed& passed) {
  const auto type = net::packet_type(passed.bytes);
  if (!type) return;
  if (passed.where == Wire::Where::AtServer) {
    const bool asks = *type == net::PacketType::Connect || *type == net::PacketType::Resume;
    if (asks) on_ask(passed, *type);
  } else if (*type == net::PacketType::Accept) {
    on_accept(passed);
  } else if (*type >= net::PacketType::Input) {
    on_packet(passed, *type);
  }
}

void Eavesdropper::on_ask(const Wire::Passed& passed, net::PacketType type) {
  const auto request = net::decode_request(passed.bytes);
  if (!request) return;
  const bool connects = type == net::PacketType::Connect;
  const auto& known = connects ? tokens_ : tickets_;
  const auto found = known.find(
      copy_of(connects ? net::sealed_token_of(passed.bytes) : net::sealed_ticket_of(passed.bytes)));
  if (found == known.end()) return;
  asked_[passed.client].push_back({.nonce = request->client_nonce, .keys = found->second});
}

void Eavesdropper::on_accept(const Wire::Passed& passed) {
  const auto nonce = net::server_nonce_of(passed.bytes);
  const auto server = nonce ? drawn_.find(*nonce) : drawn_.end();
  if (server == drawn_.end()) {
    ++unread_;
    return;
  }
  for (const Asked& asked : asked_[passed.client] | std::views::reverse) {
    const net::SecretKey agreed = net::agree(server->second, asked.nonce).value();
    const auto accepted = net::open_accept(
        passed.bytes, net::derive_session_keys(asked.keys, asked.nonce, server->first, agreed));
    if (!accepted) continue;
    auto& same_id = by_connection_[accepted->connection];
    const bool is_again = !same_id.empty() && same_id.back()->accepted.keys == accepted->keys;
    if (!is_again) {
      same_id.push_back(
          &sessions_.emplace_back(Session{.accepted = *accepted,
                                          .to_server = {.keys = {accepted->keys.to_server}},
                                          .to_client = {.keys = {accepted->keys.to_client}}}));
      tickets_[copy_of(accepted->accept.ticket)] = net::derive_resume_keys(accepted->keys);
    }
    if (listener_) {
      listener_({.type = net::PacketType::Accept,
                 .direction = net::Direction::ToClient,
                 .client = passed.client,
                 .session = same_id.back()->accepted,
                 .key = accepted->keys.to_client,
                 .sequence = 0,
                 .message = {},
                 .datagram = passed.bytes});
    }
    return;
  }
  ++unread_;
}

/// A restarted server uses connection ids again, so the newest session with the id is tried first.
/// A session that has moved has another id, so all sessions are tried after that.
void Eavesdropper::on_packet(const Wire::Passed& passed, net::PacketType type) {
  std::vector<Session*>& same_id = by_connection_[net::packet_connection(passed.bytes)];
  for (Session* session : same_id | std::views::reverse) {
    if (read(*session, passed, type)) return;
  }
  for (Session& session : sessions_ | std::views::reverse) {
    if (!read(session, passed, type)) continue;
    same_id.push_back(&session);
    return;
  }
  ++unread_;
}

bool Eavesdropper::read(Session& session, const Wire::Passed& passed, net::PacketType type) {
  const bool up = passed.where == Wire::Where::ToServer;
  Way& way = up ? session.to_server : session.to_client;
  // The layout (schema/README.md): 6 bits of type, 18 of the sequence, around the connection id.
  const auto high = std::to_integer<std::uint32_t>(passed.bytes[0]) >> 6;
  const auto low = load_le<std::uint16_t>(passed.bytes.subspan(5));
  const std::uint64_t sequence = net::expand_sequence(high << 16 | low, way.newest);
  const std::uint64_t epoch = sequence >> net::kEpochBits;
  if (epoch > way.keys.size()) return false;
  const net::SecretKey key =
      epoch < way.keys.size() ? way.keys[epoch] : net::derive_next_key(way.keys.back());
  const ConstBytes clear = passed.bytes.first(net::kPacketHeadBytes);
  const ConstBytes sealed = passed.bytes.subspan(net::kPacketHeadBytes);
  if (!net::open(session.accepted.cipher, key, sequence, clear, sealed, opened_)) return false;
  if (epoch == way.keys.size()) way.keys.push_back(key);
  way.newest = std::max(way.newest, sequence);
  if (listener_) {
    listener_({.type = type,
               .direction = up ? net::Direction::ToServer : net::Direction::ToClient,
               .client = passed.client,
               .session = session.accepted,
               .key = key,
               .sequence = sequence,
               .message = ConstBytes{opened_}.first(sealed.size() - net::kTagBytes),
               .datagram = passed.bytes});
  }
  return true;
}

}  // namespace tickbox::tests
