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

bool DesyncQuota::count(const protocol::Desync& desync, Instant now) {
  if (!hour_began_ || now - *hour_began_ >= std::chrono::hours{1}) {
    hour_began_ = now;
    files_this_hour_ = 0;
  }
  const Fault fault = fault_of(desync);
  const std::size_t part = faults_.contains(fault) ? 2 : 1;
  if (files_ >= kDesyncFilesMax / part || files_this_hour_ >= kDesyncFilesPerHourMax / part) {
    return false;
  }
  if (desync.client) {
    std::size_t& files = files_of_client_[*desync.client];
    if (files == kFilesOfClientMax) return false;
    ++files;
  }
  ++files_;
  ++files_this_hour_;
  faults_.insert(fault);
  return true;
}

}  // namespace tickbox::cli
