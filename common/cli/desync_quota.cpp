#include "cli/desync_quota.h"

namespace tickbox::cli {

DesyncQuota::Fault DesyncQuota::fault_of(const protocol::Desync& desync) {
  if (!desync.difference) return {};
  const engine::WorldDifference& difference = *desync.difference;
  const std::string field =
      difference.first_fields.empty() ? std::string{} : difference.first_fields.front().field;
  return {difference.subject.substr(0, difference.subject.find(' ')),
          field.substr(0, field.find('['))};
}

std::optional<os::FileShare> DesyncQuota::share_of(const protocol::Desync& desync) const {
  if (desync.client) {
    const auto files = files_.find(*desync.client);
    if (files != files_.end() && files->second >= kFilesOfClientMax) return std::nullopt;
  }
  return faults_.contains(fault_of(desync)) ? os::FileShare::Half : os::FileShare::Whole;
}

void DesyncQuota::count(const protocol::Desync& desync) {
  faults_.insert(fault_of(desync));
  if (desync.client) ++files_[*desync.client];
}

}  // namespace tickbox::cli
