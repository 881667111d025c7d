#pragma once
// The recordings of a directory over HTTP: GET /recordings and GET /recordings/NAME. Threads of
// their own read the disk, because the thread of the admin side must answer probes meanwhile.

#include "os/http/http.h"
#include "server/host/admin/places.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::server {

/// The recordings that may be listed and downloaded at once, together.
inline constexpr std::size_t kDownloadsMax = 8;
/// The most recordings of a list: the newest.
inline constexpr std::size_t kRecordingsListed = 1'000;
/// The most bytes of a download that wait in memory: half are sent while half are read.
inline constexpr std::size_t kDownloadBytesMax = std::size_t{1} << 20U;

/// Returns NAME in "/recordings/NAME"; nothing for another path. Only names that a server gives to
/// recordings are: no directory, no other file.
[[nodiscard]] std::optional<std::string_view> recording_of(std::string_view path);

/// Answers with the recordings directly in `folder`, the newest first, as JSON; with none for an
/// empty `folder`. Answers 503 without a place.
[[nodiscard]] os::HttpResponse list_recordings(const std::string& folder, const Place& place);

/// Answers with the bytes of a recording. One that is being written ends with its last whole record
/// of the moment when it was opened. Answers 404 if it is not there, 503 without a place.
/// Requires: `name` is one of recording_of().
[[nodiscard]] os::HttpResponse send_recording(const std::string& folder, std::string_view name,
                                              const Place& place);

}  // namespace tickbox::server
