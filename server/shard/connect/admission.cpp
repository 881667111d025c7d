#include "server/shard/connect/admission.h"

#include "core/assert.h"
#include "core/text.h"

#include <algorithm>
#include <utility>

namespace tickbox::server {
namespace {

net::Refuse refusal(net::RefuseReason reason, std::uint32_t have = 0, std::uint32_t limit = 0) {
  return {.reason = reason, .have = have, .limit = limit};
}

/// Returns whole seconds, limited to what a REFUSE can hold.
std::uint32_t seconds_of(std::chrono::milliseconds duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(seconds, 0, UINT32_MAX));
}

}  // namespace

DenyList::DenyList(std::vector<std::uint64_t> clients) : clients_(std::move(clients)) {
  std::ranges::sort(clients_);
  const auto repeated = std::ranges::unique(clients_);
  clients_.erase(repeated.begin(), repeated.end());
}

std::expected<DenyList, std::string> DenyList::parse(std::string_view text) {
  std::vector<std::uint64_t> clients;
  LineReader lines{text};
  while (const auto line = lines.next()) {
    const auto client = parse_as<std::uint64_t>(*line);
    if (!client) {
      return std::unexpected{"line " + std::to_string(lines.number()) +
                             ": expected a client id (a number from 0 to 18446744073709551615)"};
    }
    clients.push_back(*client);
  }
  return DenyList{std::move(clients)};
}

bool DenyList::contains(std::uint64_t client) const {
  return std::ranges::binary_search(clients_, client);
}

Admission::Admission(AdmissionOptions options, Entropy& entropy, const Now& now)
    : options_(std::move(options)),
      entropy_(entropy),
      cookies_(entropy, now.instant),
      connects_(entropy),
      resumes_(entropy),
      resumes_without_cookie_(entropy, kOpensWithoutCookie),
      moves_(entropy),
      tokens_(kTokensRemembered, entropy),
      boot_(draw_number<std::uint64_t>(entropy)),
      ticket_key_{net::draw<net::SecretKey>(entropy)},
      started_(now.today) {}

AdmissionResult Admission::judge(const net::ConnectRequest& request, const net::Datagram& datagram,
                                 const Now& now) {
  switch (request.type) {
    case net::PacketType::Hello:
      return cookies_.bake(datagram.from, request.client_nonce, now.instant);
    case net::PacketType::Connect:
      return judge_connect(request, datagram, now);
    default:
      TICKBOX_ASSERT(request.type == net::PacketType::Resume);
      return judge_resume(request, datagram, now);
  }
}

AdmissionResult Admission::judge_connect(const net::ConnectRequest& request,
                                         const net::Datagram& datagram, const Now& now) {
  if (!cookies_.accepts(net::cookie_of(datagram.bytes), datagram.from, request.client_nonce,
                        now.instant)) {
    return net::DropReason::BadCookie;
  }
  const ConstBytes sealed = net::sealed_token_of(datagram.bytes);
  const net::TokenId id = net::token_id(sealed);
  const ShownToken* shown = tokens_.find(id);
  const bool is_pending = shown != nullptr && !shown->consumed;
  const bool is_here = shown != nullptr && shown->address == datagram.from;
  if (is_pending && is_here && shown->client_nonce == request.client_nonce) {
    return RepeatedRequest{.connection = shown->connection, .id = id};
  }
  if (!connects_.consume(datagram.from, now.instant)) return net::DropReason::RateLimited;
  const auto token = net::open_token(sealed, options_.keys);
  if (!token) {
    return token.error() == net::TokenFault::UnknownKey
               ? Refused{refusal(net::RefuseReason::KeyUnknown, net::token_head(sealed).key_id)}
               : Refused{refusal(net::RefuseReason::TokenForged)};
  }
  if (!net::is_proven(datagram.bytes, token->keys.to_server)) return net::DropReason::Forged;
  const auto refused = [&token](const net::Refuse& answer) {
    return Refused{answer, token->claims.client, token->keys.to_client};
  };
  if (const auto objection = objection_to(*token, datagram.to, now.today)) {
    return refused(*objection);
  }
  if (is_used(*token, id)) return refused(refusal(net::RefuseReason::TokenUsed));
  if (is_pending && !is_here) return refused(refusal(net::RefuseReason::TokenTaken));
  return TokenAccepted{.token = *token,
                       .id = id,
                       .replaces = is_pending ? std::optional{shown->connection} : std::nullopt};
}

/// Returns the key under which a used token is kept: its client's, or its own id.
net::TokenId Admission::key_of_used(const net::TokenId& id, std::uint64_t client) const {
  if (!keeps_clients()) return id;
  net::TokenId key{};
  store_le(key, client);
  return key;
}

bool Admission::is_used(const net::OpenedToken& token, const net::TokenId& id) {
  const ShownToken* const used = tokens_.find(key_of_used(id, token.claims.client));
  return used != nullptr && used->consumed && token.head.issued <= used->issued;
}

std::optional<net::Refuse> Admission::objection_to(const net::OpenedToken& token,
                                                   const net::Address& asked,
                                                   WallTime today) const {
  if (denies(token.claims.client)) return refusal(net::RefuseReason::Denied);
  if (token.head.expires <= today) {
    return refusal(net::RefuseReason::TokenExpired, seconds_of(today - token.head.expires));
  }
  if (token.head.issued < started_) {
    return refusal(net::RefuseReason::TokenBeforeBoot, seconds_of(started_ - token.head.issued));
  }
  if (token.head.issued - today > kTokenLead) {
    return refusal(net::RefuseReason::TokenEarly, seconds_of(token.head.issued - today));
  }
  const auto life = token.head.expires - token.head.issued;
  const auto life_max = std::chrono::floor<std::chrono::milliseconds>(options_.token_life_max);
  if (life > life_max) {
    return refusal(net::RefuseReason::TokenLong, seconds_of(life), seconds_of(life_max));
  }
  if (!is_for_us(token.claims.servers, asked)) return refusal(net::RefuseReason::TokenElsewhere);
  const RoomId room{token.claims.room};
  if (room != RoomId{} && std::ranges::find(rooms_, room) == rooms_.end()) {
    return refusal(net::RefuseReason::TokenRoom, room.value);
  }
  return std::nullopt;
}

bool Admission::is_for_us(const net::TokenServers& servers, const net::Address& asked) const {
  if (options_.addresses.empty()) return true;
  return std::ranges::find_first_of(servers, options_.addresses) != servers.end() ||
         (options_.takes_own_address && std::ranges::find(servers, asked) != servers.end());
}

AdmissionResult Admission::judge_resume(const net::ConnectRequest& request,
                                        const net::Datagram& datagram, const Now& now) {
  const ConstBytes sealed = net::sealed_ticket_of(datagram.bytes);
  if (net::ticket_boot(sealed) != boot_) return Refused{refusal(net::RefuseReason::Restarted)};
  if (cookies_.accepts(net::cookie_of(datagram.bytes), datagram.from, request.client_nonce,
                       now.instant)) {
    if (!resumes_.consume(datagram.from, now.instant)) return net::DropReason::RateLimited;
  } else if (!resumes_without_cookie_.consume(datagram.from, now.instant)) {
    return cookies_.bake(datagram.from, request.client_nonce, now.instant);
  }
  const auto ticket = net::open_ticket(sealed, ticket_key_.front());
  if (!ticket) return Refused{refusal(net::RefuseReason::TicketForged)};
  if (!net::is_proven(datagram.bytes, ticket->keys.to_server)) return net::DropReason::Forged;
  if (denies(ticket->client)) {
    return Refused{refusal(net::RefuseReason::Denied), ticket->client, ticket->keys.to_client};
  }
  return ResumeAccepted{.ticket = *ticket};
}

bool Admission::admit(const TokenAccepted& accepted, const net::Address& from,
                      const net::HandshakeNonce& client_nonce, std::uint32_t connection,
                      WallTime today) {
  const ShownToken token{.id = accepted.id,
                         .issued = accepted.token.head.issued,
                         .expires = accepted.token.head.expires,
                         .address = from,
                         .client_nonce = client_nonce,
                         .connection = connection};
  if (ShownToken* shown = tokens_.find(accepted.id)) {
    *shown = token;
    return true;
  }
  return tokens_.insert(token, today);
}

/// An entry by client ends when no token that it bars can be valid any more.
void Admission::consume(const AdmittedToken& token) {
  const net::TokenId key = key_of_used(token.id, token.client);
  const ShownToken* const used = tokens_.find(key);
  if (used != nullptr && used->consumed && used->issued > token.head.issued) {
    return tokens_.remove(token.id);
  }
  const auto life_max = std::chrono::floor<std::chrono::milliseconds>(options_.token_life_max);
  tokens_.replace(token.id,
                  {.id = key,
                   .issued = token.head.issued,
                   .expires = keeps_clients() ? token.head.issued + life_max : token.head.expires,
                   .consumed = true});
}

std::vector<std::uint32_t> Admission::set_keys(net::KeyRing keys) {
  std::vector<std::uint32_t> removed;
  for (const net::RingKey& old : options_.keys.keys()) {
    const net::SecretKey* const key = keys.find(old.id);
    if (key == nullptr || *key != old.key) removed.push_back(old.id);
  }
  options_.keys = std::move(keys);
  return removed;
}

net::ConnectToken Admission::issue_token(const net::TokenClaims& claims, WallTime today) {
  const auto life = std::chrono::floor<std::chrono::milliseconds>(
      std::min(kHandOverTokenLife, options_.token_life_max));
  return net::issue_token(claims, today, today + life, options_.keys, entropy_);
}

net::SealedTicket Admission::ticket_for(const net::Ticket& ticket) {
  return net::seal_ticket(ticket, boot_, ticket_key_.front(), entropy_);
}

}  // namespace tickbox::server
