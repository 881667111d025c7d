#include "client/commands/load/load_find.h"

#include "client/commands/play/play_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace tickbox::commands {
namespace {

using Kind = LoadVerdict::Kind;

/// The first number is this part of the most.
constexpr std::size_t kFirstPart = 16;
/// The two ends of the search may be this part of the lower one apart.
constexpr std::size_t kApartPart = 20;

/// What keeps a number of clients from growing.
enum class Limit : std::uint8_t {
  None,
  Server,     ///< a requirement is missed, or a client lost, and neither of the next two is why
  Generator,  ///< it was behind its schedule, or its processor was full
  Network,    ///< datagrams were lost on the way
  Seats,      ///< the server has no more
};

std::string_view name_of(Limit limit) {
  constexpr std::array<std::string_view, 5> kNames{"none", "server", "generator", "network",
                                                   "seats"};
  return kNames.at(static_cast<std::size_t>(limit));
}

std::string clients_in_words(std::size_t clients) {
  return fmt::format("{} {}", clients, clients == 1 ? "client" : "clients");
}

/// What one run has shown.
struct Step {
  std::size_t asked = 0;    ///< clients
  std::size_t clients = 0;  ///< that played; fewer if the server had no more seats
  LoadMeasured measured{};
  std::vector<RequirementResult> requirements{};
  LoadVerdict verdict{};
  Limit limit = Limit::None;  ///< None: it held

  /// The use of a processor by each thread of the generator, in percent.
  [[nodiscard]] double cpu_percent() const {
    return measured.generator_cpu_percent.value_or(0) /
           static_cast<double>(measured.generator_threads);
  }

  [[nodiscard]] double loss() const { return loss_down(measured.stats).value_or(0); }

  /// Returns whether a requirement on what the server reports of itself was missed.
  [[nodiscard]] bool server_missed() const {
    return std::ranges::any_of(requirements, [](const RequirementResult& each) {
      return !each.held && is_told_by_server(each.text);
    });
  }
};

/// All runs with one number of clients.
struct Number {
  std::size_t held = 0;  ///< runs
  std::size_t missed = 0;
  std::vector<std::vector<RequirementResult>> requirements{};  ///< of each run
  Step last{};
  std::string missed_words{};  ///< why it was missed the last time
  Limit limit = Limit::None;   ///< that time
};

/// Returns each requirement that a run has missed, with its values in all runs.
std::string missed_in_words(const std::vector<std::vector<RequirementResult>>& runs) {
  std::string words;
  for (std::size_t i = 0; i < runs.front().size(); ++i) {
    const auto of_run = [i](const auto& run) -> const RequirementResult& { return run[i]; };
    const auto held = [&](const auto& run) { return of_run(run).held; };
    if (std::ranges::all_of(runs, held)) continue;
    const auto value = [&](const auto& run) { return of_run(run).value; };
    const auto [least, most] = std::ranges::minmax(runs, {}, value);
    if (!words.empty()) words += ", ";
    words += of_run(most).text;
    words += value(most) ? fmt::format(" is {:.6g}", value(least).value_or(*value(most)))
                         : std::string{" is not known"};
    if (value(least) < value(most)) words += fmt::format(" to {:.6g}", *value(most));
  }
  return words;
}

/// Returns why a number of clients does not hold. `runs`: the requirements of this step, or of all
/// with this number.
std::string reason_of(const Step& step, const std::vector<std::vector<RequirementResult>>& runs) {
  std::string words = step.verdict.kind == Kind::Missed || step.server_missed()
                          ? missed_in_words(runs)
                          : step.verdict.why;
  if (step.limit == Limit::Network) {
    words += fmt::format(", and {:.3g} % of the server's packets were lost", 100 * step.loss());
  } else if (step.limit == Limit::Generator && !is_saturated(step.measured)) {
    words += fmt::format(
        ", and the load generator used {:.0f} % of a processor{}; try --verify 1/16, more "
        "--threads if processors are free, or a faster machine",
        step.cpu_percent(), step.measured.generator_threads > 1 ? " for each thread" : "");
  }
  return words;
}

class Search {
 public:
  explicit Search(const FindParts& parts) : parts_(parts), most_(parts.most) {}

  std::expected<LoadResult, LoadVerdict> run();

 private:
  using Numbers = std::map<std::size_t, Number>;

  [[nodiscard]] Step step_of(std::size_t asked, LoadMeasured&& measured) const;
  [[nodiscard]] Limit limit_of(const Step& step) const;
  [[nodiscard]] std::optional<std::size_t> next();
  void record(Step&& step);
  [[nodiscard]] LoadVerdict verdict() const;
  [[nodiscard]] LoadVerdict verdict_of_end(const Step& last) const;
  [[nodiscard]] LoadResult result(LoadVerdict&& verdict, FigureValue limit) const;

  /// Returns the smallest number that was missed; nullptr if none was.
  [[nodiscard]] const Numbers::value_type* missed() const {
    const auto found =
        std::ranges::find_if(numbers_, [](const auto& each) { return each.second.missed > 0; });
    return found != numbers_.end() ? &*found : nullptr;
  }

  /// Returns the largest number below it, which has held each time; 0 if none has.
  [[nodiscard]] std::size_t held() const {
    std::size_t held = 0;
    for (const auto& [clients, number] : numbers_) {
      if (number.missed > 0) return held;
      held = clients;
    }
    return held;
  }

  /// Returns the largest number that has held at least once; 0 if none has.
  [[nodiscard]] std::size_t held_once() const {
    std::size_t held = 0;
    for (const auto& [clients, number] : numbers_) {
      if (number.held > 0) held = clients;
    }
    return held;
  }

  const FindParts& parts_;
  std::size_t most_;  ///< that was asked for, or the seats of the server if these are fewer
  bool is_full_ = false;
  double loss_held_ = 0;  ///< the largest loss of a step that held
  std::size_t late_ = 0;  ///< the last number that comes once more
  Numbers numbers_;
  std::optional<std::vector<std::size_t>> again_;  ///< numbers that are measured again, at the end
  std::vector<FindStep> steps_;
};

Step Search::step_of(std::size_t asked, LoadMeasured&& measured) const {
  const std::size_t connected = measured.clients_connected;
  const bool is_full = measured.refused == net::RefuseReason::Full && connected < asked;
  Step step{.asked = asked,
            .clients = is_full ? connected : asked,
            .requirements = check_all(parts_.requirements, figures_of(measured))};
  // Those that found no seat are no failure: the others were measured.
  const std::uint64_t clients_asked =
      std::exchange(measured.clients_asked, is_full ? connected : measured.clients_asked);
  step.verdict = verdict_of(measured, step.requirements);
  measured.clients_asked = clients_asked;
  step.measured = std::move(measured);
  step.limit = limit_of(step);
  return step;
}

/// What the server reports of itself counts even if the generator was late.
Limit Search::limit_of(const Step& step) const {
  if (step.server_missed()) return Limit::Server;
  if (is_saturated(step.measured)) return Limit::Generator;
  if (step.verdict.kind == Kind::Passed) return Limit::None;
  if (step.cpu_percent() >= kGeneratorCpuMax) return Limit::Generator;
  const auto& server = step.measured.server;
  const bool holds_rate = !server || server->rate_held >= kRateHeldMin;
  return step.loss() > loss_held_ + kLossGrowthMax && holds_rate ? Limit::Network : Limit::Server;
}

/// Returns the number of clients to try next; nothing once the search is over.
std::optional<std::size_t> Search::next() {
  if (!again_) {
    const std::size_t held = this->held();
    if (held >= most_) return std::nullopt;
    if (missed() == nullptr) {
      return std::min(most_, held > 0 ? 2 * held : std::max(parts_.least, most_ / kFirstPart));
    }
    const std::size_t missed = this->missed()->first;
    if (missed > held + std::max<std::size_t>(1, held / kApartPart)) {
      return std::min(most_, held + (missed - held) / 2);
    }
    again_ = std::vector<std::size_t>{missed};
    if (held > 0) again_->push_back(held);
  }
  if (again_->empty()) return std::nullopt;
  const std::size_t number = again_->back();
  again_->pop_back();
  return number;
}

/// Records a run, and says what it has shown.
void Search::record(Step&& step) {
  if (step.clients < step.asked) {
    is_full_ = true;
    most_ = std::min(most_, step.clients);
  }
  const bool is_held = step.limit == Limit::None;
  const std::string words = is_held ? "held, " + in_words(step.requirements, true)
                                    : fmt::format("not held (limit: {}), {}", name_of(step.limit),
                                                  reason_of(step, {step.requirements}));
  parts_.print_note(
      fmt::format("{}{}: {}", clients_in_words(step.clients),
                  step.clients < step.asked ? ", all that the server has seats for" : "", words));
  steps_.push_back({.asked = step.asked,
                    .clients = step.clients,
                    .limit = name_of(step.limit),
                    .requirements = step.requirements});
  if (is_held) loss_held_ = std::max(loss_held_, step.loss());
  if (step.limit == Limit::Generator && !again_ && late_ != step.clients) {
    late_ = step.clients;
    return;
  }
  Number& number = numbers_[step.clients];
  ++(is_held ? number.held : number.missed);
  number.requirements.push_back(step.requirements);
  if (!is_held) {
    number.missed_words = reason_of(step, number.requirements);
    number.limit = step.limit;
  }
  number.last = std::move(step);
}

/// Returns the verdict of a search that is over.
LoadVerdict Search::verdict() const {
  const std::size_t held = this->held();
  const std::string words = "every requirement holds with " + clients_in_words(held);
  if (missed() == nullptr || held >= most_) {
    return {.why = is_full_ ? fmt::format("{}; the server has seats for {}", words, most_)
                            : words + ", the most to try"};
  }
  const auto& [clients, number] = *missed();
  LoadVerdict verdict{
      .why =
          fmt::format("{} with {}{}: {}. The limit is the {}",
                      held > 0 ? words + ", but not" : "not every requirement holds", clients,
                      number.held > 0 ? " each time" : "", number.missed_words,
                      number.limit == Limit::Generator ? "load generator" : name_of(number.limit))};
  if (held_once() > held) {
    verdict.why += fmt::format("; {} held once, so the number is between these",
                               clients_in_words(held_once()));
  }
  if (held_once() > held || parts_.seconds < kFindSecondsMin) {
    verdict.why +=
        fmt::format("; each run measured for {:.3g} s, give a longer --seconds", parts_.seconds);
  }
  if (number.limit == Limit::Generator) {
    verdict.kind = Kind::TooSlow;
  } else if (held_once() == 0) {
    verdict.kind = Kind::Missed;
  }
  return verdict;
}

/// Returns whether no other number of clients can show more.
bool ends_search(const Step& step) {
  const LoadMeasured& measured = step.measured;
  const auto is_unknown = [](const RequirementResult& each) {
    return !each.value && !is_told_by_server(each.text);
  };
  // A server that admits no more for its load has shown how many it holds.
  const bool is_refused =
      step.verdict.kind == Kind::NotConnected &&
      (measured.clients_connected == 0 ||
       (step.verdict.refused && step.verdict.refused != net::RefuseReason::Overloaded));
  return measured.stats.first_mismatch || measured.was_stopped || is_refused ||
         (step.verdict.kind == Kind::Missed && std::ranges::any_of(step.requirements, is_unknown));
}

/// Returns the verdict of a search that `last` has ended before it was over.
LoadVerdict Search::verdict_of_end(const Step& last) const {
  LoadVerdict verdict = last.verdict;
  if (!last.measured.stats.first_mismatch && last.measured.was_stopped) {
    verdict = {.kind = Kind::Stopped, .why = "stopped before the end of the search"};
  }
  if (held() > 0) verdict.why += "; every requirement held with " + clients_in_words(held());
  return verdict;
}

LoadResult Search::result(LoadVerdict&& verdict, FigureValue limit) const {
  const bool is_known = !numbers_.empty();
  const auto if_known = [&](std::size_t clients) {
    return is_known ? FigureValue{std::uint64_t{clients}} : FigureValue{};
  };
  LoadResult found{.verdict = std::move(verdict),
                   .find = {{"find.clients", if_known(held())},
                            {"find.clients_max", if_known(held_once())},
                            {"find.limit", std::move(limit)}},
                   .steps = steps_};
  if (!is_known) return found;
  const Step& kept = held() > 0 ? numbers_.at(held()).last : numbers_.begin()->second.last;
  found.measured = kept.measured;
  found.requirements = kept.requirements;
  return found;
}

std::expected<LoadResult, LoadVerdict> Search::run() {
  while (const auto asked = next()) {
    parts_.print_note(fmt::format("{}: trying", clients_in_words(*asked)));
    auto measured = parts_.measure(*asked);
    if (!measured) return std::unexpected(std::move(measured.error()));
    Step step = step_of(*asked, *std::move(measured));
    if (!ends_search(step)) {
      record(std::move(step));
      continue;
    }
    LoadResult found = result(verdict_of_end(step), {});
    if (held() == 0 || found.verdict.kind != Kind::Stopped) {
      found.measured = std::move(step.measured);
      found.requirements = std::move(step.requirements);
    }
    return found;
  }
  const Limit limit = missed() != nullptr && held() < most_ ? missed()->second.limit
                      : is_full_                            ? Limit::Seats
                                                            : Limit::None;
  return result(verdict(), std::string{name_of(limit)});
}

}  // namespace

std::expected<LoadResult, LoadVerdict> find_clients(const FindParts& parts) {
  return Search{parts}.run();
}

}  // namespace tickbox::commands
