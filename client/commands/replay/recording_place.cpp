#include "client/commands/replay/recording_place.h"

#include "json/reader.h"
#include "os/files/file.h"
#include "os/http/http.h"
#include "os/process/system_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

namespace tickbox::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".tickbox";
constexpr std::string_view kPage = "/recordings";
constexpr std::string_view kRecordingsExample = "http://127.0.0.1:9180/recordings";

/// The time limit for the list, and for the next bytes of a recording.
constexpr Duration kAnswerMax = std::chrono::seconds{10};
/// A server sends a few recordings at a time. Two minutes are enough for others to end.
constexpr Duration kBusyPause = std::chrono::milliseconds{250};
constexpr int kBusyTries = 480;

using Places = std::vector<RecordingPlace>;

RecordingPlace place_of_file(const fs::path& path) {
  std::error_code failed;
  const std::uintmax_t bytes = fs::file_size(path, failed);
  return {.name = path.lexically_normal().string(),
          .bytes = failed ? std::nullopt : std::optional<std::uint64_t>{bytes}};
}

/// Adds the recordings of a directory. Fails: with one line.
std::expected<void, std::string> add_directory(const std::string& directory, Places& places) {
  std::error_code failed;
  for (fs::recursive_directory_iterator entry{directory, failed}, end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code vanished;  // another process has removed the file meanwhile
    if (entry->path().extension() == kSuffix && entry->is_regular_file(vanished)) {
      places.push_back(place_of_file(entry->path()));
    }
  }
  if (!failed) return {};
  return std::unexpected{
      fmt::format("cannot list {}: {}", directory, os::reason_of(failed.value()))};
}

/// A name as servers give it, so that it means itself in a URL.
bool is_plain_name(const std::string& name) {
  return name.ends_with(kSuffix) && std::ranges::all_of(name, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                  c == '-' || c == '.' || c == '_';
         });
}

/// Adds the recordings that a server lists. Fails: with one line.
std::expected<void, std::string> add_listed(const std::string& url, const RecordingPlace& list,
                                            Places& places, const Output& output) {
  const auto cannot = [&](std::string_view why) {
    return std::unexpected{fmt::format("cannot list {}:{}", url, why)};
  };
  const std::string authorization = list.server->authorization();
  const auto answer = os::http_send(list.server->address,
                                    {.path = kPage, .authorization = authorization}, kAnswerMax);
  if (!answer) return cannot(" " + answer.error());
  if (answer->status == 401) return cannot(unauthorized_in_words(*list.server));
  if (answer->status != 200) return cannot(fmt::format(" it answered {}", answer->status));
  const auto document = json::read_or_null(answer->body);
  const auto listed = document.is_object() ? document.find("recordings") : document.end();
  if (!document.is_object() || listed == document.end() || !listed->is_array()) {
    return cannot(" its answer is no list of recordings");
  }
  for (const auto& each : *listed) {
    const auto name = each.is_object() ? each.value("name", nlohmann::json{}) : nlohmann::json{};
    if (!name.is_string() || !is_plain_name(name.get_ref<const std::string&>())) {
      return cannot(" it lists a name that is none of a recording");
    }
    const std::string& text = name.get_ref<const std::string&>();
    const auto bytes = each.value("bytes", nlohmann::json{});
    places.push_back({.name = fmt::format("{}/{}", list.name, text),
                      .server = list.server,
                      .path = fmt::format("{}/{}", kPage, text),
                      .bytes = bytes.is_number_unsigned()
                                   ? std::optional{bytes.get<std::uint64_t>()}
                                   : std::nullopt});
  }
  const auto all = document.value("all", nlohmann::json{});
  if (all.is_number_unsigned() && all.get<std::uint64_t>() > listed->size()) {
    output.print_note(
        fmt::format("{} has {} recordings and lists the newest {}: only these are "
                    "verified",
                    url, all.get<std::uint64_t>(), listed->size()));
  }
  return {};
}

/// Adds the recordings at a URL. Fails: with one line.
std::expected<void, std::string> add_url(const std::string& url, const std::string& token_file,
                                         Places& places, const Output& output) {
  const auto page = parse_admin_page(url, kRecordingsExample);
  if (!page) return std::unexpected{page.error()};
  auto server = find_admin_side(page->server, token_file);
  if (!server) return std::unexpected{fmt::format("cannot read {}: {}", url, server.error())};
  std::string path = page->path;
  while (path.ends_with('/'))
    path.pop_back();
  const bool is_list = path.empty() || path == kPage;
  const std::string_view host = std::string_view{url}.substr(0, url.find('/', kHttp.size()));
  RecordingPlace place{.name = is_list ? fmt::format("{}{}", host, kPage) : url,
                       .server = std::make_shared<AdminSide>(*std::move(server)),
                       .path = std::move(path)};
  if (is_list) return add_listed(url, place, places, output);
  places.push_back(std::move(place));
  return {};
}

std::expected<void, std::string> add_word(const std::string& word, const std::string& token_file,
                                          Places& places, const Output& output) {
  if (is_url(word)) return add_url(word, token_file, places, output);
  std::error_code failed;
  const fs::file_status status = fs::status(word, failed);
  if (fs::is_directory(status)) return add_directory(word, places);
  if (!fs::exists(status)) {
    return std::unexpected{fmt::format("cannot read {}: {}; check the path", word,
                                       failed ? os::reason_of(failed.value()) : "not there")};
  }
  places.push_back(place_of_file(word));
  return {};
}

/// Reads the answer of a server, whose status is not known before.
struct Download {
  unsigned status = 0;
  bool is_too_large = false;
  std::vector<std::byte> bytes{};

  [[nodiscard]] std::expected<os::HttpEnd, std::string> read(const RecordingPlace& place,
                                                             const std::function<bool()>& stopped) {
    const std::string authorization = place.server->authorization();
    return os::http_stream(place.server->address,
                           {.path = place.path, .authorization = authorization},
                           {.head =
                                [this](const os::HttpResponse& head) {
                                  status = head.status;
                                  return status == 200;
                                },
                            .body =
                                [this](ConstBytes piece) {
                                  is_too_large = bytes.size() + piece.size() > os::kFileBytesMax;
                                  if (!is_too_large)
                                    bytes.insert(bytes.end(), piece.begin(), piece.end());
                                  return !is_too_large;
                                },
                            .stopped = stopped},
                           kAnswerMax);
  }
};

}  // namespace

std::string_view RecordingPlace::base_name() const {
  return std::string_view{name}.substr(name.rfind('/') + 1);
}

bool is_url(std::string_view word) {
  return word.starts_with(kHttp);
}

std::expected<Places, std::string> find_recordings(const std::vector<std::string>& words,
                                                   const std::string& admin_token_file,
                                                   const Output& output) {
  Places places;
  for (const std::string& word : words) {
    auto added = add_word(word, admin_token_file, places, output);
    if (!added) return std::unexpected{std::move(added.error())};
  }
  if (places.empty()) {
    return std::unexpected{
        fmt::format("{} has no recording: no file *{}", fmt::join(words, ", "), kSuffix)};
  }
  const auto order = [](const RecordingPlace& place) {
    return std::pair{place.base_name(), std::string_view{place.name}};
  };
  std::ranges::sort(places, {}, order);
  const auto repeated = std::ranges::unique(places, {}, &RecordingPlace::name);
  places.erase(repeated.begin(), repeated.end());
  return places;
}

std::expected<std::vector<std::byte>, std::string> read_recording(
    const RecordingPlace& place, const std::function<bool()>& stopped) {
  if (!place.server) return os::read_file(place.name);
  const auto cannot = [&](std::string_view why) {
    return std::unexpected{fmt::format("cannot read {}:{}", place.name, why)};
  };
  for (int i = 0; i < kBusyTries && !stopped(); ++i) {
    Download download;
    const auto end = download.read(place, stopped);
    if (!end) return cannot(" " + end.error());
    if (download.status == 503) {
      std::this_thread::sleep_for(kBusyPause);
      continue;
    }
    if (download.status == 401) return cannot(unauthorized_in_words(*place.server));
    if (download.status != 200) return cannot(fmt::format(" it answered {}", download.status));
    if (download.is_too_large) {
      return cannot(fmt::format(" larger than {} bytes; is it the right file?", os::kFileBytesMax));
    }
    if (end->how == os::HttpEnd::How::Complete) return std::move(download.bytes);
    return cannot(" " + (end->why.empty() ? std::string{"stopped"} : end->why));
  }
  return cannot(stopped() ? " stopped" : " it answered 503, again and again: it is busy");
}

}  // namespace tickbox::commands
