#pragma once
// The times and rates that no message has, and from which each end knows what the other one does.

#include "core/clock.h"

#include <chrono>
#include <cstdint>

namespace tickbox::protocol {

/// The silence after which the other end counts as gone.
inline constexpr Duration kSilenceMax = std::chrono::seconds{5};

/// The time for which a server keeps the seat of a client that has fallen silent, and for which the
/// client tries to resume.
inline constexpr Duration kSeatKept = std::chrono::seconds{30};

/// The snapshots per second that a server sends at least to a client that has proven its address.
inline constexpr std::uint32_t kQuietSnapshotsPerSecond = 10;

/// The least time between two desync reports of a client, and the time for which each end keeps its
/// view of one. A client never has two.
inline constexpr Duration kDesyncReportInterval = std::chrono::seconds{5};
inline constexpr Duration kDesyncReportKept = std::chrono::seconds{4};
static_assert(kDesyncReportKept < kDesyncReportInterval);

}  // namespace tickbox::protocol
