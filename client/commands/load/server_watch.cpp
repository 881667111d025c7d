#include "client/commands/load/server_watch.h"

#include "json/reader.h"
#include "os/http/http.h"
#include "os/process/process.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace tickbox::commands {
namespace {

constexpr Duration kBetweenSamples = std::chrono::seconds{1};
constexpr Duration kAnswerWithin = std::chrono::seconds{2};

/// No count or amount that is believed is as large: a double represents all below exactly.
constexpr std::uint64_t kAmountMax = std::uint64_t{1} << 53;

/// Reads members of a document of any form, and keeps the name of the first that is wrong.
class Reader {
 public:
  /// Adds the number of a member to `sum`.
  void add(const json::Value& object, const char* name, std::uint64_t& sum) {
    const std::uint64_t amount = amount_of(member(object, name)).value_or(kAmountMax);
    if (sum + amount >= kAmountMax) return miss(name);
    sum += amount;
  }

  /// Adds a bucket, which is [last value, number of values].
  void add(const json::Value& bucket, Histogram& values) {
    const bool is_pair = bucket.is_array() && bucket.size() == 2;
    const auto last = is_pair ? amount_of(bucket[0]) : std::nullopt;
    const std::uint64_t count = last ? amount_of(bucket[1]).value_or(kAmountMax) : kAmountMax;
    if (values.count() + count >= kAmountMax) return miss("tick_ns");
    values.add(*last, count);
  }

  /// Returns the values of a member that is a list; an empty list if it is none.
  const json::Value& list(const json::Value& object, const char* name) {
    static const json::Value kEmpty = json::Value::array();
    const json::Value& value = member(object, name);
    if (!value.is_array()) miss(name);
    return value.is_array() ? value : kEmpty;
  }

  std::string text(const json::Value& object, const char* name) {
    const json::Value& value = member(object, name);
    if (!value.is_string()) miss(name);
    return value.is_string() ? value.get<std::string>() : std::string{};
  }

  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  static const json::Value& member(const json::Value& object, const char* name) {
    static const json::Value kNull;
    const auto found = object.find(name);
    return found != object.end() ? *found : kNull;
  }

  static std::optional<std::uint64_t> amount_of(const json::Value& value) {
    if (!value.is_number_unsigned()) return std::nullopt;
    return std::min(value.get<std::uint64_t>(), kAmountMax);
  }

  void miss(const char* name) {
    if (missing_.empty()) missing_ = name;
  }

  std::string missing_;
};

}  // namespace

std::expected<ServerSample, std::string> read_sample(std::string_view document) {
  const json::Value status = json::read_or_null(document);
  ServerSample sample;
  Reader reader;
  reader.add(status, "started_ms", sample.started_ms);
  reader.add(status, "cpu_ms", sample.cpu_ms);
  reader.add(status, "memory_bytes", sample.resident_bytes);
  for (const json::Value& shard : reader.list(status, "shards")) {
    sample.tick_rate = 0;
    reader.add(shard, "rate", sample.tick_rate);
    reader.add(shard, "overruns", sample.overruns);
    reader.add(shard, "ticks_skipped", sample.slipped);
    for (const json::Value& bucket : reader.list(shard, "tick_ns")) {
      reader.add(bucket, sample.tick_ns);
    }
  }
  sample.version = fmt::format("{} (commit {}, simulation {})", reader.text(status, "version"),
                               reader.text(status, "commit"), reader.text(status, "simulation"));
  if (reader.missing().empty()) return sample;
  return std::unexpected(
      fmt::format("it has no {}; is it the admin side of a tickbox-server?", reader.missing()));
}

std::expected<ServerSample, std::string> ask_server(const AdminSide& admin, const Clock& clock) {
  const std::string authorization = admin.authorization();
  const auto response = os::http_send(
      admin.address, {.path = "/v1/status", .query = "clients=0", .authorization = authorization},
      kAnswerWithin);
  if (!response) return std::unexpected(response.error());
  std::string where = "http://" + net::to_string(admin.address) + "/v1/status?clients=0";
  if (response->status == 401) {
    return std::unexpected(where.append(unauthorized_in_words(admin)));
  }
  if (response->status != 200) {
    return std::unexpected(where + " answered " + std::to_string(response->status) +
                           "; is it a tickbox-server of this version?");
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
