#pragma once
// Compares two snapshots.

#include "protocol/snapshot.h"

#include <algorithm>

namespace tickbox::tests {

[[nodiscard]] inline bool same(const protocol::Causes& a, const protocol::Causes& b) {
  return std::ranges::equal(a.inputs, b.inputs) && std::ranges::equal(a.shots, b.shots) &&
         std::ranges::equal(a.teleports, b.teleports) && std::ranges::equal(a.exits, b.exits);
}

[[nodiscard]] inline bool same(const protocol::Snapshot& a, const protocol::Snapshot& b) {
  return a.head == b.head && a.receipt == b.receipt && same(a.causes, b.causes) &&
         std::ranges::equal(a.bodies, b.bodies) && a.status == b.status &&
         std::ranges::equal(a.events, b.events);
}

}  // namespace tickbox::tests
