#include "client/commands/load/server_watch.h"

#include "os/http/http.h"
#include "os/process/process.h"

#include <utility>

namespace tickbox::commands {
namespace {

constexpr Duration kBetweenSamples = std::chrono::seconds{1};
constexpr Duration kAnswerWithin = std::chrono::seconds{2};

}  // namespace

std::expected<ServerSample, std::string> read_sample(std::string_view metrics) {
  const auto text = MetricsText::parse(metrics);
  if (!text) return std::unexpected(text.error());
  ServerSample sample;
  std::string missing;
  const auto read = [&](const char* name, double& target) {
    const auto value = text->value(name);
    if (value && is_count(*value)) {
      target = *value;
    } else {
      missing = name;
    }
  };
  read("tickbox_ticks_total", sample.ticks);
  read("tickbox_ticks_slipped_total", sample.slipped);
  read("tickbox_tick_overruns_total", sample.overruns);
  read("tickbox_tick_rate", sample.tick_rate);
  read("process_start_time_seconds", sample.started);
  read("process_cpu_seconds_total", sample.cpu_seconds);
  read("process_resident_memory_bytes", sample.resident_bytes);
  const auto build = [&](const char* label) { return text->label("tickbox_build_info", label); };
  if (const auto version = build("version")) {
    sample.version = *version + " (commit " + build("commit").value_or("unknown") +
                     ", simulation " + build("simulation").value_or("unknown") + ")";
  }
  auto ticks = text->histogram("tickbox_tick_duration_seconds");
  if (ticks) {
    sample.tick_seconds = *std::move(ticks);
  } else {
    missing = "tickbox_tick_duration_seconds";
  }
  if (!missing.empty()) {
    return std::unexpected("they have no " + missing +
                           "; is it the admin side of a tickbox-server?");
  }
  return sample;
}

std::expected<ServerSample, std::string> ask_server(const AdminSide& admin, const Clock& clock) {
  const std::string authorization = admin.authorization();
  const auto response = os::http_send(
      admin.address, {.path = "/metrics", .authorization = authorization}, kAnswerWithin);
  if (!response) return std::unexpected(response.error());
  std::string where = "http://" + net::to_string(admin.address) + "/metrics";
  if (response->status == 401) {
    return std::unexpected(where.append(unauthorized_in_words(admin)));
  }
  if (response->status != 200) {
    return std::unexpected(where + " answered " + std::to_string(response->status) +
                           "; is it a tickbox-server?");
  }
  auto sample = read_sample(response->body);
  if (!sample) return std::unexpected(where + ": " + sample.error());
  sample->at = clock.now();
  return sample;
}

std::expected<std::unique_ptr<ServerWatch>, std::string> ServerWatch::start(AdminSide admin,
                                                                            const Clock& clock,
                                                                            ServerSample first) {
  std::unique_ptr<ServerWatch> watch{new ServerWatch{std::move(admin), clock, std::move(first)}};
  auto thread = os::start_thread("metrics", [self = watch.get()] { self->run(); });
  if (!thread) return std::unexpected(std::move(thread.error()));
  watch->thread_ = *std::move(thread);
  return watch;
}

ServerWatch::ServerWatch(AdminSide admin, const Clock& clock, ServerSample first)
    : admin_(std::move(admin)), clock_(clock), newest_(std::move(first)) {}

ServerWatch::~ServerWatch() {
  stopping_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void ServerWatch::run() {
  std::unique_lock lock{mutex_};
  while (!stopping_.stop_requested()) {
    asking_ = std::exchange(asked_, false);
    lock.unlock();
    auto sample = ask_server(admin_, clock_);
    lock.lock();
    asking_ = false;
    if (sample) newest_ = *std::move(sample);
    changed_.wait_for(lock, stopping_.get_token(), kBetweenSamples, [this] { return asked_; });
  }
}

void ServerWatch::ask() {
  {
    const std::scoped_lock lock{mutex_};
    asked_ = true;
  }
  changed_.notify_one();
}

bool ServerWatch::answered() const {
  const std::scoped_lock lock{mutex_};
  return !asked_ && !asking_;
}

ServerSample ServerWatch::newest() const {
  const std::scoped_lock lock{mutex_};
  return newest_;
}

}  // namespace tickbox::commands
