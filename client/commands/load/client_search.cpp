#include "client/commands/load/client_search.h"

#include "client/commands/load/load_report.h"

#include <algorithm>
#include <array>

namespace tickbox::commands {
namespace {

/// The first number is this part of the most.
constexpr std::size_t kFirstPart = 16;
/// The two ends of the search may be this part of the lower one apart.
constexpr std::size_t kApartPart = 20;

}  // namespace

std::string_view name_of(ClientLimit limit) {
  constexpr std::array<std::string_view, 5> kNames{"none", "server", "generator", "network",
                                                   "seats"};
  return kNames[static_cast<std::size_t>(limit)];
}

std::optional<std::size_t> ClientSearch::next() const {
  if (held_ >= most_) return std::nullopt;
  if (missed_ == 0) {
    return std::min(most_, held_ > 0 ? 2 * held_ : std::max(least_, most_ / kFirstPart));
  }
  if (missed_ <= held_ + std::max<std::size_t>(1, held_ / kApartPart)) return std::nullopt;
  return std::min(most_, held_ + (missed_ - held_) / 2);
}

ClientLimit ClientSearch::record(const SearchStep& step) {
  if (step.clients < step.asked) {
    is_full_ = true;
    most_ = std::min(most_, step.clients);
  }
  const ClientLimit limit = limit_of(step);
  if (limit == ClientLimit::None) {
    held_ = std::max(held_, step.clients);
    loss_held_ = std::max(loss_held_, step.loss);
  } else if (limit == ClientLimit::Generator && repeated_ != step.clients) {
    repeated_ = step.clients;
  } else if (missed_ == 0 || step.clients < missed_) {
    missed_ = step.clients;
    missed_by_ = limit;
  }
  return limit;
}

ClientLimit ClientSearch::limit() const {
  if (held_ < most_) return missed_by_;
  return is_full_ ? ClientLimit::Seats : ClientLimit::None;
}

/// What the server reports of itself counts even if the generator was late.
ClientLimit ClientSearch::limit_of(const SearchStep& step) const {
  if (step.server_missed) return ClientLimit::Server;
  if (step.is_late) return ClientLimit::Generator;
  if (step.held) return ClientLimit::None;
  if (step.generator_cpu_percent >= kGeneratorCpuMax) return ClientLimit::Generator;
  const bool is_lossy = step.loss > loss_held_ + kLossGrowthMax;
  return is_lossy && step.rate_held >= kRateHeldMin ? ClientLimit::Network : ClientLimit::Server;
}

}  // namespace tickbox::commands
