#pragma once
// What the C interface takes from the system. browser.cpp has other definitions of it, for
// browsers.

#include "core/clock.h"
#include "core/rng.h"
#include "net/transport.h"

#include <expected>
#include <memory>
#include <string>

namespace tickbox::library {

/// Opens a UDP socket that sends to servers of the address family of `server`. Fails: with one
/// line, also if nothing can be sent to `server`.
[[nodiscard]] std::expected<std::unique_ptr<net::Transport>, std::string> open_socket(
    const net::Address& server);

/// Returns a source of unpredictable bytes. Fails: with one line.
[[nodiscard]] std::expected<std::unique_ptr<Entropy>, std::string> open_entropy();

/// Returns the time of day.
[[nodiscard]] WallTime today();

/// Resolves "host:port" to the first of its addresses. Fails: with one line. Cost: may wait for a
/// name server.
[[nodiscard]] std::expected<net::Address, std::string> resolve(const std::string& host_and_port);

}  // namespace tickbox::library
