#pragma once
// Steps a match while it is played, from the bytes of its log, and compares every tick's hash.

#include "core/bytes.h"
#include "engine/map.h"
#include "engine/world.h"
#include "record/decoder.h"
#include "record/live/stream_reader.h"
#include "record/verify.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace tickbox::record {

class LiveVerifier {
 public:
  /// `game` must live longer. Requires: game and map are those that the log's header names.
  LiveVerifier(const GameTable& game, const engine::SharedMap& map, std::uint32_t tick_rate)
      : decoder_(game, map, tick_rate) {}

  /// As Decoder::stop_when().
  void stop_when(const std::function<bool()>& stopped) { decoder_.stop_when(stopped); }

  /// Takes an item that `reader` has just returned.
  void take(Reader::Item item, const Reader& reader);

  /// Returns what is known so far. `complete` and `ends_early` are for the caller to say.
  [[nodiscard]] const VerifyResult& result() const { return result_; }

 private:
  void keyframe(const Reader& reader);
  void tick(const RecordedTick& recorded);
  void differs(Tick tick, const Difference& what);
  void explain(Tick keyframe, const Difference& what);
  void damaged();

  Decoder decoder_;
  std::optional<engine::World> world_;  ///< none before the first keyframe and after damage
  Tick segment_began_;                  ///< tick of the last keyframe
  bool segment_differs_ = false;        ///< since then, a tick had another hash
  VerifyResult result_;
};

}  // namespace tickbox::record
