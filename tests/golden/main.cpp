// tickbox-golden: plays scenes and compares the hash of every tick with the golden file. It needs
// only the libraries that README.md names, and the header of xxHash. So any compiler can build it,
// and any emulator can run it.

#include "cli/exit_code.h"
#include "tests/golden/check.h"
#include "tests/golden/recording.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

using tickbox::cli::ExitCode;
namespace golden = tickbox::golden;

constexpr std::string_view kUsage =
    R"(usage: tickbox-golden check FILE [--short]
       tickbox-golden write FILE
       tickbox-golden show SCENE TICK
       tickbox-golden replay LIST
       tickbox-golden store OUT IN
       tickbox-golden list LIST RECORDING...

  check  plays every scene and compares the hashes of each tick with FILE; with --short only the
         first ticks of each, for emulators
  write  plays every scene and overwrites FILE: do so only when the world shall move differently,
         and say why in the commit
  show   prints every mover of a scene as it is after a tick, a line each: what to compare where
         two builds differ
  replay steps the recordings of LIST again, compares every tick's hash with the recorded one,
         and what each holds with its line
  store  copies the recording IN to OUT, its keyframes uncompressed
  list   steps the parts of a match again, and overwrites LIST: tests/golden/record.sh does so

Exit: 0 all agree, 1 a file cannot be read or written, 2 wrong usage, 3 a hash or a line of LIST
differs, or a recording is damaged or cannot be replayed by this build.
)";

ExitCode refuse(const std::string& why) {
  std::cerr << "tickbox-golden: " << why << '\n' << kUsage;
  return ExitCode::WrongUsage;
}

ExitCode check(const std::string& path, std::uint32_t ticks) {
  const auto recorded = golden::read_golden(path);
  if (!recorded) {
    std::cerr << "tickbox-golden: " << recorded.error() << '\n';
    return ExitCode::Failed;
  }
  const std::size_t different = golden::count_different(*recorded, path, ticks);
  if (different == 0) return ExitCode::Done;
  std::cerr << "tickbox-golden: " << different << " of " << golden::scenes().size()
            << " scenes differ; tests/golden/README.md says how to go on from here\n";
  return ExitCode::CheckFailed;
}

ExitCode write(const std::string& path) {
  const auto written = golden::write_golden(path, golden::play_all(golden::kTicks));
  if (!written) {
    std::cerr << "tickbox-golden: " << written.error() << '\n';
    return ExitCode::Failed;
  }
  std::cout << path << ": " << golden::scenes().size() << " scenes of " << golden::kTicks
            << " ticks written\n";
  return ExitCode::Done;
}

ExitCode show(std::string_view name, std::string_view tick_text) {
  const auto named = std::ranges::find(golden::scenes(), name, &golden::NamedScene::name);
  if (named == golden::scenes().end()) {
    std::string names;
    for (const golden::NamedScene& each : golden::scenes()) {
      names += " " + std::string{each.name};
    }
    return refuse("unknown scene " + std::string{name} + "; there are" + names);
  }
  std::uint32_t last = 0;
  const char* const begin = tick_text.data();
  const char* const end = begin + tick_text.size();
  const auto [parsed, error] = std::from_chars(begin, end, last);
  if (parsed != end || error != std::errc{} || last > golden::kTicks) {
    return refuse("a tick is a number from 0 to " + std::to_string(golden::kTicks) + ", not " +
                  std::string{tick_text});
  }
  const auto scene = named->make();
  golden::TickHashes hashes;
  for (std::uint32_t tick = 1; tick <= last; ++tick) {
    hashes = scene->step();
  }
  std::cout << name << " tick " << last << " state " << golden::hex(hashes.state) << " report "
            << golden::hex(hashes.report) << " motion " << golden::hex(hashes.motion) << '\n';
  for (const tickbox::sim::Body& body : scene->world().movers()) {
    for_each_field(body, [](auto field) { std::cout << +field << ' '; });
    std::cout << '\n';
  }
  return ExitCode::Done;
}

ExitCode fail(const golden::ReplayFailure& failure) {
  std::cerr << "tickbox-golden: " << failure.what << '\n';
  return failure.unreadable ? ExitCode::Failed : ExitCode::CheckFailed;
}

ExitCode replay(const std::string& list) {
  const auto replayed = golden::replay_list(list);
  if (!replayed) return fail(replayed.error());
  std::cout << list << ": " << replayed->ticks << " ticks of " << replayed->parts
            << " parts stepped again, all as recorded\n";
  return ExitCode::Done;
}

ExitCode store(const std::string& out, const std::string& in) {
  const auto stored = golden::store(out, in);
  if (!stored) return fail(stored.error());
  std::cout << out << ": stored\n";
  return ExitCode::Done;
}

ExitCode list(const std::string& path, std::span<const std::string> parts) {
  const auto replayed = golden::write_list(path, parts);
  if (!replayed) return fail(replayed.error());
  std::cout << path << ": " << replayed->parts << " parts written\n";
  return ExitCode::Done;
}

ExitCode run(std::span<const std::string> words) {
  if (words.empty()) return refuse("nothing to do");
  const std::string& command = words[0];
  if (command == "--help" || command == "-h") {
    std::cout << kUsage;
    return ExitCode::Done;
  }
  if (command == "check" && words.size() == 2) return check(words[1], golden::kTicks);
  if (command == "check" && words.size() == 3 && words[2] == "--short") {
    return check(words[1], golden::kShortTicks);
  }
  if (command == "write" && words.size() == 2) return write(words[1]);
  if (command == "replay" && words.size() == 2) return replay(words[1]);
  if (command == "store" && words.size() == 3) return store(words[1], words[2]);
  if (command == "list" && words.size() > 2) return list(words[1], words.subspan(2));
  if (command == "show" && words.size() == 3) return show(words[1], words[2]);
  return refuse("this is not how " + command + " is asked");
}

}  // namespace

int main(int argc, char** argv) {
  return to_int(run(std::vector<std::string>(argv + 1, argv + argc)));
}
