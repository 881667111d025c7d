#include "record/writer.h"

#include "core/assert.h"
#include "core/hash.h"
#include "game/entity_codec.h"

#include "schema/world_generated.h"

#include <algorithm>

namespace tickbox::record {
namespace {

/// How many entries of a list are of one tick. A list of players holds each once, so it cannot be
/// longer.
std::uint16_t count_of(std::size_t size) {
  TICKBOX_ASSERT(size <= game::kSeatsMax);
  return static_cast<std::uint16_t>(size);
}

schema::RecordedInput encode_input(const game::PlayerInput& input, InputSource source) {
  return {input.player.value,
          input.input.aim,
          input.input.move,
          input.input.buttons,
          static_cast<std::uint8_t>(source),
          input.input.look_back};
}

}  // namespace

Writer::Writer(ByteSink& sink, const Header& header)
    : sink_(sink),
      header_(header),
      chain_(header),
      ticks_per_batch_(std::clamp(header.tick_rate / kBatchesPerSecond, 1U, kTicksPerRecordMax)),
      ticks_per_keyframe_(header.tick_rate * kKeyframeSeconds) {
  open();
}

bool Writer::open() {
  const auto header = encode_header(header_);
  std::array<std::byte, kRecordsOffset> copies{};
  for (std::size_t i = 0; i < kFileHeaderCopies; ++i) {
    std::ranges::copy(header, copies.begin() + static_cast<std::ptrdiff_t>(i * kFileHeaderBytes));
  }
  if (!sink_.write(copies)) {
    ++stats_.records_refused;
    return false;
  }
  stats_.bytes += copies.size();
  state_ = State::Broken;
  return true;
}

bool Writer::needs_keyframe() const {
  switch (state_) {
    case State::Unopened:
    case State::Broken:
      return ticks_until_retry_ == 0;
    case State::Recording:
      return last_tick_ - keyframe_tick_ >= ticks_per_keyframe_;
    case State::Finished:
      return false;
  }
  return false;
}

/// For keyframes with some bullets of every player, and batches in which all act in every tick.
void Writer::make_room(const game::World& world) {
  constexpr std::size_t kBulletsPerSeat = 3;
  constexpr std::size_t kFrame = 1'024 + kFileHeaderBytes;
  const std::size_t seats = world.seats().size();
  const std::size_t acts = std::size_t{ticks_per_batch_} * seats;
  const std::size_t keyframe = seats * sizeof(schema::Seat) +
                               (world.size() + kBulletsPerSeat * seats) * sizeof(schema::Entity);
  const std::size_t batch =
      acts * (sizeof(schema::RecordedInput) + sizeof(schema::Strike) + 2 * sizeof(std::uint16_t)) +
      ticks_per_batch_ * sizeof(schema::TickHead);
  const std::size_t index = kIndexEntriesMax * sizeof(schema::KeyframePlace);
  const std::size_t most = kFrame + std::max({keyframe, batch, index});
  builder_ = flatbuffers::FlatBufferBuilder{most};
  record_.reserve(most);
  heads_.reserve(ticks_per_batch_);
  leaves_.reserve(acts);
  joins_.reserve(acts);
  inputs_.reserve(acts);
  strikes_.reserve(acts);
  index_.reserve(kIndexEntriesMax);
}

void Writer::keyframe(const game::World& world) {
  TICKBOX_ASSERT(state_ != State::Finished);
  TICKBOX_ASSERT(!any_tick_ || world.tick == last_tick_);
  flush();
  if (!any_tick_) make_room(world);
  last_tick_ = world.tick;
  any_tick_ = true;
  if (state_ == State::Unopened && !open()) {
    ticks_until_retry_ = ticks_per_batch_;
    return;
  }

  builder_.Clear();
  // (CreateUninitializedVectorOfStructs of FlatBuffers 2 aligns to a struct's size.)
  const auto entities = builder_.CreateVectorOfStructs<schema::Entity>(
      world.size(), [&world](std::size_t i, schema::Entity* entity) {
        *entity = game::encode_entity(world.entity(i));
      });
  const auto seats = builder_.CreateVectorOfStructs<schema::Seat>(
      world.seats().size(), [&world](std::size_t i, schema::Seat* out) {
        const game::Seat& seat = world.seats()[i];
        *out = {seat.generation, seat.score, std::uint8_t{seat.taken}};
      });
  const auto header_bytes = encode_header(header_);
  const auto header = builder_.CreateVector(
      reinterpret_cast<const std::uint8_t*>(header_bytes.data()), header_bytes.size());
  const Tick previous = stats_.keyframes > 0 ? keyframe_tick_ : world.tick;
  builder_.Finish(schema::CreateKeyframe(builder_, game::state_hash(world), world.rng.state(),
                                         previous.value, seats, entities, header));
  const std::uint64_t offset = stats_.bytes;
  if (write_record({.type = RecordType::Keyframe, .tick = world.tick, .count = stats_.keyframes})) {
    note_place(world.tick, offset);
    ++stats_.keyframes;
    keyframe_tick_ = world.tick;
    last_recorded_ = world.tick;
    state_ = State::Recording;
  }
}

void Writer::tick(Tick tick, const game::TickCommands& commands,
                  std::span<const InputSource> sources, std::uint64_t state_hash) {
  TICKBOX_ASSERT(any_tick_ && tick == last_tick_ + 1);
  TICKBOX_ASSERT(sources.size() == commands.inputs.size());
  last_tick_ = tick;
  if (state_ != State::Recording) {
    lose_ticks(1);
    ticks_until_retry_ -= std::min(ticks_until_retry_, 1U);
    return;
  }
  gather(commands, sources, state_hash);
  if (heads_.size() == ticks_per_batch_) flush();
}

void Writer::gather(const game::TickCommands& commands, std::span<const InputSource> sources,
                    std::uint64_t state_hash) {
  heads_.emplace_back(state_hash, count_of(commands.leaves.size()), count_of(commands.joins.size()),
                      count_of(commands.inputs.size()), count_of(commands.strikes.size()));
  for (const PlayerId player : commands.leaves) {
    leaves_.push_back(player.value);
  }
  for (const PlayerId player : commands.joins) {
    joins_.push_back(player.value);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    inputs_.push_back(encode_input(commands.inputs[i], sources[i]));
  }
  for (const game::Strike& strike : commands.strikes) {
    strikes_.emplace_back(strike.victim.value, strike.shooter.value);
  }
}

void Writer::build_batch() {
  builder_.Clear();
  const auto strikes = builder_.CreateVectorOfStructs(strikes_);
  const auto inputs = builder_.CreateVectorOfStructs(inputs_);
  const auto joins = builder_.CreateVector(joins_);
  const auto leaves = builder_.CreateVector(leaves_);
  const auto heads = builder_.CreateVectorOfStructs(heads_);
  builder_.Finish(schema::CreateTicks(builder_, heads, leaves, joins, inputs, strikes));
}

void Writer::clear_batch() {
  heads_.clear();
  leaves_.clear();
  joins_.clear();
  inputs_.clear();
  strikes_.clear();
}

void Writer::flush() {
  if (heads_.empty()) return;
  build_batch();
  const auto count = static_cast<std::uint32_t>(heads_.size());
  const Tick first{last_tick_.value - count + 1};
  if (write_record({.type = RecordType::Ticks, .tick = first, .count = count})) {
    stats_.ticks_recorded += count;
    last_recorded_ = last_tick_;
  } else {
    lose_ticks(count);
  }
  clear_batch();
}

void Writer::lose_ticks(std::uint32_t count) {
  stats_.ticks_lost += count;
  if (!gap_) {
    ++stats_.gaps;
    gap_ = true;
  }
}

void Writer::lose(Tick last) {
  TICKBOX_ASSERT(state_ != State::Finished);
  TICKBOX_ASSERT(any_tick_ && last > last_tick_);
  flush();
  lose_ticks(last.value - last_tick_.value);
  last_tick_ = last;
  if (state_ == State::Recording) {
    state_ = State::Broken;
    ticks_until_retry_ = 0;
  }
}

bool Writer::unfinished(Tick tick, const game::TickCommands& commands,
                        std::span<const InputSource> sources) {
  TICKBOX_ASSERT(state_ != State::Finished);
  TICKBOX_ASSERT(any_tick_ && tick == last_tick_ + 1);
  TICKBOX_ASSERT(sources.size() == commands.inputs.size());
  flush();
  bool written = false;
  if (state_ == State::Recording) {
    gather(commands, sources, 0);
    build_batch();
    written = write_record({.type = RecordType::Unfinished, .tick = tick, .count = 1});
    clear_batch();
  }
  state_ = State::Finished;
  return written;
}

/// Keeps every stride-th place; when they are too many, every second of them.
void Writer::note_place(Tick tick, std::uint64_t offset) {
  if (stats_.keyframes % index_stride_ != 0) return;
  index_.emplace_back(offset, tick.value, stats_.keyframes);
  if (index_.size() < kIndexEntriesMax) return;
  index_stride_ *= 2;
  std::erase_if(index_, [this](const schema::KeyframePlace& place) {
    return place.segment() % index_stride_ != 0;
  });
}

bool Writer::finish() {
  TICKBOX_ASSERT(state_ != State::Finished);
  flush();
  const bool opened = state_ != State::Unopened;
  if (opened) {
    builder_.Clear();
    const auto index = builder_.CreateVectorOfStructs(index_);
    builder_.Finish(
        schema::CreateTrailer(builder_, static_cast<std::uint32_t>(stats_.ticks_recorded),
                              stats_.keyframes, stats_.gaps, keyframe_tick_.value, index));
  }
  const bool written = opened && write_record({.type = RecordType::Trailer,
                                               .tick = last_recorded_,
                                               .count = stats_.keyframes});
  state_ = State::Finished;
  return written;
}

/// Puts head, the builder's payload and the checksum together, and gives them to the sink as one.
bool Writer::write_record(RecordHead head) {
  const std::size_t unpadded = builder_.GetSize();
  const std::size_t padded =
      (unpadded + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
  TICKBOX_ASSERT(padded <= kPayloadBytesMax);
  head.payload_bytes = static_cast<std::uint32_t>(padded);
  head.flags = gap_ ? kFlagGapBefore : std::uint16_t{0};
  record_.assign(record_bytes(head), std::byte{0});
  const MutableBytes out{record_};
  store_head(out, head);
  std::ranges::copy(std::as_bytes(std::span{builder_.GetBufferPointer(), unpadded}),
                    out.subspan(kRecordHeadBytes).begin());
  const std::size_t checksum_at = kRecordHeadBytes + padded;
  const std::uint64_t previous = head.type == RecordType::Keyframe ? 0 : checksum_;
  const std::uint64_t checksum = hash_bytes(out.first(checksum_at), chain_.seed_after(previous));
  store_le(out.subspan(checksum_at), checksum);
  if (!sink_.write(record_)) {
    ++stats_.records_refused;
    state_ = State::Broken;
    ticks_until_retry_ = ticks_per_batch_;
    return false;
  }
  ++stats_.records;
  stats_.bytes += record_.size();
  checksum_ = checksum;
  gap_ = false;
  return true;
}

}  // namespace tickbox::record
