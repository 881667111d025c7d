#include "server/host/deny_file.h"

#include "os/files/file.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::server {
namespace {

std::expected<DenyList, std::string> read_deny_file(const std::string& path) {
  const auto text = os::read_text(path, kDenyFileBytesMax);
  if (!text) return std::unexpected{text.error() + "; --deny-file needs a file of client ids"};
  auto list = DenyList::parse(*text);
  if (!list) return std::unexpected{"deny file " + path + ": " + list.error()};
  return list;
}

}  // namespace

std::expected<DenyList, std::string> DenyFile::open() {
  if (options_.deny_file.empty()) return DenyList{};
  watch_.set_seen(os::file_stamp(options_.deny_file));
  auto list = read_deny_file(options_.deny_file);
  if (!list) return list;
  clients_ = list->size();
  log_.event(Severity::Info,
             {"deny_file_read", {{"path", options_.deny_file}, {"clients", clients_}}});
  if (options_.key_file.empty()) {
    log_.event(Severity::Warning,
               {"deny_file_without_keys",
                {{"reason", "without keys a client chooses its own id"}, {"try", "--key-file F"}}});
  }
  return list;
}

void DenyFile::begin_reload() {
  if (options_.deny_file.empty()) return;
  reload_.begin("deny_reload", [path = options_.deny_file] {
    const os::FileStamp stamp = os::file_stamp(path);
    return Reload{.stamp = stamp, .list = read_deny_file(path)};
  });
}

std::optional<DenyList> DenyFile::consume_reloaded() {
  auto ended = reload_.poll();
  if (!ended) return std::nullopt;
  watch_.set_seen(ended->stamp);
  if (!ended->list) {
    log_.event(Severity::Error,
               {"deny_file_reload_failed",
                {{"reason", ended->list.error()}, {"kept", fmt::format("clients={}", clients_)}}});
    return std::nullopt;
  }
  clients_ = ended->list->size();
  log_.event(Severity::Info, {"deny_file_reloaded", {{"clients", clients_}}});
  return *std::move(ended->list);
}

}  // namespace tickbox::server
