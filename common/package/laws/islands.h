#pragma once
// The islands of one tick: entities that contacts and other influences have joined.

#include "core/ids.h"
#include "engine/tick_report.h"

#include <cstdint>
#include <map>

namespace tickbox::laws {

class TickIslands {
 public:
  explicit TickIslands(const engine::TickReport& report) {
    report.visit_influences([this](BodyId a, BodyId b) { join(a, b); });
  }

  /// Returns the entity that represents the island of an entity.
  [[nodiscard]] BodyId root_of(BodyId id) {
    BodyId at = id;
    for (auto parent = parents_.find(at); parent != parents_.end(); parent = parents_.find(at)) {
      at = parent->second;
    }
    return at;
  }

 private:
  void join(BodyId a, BodyId b) {
    a = root_of(a);
    b = root_of(b);
    if (a != b) parents_.emplace(std::max(a, b), std::min(a, b));
  }

  std::map<BodyId, BodyId> parents_;
};

}  // namespace tickbox::laws
