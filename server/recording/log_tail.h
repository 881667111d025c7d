#pragma once
// The last seconds of a room in memory: for the recording of a crash, and as what a follower begins
// with.

#include "core/bytes.h"
#include "record/format.h"
#include "record/room_log.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server {

/// The maximum number of followers of a room.
inline constexpr std::size_t kFollowersMax = 16;

/// The bytes of logs that a server keeps for slow and delayed followers alone. Ten seconds of a
/// room whose 1,000 players act in every tick are a tenth of it.
inline constexpr std::int64_t kLateLogBytesMax = std::int64_t{32} << 20U;

/// How many of them are left. A room may have as many as are left. So the rooms whose followers are
/// slow share them, and each other room finds some.
/// Source: the dynamic thresholds of shared-memory switches (Choudhury and Hahne 1998).
using LateLogBytes = std::atomic<std::int64_t>;

[[nodiscard]] inline std::shared_ptr<LateLogBytes> new_late_log_bytes() {
  return std::make_shared<LateLogBytes>(kLateLogBytesMax);
}

class LogTail;

/// A reader of a log, from some seconds ago on, as the bytes of one recording that grows. It has a
/// place in the log and no bytes of its own. Thread: that of the reader. The log's thread appends
/// meanwhile, and waits for no reader.
class Follower {
 public:
  enum class State : std::uint8_t {
    Live,
    TooSlow,  ///< what follows is not kept any more
    Ended,    ///< the log has ended, and all of it was read
  };

  /// How far the log is.
  struct Progress {
    std::uint64_t bytes = 0;  ///< that were read, and that follow
    bool has_ended = false;
  };

  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  /// Appends to `to` what follows, at most `most` bytes. Returns the state after them.
  State read(std::string& to, std::size_t most);

  [[nodiscard]] Progress progress() const;

 private:
  friend class LogTail;
  struct Shared;
  struct Stretch;

  explicit Follower(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  std::shared_ptr<Shared> shared_;  ///< guards what changes
  std::array<std::byte, record::kFileHeaderBytes> header_{};
  std::size_t header_read_ = 0;           ///< bytes of the header
  std::uint64_t logged_before_ = 0;       ///< bytes of the log before the first that it gets
  std::list<Stretch>::iterator stretch_;  ///< that it reads; the end of the list: it is too slow
  std::size_t at_ = 0;                    ///< in the stretch
};

/// Keeps the last two stretches of the log, and those before them that a follower still reads. Each
/// has whole segments of kKeyframeSeconds together, so it is one segment unless a sink has asked
/// for others. If its late bytes are too many, the slowest followers lose their place.
class LogTail final : public record::Sink {
 public:
  /// `header`: of the log. `stretch_bytes`: of a stretch for which memory is reserved. `late`:
  /// shared with other rooms.
  LogTail(const record::Header& header, std::size_t stretch_bytes,
          std::shared_ptr<LateLogBytes> late = new_late_log_bytes());
  ~LogTail() override;

  void append(const record::LogRecord& record) override;

  /// Notes that no record follows: the log has ended.
  void end();

  /// Returns the number of followers. Thread: any.
  [[nodiscard]] std::size_t followers() const;

  /// Passes every record that is kept to `sink`. Thread: that of the log.
  void pass_to(record::Sink& sink) const;

  /// Returns a new follower; nullptr if there are kFollowersMax already. Thread: any.
  [[nodiscard]] std::unique_ptr<Follower> follow() const;

 private:
  std::shared_ptr<Follower::Shared> shared_;
};

}  // namespace tickbox::server
