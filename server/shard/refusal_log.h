#pragma once
// Who was refused and why, in the log: a line per reason, at once and then at most every ten
// seconds, with how often it happened since the line before.

#include "net/address.h"
#include "net/refusal.h"
#include "server/shard/limited_log.h"
#include "server/shard/paced_count.h"

#include <array>
#include <cstdint>
#include <optional>

namespace tickbox::server {

class RefusalLog {
 public:
  /// `client`: as the token or ticket said, where it could be opened.
  void add(net::RefuseReason reason, std::optional<std::uint64_t> client,
           const net::Address& address);

  /// Writes "connection_refused reason=token_used client=7 address=192.0.2.1:5000 count=1", with
  /// the last client and address of each reason.
  void write(LimitedLog& log, Instant now);

 private:
  struct Refusals {
    PacedCount count;
    std::optional<std::uint64_t> client;  ///< the last
    net::Address address;                 ///< the last
  };

  std::array<Refusals, net::kRefuseReasons> reasons_{};
};

}  // namespace tickbox::server
