#pragma once
// The last stage of a plan: what was planned, as the bits of a snapshot's content. The standard is
// common/views/FORMAT.md.

#include "server/match/plan/plan_stages.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

struct ContentSize {
  bool has_any = false;       ///< anything that the client cannot compute by itself
  std::size_t exit_bits = 0;  ///< of its exits
};

ContentSize write_content(const ClientContext& client, const ClientBodies& bodies,
                          const WrittenCauses& causes, std::span<const std::uint16_t> exits,
                          const Members& in_full, std::vector<std::byte>& content);

}  // namespace tickbox::server
