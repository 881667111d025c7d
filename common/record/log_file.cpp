#include "record/log_file.h"

#include "core/assert.h"
#include "core/numbers.h"

#include <utility>
#include <vector>

namespace tickbox::record {

void LogFileStats::add(const LogFileStats& other) {
  bytes += other.bytes;
  records_refused += other.records_refused;
  ticks_recorded += other.ticks_recorded;
  ticks_lost += other.ticks_lost;
  keyframes += other.keyframes;
  gaps += other.gaps;
}

LogFile::LogFile(ByteSink& sink, const Header& header)
    : sink_(sink), header_(header), chain_(header) {}

void LogFile::append(const LogRecord& record) {
  TICKBOX_ASSERT(state_ != State::Finished);
  switch (record.head.type) {
    case RecordType::Keyframe:
      return keyframe(record);
    case RecordType::Ticks:
    case RecordType::Quiet:
    case RecordType::Idle:
      return ticks(record);
    case RecordType::Unfinished:
      if (state_ == State::Recording) has_end_ = write(record.bytes);
      return;
    case RecordType::Trailer:
      return;
  }
}

/// Begins a segment. After a loss the number must show that something is missing.
void LogFile::keyframe(const LogRecord& record) {
  const RecordHead& head = record.head;
  if (state_ == State::Broken && is_open_ && head.count == segment_ + 1) return;
  if (is_open_ ? !write(record.bytes) : !open(record)) return;
  if (stats_.keyframes > 0 && head.tick > last_tick_ && !has_lost_) {
    stats_.ticks_lost += head.tick.value - last_tick_.value;
    ++stats_.gaps;
  }
  ++stats_.keyframes;
  segment_ = head.count;
  keyframe_tick_ = head.tick;
  last_tick_ = head.tick;
  has_lost_ = false;
  state_ = State::Recording;
}

void LogFile::ticks(const LogRecord& record) {
  const RecordHead& head = record.head;
  if (state_ == State::Waiting) return;
  if (state_ == State::Recording && write(record.bytes)) {
    stats_.ticks_recorded += head.count;
    last_tick_ = head.tick + (head.count - 1);
    return;
  }
  stats_.ticks_lost += head.count;
  if (!std::exchange(has_lost_, true)) ++stats_.gaps;
}

/// Writes the file header and the first keyframe.
bool LogFile::open(const LogRecord& keyframe) {
  header_.first_segment = keyframe.head.count;
  const auto header = encode_header(header_);
  std::vector<std::byte> begin{header.begin(), header.end()};
  begin.insert(begin.end(), keyframe.bytes.begin(), keyframe.bytes.end());
  is_open_ = write(begin);
  return is_open_;
}

/// Writes bytes that end with a record.
bool LogFile::write(ConstBytes bytes) {
  if (!sink_.write(bytes)) {
    ++stats_.records_refused;
    state_ = State::Broken;
    return false;
  }
  stats_.bytes += bytes.size();
  checksum_ = checksum_of(bytes);
  return true;
}

bool LogFile::finish() {
  TICKBOX_ASSERT(state_ != State::Finished);
  if (!has_end_ && is_open_) {
    std::vector<std::byte> trailer(kRecordHeadBytes);
    NumberWriter payload{trailer};
    payload.fixed(keyframe_tick_.value);
    payload.fixed(static_cast<std::uint32_t>(stats_.ticks_recorded));
    payload.fixed(stats_.gaps);
    const RecordHead head{.type = RecordType::Trailer,
                          .flags = has_lost_ ? kFlagTicksLost : std::uint16_t{0},
                          .tick = last_tick_,
                          .count = segment_ + 1};
    has_end_ = write(seal(head, chain_.seed_after(checksum_), trailer).bytes);
  }
  state_ = State::Finished;
  return has_end_;
}

}  // namespace tickbox::record
