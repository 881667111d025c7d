#pragma once
// The text that servers tell Prometheus, read back: samples by name and labels, and histograms.

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// Doubles count so far and no further.
inline constexpr double kMetricCountMax = 9'007'199'254'740'992.0;

/// Whether a metric of this value can be a count, or an amount of anything.
[[nodiscard]] constexpr bool is_count(double value) {
  return value >= 0 && value <= kMetricCountMax;
}

struct MetricLabel {
  std::string name{};
  std::string value{};

  friend bool operator==(const MetricLabel&, const MetricLabel&) = default;
};

struct MetricSample {
  std::string name{};
  std::vector<MetricLabel> labels{};
  double value = 0;
};

/// How many values were at most each of some bounds, as Prometheus counts: each bucket holds those
/// below it too.
struct BucketCounts {
  std::vector<double> bounds{};  ///< above 0, ascending; the last is infinite
  std::vector<double> counts{};  ///< none below the one before

  [[nodiscard]] double total() const { return counts.empty() ? 0 : counts.back(); }

  /// The value that a share `q` of all do not exceed, linear within its bucket, its end for q = 1;
  /// nothing when there are none.
  [[nodiscard]] std::optional<double> quantile(double q) const;
};

/// What was added to `before` until `after`; nothing when they are not of one histogram, or it has
/// started anew.
[[nodiscard]] std::optional<BucketCounts> added_between(const BucketCounts& before,
                                                        const BucketCounts& after);

class MetricsText {
 public:
  /// Reads the text format, version 0.0.4.  Fails: with one line that names the line.
  [[nodiscard]] static std::expected<MetricsText, std::string> parse(std::string_view text);

  /// The sample of this name without labels.
  [[nodiscard]] std::optional<double> value(std::string_view name) const;

  /// The buckets of `name` that carry `label`.  Nothing when there are none, or none that count.
  [[nodiscard]] std::optional<BucketCounts> histogram(std::string_view name,
                                                      const MetricLabel& label) const;

 private:
  std::vector<MetricSample> samples_;
};

}  // namespace tickbox::commands
