#include "net/drop_reason.h"

#include <numeric>

namespace tickbox::net {

std::string_view name_of(DropReason reason) {
  switch (reason) {
    case DropReason::TooShort:
      return "too_short";
    case DropReason::TooLong:
      return "too_long";
    case DropReason::UnknownType:
      return "unknown_type";
    case DropReason::UnknownConnection:
      return "unknown_connection";
    case DropReason::Replayed:
      return "replayed";
    case DropReason::Forged:
      return "forged";
    case DropReason::Malformed:
      return "malformed";
    case DropReason::Unexpected:
      return "unexpected";
    case DropReason::RateLimited:
      return "rate_limited";
    case DropReason::BadCookie:
      return "bad_cookie";
  }
  return "unknown";
}

std::uint64_t DropCounts::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

}  // namespace tickbox::net
