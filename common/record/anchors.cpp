#include "record/anchors.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace tickbox::record {

std::vector<Anchor> heaviest_run(const std::vector<Anchor>& found) {
  struct Best {
    std::size_t bytes;  ///< weight of the heaviest run that ends with this segment or one before
    std::size_t last;   ///< last anchor of that run
  };

  std::vector<std::size_t> before(found.size());  // predecessor in the run; itself if none
  std::map<std::uint32_t, Best> best;             // a later segment has a greater weight
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto at = best.lower_bound(found[i].segment);
    const bool first = at == best.begin();
    before[i] = first ? i : std::prev(at)->second.last;
    const std::size_t bytes = found[i].bytes + (first ? 0 : std::prev(at)->second.bytes);
    auto lighter = at;
    while (lighter != best.end() && lighter->second.bytes <= bytes) {
      lighter = best.erase(lighter);
    }
    if (lighter == best.end() || lighter->first != found[i].segment) {
      best.emplace_hint(lighter, found[i].segment, Best{.bytes = bytes, .last = i});
    }
  }
  std::vector<Anchor> run;
  if (best.empty()) return run;
  std::size_t last = best.rbegin()->second.last;
  for (run.push_back(found[last]); before[last] != last; run.push_back(found[last])) {
    last = before[last];
  }
  std::ranges::reverse(run);
  return run;
}

}  // namespace tickbox::record
