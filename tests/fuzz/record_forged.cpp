// Records with right checksums and any content, behind a header of ours: what a forger can hand to
// `replay verify`.

#include "core/bytes.h"
#include "engine/identity.h"
#include "games/arena/arena.h"
#include "record/format.h"
#include "record/segments.h"
#include "record/verify.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/recorded_match.h"

#include <vector>

using namespace tickbox;

namespace {

/// The match that the header names.
struct Setting {
  const GameTable& game = games::arena();
  engine::SharedMap map = engine::make_map(game, {.seats = 2}, 10);
  record::Header header;

  Setting() {
    const engine::Identity identity = engine::identity_of(game, map, 10);
    header.tick_rate = 10;
    header.map_seats = 2;
    header.map_hash = identity.map_hash;
    header.game = identity.game;
    header.game_version = identity.version;
    header.game_hash = identity.game_hash;
  }
};

/// Header and records, each record with the checksum that belongs to it.
std::vector<std::byte> forged(const record::Header& header, ConstBytes records) {
  const auto bytes = record::encode_header(header);
  std::vector<std::byte> file{bytes.begin(), bytes.end()};
  file.insert(file.end(), records.begin(), records.end());
  tests::rechecksum(file);
  return file;
}

}  // namespace

TICKBOX_FUZZ_TARGET(record_forged)(ConstBytes input) {
  static const Setting kSetting;
  const auto file = forged(kSetting.header, input);
  const auto reader = record::Reader::open(file);
  fuzz::check(reader.has_value());
  const auto result =
      record::verify(*reader, kSetting.game, kSetting.map, {.step_unfinished = true});
  fuzz::check(result.mismatched <= result.ticks + result.segments_whole + result.segments_lost);
  fuzz::check(!(result.complete && result.ends_early));
  // The whole segments of it make a file without damage, of no more ticks.
  tests::MemorySink sink;
  const auto cut = record::cut(*reader, sink);
  fuzz::check(cut.written == cut.first.has_value());
  if (!cut.first) return;
  const auto reread = record::Reader::open(sink.bytes);
  fuzz::check(reread.has_value());
  const record::Segments segments = record::segments_of(*reread);
  fuzz::check(segments.damages == 0 && segments.ticks == cut.copy.ticks_recorded);
  fuzz::check(!segments.ends_early && segments.all.size() == cut.copy.keyframes);
  // If the file held, its copy holds too: every hash is still that of its tick.
  if (result.held()) {
    fuzz::check(record::verify(*reread, kSetting.game, kSetting.map).held());
  }
}
