// A desync in the words of a log.

#include "desync/desync.h"

#include "engine/log/words.h"
#include "tests/unit/desync/sample.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::desync {
namespace {

using Kind = Cause::Kind;

std::string id_text(std::uint32_t number) {
  return std::to_string(samples::crate_id(number).value);
}

TEST(Desync, InWordsNamesEntityFieldAndBothValues) {
  EXPECT_EQ(in_words(samples::desync()),
            "seat=3 tick=1234 base_age=4 server_hash=000000ab client_hash=ffffffff ended=compared "
            "entity=" +
                id_text(2) +
                " kind=Crate field=x server=20 client=21 fields=x:20/21 entities_differ=1 "
                "fields_differ=1");
  Desync forgotten = samples::desync();
  forgotten.end = DesyncEnd::Forgotten;
  forgotten.difference.reset();
  EXPECT_TRUE(in_words(forgotten).ends_with("ended=forgotten")) << in_words(forgotten);
}

TEST(Desync, InWordsSaysWhoIsAbsent) {
  Desync desync = samples::desync();
  desync.client_view = samples::view_of({samples::crate(1, 10)});
  desync.difference = views::compare_views(*desync.server_view, *desync.client_view);
  EXPECT_TRUE(in_words(desync).contains("field=id server=" + id_text(2) + " client=absent"))
      << in_words(desync);
}

TEST(Desync, InWordsNamesAFieldOfTheGame) {
  const views::RowHead head{.id = engine::controlled_id(1, {.lineage = 3, .tick = {5}, .count = 0}),
                            .kind = samples::kHero};
  const views::ViewState expected = samples::view_of({head});
  views::ViewState got{.rows = views::Rows{games::arena()}, .room = expected.room};
  alignas(8) std::array<std::byte, kTypeBytesMax> state{};
  const views::RowRef row = expected.rows.row(0);
  std::ranges::copy(row.state, state.begin());
  engine::set_value(games::arena().kinds[samples::kHero].type.fields()[0], 0, 17,
                    MutableBytes{state}.first(row.state.size()));
  got.rows.add(
      {.head = head, .state = ConstBytes{state}.first(row.state.size()), .input = row.input});
  const auto difference = views::compare_views(expected, got);
  ASSERT_TRUE(difference);
  EXPECT_TRUE(in_words({.difference = difference})
                  .ends_with("entity=" + std::to_string(head.id.value) +
                             " kind=Hero field=reload server=0 client=17 fields=reload:0/17 "
                             "entities_differ=1 fields_differ=1"));
}

// The state of the room is of no entity.
TEST(Desync, InWordsNamesTheRoom) {
  const engine::WorldDifference difference{
      .others = 2,
      .subject = "room",
      .first_fields = {{.field = "clock", .expected = "4", .got = "5"},
                       {.field = "goals[1]", .expected = "0", .got = "1"}}};
  EXPECT_TRUE(in_words({.difference = difference})
                  .ends_with("entity=none kind=room field=clock server=4 client=5 "
                             "fields=clock:4/5,goals[1]:0/1 entities_differ=0 fields_differ=2"));
}

TEST(Desync, HasANameForEachCauseEndAndSide) {
  std::set<std::string_view> names;
  for (const Kind kind :
       {Kind::Input, Kind::Outcome, Kind::Strike, Kind::Room, Kind::Exit, Kind::InFull}) {
    names.insert(name_of(kind));
  }
  EXPECT_EQ(names,
            (std::set<std::string_view>{"input", "outcome", "strike", "room", "exit", "in_full"}));
  EXPECT_EQ(name_of(DesyncEnd::Compared), "compared");
  EXPECT_EQ(name_of(DesyncEnd::Forgotten), "forgotten");
  EXPECT_EQ(name_of(DesyncEnd::Unanswered), "unanswered");
  EXPECT_EQ(name_of(DesyncSide::Server), "server");
  EXPECT_EQ(name_of(DesyncSide::Client), "client");
}

// Before the fix, the aim of a shot was held after the tick of the shot, as no server holds it: the
// desync had the next shot to the same side without its aim.
TEST(Causes, AShotToTheSameSideHasItsAimToo) {
  const GameTable& game = games::arena();
  const std::vector<std::byte> rest = engine::default_of(game.input);
  std::vector<std::byte> shot = rest;
  constexpr std::size_t kShoot = 1;
  constexpr std::size_t kAim = 3;
  engine::set_value(game.input.fields()[kShoot], 0, 1, shot);
  engine::set_value(game.input.fields()[kAim], 0, 30, shot);
  std::vector<std::byte> change;
  {
    engine::BitWriter writer{change};
    engine::pack_change(game.input, rest, shot, writer);
  }
  Causes causes{game};
  std::vector<std::byte> held = rest;
  for (const std::uint32_t tick : {7U, 9U}) {
    causes.add_input({tick}, samples::crate_id(1), engine::BitReader{change}, held);
    EXPECT_EQ(held, rest);
  }
  for (const Cause& cause : causes.finish()) {
    EXPECT_EQ(cause.what, engine::changes_in_words(game.input, rest, shot)) << cause.tick.value;
  }
}

}  // namespace
}  // namespace tickbox::desync
