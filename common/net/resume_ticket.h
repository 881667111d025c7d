#pragma once
// The resume ticket: sealed by a server to itself, kept by the client, good for one way back into
// the same body.

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

/// In clear, authenticated: version, boot id; then the nonce.
inline constexpr std::size_t kTicketHeadBytes = 9;
inline constexpr std::size_t kTicketSecretBytes = 86;
inline constexpr std::size_t kSealedTicketBytes =
    kTicketHeadBytes + kLongNonceBytes + kTicketSecretBytes + kTagBytes;
static_assert(kSealedTicketBytes == 135);

using SealedTicket = std::array<std::byte, kSealedTicketBytes>;

/// What a server seals to itself.
struct Ticket {
  PlayerId seat;
  BodyId body;
  std::uint32_t serial = 0;  ///< of a seat's tickets only the newest is good
  std::uint32_t room = 0;
  std::uint64_t client = 0;  ///< as its token said
  KeyPair keys;              ///< of the session to come

  friend bool operator==(const Ticket&, const Ticket&) = default;
};

/// What a client keeps.
struct ResumeTicket {
  SealedTicket sealed{};
  KeyPair keys;
};

[[nodiscard]] SealedTicket seal_ticket(const Ticket& ticket, std::uint64_t boot, const Key& key,
                                       Entropy& entropy);

/// Nothing, where it was not sealed by this key.  Requires: kSealedTicketBytes bytes, here and
/// below.
[[nodiscard]] std::optional<Ticket> open_ticket(ConstBytes sealed, const Key& key);

/// Of the server that sealed it, unproven until it opens.
[[nodiscard]] std::uint64_t ticket_boot(ConstBytes sealed);

/// One line of text, as a client stores it.
[[nodiscard]] std::string to_text(const ResumeTicket& ticket);
/// Fails: one line that says what is wrong.
[[nodiscard]] std::expected<ResumeTicket, std::string> parse_ticket(std::string_view text);

}  // namespace tickbox::net
