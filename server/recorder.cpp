#include "server/recorder.h"

namespace tickbox::server {

Recorder::Recorder(ByteSink& sink, const record::Header& header, const Room& room)
    : writer_(sink, header) {
  writer_.keyframe(room.world());
}

void Recorder::ticked(const Room& room, const game::TickCommands& commands,
                      std::span<const InputSource> sources) {
  sources_.clear();
  for (const InputSource source : sources) {
    sources_.push_back(source == InputSource::Given ? record::InputSource::Arrived
                                                    : record::InputSource::Substituted);
  }
  writer_.tick(room.world().tick, commands, sources_, room.hash());
  if (writer_.needs_keyframe()) {
    writer_.keyframe(room.world());
  }
}

}  // namespace tickbox::server
