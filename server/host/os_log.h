#pragma once
// The log of the shard as lines of the system's log.

#include "os/process/log.h"
#include "server/shard/log.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace tickbox::server {

class OsLog final : public Log {
 public:
  explicit OsLog(const os::Log& log) : log_(log) {}

  void event(Severity severity, std::string_view line) override {
    constexpr std::array kLevels = {os::LogLevel::Info, os::LogLevel::Warning, os::LogLevel::Error};
    log_.write(kLevels[static_cast<std::size_t>(severity)], line);
  }

 private:
  const os::Log& log_;
};

}  // namespace tickbox::server
