// Records with right checksums and any content, behind a header of ours: what a forger can hand to
// `replay verify`.

#include "core/bytes.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"
#include "record/copy.h"
#include "record/format.h"
#include "record/summary.h"
#include "record/verify.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/recorded_match.h"

#include <vector>

using namespace tickbox;

namespace {

/// The match that the header names.
struct Setting {
  record::Header header;
  game::SharedMap map = game::make_arena_map(2);
  std::shared_ptr<const game::Rules> rules = game::make_rules("arena", 10);

  Setting() {
    header.tick_rate = 10;
    header.map_seats = 2;
    header.map_hash = game::map_hash(*map);
    header.rules = "arena";
  }
};

/// Header and records, each record with the checksum that belongs to it.
std::vector<std::byte> forged(const record::Header& header, ConstBytes records) {
  const auto copy = record::encode_header(header);
  std::vector<std::byte> file;
  for (const ConstBytes part : {ConstBytes{copy}, ConstBytes{copy}, records}) {
    file.insert(file.end(), part.begin(), part.end());
  }
  tests::rechecksum(file);
  return file;
}

}  // namespace

TICKBOX_FUZZ_TARGET(record_forged)(ConstBytes input) {
  static const Setting setting;
  const auto file = forged(setting.header, input);
  const auto reader = record::Reader::open(file);
  fuzz::check(reader.has_value());
  const auto result =
      record::verify(*reader, setting.map, *setting.rules, {.step_unfinished = true});
  fuzz::check(result.mismatched <= result.ticks + result.segments_whole + result.segments_lost);
  fuzz::check(!(result.complete && result.ends_early));
  // What is whole of it makes a file without damage, of no more ticks.
  tests::MemorySink copy;
  record::Writer writer{copy, setting.header};
  const auto copied = record::copy(*reader, writer, setting.map, *setting.rules);
  const auto reread = record::Reader::open(copy.bytes);
  fuzz::check(reread.has_value());
  const auto summary = record::summarize(*reread);
  fuzz::check(summary.damage_count == 0 && summary.ticks == copied.ticks && !summary.ends_early);
  // What held holds in it as well: every hash is still that of its tick.
  if (result.held()) {
    fuzz::check(record::verify(*reread, setting.map, *setting.rules).held());
  }
}
