#pragma once
// The places at which the reading of a damaged file continues.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::record {

/// A whole keyframe or trailer, at or after the first damage.
struct Anchor {
  std::size_t offset = 0;
  std::uint32_t segment = 0;
  std::size_t bytes = 0;  ///< length of the record and of those that continue it
};

/// Returns those of `found` at which reading continues: the ones with ascending segments that have
/// the most bytes. A keyframe that was moved is out of order with the others, and so costs only its
/// own segment. Requires: `found` is in the order of the file.
/// Cost: n log n. Source: heaviest increasing subsequence, by the numbers of segments.
[[nodiscard]] std::vector<Anchor> heaviest_run(const std::vector<Anchor>& found);

}  // namespace tickbox::record
