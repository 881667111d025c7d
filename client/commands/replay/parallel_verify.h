#pragma once
// Verifies a recording with several threads; each thread steps one segment after the other.

#include "record/verify.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace tickbox::commands {

/// The largest number of threads; more would only wait for each other.
inline constexpr std::uint32_t kVerifyJobsMax = 256;

/// Returns the number of threads that this machine runs at once, 1 to kVerifyJobsMax.
[[nodiscard]] std::uint32_t processors();

/// Starts one thread less than `jobs`, each of which calls `work`; fewer if the machine gives no
/// more. Requires: the caller joins them.
[[nodiscard]] std::vector<std::thread> start_helpers(std::size_t jobs,
                                                     const std::function<void()>& work);

/// Returns exactly the result of record::verify().
/// Requires: as record::verify(); 1 ≤ jobs ≤ kVerifyJobsMax.
/// Thread: only the calling thread reports progress; it steps segments too.
[[nodiscard]] record::VerifyResult verify_in_parallel(const record::Reader& reader,
                                                      const GameTable& game,
                                                      const engine::SharedMap& map,
                                                      const record::VerifyOptions& options,
                                                      std::uint32_t jobs);

}  // namespace tickbox::commands
