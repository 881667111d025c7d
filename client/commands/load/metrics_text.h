#pragma once
// A parser of the metrics text for Prometheus: samples by name and labels, and histograms.

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// 2^53: a double represents every count up to this one exactly.
inline constexpr double kMetricCountMax = 9'007'199'254'740'992.0;

/// Returns whether a metric of this value can be a count or an amount.
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

/// The number of values up to each bound, cumulative as in Prometheus: a bucket includes the
/// buckets below it.
struct CumulativeBuckets {
  std::vector<double> bounds{};  ///< above 0, ascending; the last is infinite
  std::vector<double> counts{};  ///< never decreasing

  [[nodiscard]] double total() const { return counts.empty() ? 0 : counts.back(); }

  /// Returns the `q` quantile, interpolated linearly within its bucket. Returns nothing if there
  /// are no values.
  [[nodiscard]] std::optional<double> quantile(double q) const;
};

/// Returns the counts added between `before` and `after`; nothing if they are not of one histogram,
/// or the histogram was reset.
[[nodiscard]] std::optional<CumulativeBuckets> added_between(const CumulativeBuckets& before,
                                                             const CumulativeBuckets& after);

class MetricsText {
 public:
  /// Reads the text format, version 0.0.4. Fails: with one line that names the line.
  [[nodiscard]] static std::expected<MetricsText, std::string> parse(std::string_view text);

  /// Returns the sample of this name without labels.
  [[nodiscard]] std::optional<double> value(std::string_view name) const;

  /// Returns the value of a label of the first sample of this name.
  [[nodiscard]] std::optional<std::string> label(std::string_view name,
                                                 std::string_view label) const;

  /// Returns the buckets of `name` with `label`, or all without one; nothing if there are none, or
  /// they are not valid.
  [[nodiscard]] std::optional<CumulativeBuckets> histogram(
      std::string_view name, const std::optional<MetricLabel>& label = std::nullopt) const;

 private:
  std::vector<MetricSample> samples_;
};

}  // namespace tickbox::commands
