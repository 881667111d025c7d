#include "client/commands/load/metrics_text.h"

#include "core/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tickbox::commands {
namespace {

/// A reader of a line, from its front.
class Line {
 public:
  explicit Line(std::string_view text) : rest_(text) {}

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }

  /// Takes the name of a metric or a label; empty if there is none.
  std::string_view name() {
    constexpr std::string_view kNameChars =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:";
    const std::size_t end = std::min(rest_.find_first_not_of(kNameChars), rest_.size());
    return cut(end);
  }

  bool consume(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// Takes the text between double quotes, with its escapes resolved.
  std::optional<std::string> quoted() {
    if (!consume('"')) return std::nullopt;
    std::string value;
    while (!rest_.empty() && rest_.front() != '"') {
      const bool escaped = consume('\\');
      if (rest_.empty()) return std::nullopt;
      const char c = cut(1).front();
      value += escaped && c == 'n' ? '\n' : c;
    }
    return consume('"') ? std::optional{value} : std::nullopt;
  }

  std::string_view word() { return cut(std::min(rest_.find_first_of(" \t"), rest_.size())); }

 private:
  std::string_view cut(std::size_t size) {
    const std::string_view front = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return front;
  }

  std::string_view rest_;
};

std::optional<double> parse_value(std::string_view text) {
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  return parse_as<double>(text);
}

/// Reads `{name="value",…}` if there is one. Returns false if it is malformed.
bool parse_labels(Line& line, std::vector<MetricLabel>& labels) {
  if (!line.consume('{')) return true;
  while (!line.consume('}')) {
    const std::string_view name = line.name();
    if (name.empty() || !line.consume('=')) return false;
    auto value = line.quoted();
    if (!value) return false;
    labels.push_back({.name = std::string{name}, .value = *std::move(value)});
    line.consume(',');
  }
  return true;
}

std::optional<MetricSample> parse_sample(std::string_view text) {
  Line line{text};
  MetricSample sample;
  sample.name = line.name();
  if (sample.name.empty() || !parse_labels(line, sample.labels)) return std::nullopt;
  line.skip_blanks();
  const auto value = parse_value(line.word());
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

}  // namespace

std::expected<MetricsText, std::string> MetricsText::parse(std::string_view text) {
  MetricsText metrics;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    auto sample = parse_sample(line);
    if (!sample) return std::unexpected(fmt::format("line {} is not a metric", number));
    metrics.samples_.push_back(*std::move(sample));
  }
  return metrics;
}

std::optional<double> MetricsText::value(std::string_view name) const {
  const auto found = std::ranges::find_if(samples_, [&](const MetricSample& sample) {
    return sample.name == name && sample.labels.empty();
  });
  return found != samples_.end() ? std::optional{found->value} : std::nullopt;
}

std::optional<std::string> MetricsText::label(std::string_view name, std::string_view label) const {
  const auto sample = std::ranges::find(samples_, name, &MetricSample::name);
  if (sample == samples_.end()) return std::nullopt;
  const auto found = std::ranges::find(sample->labels, label, &MetricLabel::name);
  return found != sample->labels.end() ? std::optional{found->value} : std::nullopt;
}

std::optional<CumulativeBuckets> MetricsText::histogram(
    std::string_view name, const std::optional<MetricLabel>& label) const {
  const std::string bucket = fmt::format("{}_bucket", name);
  CumulativeBuckets counts;
  for (const MetricSample& sample : samples_) {
    if (sample.name != bucket) continue;
    if (label && std::ranges::find(sample.labels, *label) == sample.labels.end()) continue;
    const auto bound = std::ranges::find(sample.labels, std::string_view{"le"}, &MetricLabel::name);
    const auto value = bound != sample.labels.end() ? parse_value(bound->value) : std::nullopt;
    const bool ascends = value && *value > (counts.bounds.empty() ? 0 : counts.bounds.back());
    if (!ascends || !is_count(sample.value) || sample.value < counts.total()) return std::nullopt;
    counts.bounds.push_back(*value);
    counts.counts.push_back(sample.value);
  }
  const bool whole = !counts.bounds.empty() && std::isinf(counts.bounds.back());
  return whole ? std::optional{std::move(counts)} : std::nullopt;
}

std::optional<CumulativeBuckets> added_between(const CumulativeBuckets& before,
                                               const CumulativeBuckets& after) {
  if (before.bounds != after.bounds) return std::nullopt;
  CumulativeBuckets added{.bounds = after.bounds, .counts = after.counts};
  for (std::size_t i = 0; i < added.counts.size(); ++i) {
    added.counts[i] -= before.counts[i];
    if (added.counts[i] < 0 || (i > 0 && added.counts[i] < added.counts[i - 1])) {
      return std::nullopt;
    }
  }
  return added;
}

std::optional<double> CumulativeBuckets::quantile(double q) const {
  if (total() <= 0) return std::nullopt;
  const double wanted = q * total();
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    const double below = i == 0 ? 0 : counts[i - 1];
    const double inside = counts[i] - below;
    if (counts[i] < wanted || inside <= 0) continue;
    const double first = i == 0 ? 0 : bounds[i - 1];
    // Nothing is known of the values beyond the last finite bound.
    return std::isinf(bounds[i]) ? first : first + (bounds[i] - first) * (wanted - below) / inside;
  }
  return std::nullopt;
}

}  // namespace tickbox::commands
