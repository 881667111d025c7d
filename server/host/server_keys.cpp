#include "server/host/server_keys.h"

#include "os/files/private_file.h"
#include "os/process/log.h"
#include "os/process/process.h"
#include "server/host/access.h"

#include <fmt/core.h>

#include <atomic>
#include <utility>

namespace tickbox::server {

std::expected<net::KeyRing, std::string> ServerKeys::open() {
  const auto file = create_key_file(options_);
  if (!file) return std::unexpected(file.error());
  if (*file == KeyFile::Created) {
    log_.event(Severity::Info, "key_file_created path=" + os::log_value(options_.key_file));
  }
  auto keys = read_keys(options_);
  if (keys) in_words_ = keys_in_words(*keys);
  return keys;
}

/// One read of the key file. The thread writes it, then sets has_ended.
struct ServerKeys::Reload {
  std::expected<net::KeyRing, std::string> keys = std::unexpected(std::string{});
  std::optional<std::string> exposure;
  std::atomic<bool> has_ended = false;
};

void ServerKeys::begin_reload() {
  if (options_.key_file.empty()) {
    log_.event(Severity::Warning,
               "keys_not_reloaded reason=\"the server uses the published key: it has no key file "
               "to read\"");
    return;
  }
  reload_ = std::make_shared<Reload>();
  os::start_thread("key_reload", [reload = reload_, path = options_.key_file] {
    reload->keys = os::read_key_ring(path);
    reload->exposure = os::key_file_warning(path);
    reload->has_ended.store(true, std::memory_order_release);
  }).detach();
}

std::optional<net::KeyRing> ServerKeys::take_reloaded() {
  if (reload_ == nullptr || !reload_->has_ended.load(std::memory_order_acquire)) {
    return std::nullopt;
  }
  const std::shared_ptr<Reload> ended = std::exchange(reload_, nullptr);
  if (!ended->keys) {
    log_.event(Severity::Error, fmt::format("keys_reload_failed reason={} kept=\"{}\"",
                                            os::log_value(ended->keys.error()), in_words_));
    return std::nullopt;
  }
  in_words_ = keys_in_words(*ended->keys);
  log_.event(Severity::Info, "keys_reloaded " + in_words_);
  log_exposure(ended->exposure);
  return *std::move(ended->keys);
}

void ServerKeys::log_exposure() const {
  if (!options_.key_file.empty()) log_exposure(os::key_file_warning(options_.key_file));
}

void ServerKeys::log_exposure(const std::optional<std::string>& warning) const {
  if (warning) log_.event(Severity::Warning, "key_file_exposed reason=" + os::log_value(*warning));
}

}  // namespace tickbox::server
