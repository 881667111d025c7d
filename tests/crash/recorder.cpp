// crash-recorder FILE PAGE SEED RATE: records a match to FILE through the production's log and sink
// until it is killed, and notes in PAGE what it has handed over. RATE: ticks per second of real
// time; 0: as fast as it can.

#include "os/files/disk.h"
#include "os/files/file_sink.h"
#include "os/process/steady_clock.h"
#include "record/room_log.h"
#include "tests/crash/kept_match.h"
#include "tests/crash/shared_page.h"

#include <charconv>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

namespace tickbox::crash {
namespace {

/// A file that notes in the page each write that has returned.
class ToldFile final : public os::AppendFile {
 public:
  ToldFile(std::unique_ptr<os::AppendFile> file, Progress& progress)
      : file_(std::move(file)), progress_(progress) {}

  std::expected<std::size_t, int> append(ConstBytes bytes) override {
    const auto taken = file_->append(bytes);
    if (taken) progress_.written.fetch_add(*taken, std::memory_order_release);
    return taken;
  }

  std::expected<void, int> cut(std::uint64_t bytes) override { return file_->cut(bytes); }

  std::expected<void, int> sync() override { return file_->sync(); }

  std::expected<void, int> close() override { return file_->close(); }

 private:
  std::unique_ptr<os::AppendFile> file_;
  Progress& progress_;
};

/// A queue that is full is no crash: at full speed the recorder waits until the disk has caught up.
void wait_for_disk(const os::FileSink& sink) {
  constexpr std::uint64_t kQueued = std::uint64_t{256} * 1024;
  while (sink.stats().queue_bytes > kQueued) {
    os::sleep_until(os::SteadyClock{}.now() + std::chrono::microseconds{200});
  }
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

int record(std::span<char*> arguments) {
  const std::string path = arguments[1];
  SharedPage page{arguments[2]};
  const std::uint64_t seed = number(arguments[3]);
  const auto rate = static_cast<std::uint32_t>(number(arguments[4]));
  tests::RecordedMatch played{{.tick_rate = rate == 0 ? 60 : rate,
                               .seats = 8,
                               .seed = seed,
                               .all_stay = true,
                               .forgets = true}};
  const os::FileSinkOptions options{.path = path};
  auto file = os::system_disk().create(path);
  if (!file) {
    std::fprintf(stderr, "crash-recorder: %s\n", os::creation_failure(path, file.error()).c_str());
    return 1;
  }
  const auto sink =
      os::FileSink::over(std::make_unique<ToldFile>(*std::move(file), *page), options).value();
  record::LogFile recording{*sink, played.header()};
  server::Recorder recorder{played.match(), played.header()};
  recorder.add(recording);
  const os::SteadyClock clock;
  Instant next = clock.now();
  while (true) {
    if (rate == 0) {
      wait_for_disk(*sink);
    } else {
      os::sleep_until(next);
      next += tick_duration(rate);
    }
    tests::begin_tick(played, recorder);
    played.play();
    page->note(played.world().tick.value, clock.now());
    recorder.stepped();
  }
}

}  // namespace
}  // namespace tickbox::crash

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "crash-recorder FILE PAGE SEED RATE\n");
    return 2;
  }
  return tickbox::crash::record({argv, static_cast<std::size_t>(argc)});
}
