#pragma once
// A recording verified by several threads, each of which steps one segment after the other.

#include "record/verify.h"

#include <cstdint>

namespace tickbox::commands {

/// More would only wait for each other.
inline constexpr std::uint32_t kVerifyJobsMax = 256;

/// How many threads this machine runs at once, 1 to kVerifyJobsMax.
[[nodiscard]] std::uint32_t processors();

/// The very result of record::verify().
/// Thread: progress is told by the calling thread alone, which steps segments too.
/// Requires: as record::verify(); 1 ≤ jobs ≤ kVerifyJobsMax.
[[nodiscard]] record::VerifyResult verify_in_parallel(const record::Reader& reader,
                                                      const game::SharedMap& map,
                                                      const game::Rules& rules,
                                                      const record::VerifyOptions& options,
                                                      std::uint32_t jobs);

}  // namespace tickbox::commands
