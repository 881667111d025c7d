#include "client/apps/play_figures.h"

#include "core/fixed.h"

namespace tickbox::apps {
namespace {

FigureValue units(const Histogram& sub_units, std::uint32_t per_mille) {
  if (sub_units.count() == 0) {
    return {};
  }
  return static_cast<double>(sub_units.quantile(per_mille)) / kUnit;
}

}  // namespace

FigureValue milliseconds(const Histogram& microseconds, std::uint32_t per_mille) {
  if (microseconds.count() == 0) {
    return {};
  }
  return static_cast<double>(microseconds.quantile(per_mille)) / 1'000;
}

void add_state_hash(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"state_hash.checked", stats.hashes_checked});
  figures.push_back({"state_hash.mismatched", stats.hashes_mismatched});
}

void add_audit(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"audit.ticks", stats.audited});
  figures.push_back({"audit.mismatched", stats.audit_mismatched});
}

void add_prediction(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"prediction.checked", stats.untouched.checked});
  figures.push_back({"prediction.exact", stats.untouched.exact});
  figures.push_back({"prediction.corrected", stats.corrected});
  figures.push_back({"prediction.error_p99", units(stats.prediction_error, 990)});
  figures.push_back({"prediction.error_max", units(stats.prediction_error, 1'000)});
  figures.push_back({"prediction.touched.checked", stats.touched.checked});
  figures.push_back({"prediction.touched.exact", stats.touched.exact});
}

void add_round_trip(Figures& figures, const client::ClientStats& stats) {
  figures.push_back({"rtt_ms.p50", milliseconds(stats.round_trip, 500)});
  figures.push_back({"rtt_ms.p99", milliseconds(stats.round_trip, 990)});
}

}  // namespace tickbox::apps
