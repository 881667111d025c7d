// `tickbox replay play`: shows a recording on a terminal.
//
// Exit codes: 0; 1 the file cannot be read, or there is no terminal; 2 no such seat or tick; 3 its
// header is damaged, it has no tick, or a hash of a tick that was shown or stepped differs.

#include "client/commands/replay/replay_commands.h"
#include "client/commands/replay/replay_controls.h"
#include "client/commands/replay/replay_cursor.h"
#include "client/commands/terminal_screen.h"
#include "os/process/signals.h"
#include "os/process/steady_clock.h"
#include "os/process/terminal.h"
#include "views/sight.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct ReplayPlayFlags {
  std::shared_ptr<Output> output;
  std::string file{};
  std::optional<std::uint32_t> from{};
  std::optional<std::uint32_t> seat{};
};

constexpr std::u32string_view kHints =
    U"q quit  space pause  , . tick  ← → 1 s  [ ] 10 s  g go to tick  tab player";

/// The player whose view is shown.
class Camera {
 public:
  explicit Camera(std::optional<std::uint32_t> seat) {
    if (seat) seat_ = static_cast<std::uint16_t>(*seat);
  }

  /// Looks at another player, if the present one is not in the room or `wants_next`.
  void choose(const engine::World& world, bool wants_next) {
    const std::size_t seats = world.seats().size();
    if (seat_ < seats && world.has(Player{seat_}) && !wants_next) return;
    for (std::size_t i = 1; i <= seats; ++i) {
      const auto seat = static_cast<std::uint16_t>((seat_ + i) % seats);
      if (!world.has(Player{seat})) continue;
      seat_ = seat;
      return;
    }
  }

  /// Returns the seat; nothing if nobody is in the room.
  [[nodiscard]] std::optional<Player> player(const engine::World& world) const {
    const Player player{seat_};
    if (seat_ >= world.seats().size() || !world.has(player)) return std::nullopt;
    return player;
  }

  [[nodiscard]] terminal::Scene scene(const engine::World& world,
                                      std::vector<terminal::DrawnBody>& bodies) {
    const std::optional<Player> shown = player(world);
    if (shown) centre_ = world.seats()[shown->seat].focus_place;
    bodies.clear();
    for (std::size_t row = 0; row < world.size(); ++row) {
      const sim::Body& body = world.body(row);
      const bool is_own =
          shown && engine::is_controlled(body.id) && engine::owner_of(body.id) == *shown;
      bodies.push_back({.min = body.min,
                        .size = body.size,
                        .look = world.kind_of(row).look(world.state(row).data()),
                        .is_own = is_own});
    }
    return {.centre = centre_,
            .sight = shown ? views::sight_of(world, *shown) : views::kSight,
            .walls = world.map()->statics->bodies(),
            .bodies = bodies};
  }

 private:
  std::uint16_t seat_ = engine::kSeatsMax - 1;
  Vec2 centre_{};
};

std::string time_text(Tick tick, Tick first, std::uint32_t tick_rate) {
  const std::uint64_t tenths = std::uint64_t{tick.value - first.value} * 10 / tick_rate;
  return fmt::format("{:02}:{:02}:{:02}.{}", tenths / 36'000, tenths / 600 % 60, tenths / 10 % 60,
                     tenths % 10);
}

/// What a page is made of, beside the world.
struct Shown {
  const ReplayCursor& cursor;
  const ReplayControls& controls;
  Tick wanted;  ///< by the controls
};

terminal::Page page_of(const Shown& shown, Camera& camera,
                       std::vector<terminal::DrawnBody>& bodies) {
  const engine::World* const world = shown.cursor.world();
  terminal::Page page{.has_alarm = shown.cursor.mismatched() > 0, .hints = std::u32string{kHints}};
  if (page.has_alarm) {
    page.figures.push_back(fmt::format("{} HASHES DIFFER", shown.cursor.mismatched()));
  }
  if (shown.controls.typed()) page.message = "go to tick: " + *shown.controls.typed() + "_";
  if (world == nullptr) {
    page.figures.push_back(fmt::format("tick {} cannot be read", shown.wanted.value));
    return page;
  }
  page.figures.push_back(fmt::format("{} tick {} of {}",
                                     shown.controls.is_playing() ? "playing" : "paused",
                                     world->tick.value, shown.cursor.last().value));
  if (world->tick != shown.wanted) {
    page.figures.push_back(fmt::format("tick {} is missing", shown.wanted.value));
  }
  page.figures.push_back(time_text(world->tick, shown.cursor.first(), world->tick_rate()));
  const std::optional<Player> player = camera.player(*world);
  page.figures.push_back(player ? fmt::format("player {}", player->seat) : "no player");
  if (shown.cursor.mismatched() == 0) page.figures.emplace_back("hashes ok");
  page.scene = camera.scene(*world, bodies);
  return page;
}

/// Shows the recording until the viewer leaves, or a signal ends the program.
void play(ReplayCursor& cursor, ReplayControls& controls, Camera& camera, TerminalScreen& screen,
          const Clock& clock) {
  const os::StopSignals signals{os::Hangup::Stops};
  std::vector<terminal::DrawnBody> bodies;
  while (!signals.stop_requested() && !controls.has_left()) {
    screen.handle_changes();
    const Instant now = clock.now();
    for (const terminal::KeyEvent& event : screen.keys()) {
      controls.handle(event, now);
    }
    const Tick wanted = controls.tick(now);
    cursor.seek(wanted);
    if (cursor.world() != nullptr) camera.choose(*cursor.world(), controls.consume_next_player());
    screen.show(
        page_of({.cursor = cursor, .controls = controls, .wanted = wanted}, camera, bodies));
    os::sleep_until(now + kPictureTime);
  }
}

ExitCode run_play(const ReplayPlayFlags& options) {
  const Output& output = *options.output;
  const auto match = open_match(options.file, output);
  if (!match) return match.error();
  record::Segments segments = record::segments_of(match->reader());
  if (segments.all.empty()) return output.failed(ExitCode::CheckFailed, "it has no tick to show");
  if (options.seat && *options.seat >= match->setting.map->seats) {
    return output.failed(ExitCode::WrongUsage,
                         fmt::format("--seat {}: the seats are 0 to {}", *options.seat,
                                     match->setting.map->seats - 1));
  }
  ReplayCursor cursor{*match, std::move(segments)};
  const Tick start{options.from.value_or(cursor.first().value)};
  if (start < cursor.first() || start > cursor.last()) {
    return output.failed(ExitCode::WrongUsage,
                         fmt::format("--from {}: the ticks are {} to {}", start.value,
                                     cursor.first().value, cursor.last().value));
  }
  if (output.json() || output.quiet() || !os::can_draw()) {
    return output.failed(ExitCode::Failed,
                         "needs a terminal to draw on, and no --json or --quiet; `replay state` "
                         "and `trace` print ticks");
  }
  const os::SteadyClock clock;
  auto screen = TerminalScreen::open(clock);
  if (!screen) return output.failed(ExitCode::Failed, screen.error());
  ReplayControls controls{
      {.first = cursor.first(), .last = cursor.last(), .tick_rate = match->setting.tick_rate},
      start,
      clock.now()};
  Camera camera{options.seat};
  play(cursor, controls, camera, **screen, clock);
  screen->reset();
  if (cursor.mismatched() == 0) return ExitCode::Done;
  return output.fell_short(
      ExitCode::CheckFailed,
      fmt::format("{}: the hashes of {} stepped ticks differ; `{} verify` finds the first",
                  options.file, cursor.mismatched(), output.name));
}

}  // namespace

void add_replay_play(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "play",
       .description =
           "Show a recording on this terminal. The last row names the keys. Ticks are stepped "
           "again as they are shown; a jump begins at the keyframe before. Exit 3 if the hash of a "
           "stepped tick differs; verify steps all.",
       .example = place.output->name + " play match.tickbox --from 600"},
      run_play);
  command.add_option("FILE", options->file, "The recording", {.required = true});
  command.add_option("--from", options->from, "First tick to show",
                     {.value = "T", .default_text = "the first"});
  command.add_option("--seat", options->seat, "Seat of the player whose view is shown at first",
                     {.value = "N", .default_text = "the first player"});
}

}  // namespace tickbox::commands
