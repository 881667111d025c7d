#include "net/link_simulator.h"

#include "core/text.h"
#include "net/transport.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tickbox::net {
namespace {

using std::string_view_literals::operator""sv;

/// The longest delay and jitter. With more no game is playable, and datagrams in transit would only
/// accumulate.
constexpr Duration kLinkDelayMax = std::chrono::seconds{10};

/// The longest mean number of datagrams that are lost in a row: 16 s at 60 a second.
constexpr std::uint32_t kBurstMax = 1'000;

/// The limits of a rate: less is no link, and more is faster than the loopback device.
constexpr double kRateMin = 1e3;
constexpr double kRateMax = 1e11;

constexpr std::array kKeys{"delay"sv,     "jitter"sv,  "loss"sv,    "burst"sv,    "rate"sv,
                           "duplicate"sv, "reorder"sv, "corrupt"sv, "truncate"sv, "seed"sv};

/// A kind of access network by name. common/net/README.md has the sources of the figures.
struct LinkProfile {
  std::string_view name;
  std::string_view parts;
};

constexpr std::array kProfiles{
    LinkProfile{"4g",
                "delay=53ms,jitter=15ms,loss=0.5%,burst=3,up.rate=13.6Mbit/s,"
                "down.rate=14.7Mbit/s"},
    LinkProfile{"dsl", "delay=50ms,jitter=2ms,loss=0.1%,up.rate=384kbit/s,down.rate=1.5Mbit/s"},
    LinkProfile{"wifi", "delay=10ms,jitter=20ms,loss=1%,burst=4"}};

std::string quoted(std::string_view text) {
  return "'" + std::string{text} + "'";
}

template <class Names>
std::string list_of(const Names& names) {
  std::string list;
  for (const std::string_view name : names) {
    list.append(list.empty() ? "" : ", ").append(name);
  }
  return list;
}

/// Parses a duration that ends in ns, us, ms or s: a number without a unit would be a guess.
std::optional<Duration> parse_delay(std::string_view text) {
  const auto delay = parse_duration(text);
  if (!delay || *delay > kLinkDelayMax || !text.ends_with('s')) return std::nullopt;
  return *delay;
}

/// Parses a decimal number without a sign, an exponent or a missing digit.
std::optional<double> parse_decimal(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string_view::npos ||
      !kDigits.contains(text.front()) || !kDigits.contains(text.back())) {
    return std::nullopt;
  }
  return parse_as<double>(text);
}

/// Parses "1.5Mbit/s" into bits per second.
std::optional<std::uint64_t> parse_rate(std::string_view text) {
  constexpr std::array kUnits{std::pair{"kbit/s"sv, 1e3}, std::pair{"Mbit/s"sv, 1e6}};
  for (const auto& [unit, factor] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = parse_decimal(text.substr(0, text.size() - unit.size()));
    if (!number || *number * factor < kRateMin || *number * factor > kRateMax) break;
    return static_cast<std::uint64_t>(std::round(*number * factor));
  }
  return std::nullopt;
}

struct Part {
  std::string_view key;
  std::string_view value;
};

/// Sets a field of each direction that is given. Returns whether the text had a value.
template <class T>
bool store(std::array<LinkConditions*, 2> directions, T LinkConditions::* field,
           std::optional<T> value) {
  for (LinkConditions* const each : directions) {
    if (each != nullptr && value) each->*field = *value;
  }
  return value.has_value();
}

/// Applies one part to `link`. Returns what is wrong, or an empty text.
std::string set_part(TwoWayLink& link, const Part& part) {
  const bool is_up = part.key.starts_with("up.");
  const bool is_down = part.key.starts_with("down.");
  const std::array directions{is_down ? nullptr : &link.up, is_up ? nullptr : &link.down};
  const std::string_view key = part.key.substr(is_up ? 3 : is_down ? 5 : 0);
  const auto fault = [&](std::string_view what) {
    return std::string{part.key} + ": " + quoted(part.value) + " is not a " + std::string{what};
  };
  const auto share = [&](std::uint32_t LinkConditions::* field) -> std::string {
    if (store(directions, field, parse_share(part.value))) return {};
    return fault("share; give 0% to 100%, such as 5% or 0.1%");
  };
  const auto duration = [&](Duration LinkConditions::* field, Duration::rep parts) -> std::string {
    const auto value = parse_delay(part.value).transform([&](Duration all) { return all / parts; });
    if (store(directions, field, value)) return {};
    return fault("duration of at most 10s; give one such as 80ms, 500us or 1s");
  };
  if (key == "delay") return duration(&LinkConditions::delay, is_up || is_down ? 1 : 2);
  if (key == "jitter") return duration(&LinkConditions::jitter, 1);
  if (key == "loss") return share(&LinkConditions::loss_ppm);
  if (key == "duplicate") return share(&LinkConditions::duplicate_ppm);
  if (key == "reorder") return share(&LinkConditions::reorder_ppm);
  if (key == "corrupt") return share(&LinkConditions::corrupt_ppm);
  if (key == "truncate") return share(&LinkConditions::truncate_ppm);
  if (key == "burst") {
    auto burst = parse_as<std::uint32_t>(part.value);
    if (burst && (*burst < 1 || *burst > kBurstMax)) burst.reset();
    if (store(directions, &LinkConditions::burst, burst)) return {};
    return fault("number of datagrams; give 1 to 1000, the mean number lost in a row");
  }
  if (key == "rate") {
    if (store(directions, &LinkConditions::bits_per_second, parse_rate(part.value))) return {};
    return fault("rate; give 1kbit/s to 100000Mbit/s, such as 1.5Mbit/s");
  }
  if (part.key == "seed") {
    if (store(directions, &LinkConditions::seed, parse_as<std::uint64_t>(part.value))) return {};
    return fault("whole number; give one such as 7");
  }
  if (key == "seed") return quoted(part.key) + ": both directions have one seed; give seed=7";
  const auto near = nearest_name(key, kKeys);
  return "unknown key " + quoted(key) +
         (near ? "; did you mean '" + std::string{*near} + "'?"
               : "; the keys are " + list_of(kKeys));
}

/// Returns what is wrong with the parts of one direction together, or an empty text.
std::string combination_fault(const LinkConditions& link) {
  if (link.burst == 1) return {};
  if (link.loss_ppm == 0) return "burst: no datagram is lost; give a loss too, such as loss=1%";
  // Between two bursts there is at least one datagram that arrives.
  const std::uint64_t kept = kMillion - link.loss_ppm;
  if (kept == 0 || link.loss_ppm <= link.burst * kept) return {};
  return "burst: " + std::to_string(link.burst) + " is too short for this loss; give at least " +
         std::to_string((link.loss_ppm + kept - 1) / kept);
}

std::string profile_fault(std::string_view item, bool is_first) {
  const auto names = [] {
    std::array<std::string_view, kProfiles.size()> all;
    std::ranges::transform(kProfiles, all.begin(), &LinkProfile::name);
    return all;
  }();
  if (!is_first && std::ranges::find(names, item) != names.end()) {
    return quoted(item) + " is a profile; give it first, and once";
  }
  return quoted(item) + " is not KEY=VALUE and no profile (" + list_of(names) +
         "); give parts such as delay=80ms or loss=5%";
}

/// Reads parts into `link`. Returns what is wrong, or an empty text.
std::string read_parts(TwoWayLink& link, std::string_view text) {
  std::vector<std::string_view> seen;
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view item = text.substr(0, comma);
    const std::size_t equals = item.find('=');
    const auto* const profile = std::ranges::find(kProfiles, item, &LinkProfile::name);
    if (is_first && profile != kProfiles.end()) {
      (void)read_parts(link, profile->parts);
    } else if (equals == std::string_view::npos) {
      return profile_fault(item, is_first);
    } else {
      const Part part{.key = item.substr(0, equals), .value = item.substr(equals + 1)};
      if (std::ranges::find(seen, part.key) != seen.end()) {
        return quoted(part.key) + " is given twice";
      }
      if (std::string wrong = set_part(link, part); !wrong.empty()) return wrong;
      seen.push_back(part.key);
    }
    if (comma + 1 == text.size()) return "nothing follows the last comma";
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return {};
}

constexpr std::uint64_t kNanoseconds = 1'000'000'000;  ///< of a second

/// The most datagrams that pass a held one (1 to 3 do), and the time that it is held after it was
/// due if fewer pass. The time is limited because the stream may have ended.
constexpr std::uint64_t kPassersMax = 3;
constexpr Duration kHeldMax = std::chrono::milliseconds{100};

// Neighbouring seeds and streams must not give neighbouring sequences.
std::uint64_t mix(std::uint64_t seed, std::uint64_t stream) {
  return Rng{seed}.next() ^ Rng { ~stream }.next();
}

/// The most datagrams taken from the socket in one call; the rest waits there. A flood must not
/// block the caller.
constexpr int kTakenAtOnceMax = 1'024;

}  // namespace

std::optional<std::uint32_t> parse_share(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = parse_decimal(text.substr(0, text.size() - 1));
  if (!percent) return std::nullopt;
  const double ppm = std::round(*percent * 10'000);
  const bool is_whole = std::abs(*percent * 10'000 - ppm) < 1e-6;
  return is_whole && ppm <= 1e6 ? std::optional{static_cast<std::uint32_t>(ppm)} : std::nullopt;
}

std::expected<TwoWayLink, std::string> parse_link(std::string_view text) {
  TwoWayLink link;
  std::string wrong = read_parts(link, text);
  if (wrong.empty()) wrong = combination_fault(link.up);
  if (wrong.empty()) wrong = combination_fault(link.down);
  if (!wrong.empty()) return std::unexpected{std::move(wrong)};
  return link;
}

std::string profiles_in_words() {
  std::string words;
  for (const LinkProfile& each : kProfiles) {
    words.append(words.empty() ? "" : "; ").append(each.name).append(" (");
    for (const char c : each.parts) {
      words.append(1, c).append(c == ',' ? " " : "");
    }
    words += ')';
  }
  return words;
}

LinkSimulator::LinkSimulator(const LinkConditions& conditions, std::uint64_t stream)
    : conditions_(conditions), rng_(mix(conditions.seed, stream)) {}

void LinkSimulator::push(Instant now, ConstBytes datagram, const Address& peer) {
  ++counts_.in;
  const bool lost = loses_next();
  if (lost || waiting_.size() + held_.size() >= kLinkWaitingMax || free_at_ > now + kLinkQueueMax) {
    ++counts_.lost;
    return;
  }
  transmit(now, datagram, peer);
  if (happens(conditions_.duplicate_ppm)) {
    ++counts_.duplicated;
    transmit(now, datagram, peer);
  }
}

/// Sends a datagram after those that wait for their turn, if the rate is limited.
void LinkSimulator::transmit(Instant now, ConstBytes datagram, const Address& peer) {
  Instant sent = now;
  if (conditions_.bits_per_second > 0) {
    const std::uint64_t bits = 8 * (datagram.size() + kHeadersBytes);
    free_at_ =
        std::max(free_at_, now) +
        Duration{static_cast<Duration::rep>(bits * kNanoseconds / conditions_.bits_per_second)};
    sent = free_at_;
  }
  hold_or_enqueue(make_waiting(sent, datagram, peer));
}

std::optional<ConstBytes> LinkSimulator::pop(Instant now) {
  for (std::size_t i = held_.size(); i-- > 0;) {
    if (held_[i].release > now) continue;
    held_[i].waiting.due = held_[i].release;
    release(i);
  }
  if (waiting_.empty() || waiting_.front().due > now) return std::nullopt;
  std::ranges::pop_heap(waiting_, arrives_later);
  current_.swap(waiting_.back().bytes);
  current_peer_ = waiting_.back().peer;
  if (spare_.size() < kSparesMax) spare_.push_back(std::move(waiting_.back().bytes));
  waiting_.pop_back();
  ++counts_.out;
  return ConstBytes{current_};
}

std::optional<Instant> LinkSimulator::next_due() const {
  std::optional<Instant> next;
  if (!waiting_.empty()) next = waiting_.front().due;
  for (const Held& held : held_) {
    next = std::min(next.value_or(held.release), held.release);
  }
  return next;
}

bool LinkSimulator::happens(std::uint32_t ppm) {
  return rng_.chance(ppm, kMillion);
}

/// Returns whether the next datagram is lost. In a burst all are: it ends after one in `burst`, and
/// begins as often as makes the share right.
/// Source: E. N. Gilbert, Capacity of a burst-noise channel (1960), with a bad state that loses
/// all.
bool LinkSimulator::loses_next() {
  const std::uint64_t loss = conditions_.loss_ppm;
  if (conditions_.burst == 1 || loss == kMillion) return happens(conditions_.loss_ppm);
  is_losing_ = is_losing_ ? !rng_.chance(1, conditions_.burst)
                          : rng_.chance(loss, conditions_.burst * (kMillion - loss));
  return is_losing_;
}

LinkSimulator::Waiting LinkSimulator::make_waiting(Instant sent, ConstBytes datagram,
                                                   const Address& peer) {
  Waiting waiting;
  waiting.peer = peer;
  if (!spare_.empty()) {
    waiting.bytes = std::move(spare_.back());
    spare_.pop_back();
  } else {
    waiting.bytes.reserve(kDatagramBytesMax);
  }
  waiting.bytes.assign(datagram.begin(), datagram.end());
  damage(waiting.bytes);
  const auto jitter = static_cast<std::uint64_t>(conditions_.jitter.count());
  waiting.due =
      sent + conditions_.delay + Duration{static_cast<Duration::rep>(rng_.below(jitter + 1))};
  waiting.order = pushed_++;
  return waiting;
}

void LinkSimulator::damage(std::vector<std::byte>& bytes) {
  if (happens(conditions_.truncate_ppm) && !bytes.empty()) {
    ++counts_.truncated;
    bytes.resize(rng_.below(bytes.size()));
  }
  if (happens(conditions_.corrupt_ppm) && !bytes.empty()) {
    ++counts_.corrupted;
    const std::uint64_t bit = rng_.below(8 * bytes.size());
    bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
  }
}

void LinkSimulator::hold_or_enqueue(Waiting&& waiting) {
  if (happens(conditions_.reorder_ppm)) {
    const Instant release = waiting.due + kHeldMax;
    const auto passers = static_cast<std::uint32_t>(1 + rng_.below(kPassersMax));
    held_.push_back({.waiting = std::move(waiting), .release = release, .passers = passers});
    return;
  }
  const Instant due = waiting.due;
  enqueue(std::move(waiting));
  let_pass(due);
}

// Lets a datagram that arrives at `due` overtake all datagrams that are held back.
void LinkSimulator::let_pass(Instant due) {
  for (std::size_t i = held_.size(); i-- > 0;) {
    Held& held = held_[i];
    held.passed = true;
    held.waiting.due = std::max(held.waiting.due, due);
    held.release = std::max(held.release, due);
    if (--held.passers == 0) release(i);
  }
}

void LinkSimulator::release(std::size_t held) {
  Held free = std::move(held_[held]);
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(held));
  if (free.passed) ++counts_.reordered;
  free.waiting.order = pushed_++;
  enqueue(std::move(free.waiting));
}

void LinkSimulator::enqueue(Waiting&& waiting) {
  waiting_.push_back(std::move(waiting));
  std::ranges::push_heap(waiting_, arrives_later);
}

bool LinkSimulator::arrives_later(const Waiting& a, const Waiting& b) {
  return a.due != b.due ? a.due > b.due : a.order > b.order;
}

ImpairedTransport::ImpairedTransport(Transport& inner, const Clock& clock, const TwoWayLink& link,
                                     std::uint64_t stream)
    : inner_(inner), clock_(clock), up_(link.up, 2 * stream), down_(link.down, 2 * stream + 1) {}

void ImpairedTransport::send(const Route& route, ConstBytes bytes) {
  server_ = route;
  up_.push(clock_.now(), bytes, route.peer);
  pass_on();
}

std::optional<Datagram> ImpairedTransport::receive() {
  pass_on();
  const auto bytes = down_.pop(clock_.now());
  if (!bytes) return std::nullopt;
  return Datagram{.from = down_.popped_peer(), .bytes = *bytes};
}

std::optional<Instant> ImpairedTransport::next_due() const {
  const auto up = up_.next_due();
  const auto down = down_.next_due();
  if (!up || !down) return up ? up : down;
  return std::min(*up, *down);
}

void ImpairedTransport::pass_on() {
  const Instant now = clock_.now();
  while (const auto bytes = up_.pop(now)) {
    inner_.send({.peer = up_.popped_peer(), .local = server_.local}, *bytes);
  }
  for (int taken = 0; taken < kTakenAtOnceMax; ++taken) {
    const auto datagram = inner_.receive();
    if (!datagram) break;
    if (datagram->from == server_.peer) down_.push(now, datagram->bytes, datagram->from);
  }
}

}  // namespace tickbox::net
