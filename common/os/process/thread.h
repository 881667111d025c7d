#pragma once
// Threads beside the tick.

#include <functional>
#include <thread>

namespace tickbox::os {

/// Runs `body` on a new thread that takes no signals: they stay with the loop that waits for them.
/// `name` shows in ps and top, up to 15 characters.
[[nodiscard]] std::thread start_thread(const char* name, std::function<void()> body);

}  // namespace tickbox::os
