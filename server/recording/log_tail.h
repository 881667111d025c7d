#pragma once
// The last seconds of a room in memory: for the recording of a crash, and as what a follower begins
// with.

#include "core/bytes.h"
#include "record/room_log.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tickbox::server {

/// The bytes that may wait for a follower beyond those that it begins with. A follower that is
/// slower gets no more.
inline constexpr std::size_t kFollowerBytesMax = std::size_t{1} << 20U;

/// The maximum number of followers of a room.
inline constexpr std::size_t kFollowersMax = 16;

class LogTail;

/// A reader of a log, from some seconds ago on, as the bytes of one recording that grows. Thread:
/// that of the reader. The log's thread appends meanwhile, and waits for no reader.
class Follower {
 public:
  enum class State : std::uint8_t {
    Live,
    TooSlow,  ///< more than kFollowerBytesMax waited beyond its beginning; nothing follows
    Ended,    ///< the log has ended, and this was its rest
  };

  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower();

  /// Replaces the content of `out` by what waits. `out` gives its memory in exchange.
  State read(std::vector<std::byte>& out);

  /// Returns whether the reader has lost the log: read() returns TooSlow from now on.
  [[nodiscard]] bool is_too_slow() const;

 private:
  friend class LogTail;
  struct Shared;
  explicit Follower(std::shared_ptr<Shared> shared);
  void append(ConstBytes bytes);

  std::shared_ptr<Shared> shared_;  ///< guards what changes
  std::size_t limit_ = 0;           ///< of the bytes that wait; never changes
  std::vector<std::byte> waiting_;
  bool is_too_slow_ = false;
};

/// Keeps two stretches of the log. Each has whole segments of kKeyframeSeconds together, so it is
/// one segment unless a sink has asked for others.
class LogTail final : public record::Sink {
 public:
  /// `header`: of the log. `stretch_bytes`: of a stretch for which memory is reserved.
  LogTail(const record::Header& header, std::size_t stretch_bytes);
  ~LogTail() override;

  void append(const record::LogRecord& record) override;

  /// Notes that no record follows: the log has ended.
  void end();

  /// Returns the number of followers. Thread: any.
  [[nodiscard]] std::size_t followers() const;

  /// Passes every record that is kept to `sink`. Thread: that of the log.
  void pass_to(record::Sink& sink) const;

  /// Returns a new follower; nullptr if there are kFollowersMax already. Thread: any. The log's
  /// thread may wait for it while it copies the stretches.
  [[nodiscard]] std::unique_ptr<Follower> follow() const;

 private:
  std::shared_ptr<Follower::Shared> shared_;
};

}  // namespace tickbox::server
