#include "tests/bench/game/pellets.h"

#include "core/rng.h"
#include "engine/state_hasher.h"
#include "engine/stepper.h"
#include "tests/bench/game/timing.h"
#include "tickbox/adapter.h"
#include "views/rows.h"

#include <span>
#include <vector>

namespace tickbox::bench {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint16_t kWalkers = 16;
constexpr std::int32_t kColumns = 80;
constexpr std::int32_t kLines = 50;
constexpr int kWarmUpTicks = 120;

struct Stick {
  Int<-1, 1> x;
  Int<-1, 1> y;
  TICKBOX_FIELDS(Stick, x, y)
};

struct Walker {
  Int<0, 1'000'000> eaten;
  TICKBOX_FIELDS(Walker, eaten)
};

struct Pellet {
  Int<1, 9> worth = 1;
  TICKBOX_FIELDS(Pellet, worth)
};

struct Eaten {
  Int<-1'000, 1'000> x;
  TICKBOX_FIELDS(Eaten, x)
};

enum class Pellets : std::uint8_t { None, AtRest, OnTheWay };

template <Pellets kPellets>
struct Field {
  static constexpr std::string_view name = "pellets";
  static constexpr std::uint32_t version = 1;
  using Input = Stick;
  using Avatar = Walker;
  using Kinds = List<Walker, Pellet>;
  using Outcomes = List<>;
  using Events = List<Eaten>;
  using Seat = Empty;
  using Room = Empty;
  using Step = tickbox::Step<Field>;
  using Server = tickbox::Server<Field>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 10;
  }

  static Body body(const Walker&) { return {}; }

  static Body body(const Pellet&) {
    return {.size = {kUnit / 4, kUnit / 4}, .motion = Motion::Fixed, .sensor = true};
  }

  static void map(MapBuilder& map, const MapOptions&) {
    map.border({0, 0}, {kColumns * kUnit, kLines * kUnit}, Border::Solid);
  }

  static Vec2 free_place(Server& server) {
    return {server.random(kColumns) * kUnit, server.random(kLines) * kUnit};
  }

  static void open(Server& server) {
    if (kPellets == Pellets::None) return;
    const std::int32_t aside = kPellets == Pellets::AtRest ? 200 * kUnit : 0;
    for (std::int32_t i = 0; i < kColumns * kLines; ++i) {
      server.spawn(Pellet{}, {i % kColumns * kUnit + aside, i / kColumns * kUnit});
    }
  }

  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Walker{}, free_place(server));
  }

  static void act(Entity<Walker> me, const Stick& stick, Step& step) {
    me.velocity = {stick.x * step.speed(5), stick.y * step.speed(5)};
    step.template for_each_in<Walker>({me.min.x - kUnit, me.min.y - kUnit}, {3 * kUnit, 3 * kUnit},
                                      [](Entity<Walker>) {});
  }

  static void contact(Entity<Walker> me, Entity<Pellet> it, Contact, Step& step) {
    me->eaten += it->worth;
    step.emit(me.ref, Eaten{me.min.x / kUnit});
    step.remove(it.ref);
  }

  static void decide(Server& server) {
    for ([[maybe_unused]] const Eaten& eaten : server.template events<Eaten>()) {
      server.spawn(Pellet{}, free_place(server));
    }
  }
};

class Match {
 public:
  Match(const GameTable& game, std::string_view name)
      : name_(name), world_(game, engine::make_map(game, {.seats = kWalkers}, kRate), kRate, 7) {
    stepper_.open(world_);
  }

  void tick(std::span<const Stick> sticks, bool is_measured) {
    joins_.clear();
    inputs_.clear();
    for (std::uint16_t seat = 0; seat < kWalkers; ++seat) {
      if (world_.tick.value == 0) joins_.push_back({.player = {seat}, .user_data = {}});
      inputs_.push_back({.player = {seat}, .input = std::as_bytes(sticks.subspan(seat, 1))});
    }
    const double start = thread_us();
    stepper_.step(world_, {.leaves = {}, .joins = joins_, .inputs = inputs_}, record_);
    const double stepped = thread_us();
    static_cast<void>(hasher_.hash(world_));
    const double hashed = thread_us();
    rows_.assign(world_);
    const double copied = thread_us();
    if (!is_measured) return;
    steps_.push_back(stepped - start);
    hashes_.push_back(hashed - stepped);
    copies_.push_back(copied - hashed);
  }

  [[nodiscard]] PelletCosts costs() {
    return {.name = name_,
            .step = median(steps_),
            .hash = median(hashes_),
            .rows = median(copies_),
            .bodies = world_.size()};
  }

 private:
  std::string_view name_;
  engine::World world_;
  engine::Stepper stepper_;
  engine::StateHasher hasher_;
  engine::TickRecord record_;
  views::Rows rows_;
  std::vector<engine::Join> joins_;
  std::vector<engine::PlayerInput> inputs_;
  std::vector<double> steps_;
  std::vector<double> hashes_;
  std::vector<double> copies_;
};

}  // namespace

std::array<PelletCosts, 3> measure_pellets(int ticks) {
  std::array<Match, 3> matches = {Match{kGameTable<Field<Pellets::None>>, "16 walkers"},
                                  Match{kGameTable<Field<Pellets::AtRest>>, "and 4,000 at rest"},
                                  Match{kGameTable<Field<Pellets::OnTheWay>>, "and 4,000 to eat"}};
  std::vector<Stick> sticks(kWalkers);
  Rng dice{5};
  for (int tick = 0; tick < ticks + kWarmUpTicks; ++tick) {
    for (Stick& stick : sticks) {
      if (!dice.chance(1, 30)) continue;
      stick.x = static_cast<std::int32_t>(dice.below(3)) - 1;
      stick.y = static_cast<std::int32_t>(dice.below(3)) - 1;
    }
    for (Match& match : matches) {
      match.tick(sticks, tick >= kWarmUpTicks);
    }
  }
  return {matches[0].costs(), matches[1].costs(), matches[2].costs()};
}

}  // namespace tickbox::bench
