#include "client/commands/replay/replay_follow.h"

#include "client/commands/admin_side.h"
#include "client/commands/progress.h"
#include "client/commands/replay/replay_commands.h"
#include "core/log_event.h"
#include "core/text.h"
#include "os/http/http.h"
#include "record/viewing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

constexpr std::string_view kFirstLog = "/rooms/1/log";
constexpr std::string_view kExample = "http://127.0.0.1:9180/rooms/1/log";

/// A server sends something every second, also in an empty room.
constexpr Duration kIdle = std::chrono::seconds{10};

/// The most bytes of a refusal that are shown.
constexpr std::size_t kRefusalBytesMax = 200;

class Follow {
 public:
  Follow(const LogPlace& place, const Output& output, const Clock& clock,
         const std::function<bool()>& stopped)
      : place_(place),
        output_(output),
        clock_(clock),
        stopped_(stopped),
        viewing_(output.games, stopped),
        progress_(output.quiet() ? ProgressFor::Nobody : ProgressFor::Terminals, clock.now()) {}

  [[nodiscard]] os::HttpSink sink() {
    return {.head =
                [this](const os::HttpResponse& head) {
                  status_ = head.status;
                  return true;
                },
            .body = [this](ConstBytes piece) { return receive(piece); },
            .stopped = stopped_};
  }

  [[nodiscard]] std::expected<Followed, ExitCode> finish(const os::HttpEnd& end,
                                                         const AdminSide& admin);

 private:
  bool receive(ConstBytes piece);
  bool step();
  void show();

  const LogPlace& place_;
  const Output& output_;
  const Clock& clock_;
  const std::function<bool()>& stopped_;
  record::Viewing viewing_;
  Progress progress_;
  unsigned status_ = 0;
  std::string refusal_;  ///< the body of a response with another status
};

bool Follow::receive(ConstBytes piece) {
  if (status_ != 200) {
    const std::size_t more = std::min(piece.size(), kRefusalBytesMax - refusal_.size());
    refusal_.append(reinterpret_cast<const char*>(piece.data()), more);
    return refusal_.size() < kRefusalBytesMax;
  }
  return viewing_.append(piece) && step();
}

/// Steps what has arrived, and forgets it. Returns false if the rest of the body is not wanted.
bool Follow::step() {
  if (!viewing_.read()) return false;
  while (viewing_.verify()) {
    if (stopped_()) return false;
  }
  viewing_.remove_before(viewing_.verified());
  show();
  return true;
}

void Follow::show() {
  if (!viewing_.is_open() || !progress_.due(clock_.now())) return;
  const record::VerifyResult result = viewing_.verdict();
  progress_.show(fmt::format(
      "tick {}  {} stepped  {}", result.last_tick.value, counted(result.ticks, "tick"),
      result.mismatched == 0 ? std::string{"every hash equal"}
                             : counted(result.mismatched, "hash differs", "hashes differ")));
}

std::expected<Followed, ExitCode> Follow::finish(const os::HttpEnd& end, const AdminSide& admin) {
  progress_.clear();
  const bool has_ended = end.how == os::HttpEnd::How::Complete;
  if (has_ended && viewing_.header() != nullptr) {
    viewing_.end();
    step();
  }
  const auto cannot = [&](ExitCode code, std::string_view why) {
    return std::unexpected{
        output_.failed(code, fmt::format("cannot follow {}:{}", place_.url, why))};
  };
  if (status_ == 0) return cannot(ExitCode::Inconclusive, " stopped before its server answered");
  if (status_ == 401) return cannot(ExitCode::Failed, unauthorized_in_words(admin));
  if (status_ != 200) {
    const std::string words = printable(refusal_.substr(0, refusal_.find('\n')));
    return cannot(ExitCode::Failed, fmt::format(" it answered {}: {}", status_, words));
  }
  if (viewing_.refusal()) return cannot(ExitCode::Failed, " " + viewing_.refusal()->words);
  Followed followed{.result = viewing_.verdict()};
  if (viewing_.header() != nullptr) followed.header = *viewing_.header();
  record::VerifyResult& result = followed.result;
  // The room's log loses nothing, so what is missing in it was taken out on the way.
  result.damages += std::exchange(result.gaps, 0U);
  const bool is_whole = has_ended && viewing_.rest() == 0;
  result.complete = is_whole && result.damages == 0 && result.gaps == 0;
  result.ends_early = !is_whole;
  result.interrupted = end.how == os::HttpEnd::How::Cut || end.how == os::HttpEnd::How::Silent;
  if (result.interrupted) followed.cut = end.why;
  return followed;
}

}  // namespace

std::expected<LogPlace, std::string> parse_log_place(std::string_view url) {
  auto page = parse_admin_page(url, kExample);
  if (!page) return std::unexpected(std::move(page.error()));
  LogPlace place{.server = std::move(page->server),
                 .path = page->path.size() <= 1 ? std::string{kFirstLog} : std::move(page->path),
                 .query = std::move(page->query),
                 .url = std::string{url}};
  if (const auto delay = os::form_value(place.query, "delay")) {
    const auto parsed = parse_duration(*delay);
    if (!parsed) return std::unexpected("delay: " + parsed.error());
    place.delay = *parsed;
  }
  return place;
}

std::expected<Followed, ExitCode> follow_log(const LogPlace& place,
                                             const std::string& admin_token_file,
                                             const Output& output, const Clock& clock,
                                             const std::function<bool()>& stopped) {
  const auto cannot = [&](std::string_view why) {
    return std::unexpected{
        output.failed(ExitCode::Failed, fmt::format("cannot follow {}: {}", place.url, why))};
  };
  const auto admin = find_admin_side(place.server, admin_token_file);
  if (!admin) return cannot(admin.error());
  Follow follow{place, output, clock, stopped};
  const std::string authorization = admin->authorization();
  const auto end = os::http_stream(
      admin->address, {.path = place.path, .query = place.query, .authorization = authorization},
      follow.sink(), kIdle + place.delay);
  if (!end) return cannot(end.error());
  return follow.finish(*end, *admin);
}

}  // namespace tickbox::commands
