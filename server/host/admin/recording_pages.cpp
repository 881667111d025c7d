#include "server/host/admin/recording_pages.h"

#include "core/bytes.h"
#include "core/text.h"
#include "os/files/disk.h"
#include "os/files/file.h"
#include "os/process/system_error.h"
#include "record/format.h"
#include "server/host/base/background_call.h"
#include "server/host/recordings/recording_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
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

}  // namespace

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
