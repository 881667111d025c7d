#pragma once
// The last stage of a plan: what was planned, as the bits of a snapshot's content. The standard is
// common/views/FORMAT.md.

#include "server/match/plan/plan_stages.h"

#include <cstddef>
#include <vector>

namespace tickbox::server {

struct PlanScratch;

struct ContentSize {
  bool has_any = false;       ///< anything that the client cannot compute by itself
  std::size_t exit_bits = 0;  ///< of its exits
};

/// Writes what the stages before have planned.
ContentSize write_content(const ClientContext& client, const PlanScratch& planned,
                          std::vector<std::byte>& content);

}  // namespace tickbox::server
