// What the messages of any game carry, as bits. Contents go to a client that holds a full view of a
// random match. A wrong hash is mended and the content applied again, so that the next one can
// build on it: a fuzzer does not guess hashes.
//
//   view_content   the game (0: the arena, 1: the menagerie); then for each content its length in
//                  two bytes, the ticks from the newest view to it less one, the age of its base,
//                  the content
//   view_commands  the game, then the commands of a message
//   view_events    the game, then the events
//   view_inputs    the game, then the inputs of a message
//   view_state     the game, then a whole view, as one end of a desync sends it

#include "client/match/snapshot_world.h"
#include "games/arena/arena.h"
#include "package/laws/random_match.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/content_bits.h"
#include "tests/support/menagerie.h"
#include "views/events.h"
#include "views/inputs.h"
#include "views/view_state.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

using namespace tickbox;

namespace {

constexpr std::size_t kContentsMax = 8;
constexpr std::size_t kInputsMax = 64;
constexpr std::size_t kContentHeadBytes = 4;
constexpr std::uint32_t kSeats = 6;
constexpr std::uint32_t kRate = 60;
constexpr std::uint64_t kSeed = 9;
constexpr std::uint32_t kTicks = 200;
constexpr Player kOwn{0};

const GameTable& game_of(std::size_t number) {
  return number == 0 ? games::arena() : tests::menagerie();
}

struct Content {
  client::ViewHead head;
  ConstBytes bytes;
};

/// The full view of a match with which clients begin.
class Start {
 public:
  explicit Start(const GameTable& game)
      : like_(game, engine::make_map(game, {.seats = kSeats}, kRate), kRate, kSeed) {
    laws::RandomMatch match{
        game, like_.map(), {.seed = kSeed, .tick_rate = kRate, .seats = kSeats}};
    for (std::uint32_t tick = 0; tick < kTicks; ++tick) {
      match.draw();
      match.step();
    }
    rows_.assign(match.world());
    fuzz::check(rows_.size() > kSeats);
    head_.tick = match.world().tick;
    bytes_ = tests::full_content(rows_, head_.tick, {}, std::as_const(match).world().room());
    client::SnapshotWorld world{like_, kOwn, stepper_};
    head_.view_hash = world.apply(head_, bytes_).error().wrong->client_hash;
  }

  [[nodiscard]] const views::Rows& rows() const { return rows_; }

  /// Makes a client that holds the view.
  [[nodiscard]] std::unique_ptr<client::SnapshotWorld> client() {
    auto world = std::make_unique<client::SnapshotWorld>(like_, kOwn, stepper_);
    fuzz::check(world->apply(head_, bytes_).has_value());
    return world;
  }

 private:
  engine::World like_;
  engine::Stepper stepper_;
  views::Rows rows_;
  client::ViewHead head_;
  std::vector<std::byte> bytes_;
};

Start& start_of(std::size_t game) {
  static std::array<Start, 2> starts{Start{game_of(0)}, Start{game_of(1)}};
  return starts[game];
}

/// A snapshot world, and the contents that it has applied.
class Client {
 public:
  explicit Client(Start& start) : start_(start), world_(start.client()) {}

  [[nodiscard]] Tick newest() const {
    return applied_.empty() ? start_tick_ : applied_.back().head.tick;
  }

  void apply(Content content) {
    auto view = step(content);
    if (!view && view.error().wrong) {
      content.head.view_hash = view.error().wrong->client_hash;
      world_ = start_.client();
      for (const Content& before : applied_) {
        fuzz::check(world_->apply(before.head, before.bytes).has_value());
      }
      view = step(content);
      fuzz::check(view ||
                  (view.error().reason == net::DropReason::Malformed && !view.error().wrong));
    }
    if (!view) return;
    fuzz::check(view->tick == content.head.tick && view->rows->size() <= views::kMembersMax);
    fuzz::check(std::ranges::adjacent_find(view->rows->heads(), std::ranges::greater_equal{},
                                           &views::RowHead::id) == view->rows->heads().end());
    applied_.push_back(content);
  }

 private:
  std::expected<client::View, client::Rejected> step(const Content& content) {
    const std::uint64_t before = world_->steps();
    auto view = world_->apply(content.head, content.bytes);
    fuzz::check(world_->steps() - before <= 2 * std::uint64_t{protocol::kBaseAgeMax});
    return view;
  }

  Start& start_;
  std::unique_ptr<client::SnapshotWorld> world_;
  Tick start_tick_ = world_->newest()->tick;
  std::vector<Content> applied_;
};

/// Checks that a content that can be read has one form.
void check_read(const GameTable& game, const Content& content, const views::Rows* base) {
  static std::array<views::Content, 2> read{views::Content{game_of(0)}, views::Content{game_of(1)}};
  const views::ContentBase on{
      .tick = content.head.tick, .age = content.head.base_age, .rows = base};
  views::Content& into = read[&game == &game_of(0) ? 0 : 1];
  if (!views::read_content(content.bytes, on, into)) return;
  fuzz::check(
      std::ranges::equal(tests::ContentBits{into, on, content.bytes}.write(), content.bytes));
}

}  // namespace

TICKBOX_FUZZ_TARGET(view_content)(ConstBytes input) {
  if (input.empty()) return;
  const std::size_t game = std::to_integer<std::size_t>(input[0]) & 1U;
  ConstBytes rest = input.subspan(1);
  Start& start = start_of(game);
  Client client{start};
  for (std::size_t i = 0; i < kContentsMax && rest.size() >= kContentHeadBytes; ++i) {
    const std::size_t length =
        std::to_integer<std::size_t>(rest[0]) | std::to_integer<std::size_t>(rest[1]) << 8;
    const auto more = std::to_integer<std::uint32_t>(rest[2]) + 1;
    const auto age = std::to_integer<std::uint32_t>(rest[3]);
    rest = rest.subspan(kContentHeadBytes);
    const Content content{.head = {.tick = client.newest() + more, .base_age = age},
                          .bytes = rest.first(std::min(length, rest.size()))};
    rest = rest.subspan(content.bytes.size());
    check_read(game_of(game), content, age > 0 ? &start.rows() : nullptr);
    client.apply(content);
  }
}

TICKBOX_FUZZ_TARGET(view_events)(ConstBytes input) {
  if (input.empty()) return;
  const GameTable& game = game_of(std::to_integer<std::size_t>(input[0]) & 1U);
  const ConstBytes bits = input.subspan(1);
  static views::ReceivedEvents received;
  if (!views::read_events(game, bits, received)) return;
  fuzz::check(received.events.size() <= views::kSnapshotEventsMax);
  static std::vector<std::byte> written;
  written.clear();
  if (!received.events.empty()) {
    engine::BitWriter out{written};
    out.write(received.events.front().number, 16);
    for (std::size_t i = 0; i < received.events.size(); ++i) {
      views::write_event_head(received.events[i].age, out);
      views::write_event(game, received.event(game, i), out);
    }
    out.write(0, 1);
  }
  fuzz::check(std::ranges::equal(written, bits));
  client::EventInbox inbox;
  inbox.receive(game, received, Tick{100},
                [](Tick tick, const views::Event&) { fuzz::check(tick.value <= 100); });
}

TICKBOX_FUZZ_TARGET(view_commands)(ConstBytes input) {
  if (input.empty()) return;
  const GameTable& game = game_of(std::to_integer<std::size_t>(input[0]) & 1U);
  const ConstBytes bits = input.subspan(1);
  static views::ReceivedCommands received;
  if (!received.read(game, bits) || received.size() == 0) return;
  fuzz::check(received.size() <= views::kCommandsMax);
  static std::vector<std::byte> written;
  written.clear();
  {
    engine::BitWriter out{written};
    views::write_command_head(received.first(), out);
    for (std::size_t i = 0; i < received.size(); ++i) {
      const views::GivenCommand command = received[i];
      fuzz::check(engine::is_in_range(game.commands[command.type].type, command.bytes));
      views::write_command(game, command, out);
    }
    out.write(0, 1);
  }
  fuzz::check(std::ranges::equal(written, bits));
}

TICKBOX_FUZZ_TARGET(view_inputs)(ConstBytes input) {
  if (input.empty()) return;
  const GameTable& game = game_of(std::to_integer<std::size_t>(input[0]) & 1U);
  const ConstBytes bits = input.subspan(1);
  static views::ReceivedInputs received;
  if (!received.read(game, bits, kInputsMax)) return;
  fuzz::check(received.size() <= kInputsMax);
  std::vector<views::GivenInput> given;
  for (std::size_t i = 0; i < received.size(); ++i) {
    given.push_back(received[i]);
    fuzz::check(engine::is_in_range(game.input, given.back().input));
  }
  static std::vector<std::byte> written;
  written.clear();
  {
    engine::BitWriter out{written};
    views::write_inputs(game, given, out);
  }
  static views::ReceivedInputs again;
  fuzz::check(again.read(game, written, kInputsMax) && again.size() == received.size());
  for (std::size_t i = 0; i < received.size(); ++i) {
    fuzz::check(again[i].look_back == given[i].look_back &&
                engine::are_equal(game.input, again[i].input, given[i].input));
  }
}

// A view that was read has no difference from itself. One whose states are possible has one form.
TICKBOX_FUZZ_TARGET(view_state)(ConstBytes input) {
  constexpr Tick kTick{200};
  if (input.empty()) return;
  const GameTable& game = game_of(std::to_integer<std::size_t>(input[0]) & 1U);
  const ConstBytes bits = input.subspan(1);
  const auto view = views::decode_view_state(game, bits, kTick);
  if (!view) return;
  fuzz::check(view->rows.size() <= views::kMembersMax);
  fuzz::check(std::ranges::adjacent_find(view->rows.heads(), std::ranges::greater_equal{},
                                         &views::RowHead::id) == view->rows.heads().end());
  fuzz::check(!views::compare_views(*view, *view));
  (void)views::hash_of(*view);
  const auto is_possible = [&](std::size_t row) {
    const KindTable& kind = view->rows.kind_of(row);
    return kind.possible == nullptr || kind.possible(view->rows.state(row).data());
  };
  for (std::size_t row = 0; row < view->rows.size(); ++row) {
    if (!is_possible(row)) return;
  }
  static std::vector<std::byte> written;
  views::encode_view_state(*view, kTick, written);
  const auto again = views::decode_view_state(game, written, kTick);
  fuzz::check(again.has_value());
}
