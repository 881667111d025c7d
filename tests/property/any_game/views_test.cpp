// Views of any game: every client of a random match has the server's state of what it sees, to the
// bit, whatever the network loses, delays or reorders.

#include "client/match/prediction.h"
#include "client/match/snapshot_world.h"
#include "engine/declared.h"
#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "games/platformer/platformer.h"
#include "package/laws/random_match.h"
#include "protocol/snapshot.h"
#include "server/match/event_delivery.h"
#include "server/match/plan/planner.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::views_test {
namespace {

struct Sent {
  Tick arrives;
  client::ViewHead head;
  std::vector<std::byte> content;
  std::vector<std::byte> events;
};

struct Ack {
  Tick arrives;
  Tick tick;
  std::uint16_t event = 0;
};

/// An event as the server has sent it or as a client has got it.
struct Told {
  Tick tick;
  std::vector<std::byte> bits;

  friend bool operator==(const Told&, const Told&) = default;
};

/// One player's client, and what the server keeps for it.
struct Client {
  Client(const engine::World& like, Player player, std::uint32_t base_age_max)
      : world(like, player, stepper), prediction(like, player, stepper), sent(base_age_max) {}

  engine::Stepper stepper;
  client::SnapshotWorld world;
  client::Prediction prediction;
  server::EventQueue queue{20};
  client::EventInbox inbox;
  views::ReceivedEvents received;
  std::vector<Told> told;  ///< by the server
  std::vector<Told> got;
  server::SentViews sent;
  server::WaitingBodies waiting;
  std::deque<Sent> snapshots;
  std::deque<Ack> acks;
};

struct Counts {
  std::uint64_t views = 0;
  std::uint64_t full = 0;
  std::uint64_t members = 0;
  std::uint64_t refused = 0;
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;
  std::uint64_t predicted = 0;  ///< views whose own bodies nothing else has touched
  std::uint64_t exact = 0;
  std::uint64_t ticks = 0;  ///< from each client's newest view to the next on a base
  std::uint64_t steps = 0;  ///< that these took
  std::uint64_t quiet = 0;  ///< plans without news
  std::uint64_t early = 0;  ///< of these, the ones that end early
};

/// A match on a bad network.
class LossyMatch {
 public:
  LossyMatch(const GameTable& game, std::uint64_t seed, std::uint32_t tick_rate,
             laws::Players players = laws::Players::Random)
      : dice_(seed ^ 0x5eed),
        loss_percent_(dice_.below(30)),
        delay_(1 + static_cast<std::uint32_t>(dice_.below(8))),
        jitter_(static_cast<std::uint32_t>(dice_.below(4))),
        interval_(1 + static_cast<std::uint32_t>(dice_.below(3))),
        bytes_max_(dice_.chance(1, 3) ? 1'200 : 500 + dice_.below(700)),
        map_(engine::make_map(game, {.seats = kSeats}, tick_rate)),
        random_(game, map_,
                {.seed = seed, .tick_rate = tick_rate, .seats = kSeats, .players = players}),
        match_(game, map_, tick_rate, seed),
        like_(game, map_, tick_rate, seed) {}

  void tick() {
    engine::TickRequest request = random_.draw();
    random_.step();
    const engine::JudgeRays judge = [this](auto, std::vector<engine::Strike>& strikes) {
      strikes = random_.record().strikes;
    };
    request.judge = &judge;
    match_.tick(request);
    ASSERT_EQ(match_.hash(), engine::state_hash(random_.world()));
    update_clients();
    predict(request);
    tell_events();
    planner_.begin_tick(match_, planned_);
    for (std::uint16_t seat = 0; seat < kSeats; ++seat) {
      if (clients_[seat] == nullptr) continue;
      if ((now().value + seat) % interval_ == 0) send({seat}, *clients_[seat]);
      receive({seat}, *clients_[seat]);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

  [[nodiscard]] const Counts& counts() const { return counts_; }

  [[nodiscard]] Tick now() const { return match_.world().tick; }

 private:
  static constexpr std::uint16_t kSeats = 6;
  static constexpr std::size_t kEventBytes = 120;

  void update_clients() {
    for (std::uint16_t seat = 0; seat < kSeats; ++seat) {
      const engine::SeatInfo& info = match_.world().seats()[seat];
      const bool is_other = !info.taken || generations_[seat] != info.generation;
      if (is_other) clients_[seat] = nullptr;
      if (info.taken && clients_[seat] == nullptr) {
        clients_[seat] =
            std::make_unique<Client>(like_, Player{seat}, match_.history().base_age_max());
        generations_[seat] = info.generation;
      }
    }
  }

  /// Every client predicts the tick with its input; it has no later view yet.
  void predict(const engine::TickRequest& request) {
    for (const engine::PlayerInput& input : request.inputs) {
      Client* client = clients_[input.player.seat].get();
      if (client != nullptr) client->prediction.predict(now(), input.input);
    }
  }

  void tell_events() {
    router_.gather(match_);
    router_.route(match_, [this](Player player, std::size_t event) {
      const server::EventBits bits = router_.bits(event);
      Client& client = *clients_[player.seat];
      const bool is_added = client.queue.add(now(), router_.bytes(), bits.first, bits.bits);
      if (!is_added) return false;
      client.told.push_back({.tick = now(), .bits = {}});
      engine::BitWriter out{client.told.back().bits};
      engine::copy_bits(router_.bytes(), bits.first, bits.bits, out);
      return true;
    });
  }

  void send(Player player, Client& client) {
    for (; !client.acks.empty() && client.acks.front().arrives <= now(); client.acks.pop_front()) {
      client.sent.acknowledge(client.acks.front().tick);
      client.queue.acknowledge(client.acks.front().event, client.acks.front().tick);
    }
    const server::Members* base = client.sent.base(now());
    const server::ViewRequest request{
        .player = player,
        .base = base,
        .base_tick = base != nullptr ? client.sent.base_tick() : Tick{},
        .last = client.sent.newest(now()),
        .bytes_max = bytes_max_,
        .bytes_kept = kEventBytes};
    server::Members view;
    std::vector<std::byte> content;
    server::WaitingBodies waiting = client.waiting;
    const server::ViewPlan early = planner_.plan(only_with_news(request), waiting, content, view);
    const server::ViewPlan plan = planner_.plan(request, client.waiting, content, view);
    compare(early, plan);
    ASSERT_EQ(waiting, client.waiting);
    if (!plan.fits) return;
    ASSERT_LE(content.size() + kEventBytes + protocol::kSnapshotFrameBytes, bytes_max_);
    std::vector<std::byte> events;
    client.queue.write(now(), client.queue.due(now(), kEventBytes).count, events);
    ASSERT_LE(events.size(), kEventBytes);
    client.sent.add(now(), view);
    ++counts_.views;
    counts_.full += plan.on_base ? 0 : 1;
    counts_.members += plan.members;
    counts_.bytes += content.size();
    if (dice_.chance(loss_percent_, 100)) return;
    const auto age =
        plan.on_base ? static_cast<std::uint32_t>(now() - client.sent.base_tick()) : 0U;
    client.snapshots.push_back(
        {.arrives = now() + delay_ + static_cast<std::uint32_t>(dice_.below(jitter_ + 1)),
         .head = {.tick = now(),
                  .base_age = age,
                  .view_hash = static_cast<std::uint32_t>(plan.view_hash & 0xffff'ffff)},
         .content = content,
         .events = events});
  }

  static server::ViewRequest only_with_news(server::ViewRequest request) {
    request.only_with_news = true;
    return request;
  }

  /// A plan ends early only where the whole plan has no news.
  void compare(const server::ViewPlan& early, const server::ViewPlan& plan) {
    const bool is_quiet = plan.fits && !plan.has_news;
    counts_.quiet += is_quiet ? 1 : 0;
    if (early.has_view) return;
    ++counts_.early;
    ASSERT_TRUE(is_quiet);
    ASSERT_GE(early.work, plan.work);
  }

  void receive(Player player, Client& client) {
    for (std::size_t i = 0; i < client.snapshots.size();) {
      if (client.snapshots[i].arrives > now()) {
        ++i;
        continue;
      }
      const Sent sent = client.snapshots[i];
      client.snapshots.erase(client.snapshots.begin() + static_cast<std::ptrdiff_t>(i));
      const client::HeldView* const newest = client.world.newest();
      const Tick before = newest != nullptr ? newest->tick : Tick{};
      const std::uint64_t steps = client.world.steps();
      const auto view = client.world.apply(sent.head, sent.content);
      if (!view) {
        ++counts_.refused;
        ASSERT_FALSE(view.error().wrong.has_value()) << wrong_text(player, *view.error().wrong);
        ASSERT_EQ(view.error().reason, net::DropReason::Unexpected)
            << "seat " << player.seat << " tick " << sent.head.tick.value;
        continue;
      }
      if (sent.head.base_age > 0) {
        counts_.ticks += static_cast<std::uint64_t>(view->tick - before);
        counts_.steps += client.world.steps() - steps;
      }
      reconcile(client, *view);
      take_events(client, sent);
      if (!dice_.chance(loss_percent_, 100)) {
        client.acks.push_back(
            {.arrives = now() + delay_, .tick = view->tick, .event = client.inbox.newest()});
      }
    }
  }

  void reconcile(Client& client, const client::View& view) {
    const client::Reconciliation result = client.prediction.reconcile(view);
    if (!result.predicted || result.touched) return;
    ++counts_.predicted;
    counts_.exact += result.exact ? 1U : 0U;
  }

  void take_events(Client& client, const Sent& sent) {
    ASSERT_TRUE(views::read_events(like_.game(), sent.events, client.received));
    client.inbox.receive(like_.game(), client.received, sent.head.tick,
                         [&](Tick tick, const views::Event& event) {
                           client.got.push_back({.tick = tick, .bits = {}});
                           engine::BitWriter out{client.got.back().bits};
                           views::write_event(like_.game(), event, out);
                         });
    ASSERT_LE(client.got.size(), client.told.size());
    for (std::size_t i = 0; i < client.got.size(); ++i) {
      ASSERT_EQ(client.got[i], client.told[i]) << "event " << i;
    }
    counts_.events += client.got.size();
    client.told.erase(client.told.begin(),
                      client.told.begin() + static_cast<std::ptrdiff_t>(client.got.size()));
    client.got.clear();
  }

  std::string wrong_text(Player player, const client::WrongView& wrong) const {
    std::string text = "seat " + std::to_string(player.seat) + " tick " +
                       std::to_string(wrong.head.tick.value) + " base age " +
                       std::to_string(wrong.head.base_age);
    const server::StateAt* state = match_.state_after(wrong.head.tick);
    if (state == nullptr) return text;
    for (std::size_t row = 0; row < wrong.view->rows.size(); ++row) {
      const views::RowHead& head = wrong.view->rows.head(row);
      const std::size_t at = state->rows.index_of(head.id);
      const std::string name = " | " + std::string{wrong.view->rows.kind_of(row).type.name} + " " +
                               std::to_string(head.id.value);
      if (at == state->rows.size()) {
        text += name + " is not in the match";
      } else if (!views::are_equal(like_.game(), wrong.view->rows.row(row), state->rows.row(at))) {
        text += name + " differs: " + difference(wrong.view->rows.row(row), state->rows.row(at));
      }
    }
    const auto members = clients_[player.seat]->sent.find(wrong.head.tick, now());
    for (std::size_t i = 0; members && i < members->size(); ++i) {
      const BodyId id = match_.history().slots().slot((*members)[i]).id;
      if (!wrong.view->rows.contains(id)) text += " | lacks " + std::to_string(id.value);
    }
    return text + (!members ? "" : " of " + std::to_string(members->size())) + ", has " +
           std::to_string(wrong.view->rows.size());
  }

  [[nodiscard]] std::string difference(const views::RowRef& client,
                                       const views::RowRef& server) const {
    const auto place = [](const views::RowHead& head) {
      return std::to_string(head.min.x) + "," + std::to_string(head.min.y) + " velocity " +
             std::to_string(head.velocity.x) + "," + std::to_string(head.velocity.y) + " carrier " +
             std::to_string(head.carrier.value) + " new " + std::to_string(head.is_new ? 1 : 0);
    };
    const GameTable& game = like_.game();
    return "client " + place(client.head) + ", server " + place(server.head) + ", state " +
           engine::difference(game.kinds[client.head.kind].type, client.state, server.state) +
           ", input " +
           (client.input.empty() ? "" : engine::difference(game.input, client.input, server.input));
  }

  Rng dice_;
  std::uint64_t loss_percent_;
  std::uint32_t delay_;
  std::uint32_t jitter_;
  std::uint32_t interval_;
  std::size_t bytes_max_;
  engine::SharedMap map_;
  laws::RandomMatch random_;
  server::Match match_;
  engine::World like_;
  server::TickContext planned_;
  server::Planner planner_;
  server::EventRouter router_;
  std::array<std::unique_ptr<Client>, kSeats> clients_;
  std::array<std::uint32_t, kSeats> generations_{};
  Counts counts_;
};

std::uint64_t seeds() {
  const char* asked = std::getenv("TICKBOX_VIEW_SEEDS");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : 40;
}

/// The most steps for a hundred ticks of views on a base. Each tick is stepped once, but where a
/// body returns to a view that met others while it was away: then the base is replayed.
std::uint64_t steps_most(const GameTable& game) {
  if (&game == &games::arena()) return 102;
  if (&game == &games::platformer()) return 103;
  return &game == &games::bomber() ? 125 : 160;
}

class AnyGameViews : public ::testing::TestWithParam<const GameTable*> {};

TEST_P(AnyGameViews, AreTheServersOnABadNetwork) {
  Counts all;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LossyMatch match{*GetParam(), seed, seed % 2 == 0 ? 60U : 20U};
    while (match.now() < Tick{600}) {
      match.tick();
      if (HasFatalFailure()) return;
    }
    all.views += match.counts().views;
    all.full += match.counts().full;
    all.members += match.counts().members;
    all.bytes += match.counts().bytes;
    all.refused += match.counts().refused;
    all.events += match.counts().events;
    all.predicted += match.counts().predicted;
    all.exact += match.counts().exact;
    all.ticks += match.counts().ticks;
    all.steps += match.counts().steps;
  }
  EXPECT_GT(all.members, all.views) << "the views have several members";
  EXPECT_LT(all.full * 4, all.views) << "most views are made from causes";
  std::cout << all.views << " views, " << all.full << " full, " << all.members << " members, "
            << all.bytes << " bytes, " << all.refused << " late, " << all.events << " events, "
            << all.exact << " of " << all.predicted << " untouched predictions exact, " << all.steps
            << " steps over " << all.ticks << " ticks\n";
  EXPECT_GT(all.events, all.views / 100);
  EXPECT_GT(all.predicted, all.views / 100);
  EXPECT_LE(all.steps * 100, all.ticks * steps_most(*GetParam()));
  // A player of the arena that nothing else touches moves as its client has predicted. In the other
  // games the server also removes what players control, and rays see further than clients.
  EXPECT_GE(all.exact * 100, all.predicted * (GetParam() == &games::arena() ? 100 : 95));
}

// Bots keep their inputs for longer than random players do.
TEST_P(AnyGameViews, WithoutNewsArePlannedNoFurther) {
  Counts all;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    LossyMatch match{*GetParam(), seed, 60, laws::Players::Bots};
    while (match.now() < Tick{300}) {
      match.tick();
      if (HasFatalFailure()) return;
    }
    all.quiet += match.counts().quiet;
    all.early += match.counts().early;
  }
  std::cout << all.early << " of " << all.quiet << " plans without news end early\n";
  EXPECT_GE(all.early * 100, all.quiet * 80);
}

INSTANTIATE_TEST_SUITE_P(Games, AnyGameViews,
                         ::testing::Values(&games::arena(), &games::platformer(), &games::bomber(),
                                           &tests::menagerie()),
                         [](const auto& of) { return std::string{of.param->name}; });

}  // namespace
}  // namespace tickbox::views_test
