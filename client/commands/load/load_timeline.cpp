#include "client/commands/load/load_timeline.h"

#include <algorithm>
#include <utility>

namespace tickbox::commands {

LoadTimeline::LoadTimeline(std::size_t clients)
    : samples_max_(std::min(kColumnsMax, kCellsMax / std::max<std::size_t>(clients, 1)) / 2 * 2) {}

void LoadTimeline::add(LoadSample&& sample) {
  if (!samples_.empty() && in_last_ < merged_) {
    merge(samples_.back(), sample);
    ++in_last_;
    return;
  }
  if (samples_.size() == samples_max_) {
    for (std::size_t i = 0; i < samples_max_ / 2; ++i) {
      merge(samples_[2 * i], samples_[2 * i + 1]);
      if (i > 0) samples_[i] = std::move(samples_[2 * i]);
    }
    samples_.resize(samples_max_ / 2);
    merged_ *= 2;
  }
  samples_.push_back(std::move(sample));
  in_last_ = 1;
}

}  // namespace tickbox::commands
