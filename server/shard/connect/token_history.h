#pragma once
// Every token that a client has shown, until it expires: each token admits one client, once, from
// one address.
//
// A table of fixed size, indexed by a keyed hash. A used token is never removed before it expires:
// if there is no space, new tokens are refused.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/address.h"
#include "net/connect_token.h"
#include "net/crypto.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// A token that a client has shown.
struct ShownToken {
  net::TokenId id{};
  WallTime expires;
  net::Address address;  ///< the address of the pending client
  net::HandshakeNonce client_nonce{};
  std::uint32_t connection = 0;  ///< the connection made for it
  bool consumed = false;
};

class TokenHistory {
 public:
  /// `capacity`: tokens, at least 1.
  TokenHistory(std::size_t capacity, Entropy& entropy);

  /// Returns nullptr if never shown.  Cost: constant. Pointers last until the next
  /// remember() or forget().
  [[nodiscard]] ShownToken* find(const net::TokenId& id);

  /// Stores a token. Returns false if there is no space.  Cost: constant. While the table is full,
  /// a call removes the tokens that have expired by `today`, at most once a second.
  [[nodiscard]] bool remember(const ShownToken& token, WallTime today);

  /// Removes a token, if it is there.  Cost: constant.
  void forget(const net::TokenId& id);

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    bool taken = false;
    ShownToken token;
  };

  [[nodiscard]] std::size_t place_of(const net::TokenId& id) const;
  [[nodiscard]] std::size_t slot_of(const net::TokenId& id) const;
  void clear_out(WallTime today);
  void insert(const ShownToken& token);

  net::ShortKey key_;
  std::size_t capacity_;
  std::size_t size_ = 0;
  std::vector<Slot> slots_;       ///< at most half of them taken, so that searches are short
  std::vector<ShownToken> kept_;  ///< scratch memory of clear_out()
  WallTime cleared_{};
};

}  // namespace tickbox::server
