#pragma once
// Between a room and its recording: says after each tick what entered it, and hands over a world
// whenever one is due.

#include "core/byte_sink.h"
#include "record/writer.h"
#include "server/input_buffer.h"
#include "server/room.h"

#include <span>
#include <vector>

namespace tickbox::server {

class Recorder {
 public:
  /// Records `room` from now on.  Requires: `sink` outlives this.
  Recorder(ByteSink& sink, const record::Header& header, const Room& room);

  /// After room.tick(commands); one source per input.
  void ticked(const Room& room, const game::TickCommands& commands,
              std::span<const InputSource> sources);

  /// Writes the clean end.
  void finish() { writer_.finish(); }

  [[nodiscard]] const record::WriterStats& stats() const { return writer_.stats(); }

 private:
  record::Writer writer_;
  std::vector<record::InputSource> sources_;
};

}  // namespace tickbox::server
