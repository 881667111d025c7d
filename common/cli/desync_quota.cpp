#include "cli/desync_quota.h"

namespace tickbox::cli {

DesyncQuota::Fault DesyncQuota::fault_of(const protocol::Desync& desync) {
  if (!desync.difference) return {};
  const auto& fields = desync.difference->first_fields;
  return {game::kind_name(desync.difference->first),
          fields.empty() ? std::string_view{} : fields[0].field};
}

std::optional<os::FileShare> DesyncQuota::share_of(const protocol::Desync& desync) const {
  if (desync.client) {
    const auto files = files_.find(*desync.client);
    if (files != files_.end() && files->second >= kFilesOfClientMax) return std::nullopt;
  }
  return faults_.contains(fault_of(desync)) ? os::FileShare::Half : os::FileShare::Whole;
}

void DesyncQuota::take(const protocol::Desync& desync) {
  faults_.insert(fault_of(desync));
  if (desync.client) ++files_[*desync.client];
}

}  // namespace tickbox::cli
