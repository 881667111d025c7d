#include "net/resume_ticket.h"

#include "core/byte_cursor.h"
#include "core/text.h"

#include <algorithm>

namespace tickbox::net {
namespace {

constexpr std::byte kVersion{1};
constexpr std::string_view kTicketLabel = "tickbox resume ticket";
constexpr std::string_view kTextPrefix = "tickbox-ticket-1.";
constexpr std::size_t kTextBytes = kSealedTicketBytes + 2 * kKeyBytes;

auto ticket_clear_part(ConstBytes sealed) {
  return joined<kTicketLabel.size() + kTicketHeadBytes>(as_bytes_of(kTicketLabel),
                                                        sealed.first(kTicketHeadBytes));
}

}  // namespace

SealedTicket seal_ticket(const Ticket& ticket, std::uint64_t boot, const SecretKey& key,
                         Entropy& entropy) {
  SealedTicket sealed{};
  const auto nonce = draw<LongNonce>(entropy);
  ByteWriter head{sealed};
  head.number(std::to_integer<std::uint8_t>(kVersion));
  head.number(boot);
  head.bytes(nonce);

  std::array<std::byte, kTicketSecretBytes> secret{};
  ByteWriter out{secret};
  out.number(ticket.seat.value);
  out.number(ticket.generation);
  out.number(ticket.serial);
  out.number(ticket.room);
  out.number(ticket.client);
  out.bytes(ticket.keys.to_server);
  out.bytes(ticket.keys.to_client);
  seal_drawn(key, nonce, ticket_clear_part(sealed), secret,
             MutableBytes{sealed}.subspan(kTicketHeadBytes + kLongNonceBytes));
  wipe(secret);
  return sealed;
}

std::optional<Ticket> open_ticket(ConstBytes sealed, const SecretKey& key) {
  TICKBOX_ASSERT(sealed.size() == kSealedTicketBytes);
  LongNonce nonce{};
  std::ranges::copy(sealed.subspan(kTicketHeadBytes, kLongNonceBytes), nonce.begin());
  std::array<std::byte, kTicketSecretBytes> secret{};
  const bool opens = sealed[0] == kVersion &&
                     open_drawn(key, nonce, ticket_clear_part(sealed),
                                sealed.subspan(kTicketHeadBytes + kLongNonceBytes), secret);
  if (!opens) return std::nullopt;
  Ticket ticket;
  ByteReader in{secret};
  ticket.seat.value = in.number<std::uint16_t>();
  ticket.generation = in.number<std::uint32_t>();
  ticket.serial = in.number<std::uint32_t>();
  ticket.room = in.number<std::uint32_t>();
  ticket.client = in.number<std::uint64_t>();
  in.bytes(ticket.keys.to_server);
  in.bytes(ticket.keys.to_client);
  wipe(secret);
  return ticket;
}

std::uint64_t ticket_boot(ConstBytes sealed) {
  TICKBOX_ASSERT(sealed.size() == kSealedTicketBytes);
  return load_le<std::uint64_t>(sealed.subspan(1));
}

std::string to_text(const ResumeTicket& ticket) {
  std::array<std::byte, kTextBytes> bytes{};
  ByteWriter out{bytes};
  out.bytes(ticket.sealed);
  out.bytes(ticket.keys.to_server);
  out.bytes(ticket.keys.to_client);
  std::string text = std::string{kTextPrefix} + to_base64(bytes);
  wipe(bytes);
  return text;
}

std::expected<ResumeTicket, std::string> parse_ticket(std::string_view text) {
  text = trimmed(text);
  std::array<std::byte, kTextBytes> bytes{};
  if (!text.starts_with(kTextPrefix) || !from_base64(text.substr(kTextPrefix.size()), bytes)) {
    return std::unexpected{"is not a resume ticket: a ticket is a line that begins with " +
                           std::string{kTextPrefix}};
  }
  ResumeTicket ticket;
  ByteReader in{bytes};
  in.bytes(ticket.sealed);
  in.bytes(ticket.keys.to_server);
  in.bytes(ticket.keys.to_client);
  wipe(bytes);
  return ticket;
}

}  // namespace tickbox::net
