#pragma once
// Every token that has been shown, until it expires: so that each lets one client in, once, from
// one address.
//
// A table of fixed size, found through a keyed hash. Nothing that has not expired is ever given up:
// where there is no room, new tokens are refused.

#include "core/clock.h"
#include "core/entropy.h"
#include "net/address.h"
#include "net/connect_token.h"
#include "net/crypto.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// A token that has been shown.
struct ShownToken {
  net::TokenId id{};
  WallTime expires;
  net::Address address;  ///< the one it is pending for
  net::HandshakeNonce client_nonce{};
  std::uint32_t connection = 0;  ///< that it led to
  bool consumed = false;
};

class TokenHistory {
 public:
  /// Makes room for so many, at least 1.
  TokenHistory(std::size_t capacity, Entropy& entropy);

  /// Nothing, where it was never shown.  Cost: constant. Pointers last until the next remember().
  [[nodiscard]] ShownToken* find(const net::TokenId& id);

  /// False, where there is no room.  Cost: constant, but for once a second when it is full: then
  /// those that have expired by `today` are cleared out.
  [[nodiscard]] bool remember(const ShownToken& token, WallTime today);

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
  std::vector<Slot> slots_;       ///< at most half of them taken, so that searches end soon
  std::vector<ShownToken> kept_;  ///< memory of clear_out()
  WallTime cleared_{};
};

}  // namespace tickbox::server
