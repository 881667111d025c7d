#include "package/laws/laws.h"

#include "bots/bot.h"
#include "core/hash.h"
#include "engine/declared.h"
#include "engine/keyframe.h"
#include "engine/log/tick_codec.h"
#include "engine/log/tick_log.h"
#include "engine/log/words.h"
#include "engine/state_hasher.h"
#include "package/laws/random_match.h"
#include "views/rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <utility>

namespace tickbox::laws {
namespace {

constexpr std::string_view kStepsDiffer =
    ", in two steps from one state with the same inputs. Look for a static variable, or a "
    "reference that outlives its callback";

/// The replays that look for such a variable where another law seems to be broken.
constexpr std::size_t kReplays = 4;

std::string name_of(const engine::World& world, std::size_t row) {
  return std::string{world.kind_of(row).type.name} + " #" + std::to_string(world.id(row).value);
}

std::string text_of(const std::optional<engine::WorldDifference>& difference) {
  return difference ? engine::to_text(*difference) : "";
}

/// Returns how the entities of two worlds differ; empty if they do not.
std::string difference_of(const engine::World& expected, const engine::World& got) {
  return text_of(engine::compare_entities(expected, got, [](BodyId) { return true; }));
}

/// The islands of one tick: entities that contacts and other influences have joined.
class TickIslands {
 public:
  explicit TickIslands(const engine::TickReport& report) {
    report.visit_influences([this](BodyId a, BodyId b) { join(a, b); });
  }

  /// Returns the entity that represents the island of an entity.
  [[nodiscard]] BodyId root_of(BodyId id) {
    BodyId at = id;
    for (auto parent = parents_.find(at); parent != parents_.end(); parent = parents_.find(at)) {
      at = parent->second;
    }
    return at;
  }

 private:
  void join(BodyId a, BodyId b) {
    a = root_of(a);
    b = root_of(b);
    if (a != b) parents_.emplace(std::max(a, b), std::min(a, b));
  }

  std::map<BodyId, BodyId> parents_;
};

bool are_equal(const views::Rows& a, const views::Rows& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (!views::are_equal(a.game(), a.row(row), b.row(row))) return false;
  }
  return true;
}

bool is_in_range(const GameTable& game, const std::optional<bots::PlayerCommand>& command) {
  return !command || engine::is_in_range(game.commands[command->type].type, command->value);
}

bool are_equal(const GameTable& game, const std::optional<bots::PlayerCommand>& a,
               const std::optional<bots::PlayerCommand>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->type == b->type && engine::are_equal(game.commands[a->type].type, a->value, b->value);
}

/// The law of bots: the same seed and the same views give the same inputs and commands, and a bot
/// writes nothing but these and what it remembers.
///
/// A bot of each style decides in each tick of a match. Then another bot with another seed decides,
/// then a twin of the first bot, with the same seed and a copy of the view.
class BotLaw {
 public:
  BotLaw(const GameTable& game, const engine::SharedMap& map, std::uint64_t seed,
         std::uint32_t tick_rate);

  /// Asks the bots for the inputs after a world's tick. Returns how one breaks the law, or nothing.
  std::optional<std::string> check(const engine::World& world);

 private:
  /// Bots of one style, for one player.
  struct Bots {
    bots::Style style;
    Player player;
    bots::Bot bot;
    bots::Bot twin;
    bots::Bot other;
  };

  /// A copy of what the bots see.
  struct View {
    views::Rows rows;
    views::Rows own;
    std::vector<std::byte> room;
  };

  void fill_view(const engine::World& world, Player player, View& view) const;
  [[nodiscard]] std::optional<std::string> check(const engine::World& world, Bots& bots);

  const GameTable& game_;
  std::vector<Bots> bots_;
  View seen_;
  View copy_;
};

BotLaw::BotLaw(const GameTable& game, const engine::SharedMap& map, std::uint64_t seed,
               std::uint32_t tick_rate)
    : game_(game) {
  for (const bots::Style& style : bots::styles_of(game)) {
    const bots::BotOptions options{.style = style, .seed = seed, .tick_rate = tick_rate};
    const bots::BotOptions others{.style = style, .seed = ~seed, .tick_rate = tick_rate};
    bots_.push_back({.style = style,
                     .player = {static_cast<std::uint16_t>(bots_.size() % map->seats)},
                     .bot = {game, map, options},
                     .twin = {game, map, options},
                     .other = {game, map, others}});
  }
}

std::optional<std::string> BotLaw::check(const engine::World& world) {
  for (Bots& bots : bots_) {
    if (auto broken = check(world, bots)) {
      return "the bot \"" + std::string{bots.style.name} + "\" " + *broken;
    }
  }
  return std::nullopt;
}

void BotLaw::fill_view(const engine::World& world, Player player, View& view) const {
  view.rows.assign(world);
  view.own.begin(game_);
  for (std::size_t row = 0; row < world.size(); ++row) {
    if (world.is_controlled_by(row, player)) view.own.add(views::row_of(world, row));
  }
  view.room.assign(world.room().begin(), world.room().end());
}

std::optional<std::string> BotLaw::check(const engine::World& world, Bots& bots) {
  fill_view(world, bots.player, seen_);
  fill_view(world, bots.player, copy_);
  const auto seen_in = [&](const View& view) {
    return bots::Seen{.tick = world.tick + 1,
                      .me = bots.player,
                      .view = view.rows,
                      .own = view.own,
                      .room = view.room};
  };
  const ConstBytes input = bots.bot.decide(seen_in(seen_));
  if (!are_equal(seen_.rows, copy_.rows) || !are_equal(seen_.own, copy_.own)) {
    return "writes what it sees. It may write its BotState alone";
  }
  if (!engine::is_in_range(game_.input, input) ||
      !engine::is_in_range(game_.bot.state, bots.bot.memory()) ||
      !is_in_range(game_, bots.bot.command())) {
    return "gives, sends or remembers a value that is not in its range";
  }
  static_cast<void>(bots.other.decide(seen_in(seen_)));
  const ConstBytes twins = bots.twin.decide(seen_in(copy_));
  std::string names = engine::difference(game_.input, input, twins);
  if (!names.empty()) {
    return "gives another " + names + " for the same seed and views. Look for a static variable";
  }
  if (!are_equal(game_, bots.bot.command(), bots.twin.command())) {
    return "sends another command for the same seed and views. Look for a static variable";
  }
  names = engine::difference(game_.bot.state, bots.bot.memory(), bots.twin.memory());
  if (!names.empty()) {
    return "remembers another " + names +
           " for the same seed and views. Look for a static variable";
  }
  return std::nullopt;
}

/// One match and the checks of its ticks. Requires: the match counts its calls.
class CheckedMatch {
 public:
  CheckedMatch(const GameTable& game, const engine::SharedMap& map, const MatchOptions& match)
      : game_(game),
        raw_(game),
        seed_(match.seed),
        match_(game, map, match),
        other_(game, map,
               {.seed = ~match.seed,
                .tick_rate = match.tick_rate,
                .seats = match.seats,
                .players = match.players}),
        twin_like_(game, map, match.tick_rate, 0, engine::StateOrder::Descending),
        raw_like_(raw_, map, match.tick_rate, 0),
        before_(match_.world()),
        call_counts_(*match.call_counts),
        bot_law_(game, map, match.seed, match.tick_rate),
        log_(match_.world()),
        again_log_(match_.world()),
        reader_(game) {
    raw_.significant = nullptr;
    reader_.begin(match_.world());
  }

  /// Steps a tick, and returns the law that it breaks, or nothing. `alone`: the hash of the same
  /// tick of the same match without anything between.
  std::optional<LawBroken> tick(std::uint64_t alone) {
    before_ = match_.world();
    engine::encode_keyframe(before_, keyframe_);
    const engine::TickRequest& request = match_.draw();
    const engine::TickReport& report = match_.step();
    std::optional<LawBroken> broken = check_memory(alone);
    if (!broken) broken = check_range();
    if (!broken) broken = check_keyframe();
    if (!broken) broken = check_record();
    if (!broken) broken = check_decisions();
    if (!broken) broken = check_twin();
    if (!broken) broken = check_closure(report);
    if (!broken) broken = check_significant(request);
    if (!broken) broken = check_bots();
    other_.draw();
    other_.step();
    match_.move_memory();
    return broken;
  }

 private:
  [[nodiscard]] LawBroken broken(std::string law, std::string what) const {
    const engine::World& world = match_.world();
    return {.law = std::move(law),
            .place = {.map = world.map()->name,
                      .tick_rate = world.tick_rate(),
                      .seed = seed_,
                      .tick = world.tick},
            .what = std::move(what)};
  }

  std::optional<LawBroken> check_memory(std::uint64_t alone) {
    if (hasher_.hash(match_.world()) == alone) return std::nullopt;
    return broken("memory",
                  "the match differs from the same match without another one stepped between. "
                  "Look for a static variable, or a reference that outlives its callback");
  }

  std::optional<LawBroken> check_range() const {
    const engine::World& world = match_.world();
    for (std::size_t row = 0; row < world.size(); ++row) {
      if (!engine::is_in_range(world.kind_of(row).type, world.state(row))) {
        return broken("range", name_of(world, row) + " has a value that is not in its range");
      }
    }
    bool in_range = engine::is_in_range(game_.room, world.room()) &&
                    engine::is_in_range(game_.secret, world.secret());
    for (std::uint16_t seat = 0; seat < world.seats().size(); ++seat) {
      in_range = in_range && engine::is_in_range(game_.seat, world.seat_state({seat})) &&
                 engine::is_in_range(game_.input, world.input({seat}));
    }
    if (!in_range) return broken("range", "a value of room, secret or seats is not in its range");
    return std::nullopt;
  }

  std::optional<LawBroken> check_keyframe() {
    engine::encode_keyframe(match_.world(), after_);
    const auto read = engine::restore(after_, twin_like_);
    if (!read) return broken("keyframe", "the world is not read back from its own keyframe");
    engine::encode_keyframe(*read, again_);
    if (again_ == after_) return std::nullopt;
    return broken("keyframe", "a world that was read back gives other bytes");
  }

  std::optional<LawBroken> check_record() {
    const auto joins = static_cast<std::size_t>(std::ranges::count(
        match_.record().outcomes, engine::OutcomeKind::Joined, &engine::Outcome::kind));
    clients_.assign(joins, 0);
    const ConstBytes bytes = log_.tick(match_.record(), {.sources = {}, .clients = clients_});
    if (!reader_.read(bytes, logged_)) return broken("record", "the record is not read back");
    if (!std::ranges::equal(again_log_.tick(logged_.record, logged_.origins()), bytes)) {
      return broken("record", "the record of a tick that was read back gives other bytes");
    }
    if (engine::is_valid(before_, logged_.record)) return std::nullopt;
    return broken("record", "the record of a tick is not valid for the world before");
  }

  static std::string decides_nothing(const std::string& who, const std::string& what) {
    return "the server decides " + what + " for an entity of the kind " + who +
           ", and the game has no apply(Entity<" + who + ">, const " + what +
           "&, Step<Game>&): the decision does nothing. Add it, or decide " + what +
           " for other kinds alone";
  }

  std::optional<LawBroken> check_decisions() const {
    for (std::size_t kind = 0; kind < game_.kinds.size(); ++kind) {
      const KindTable& of = game_.kinds[kind];
      for (std::size_t outcome = 0; outcome < of.apply.size(); ++outcome) {
        if (of.apply[outcome] != nullptr ||
            call_counts_.of({engine::Callback::Apply, kind, outcome}) == 0) {
          continue;
        }
        return broken("decision", decides_nothing(std::string(of.type.name),
                                                  std::string(game_.outcomes[outcome].name)));
      }
    }
    return std::nullopt;
  }

  std::optional<LawBroken> check_twin() {
    auto twin = engine::restore(keyframe_, twin_like_);
    if (!twin) return broken("keyframe", "the world is not read back from its own keyframe");
    stepper_.replay(*twin, logged_.record);
    const engine::World& world = match_.world();
    if (engine::state_hash(*twin) == engine::state_hash(world)) return std::nullopt;
    return broken("twin", text_of(engine::compare_worlds(world, *twin)) +
                              ". Look for state that TICKBOX_FIELDS does not list, an order of "
                              "addresses, and a hook of the server that writes an entity");
  }

  /// Steps a random half of the islands without the others.
  std::optional<LawBroken> check_closure(const engine::TickReport& report) {
    TickIslands islands{report};
    const auto is_chosen = [&](BodyId id) {
      const BodyId root = islands.root_of(id);
      FieldHasher<16> hasher;
      hasher.add(root.value);
      return (hasher.digest(seed_ + match_.world().tick.value) & 1U) != 0;
    };
    engine::World part = before_;
    dropped_.assign(part.size(), 0);
    for (std::size_t row = 0; row < part.size(); ++row) {
      dropped_[row] = is_chosen(part.id(row)) ? 0 : 1;
    }
    part.remove_marked(dropped_);
    record_ = match_.record();
    std::erase_if(record_.outcomes, [&](const engine::Outcome& outcome) {
      return outcome.kind == engine::OutcomeKind::Spawned &&
             !is_chosen(engine::body_id(outcome.ref));
    });
    stepper_.replay(part, record_);
    const std::string what = text_of(engine::compare_entities(match_.world(), part, is_chosen));
    if (what.empty()) return std::nullopt;
    if (auto other = check_replays()) return other;
    return broken("closure", what +
                                 " where its island was stepped alone. Look for an influence that "
                                 "is neither a contact nor a query of Step");
  }

  std::optional<LawBroken> check_significant(engine::TickRequest request) {
    if (game_.significant == nullptr) return std::nullopt;
    auto raw = engine::restore(keyframe_, raw_like_);
    if (!raw) return std::nullopt;
    std::vector<Player> shooters;
    const engine::JudgeRays judge = [&](std::span<const engine::FiredRay> rays,
                                        std::vector<engine::Strike>& strikes) {
      for (const engine::FiredRay& ray : rays) {
        shooters.push_back(ray.shooter);
      }
      strikes = match_.record().strikes;
    };
    request.judge = &judge;
    stepper_.step(*raw, request, record_);
    std::string what = difference_of(match_.world(), *raw);
    if (what.empty() && shooters != match_.shooters())
      what = "a ray is fired by one and not by the other";
    if (what.empty()) return std::nullopt;
    if (auto other = check_again(request)) return other;
    return broken("significant", what +
                                     ", with the input that significant() returned and with the "
                                     "input as it was given");
  }

  /// Replays the tick a few times more from the same state.
  std::optional<LawBroken> check_replays() {
    for (std::size_t i = 0; i < kReplays; ++i) {
      engine::World again = before_;
      stepper_.replay(again, match_.record());
      std::string what = difference_of(match_.world(), again);
      if (!what.empty()) return broken("memory", what.append(kStepsDiffer));
    }
    return std::nullopt;
  }

  /// Steps the request once more from the same state.
  std::optional<LawBroken> check_again(const engine::TickRequest& request) {
    auto again = engine::restore(keyframe_, twin_like_);
    if (!again) return std::nullopt;
    stepper_.step(*again, request, record_);
    std::string what = difference_of(match_.world(), *again);
    if (what.empty()) return std::nullopt;
    return broken("memory", what.append(kStepsDiffer));
  }

  std::optional<LawBroken> check_bots() {
    auto what = bot_law_.check(match_.world());
    if (!what) return std::nullopt;
    return broken("bot", *std::move(what));
  }

  const GameTable& game_;
  GameTable raw_;
  std::uint64_t seed_;
  RandomMatch match_;
  RandomMatch other_;
  engine::World twin_like_;
  engine::World raw_like_;
  engine::World before_;
  const engine::CallCounts& call_counts_;
  BotLaw bot_law_;
  engine::Stepper stepper_;
  engine::StateHasher hasher_;
  engine::TickRecord record_;
  engine::TickLog log_;
  engine::TickLog again_log_;  ///< writes what was read of log_
  engine::TickLogReader reader_;
  engine::DecodedTick logged_;  ///< the match's record, read back from its bytes
  std::vector<std::uint64_t> clients_;
  std::vector<std::byte> keyframe_;
  std::vector<std::byte> after_;
  std::vector<std::byte> again_;
  std::vector<std::uint8_t> dropped_;
};

/// A match that is stepped without another one between its ticks: its hashes, and its records to
/// step once more.
struct AloneMatch {
  std::vector<std::uint64_t> hashes;
  std::vector<engine::TickRecord> records;
};

AloneMatch play_alone(const GameTable& game, const engine::SharedMap& map,
                      const MatchOptions& options, const LawOptions& laws) {
  RandomMatch match{game, map, options};
  AloneMatch alone;
  for (std::uint32_t tick = 0; tick < laws.ticks; ++tick) {
    if (laws.place != nullptr)
      *laws.place = {map->name, options.tick_rate, options.seed, {tick + 1}};
    match.draw();
    match.step();
    alone.hashes.push_back(engine::state_hash(match.world()));
    alone.records.push_back(match.record());
  }
  return alone;
}

/// Steps the records of a match twice with one Stepper and one World. At the second time they have
/// all the memory that they need.
std::optional<LawBroken> check_allocation(const GameTable& game, const engine::SharedMap& map,
                                          const MatchOptions& options, const AloneMatch& alone,
                                          const std::function<std::uint64_t()>& allocations) {
  engine::Stepper stepper;
  engine::World start{game, map, options.tick_rate, options.seed};
  stepper.open(start);
  engine::World world = start;
  for (const bool is_warm : {false, true}) {
    world = start;
    for (const engine::TickRecord& record : alone.records) {
      const std::uint64_t before = allocations();
      stepper.replay(world, record);
      if (!is_warm || allocations() == before) continue;
      return LawBroken{.law = "allocation",
                       .place = {.map = map->name,
                                 .tick_rate = options.tick_rate,
                                 .seed = options.seed,
                                 .tick = world.tick},
                       .what = "a tick allocates memory that the same tick has allocated before"};
    }
  }
  return std::nullopt;
}

/// Plays the matches of one map at one rate.
std::optional<LawBroken> check_map(const GameTable& game, std::string_view name, std::uint32_t rate,
                                   const LawOptions& options, MapCalls& calls) {
  if (options.place != nullptr) *options.place = {.map = name, .tick_rate = rate};
  const MapOptions made_for{.seats = options.seats, .name = name};
  const engine::SharedMap map = engine::make_map(game, made_for, rate);
  if (engine::make_map(game, made_for, rate)->hash != map->hash) {
    return LawBroken{.law = "map",
                     .place = {.map = name, .tick_rate = rate, .seed = options.first_seed},
                     .what =
                         "map() builds another map when it is called again. Look for a "
                         "static variable"};
  }
  for (std::uint64_t seed = options.first_seed; seed < options.first_seed + options.matches;
       ++seed) {
    MatchOptions match{.seed = seed,
                       .tick_rate = rate,
                       .seats = options.seats,
                       .players = seed % 2 == 0 ? Players::Bots : Players::Random};
    const AloneMatch alone = play_alone(game, map, match, options);
    ++calls.matches;
    match.call_counts = &calls.counts;
    CheckedMatch checked{game, map, match};
    for (const std::uint64_t hash : alone.hashes) {
      if (auto broken = checked.tick(hash)) return broken;
    }
    if (!options.allocations) continue;
    if (auto broken = check_allocation(game, map, match, alone, options.allocations)) {
      return broken;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LawBroken> check_laws(const GameTable& game, const LawOptions& options) {
  std::vector<std::string_view> maps{game.maps.begin(), game.maps.end()};
  if (!options.map.empty() || maps.empty()) maps = {options.map};
  for (const std::string_view map : maps) {
    MapCalls calls{.map = map};
    std::optional<LawBroken> broken;
    for (std::size_t rate = 0; rate < options.tick_rates.size() && !broken; ++rate) {
      broken = check_map(game, map, options.tick_rates[rate], options, calls);
    }
    if (options.calls != nullptr) options.calls->push_back(std::move(calls));
    if (broken) return broken;
  }
  return std::nullopt;
}

namespace {

using engine::Callback;

/// The callbacks and hooks that matches call.
struct CallbackName {
  std::string_view name;
  Callback callback;
};

constexpr std::array kCallbacks{
    CallbackName{"act", Callback::Act},       CallbackName{"ray", Callback::Ray},
    CallbackName{"struck", Callback::Struck}, CallbackName{"contact", Callback::Contact},
    CallbackName{"wall", Callback::Wall},     CallbackName{"after", Callback::After},
    CallbackName{"apply", Callback::Apply},   CallbackName{"crushed", Callback::Crushed},
    CallbackName{"left", Callback::Left},     CallbackName{"open", Callback::Open},
    CallbackName{"join", Callback::Join},     CallbackName{"leave", Callback::Leave},
    CallbackName{"decide", Callback::Decide}, CallbackName{"command", Callback::Command},
    CallbackName{"bot", Callback::Bot},       CallbackName{"significant", Callback::Significant},
    CallbackName{"emit", Callback::Emit},     CallbackName{"publish_result", Callback::Publish},
};

/// One of the functions that make a hook, by the kinds that it takes.
struct HookCase {
  std::string name;
  std::size_t kind = 0;
  std::size_t with = 0;
};

bool has_hook(const KindTable& kind, std::string_view hook) {
  return (hook == "act" && kind.act != nullptr) || (hook == "ray" && kind.ray != nullptr) ||
         (hook == "struck" && kind.struck != nullptr) || (hook == "wall" && kind.wall != nullptr) ||
         (hook == "after" && kind.after != nullptr) ||
         (hook == "crushed" && kind.crushed != nullptr) ||
         (hook == "left" && kind.left != nullptr) ||
         (hook == "possible" && kind.possible != nullptr) ||
         (hook == "predict" && kind.has_predict) || (hook == "look" && kind.has_look);
}

/// Returns for which kinds the engine calls a hook.
std::vector<HookCase> cases_by_kind(const GameTable& game, std::string_view hook) {
  std::vector<HookCase> cases;
  for (std::size_t i = 0; i < game.kinds.size(); ++i) {
    const KindTable& kind = game.kinds[i];
    const std::string name{kind.type.name};
    if (has_hook(kind, hook)) cases.push_back({.name = name, .kind = i});
    for (std::size_t other = 0; hook == "contact" && other < kind.contact.size(); ++other) {
      if (kind.contact[other] == nullptr) continue;
      cases.push_back({name + " with " + std::string{game.kinds[other].type.name}, i, other});
    }
    for (std::size_t outcome = 0; hook == "apply" && outcome < kind.apply.size(); ++outcome) {
      if (kind.apply[outcome] == nullptr) continue;
      cases.push_back({name + " by " + std::string{game.outcomes[outcome].name}, i, outcome});
    }
  }
  return cases;
}

/// Returns the types that a game lists for emit() or publish_result().
std::span<const TypeInfo> sent_types(const GameTable& game, std::string_view function) {
  if (function == "emit") return game.events;
  if (function == "publish_result") return game.results;
  return {};
}

std::vector<HookCase> cases_of(const GameTable& game, std::string_view hook) {
  std::vector<HookCase> cases = cases_by_kind(game, hook);
  for (std::size_t i = 0; hook == "command" && i < game.commands.size(); ++i) {
    cases.push_back({.name = std::string{game.commands[i].type.name}, .with = i});
  }
  for (std::size_t i = 0; hook == "bot" && i < game.bot.styles.size(); ++i) {
    cases.push_back({.name = std::string{game.bot.styles[i]}, .kind = i});
  }
  for (std::size_t i = 0; i < sent_types(game, hook).size(); ++i) {
    cases.push_back({.name = std::string{sent_types(game, hook)[i].name}, .with = i});
  }
  return cases;
}

bool is_declared(const GameTable& game, std::string_view hook) {
  return hook == "join" || !sent_types(game, hook).empty() ||
         std::ranges::any_of(
             game.hooks, [hook](const Hook& has) { return has.name == hook && has.is_declared; });
}

}  // namespace

HookNames hooks_of(const GameTable& game) {
  HookNames names;
  for (const Hook& hook : game.hooks) {
    if (!hook.is_declared) {
      names.others.push_back(hook.name);
      continue;
    }
    HookUse& use = names.declared.emplace_back(HookUse{.name = hook.name, .kinds = {}});
    for (HookCase& of : cases_by_kind(game, hook.name)) {
      use.kinds.push_back(std::move(of.name));
    }
  }
  return names;
}

std::vector<CallbackUse> callbacks_of(const GameTable& game) {
  std::vector<CallbackUse> uses;
  for (const auto& [name, callback] : kCallbacks) {
    if (!is_declared(game, name)) continue;
    const std::vector<HookCase> cases = cases_of(game, name);
    if (cases.empty()) uses.push_back({std::string{name}, {.callback = callback}});
    for (const HookCase& of : cases) {
      uses.push_back({std::string{name} + " (" + of.name + ")", {callback, of.kind, of.with}});
    }
  }
  return uses;
}

std::string options_of(const LawPlace& place, const LawOptions& options) {
  const LawOptions by_default;
  std::string text = place.map.empty() ? "" : "--map " + std::string{place.map} + " ";
  text += "--tick-rate " + std::to_string(place.tick_rate) + " --seed " +
          std::to_string(place.seed) + " --matches 1";
  if (options.ticks != by_default.ticks) text += " --ticks " + std::to_string(options.ticks);
  if (options.seats != by_default.seats) text += " --seats " + std::to_string(options.seats);
  return text;
}

std::string to_text(const GameTable& game, const LawBroken& broken) {
  const LawPlace& place = broken.place;
  return std::string{game.name} + " breaks the law \"" + broken.law + "\"" +
         (place.map.empty() ? "" : " on map " + std::string{place.map}) + " at " +
         std::to_string(place.tick_rate) + " ticks per second, match " +
         std::to_string(place.seed) + ", tick " + std::to_string(place.tick.value) + ": " +
         broken.what;
}

}  // namespace tickbox::laws
