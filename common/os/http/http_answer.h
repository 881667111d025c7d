#pragma once
// The parts of the admin side and of its client that know no socket, for those who drive them by
// bytes alone.

#include "os/http/http.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::os {

/// What the server answers to the first request of a connection on which `sent` has come and
/// nothing more; nothing where it waits for more, or for nobody. `local` is the address to which
/// the connection came.
[[nodiscard]] std::optional<HttpResponse> answer_to(std::string_view sent,
                                                    const net::Address& local,
                                                    const HttpOptions& options);

/// What http_get() reads where `came` has come and the server has closed. Fails: with one line,
/// when it was no HTTP, not whole or too large.
[[nodiscard]] std::expected<HttpResponse, std::string> read_answer(std::string_view came);

}  // namespace tickbox::os
