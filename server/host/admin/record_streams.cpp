#include "server/host/admin/record_streams.h"

#include "core/bytes.h"
#include "core/text.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/process/system_error.h"
#include "record/format.h"
#include "server/host/base/threads.h"
#include "server/host/recordings/recording_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <deque>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::string_view kPath = "/recordings/";
constexpr std::size_t kPieceBytes = kDownloadBytesMax / 2;

os::HttpResponse no_place() {
  return {.status = 503,
          .body = fmt::format("{} recordings are being read; try again later\n", kDownloadsMax)};
}

/// Returns whether a server gives this name to a recording, also to that of a crash.
bool is_served_name(std::string_view name) {
  constexpr std::string_view kCrash = "-crash.tickbox";
  if (!name.ends_with(kCrash)) return is_recording_name(std::string{name});
  name.remove_suffix(kCrash.size());
  return is_recording_name(std::string{name} + ".tickbox");
}

/// Returns "2026-11-28T02:11:56.123Z" for "20261128T021156.123Z-room1.tickbox".
std::string start_of(std::string_view name) {
  return fmt::format("{}-{}-{}T{}:{}:{}", name.substr(0, 4), name.substr(4, 2), name.substr(6, 2),
                     name.substr(9, 2), name.substr(11, 2), name.substr(13, 7));
}

os::HttpResponse json(const nlohmann::ordered_json& document) {
  return {.content_type = "application/json",
          .body = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"};
}

/// May wait for the disk.
os::HttpResponse list(const std::string& folder) {
  os::Disk& disk = os::system_disk();
  const auto files = disk.list(folder);
  if (!files) {
    return {.status = 500,
            .body = fmt::format("cannot list {}: {}\n", folder, os::reason_of(files.error()))};
  }

  struct Listed {
    std::string name;
    const os::ListedFile* file = nullptr;
  };

  std::vector<Listed> listed;
  for (const os::ListedFile& file : *files) {
    std::string name = std::filesystem::path{file.path}.filename().string();
    if (is_served_name(name)) listed.push_back({.name = std::move(name), .file = &file});
  }
  std::ranges::sort(listed, std::greater{}, &Listed::name);
  auto recordings = nlohmann::ordered_json::array();
  for (const Listed& each : std::span{listed}.first(std::min(listed.size(), kRecordingsListed))) {
    const auto head = disk.read_closed(each.file->path, 0);
    recordings.push_back({{"name", each.name},
                          {"bytes", each.file->bytes},
                          {"start", start_of(each.name)},
                          {"written", !head && head.error() == EBUSY}});
  }
  return json({{"recordings", std::move(recordings)}, {"all", listed.size()}});
}

/// A recording that is read piece by piece, each piece by a call that may wait for the disk.
class Download {
 public:
  struct Piece {
    std::string bytes{};
    int error = 0;
    bool is_last = false;
  };

  static std::expected<std::unique_ptr<Download>, int> open(const std::string& path) {
    const auto closed = os::system_disk().read_closed(path, 0);
    auto reader = os::FileReader::open(path);
    if (!reader) return std::unexpected{reader.error()};
    const auto size = reader->size();
    if (!size) return std::unexpected{size.error()};
    const bool is_written = !closed && closed.error() == EBUSY;
    return std::unique_ptr<Download>{new Download{*std::move(reader), *size, is_written}};
  }

  Piece read() {
    Piece piece;
    const std::uint64_t left = end_ - at_;
    const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPieceBytes));
    if (const auto got = reader_.read(at_, most, piece.bytes); !got) {
      piece.error = got.error();
      return piece;
    }
    if (piece.bytes.size() < most) end_ = at_ + piece.bytes.size();  // it has become shorter
    if (has_heads_) piece.bytes.resize(whole_part(as_bytes_of(piece.bytes)));
    at_ += piece.bytes.size();
    piece.is_last = at_ == end_;
    return piece;
  }

 private:
  Download(os::FileReader reader, std::uint64_t size, bool is_written)
      : reader_(std::move(reader)), end_(size), has_heads_(is_written) {}

  /// Returns how many of these bytes, which begin at `at_`, may be sent: none of a record that does
  /// not end within the file, nor of a head that does not end within the bytes.
  std::size_t whole_part(ConstBytes bytes) {
    while (next_ + record::kRecordHeadBytes <= at_ + bytes.size()) {
      const auto head = record::load_head(bytes.subspan(static_cast<std::size_t>(next_ - at_)));
      if (!head) {
        has_heads_ = false;  // damaged: all of it is for the reader to judge
        return bytes.size();
      }
      const std::uint64_t after = next_ + record::record_bytes(*head);
      if (after > end_) end_ = next_;
      if (after > end_) break;
      next_ = after;
    }
    if (next_ + record::kRecordHeadBytes > end_) end_ = std::min(end_, next_);
    return static_cast<std::size_t>(
        std::min<std::uint64_t>(bytes.size(), std::min(next_, end_) - at_));
  }

  os::FileReader reader_;
  std::uint64_t at_ = 0;
  std::uint64_t end_;
  std::uint64_t next_ = record::kRecordsOffset;  ///< where the next record begins
  bool has_heads_;  ///< it is being written, so its records are looked at
};

class DownloadSource final : public os::HttpSource {
 public:
  DownloadSource(std::shared_ptr<Download> download, Place place)
      : download_(std::move(download)), place_(std::move(place)) {
    begin();
  }

  Next read(std::string& to, std::size_t most) override {
    if (given_ == piece_.bytes.size()) {
      if (piece_.is_last) return Next::End;
      auto read = reading_.poll();
      if (!read) return Next::More;
      if (read->error != 0) return Next::Broken;
      piece_ = *std::move(read);
      given_ = 0;
      if (!piece_.is_last) begin();
    }
    const std::size_t bytes = std::min(most, piece_.bytes.size() - given_);
    to.append(piece_.bytes, given_, bytes);
    given_ += bytes;
    return given_ == piece_.bytes.size() && piece_.is_last ? Next::End : Next::More;
  }

 private:
  /// The call keeps the place while it waits for a disk that does not answer.
  void begin() {
    reading_.begin("recording",
                   [download = download_, place = place_] { return download->read(); });
  }

  std::shared_ptr<Download> download_;  ///< used by one call at a time
  Place place_;
  BackgroundCall<Download::Piece> reading_;
  Download::Piece piece_;
  std::size_t given_ = 0;  ///< bytes of piece_
};

/// Answers with the result of a call that may wait for the disk.
template <class T, class Call, class Respond>
os::HttpResponse answer_after(Call call, const Respond& respond) {
  auto waiting = std::make_shared<BackgroundCall<T>>();
  waiting->begin("recordings", std::move(call));
  return {.later = [waiting, respond]() -> std::optional<os::HttpResponse> {
    auto result = waiting->poll();
    if (!result) return std::nullopt;
    return respond(*std::move(result));
  }};
}

/// The moments of a delay that are remembered. So a byte may be later by this part of the delay.
constexpr int kMarks = 64;

class LogSource final : public os::HttpSource {
 public:
  LogSource(std::unique_ptr<Follower> follower, Duration delay, const Clock& clock, Place place)
      : follower_(std::move(follower)), delay_(delay), clock_(clock), place_(std::move(place)) {}

  Next read(std::string& to, std::size_t most) override;

 private:
  /// How much the log had given at one time.
  struct Mark {
    Instant at;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] std::uint64_t due(const Follower::Progress& log);

  std::unique_ptr<Follower> follower_;
  Duration delay_;
  const Clock& clock_;
  Place place_;
  std::deque<Mark> marks_;
  std::uint64_t due_ = 0;  ///< bytes that are late enough
  std::uint64_t sent_ = 0;
};

/// Returns the bytes that may be sent by now, with those that were. Once the log has ended, that is
/// all of it.
std::uint64_t LogSource::due(const Follower::Progress& log) {
  if (log.has_ended || delay_ == Duration::zero()) return log.bytes;
  const Instant now = clock_.now();
  if (marks_.empty() ||
      (log.bytes > marks_.back().bytes && now - marks_.back().at >= delay_ / kMarks)) {
    marks_.push_back({.at = now, .bytes = log.bytes});
  }
  for (; !marks_.empty() && now - marks_.front().at >= delay_; marks_.pop_front()) {
    due_ = marks_.front().bytes;
  }
  return due_;
}

os::HttpSource::Next LogSource::read(std::string& to, std::size_t most) {
  const std::uint64_t left = due(follower_->progress()) - sent_;
  const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(most, left));
  to.reserve(to.size() + bytes);  // now: the log's thread may wait for what follows
  const Follower::State state = follower_->read(to, bytes);
  if (state == Follower::State::TooSlow) return Next::Broken;
  sent_ += bytes;
  return state == Follower::State::Ended ? Next::End : Next::More;
}

os::HttpResponse refused(unsigned status, std::string why) {
  return {.status = status, .body = std::move(why) + '\n'};
}

}  // namespace

// --- the log of a room ---

std::optional<std::uint32_t> room_in(std::string_view path, std::string_view behind) {
  constexpr std::string_view kBefore = "/rooms/";
  if (!path.starts_with(kBefore)) return std::nullopt;
  path.remove_prefix(kBefore.size());
  if (!path.ends_with(behind)) return std::nullopt;
  path.remove_suffix(behind.size());
  return parse_as<std::uint32_t>(path);
}

os::HttpResponse stream_log(const LogTail& tail, std::string_view query, const Clock& clock,
                            Place place) {
  Duration delay{};
  if (const auto text = os::form_value(query, "delay")) {
    const auto parsed = parse_duration_between(*text, {}, kLogDelayMax);
    if (!parsed) return refused(400, "delay: " + parsed.error());
    delay = *parsed;
  }
  if (place == nullptr) {
    return refused(503, "this server sends as many logs as it can; close one, or try again later");
  }
  std::unique_ptr<Follower> follower = tail.follow();
  if (follower == nullptr) {
    return refused(503,
                   fmt::format("{} readers follow this log; close one of them, or try again later",
                               kFollowersMax));
  }
  return {
      .content_type = "application/octet-stream",
      // No proxy may hold the bytes back, nor wait for more of them to compress.
      .headers = {{"X-Accel-Buffering", "no"}, {"Cache-Control", "no-store, no-transform"}},
      .source = std::make_unique<LogSource>(std::move(follower), delay, clock, std::move(place))};
}

// --- the recordings of a directory ---

std::optional<std::string_view> recording_of(std::string_view path) {
  if (!path.starts_with(kPath)) return std::nullopt;
  path.remove_prefix(kPath.size());
  return is_served_name(path) ? std::optional{path} : std::nullopt;
}

os::HttpResponse list_recordings(const std::string& folder, const Place& place) {
  if (folder.empty()) return json({{"recordings", nlohmann::json::array()}, {"all", 0}});
  if (place == nullptr) return no_place();
  return answer_after<os::HttpResponse>([folder, place] { return list(folder); },
                                        [](os::HttpResponse listed) { return listed; });
}

os::HttpResponse send_recording(const std::string& folder, std::string_view name,
                                const Place& place) {
  const auto missing = [] {
    return os::HttpResponse{.status = 404, .body = "no such recording; /recordings has the list\n"};
  };
  if (folder.empty()) return missing();
  if (place == nullptr) return no_place();
  using Opened = std::expected<std::shared_ptr<Download>, int>;
  return answer_after<Opened>(
      [path = (std::filesystem::path{folder} / name).string(), place]() -> Opened {
        return Download::open(path);
      },
      [missing, place](Opened opened) -> os::HttpResponse {
        if (!opened &&
            (opened.error() == ENOENT || opened.error() == ELOOP || opened.error() == EINVAL)) {
          return missing();
        }
        if (!opened) {
          return {.status = 500,
                  .body = fmt::format("cannot read it: {}\n", os::reason_of(opened.error()))};
        }
        return {.content_type = "application/octet-stream",
                .source = std::make_unique<DownloadSource>(*std::move(opened), place)};
      });
}

}  // namespace tickbox::server
