#pragma once
// How often something is killed: few times in ctest, many in a campaign.

#include <cstdint>

namespace tickbox::crash {

/// TICKBOX_RECORDER_KILLS, or 500; with TICKBOX_AUDIT 60.
[[nodiscard]] int recorder_kills();

/// TICKBOX_SERVER_KILLS, or 10; with TICKBOX_AUDIT 4.
[[nodiscard]] int server_kills();

/// The seed of the instants: TICKBOX_SEED, or 1.
[[nodiscard]] std::uint64_t kill_seed();

}  // namespace tickbox::crash
