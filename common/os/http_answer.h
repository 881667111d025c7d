#pragma once
// The part of the admin side that knows no socket, for those who ask it by bytes alone.

#include "os/http.h"

#include <optional>
#include <string_view>

namespace tickbox::os {

/// What the server answers to the first request of a connection on which `sent` has come and
/// nothing more; nothing where it waits for more, or for nobody. `local` is the address to which
/// the connection came.
[[nodiscard]] std::optional<HttpResponse> answer_to(std::string_view sent,
                                                    const net::Address& local,
                                                    const HttpOptions& options);

}  // namespace tickbox::os
