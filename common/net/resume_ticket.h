#pragma once
// The resume ticket: a server seals it for itself and the client keeps it. It is valid for one
// return to the same seat.

#include "core/bytes.h"
#include "core/ids.h"
#include "net/crypto.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::net {

/// The bytes of the head, which is in clear but authenticated: version, boot id. The nonce follows.
inline constexpr std::size_t kTicketHeadBytes = 9;
inline constexpr std::size_t kTicketSecretBytes = 86;
inline constexpr std::size_t kSealedTicketBytes =
    kTicketHeadBytes + kLongNonceBytes + kTicketSecretBytes + kTagBytes;
static_assert(kSealedTicketBytes == 135);

using SealedTicket = std::array<std::byte, kSealedTicketBytes>;

/// The content of a ticket, which a server seals for itself.
struct Ticket {
  PlayerId seat;
  std::uint32_t generation = 0;  ///< of the seat
  std::uint32_t serial = 0;      ///< only the newest ticket of a seat is valid
  std::uint32_t room = 0;
  std::uint64_t client = 0;  ///< client id from its token
  KeyPair keys;              ///< those of the next session are derived from them

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

/// The ticket that a client keeps, with its keys.
struct ResumeTicket {
  SealedTicket sealed{};
  KeyPair keys;
};

[[nodiscard]] SealedTicket seal_ticket(const Ticket& ticket, std::uint64_t boot,
                                       const SecretKey& key, Entropy& entropy);

/// Opens a sealed ticket. Fails: nothing, if the ticket was not sealed with this key, or was
/// altered. Requires: kSealedTicketBytes bytes, here and below.
[[nodiscard]] std::optional<Ticket> open_ticket(ConstBytes sealed, const SecretKey& key);

/// Returns the boot id of the server that sealed the ticket; not authenticated until it opens.
[[nodiscard]] std::uint64_t ticket_boot(ConstBytes sealed);

/// Formats a ticket as one line of text, as a client stores it.
[[nodiscard]] std::string to_text(const ResumeTicket& ticket);
/// Fails: one line that says what is wrong.
[[nodiscard]] std::expected<ResumeTicket, std::string> parse_ticket(std::string_view text);

}  // namespace tickbox::net
