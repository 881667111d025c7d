#include "tests/golden/recording.h"

#include "engine/identity.h"
#include "games/catalog.h"
#include "record/replayer.h"
#include "record/room_log.h"
#include "record/segments.h"
#include "record/verify.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/motion_hash.h"

#include <sstream>
#include <utility>
#include <vector>

namespace tickbox::golden {
namespace {

constexpr const char* kHead =
    "# A match recorded by tickbox-server, part by part; tests/golden/README.md says how to "
    "make it again.\n";

using Failure = std::unexpected<ReplayFailure>;

Failure unreadable(const std::string& what) {
  return Failure{{.what = what, .unreadable = true}};
}

Failure differs(const std::string& what) {
  return Failure{{.what = what}};
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.find_last_of('/') + 1);
}

std::string name_of(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// What a summary does not count.
struct Outcome {
  std::uint64_t strikes = 0;
  std::uint64_t state = 0;  ///< the newest hash
  std::uint32_t motion =
      0;  ///< the lower half of XXH3-64 over the motion after each tick, in order
};

/// The ticks of a recording, stepped once more.
Outcome outcome_of(record::Replayer replayer) {
  Outcome outcome;
  StreamHasher motion;
  while (replayer.next()) {
    if (replayer.entered() == nullptr) continue;
    outcome.strikes += replayer.entered()->record.strikes.size();
    outcome.state = replayer.recorded_hash();
    add_motion(motion, replayer.world().physics());
  }
  outcome.motion = static_cast<std::uint32_t>(motion.digest());
  return outcome;
}

struct Part {
  std::uint64_t ticks = 0;
  std::string line;  ///< of the list
};

/// The same on every machine.
std::string line_of(const std::string& path, const record::Header& header,
                    const record::VerifyResult& stepped, const record::Summary& sum,
                    const Outcome& outcome) {
  const record::PlayerSummary& players = *sum.players;
  std::ostringstream line;
  line << name_of(path) << " part " << header.part << " from " << sum.records.first_tick()->value
       << " to " << sum.records.last_tick().value << " ticks " << stepped.ticks << " gaps "
       << stepped.gaps << " segments " << stepped.segments_whole << " players "
       << players.players_max << " joins " << players.joins << " leaves " << players.leaves
       << " inputs " << players.inputs << " made_up " << players.inputs_substituted << " strikes "
       << outcome.strikes << " state " << hex(outcome.state) << " motion " << hex(outcome.motion);
  return line.str();
}

std::string text_of(const std::string& path, const record::Mismatch& first) {
  return path + " differs first in tick " + std::to_string(first.tick.value) + "; in tick " +
         std::to_string(first.compared.value) + " " + first.what.subject +
         (first.what.subject.empty() ? "" : " ") + first.what.field + " is " + first.what.got +
         ", was recorded as " + first.what.expected;
}

std::expected<std::string, ReplayFailure> read(const std::string& path) {
  auto content = read_file(path);
  if (!content) return unreadable("cannot read " + path);
  return *std::move(content);
}

/// A recording, and what it was played by. Valid as long as its bytes.
struct Opened {
  record::Reader reader;
  const GameTable* game = nullptr;
  engine::SharedMap map;
};

std::expected<Opened, ReplayFailure> open_recording(const std::string& path, ConstBytes bytes) {
  auto reader = record::Reader::open(bytes);
  if (!reader) {
    return unreadable("cannot read " + path + ": " + record::describe(reader.error(), bytes));
  }
  const engine::Identity identity = record::identity_of(reader->header());
  auto found =
      engine::find_game_on_map(games::all_games(), identity, reader->header().tick_rate, path);
  if (!found) return differs(found.error().words);
  return Opened{.reader = *std::move(reader), .game = found->game, .map = std::move(found->map)};
}

std::expected<Part, ReplayFailure> replay_part(const std::string& path) {
  const auto bytes = read(path);
  if (!bytes) return std::unexpected{bytes.error()};
  const auto opened = open_recording(path, as_bytes_of(*bytes));
  if (!opened) return std::unexpected{opened.error()};
  const record::Reader& reader = opened->reader;
  const record::VerifyResult stepped = record::verify(reader, *opened->game, opened->map);
  const Outcome outcome = outcome_of({reader, *opened->game, opened->map});
  if (stepped.first_mismatch) {
    return differs(text_of(path, *stepped.first_mismatch) + "; its motion is " +
                   hex(outcome.motion));
  }
  if (!stepped.held() || stepped.ends_early || stepped.ticks == 0) {
    return differs(path + " is damaged, or holds nothing");
  }
  const engine::GameOnMap played{
      .game = opened->game, .map = opened->map, .tick_rate = reader.header().tick_rate};
  return Part{
      .ticks = stepped.ticks,
      .line = line_of(path, reader.header(), stepped, record::summarize(reader, &played), outcome)};
}

class TextSink final : public ByteSink {
 public:
  bool write(ConstBytes bytes) override {
    text_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return true;
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

std::expected<Replayed, ReplayFailure> replay_list(const std::string& list) {
  auto text = read(list);
  if (!text) return std::unexpected{text.error()};
  std::istringstream file{*std::move(text)};
  Replayed sum;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const auto part = replay_part(folder_of(list) + line.substr(0, line.find(' ')));
    if (!part) return std::unexpected{part.error()};
    if (part->line != line) {
      return differs("another recording than the list says\n  is:       " + part->line +
                     "\n  the list: " + line);
    }
    sum.ticks += part->ticks;
    ++sum.parts;
  }
  if (sum.parts == 0) return differs(list + " names no recording");
  return sum;
}

std::expected<Replayed, ReplayFailure> write_list(const std::string& list,
                                                  std::span<const std::string> parts) {
  Replayed sum{.parts = parts.size()};
  std::string text = kHead;
  for (const std::string& path : parts) {
    const auto part = replay_part(path);
    if (!part) return std::unexpected{part.error()};
    sum.ticks += part->ticks;
    text += part->line + '\n';
  }
  if (!write_file(list, text)) return unreadable("cannot write " + list);
  return sum;
}

std::expected<void, ReplayFailure> store(const std::string& out, const std::string& in) {
  const auto bytes = read(in);
  if (!bytes) return std::unexpected{bytes.error()};
  auto opened = open_recording(in, as_bytes_of(*bytes));
  if (!opened) return std::unexpected{opened.error()};
  record::Reader& reader = opened->reader;
  TextSink sink;
  record::LogFile file{sink, reader.header()};
  const record::Chain chain{reader.header()};
  std::uint64_t checksum = 0;
  std::vector<std::byte> record;
  using Item = record::Reader::Item;
  for (Item item = reader.next(); item != Item::Finished; item = reader.next()) {
    if (item == Item::Damage) return differs(in + " is damaged");
    if (item != Item::Keyframe && item != Item::Ticks) continue;
    auto [head, payload] = reader.record_at(reader.item_offset());
    payload = payload.subspan(record::kRecordHeadBytes, head.payload_bytes);
    record.assign(record::kRecordHeadBytes, std::byte{0});
    if (item == Item::Keyframe) {
      payload = payload.first(record::kKeyframeFrameBytes);
      checksum = 0;
      head.flags = 0;
    }
    record.insert(record.end(), payload.begin(), payload.end());
    if (item == Item::Keyframe) {
      record.insert(record.end(), reader.world().begin(), reader.world().end());
    }
    head.payload_bytes = static_cast<std::uint32_t>(record.size() - record::kRecordHeadBytes);
    record::seal(head, chain.seed_after(checksum), record);
    checksum = record::checksum_of(record);
    file.append({.head = head, .bytes = record});
  }
  if (!file.finish() || !write_file(out, sink.text())) return unreadable("cannot write " + out);
  return {};
}

}  // namespace tickbox::golden
