#pragma once
// The tokens that admit nobody else: those whose session is pending, by their id, and those that
// were used. If a client may hold only one seat, a used token is kept by its client. So it also
// bars the client's older tokens.
//
// A table of fixed size, indexed by a keyed hash. An entry of a used token is never removed before
// its time: if there is no space, new tokens are refused.

#include "core/clock.h"
#include "core/rng.h"
#include "net/connect_token.h"
#include "net/crypto.h"
#include "net/transport.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// The token of a session whose client has not proven its keys.
struct AdmittedToken {
  net::TokenId id{};
  net::TokenHead head;
  std::uint64_t client = 0;
};

/// A token that a client has shown.
struct ShownToken {
  net::TokenId id{};  ///< of a used token: the key under which it is kept
  WallTime issued;
  WallTime expires;      ///< the end of the entry
  net::Address address;  ///< the address of the pending client
  net::HandshakeNonce client_nonce{};
  std::uint32_t connection = 0;  ///< the connection made for it
  bool consumed = false;
};

class TokenHistory {
 public:
  /// `capacity`: tokens, at least 1.
  TokenHistory(std::size_t capacity, Entropy& entropy);

  /// Returns the token, or nullptr if the table does not have it. The pointer is valid until the
  /// table changes. Cost: constant.
  [[nodiscard]] ShownToken* find(const net::TokenId& id);

  /// Stores a token. Returns false if there is no space. Cost: constant. While the table is full,
  /// a call removes the tokens that have expired by `today`, at most once a second.
  [[nodiscard]] bool insert(const ShownToken& token, WallTime today);

  /// Stores a used token in place of a pending one. Does nothing if there is no space, which is
  /// only possible if the pending one has expired. Cost: constant.
  void replace(const net::TokenId& pending, const ShownToken& used);

  /// Removes a token, if it is there. Cost: constant.
  void remove(const net::TokenId& id);

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
