#include "server/host/server_keys.h"

#include "os/files/private_file.h"
#include "server/host/base/access.h"

#include <utility>

namespace tickbox::server {

std::expected<net::KeyRing, std::string> ServerKeys::open() {
  const auto file = create_key_file(options_);
  if (!file) return std::unexpected(file.error());
  if (*file == KeyFile::Created) {
    log_.event(Severity::Info, {"key_file_created", {{"path", options_.key_file}}});
  }
  watch_.set_seen(os::file_stamp(options_.key_file));
  auto keys = read_keys(options_);
  if (keys) in_use_ = keys_as_fields(*keys);
  return keys;
}

void ServerKeys::begin_reload() {
  if (options_.key_file.empty()) {
    log_.event(Severity::Warning,
               {"keys_not_reloaded",
                {{"reason", "the server uses the published key: it has no key file to read"}}});
    return;
  }
  reload_.begin("key_reload", [path = options_.key_file, exposed = exposed_keys(options_)] {
    const os::FileStamp stamp = os::file_stamp(path);
    return Reload{.stamp = stamp,
                  .keys = os::read_key_ring(path, exposed),
                  .exposure = os::file_exposure(path)};
  });
}

std::optional<net::KeyRing> ServerKeys::consume_reloaded() {
  auto ended = reload_.poll();
  if (!ended) return std::nullopt;
  watch_.set_seen(ended->stamp);
  if (!ended->keys) {
    log_.event(Severity::Error,
               {"keys_reload_failed",
                {{"reason", ended->keys.error()}, {"kept", fields_as_text(in_use_)}}});
    return std::nullopt;
  }
  in_use_ = keys_as_fields(*ended->keys);
  log_.event(Severity::Info, {"keys_reloaded", in_use_});
  log_exposure(ended->exposure);
  return *std::move(ended->keys);
}

void ServerKeys::log_exposure() const {
  if (!options_.key_file.empty()) log_exposure(os::file_exposure(options_.key_file));
}

void ServerKeys::log_exposure(const std::optional<os::FileExposure>& exposure) const {
  if (!exposure) return;
  log_.event(Severity::Warning,
             {"key_file_exposed", {{"reason", exposure->reason}, {"try", exposure->remedy}}});
}

}  // namespace tickbox::server
