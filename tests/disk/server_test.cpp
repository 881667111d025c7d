// The real server on real disks: its recording goes from file to file, and a disk that is full
// costs the recording alone.

#include "tests/integration/document.h"
#include "tests/integration/running_server.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <sys/mount.h>
#include <unistd.h>
#include <vector>

namespace tickbox::integration {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMebibyte = std::size_t{1024} * 1024;

std::vector<std::string> recordings_in(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& each : fs::directory_iterator{folder}) {
    if (each.path().extension() == ".tickbox") found.push_back(each.path().string());
  }
  std::ranges::sort(found);
  return found;
}

Document verified(const std::string& file) {
  const Finished finished = run(tickbox({"replay", "verify", file, "--json"}));
  EXPECT_EQ(finished.exit_code, kDone) << file << '\n' << finished;
  return Document{finished.out};
}

bool has_line(const Process& process, std::string_view text) {
  return process.output().err.contains(text);
}

/// A disk of 4 MiB, for users who may mount one.
class SmallDisk {
 public:
  explicit SmallDisk(const std::string& folder) : folder_(folder) {
    fs::create_directories(folder);
    mounted_ = ::mount("tickbox", folder.c_str(), "tmpfs", 0, "size=4m") == 0;
  }

  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }

 private:
  std::string folder_;
  bool mounted_ = false;
};

TEST(DiskServer, GoesFromFileToFile) {
  const os::TemporaryFolder folder;
  const std::string recordings = folder.file("recordings");
  RunningServer server{
      {"--record", recordings, "--record-rotate-time", "1s", "--max-clients", "16"}};
  Process client{tickbox({"connect", server.address(), "--seconds", "60"})};
  ASSERT_TRUE(server.process().wait_for_output(
      [](const Output& output) { return output.err.contains("recording_closed"); }, kPatience))
      << server.process().output().err;
  const Finished stopped = server.stop();
  EXPECT_EQ(stopped.exit_code, kDone) << stopped;
  EXPECT_EQ(finish(client).exit_code, kNotConnected);
  const auto files = recordings_in(recordings);
  EXPECT_GE(files.size(), 2U);
  for (const std::string& file : files) {
    const Document document = verified(file);
    EXPECT_TRUE(document.truth("complete")) << file;
    EXPECT_EQ(document.number("mismatched"), 0);
  }
}

std::uint64_t bytes_in(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const std::string& file : recordings_in(folder))
    bytes += fs::file_size(file);
  return bytes;
}

// A limit of the directory holds across runs, and spares the files of a server of another name.
TEST(DiskServer, KeepsItsDirectoryWithinALimitAcrossRestarts) {
  const os::TemporaryFolder folder;
  const std::string recordings = folder.file("recordings");
  const auto record = [&](const std::string& name, std::vector<std::string> more) {
    std::vector<std::string> arguments{"--record", recordings, "--name",        name,
                                       "--ticks",  "130",      "--max-clients", "400",
                                       "--port",   "0",        "--admin-port",  "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Finished finished = run(tickbox_server(arguments));
    EXPECT_EQ(finished.exit_code, kDone) << finished;
    return finished;
  };
  EXPECT_TRUE(record("arena-2", {}).err.contains("recording_unlimited path="));
  const auto others = recordings_in(recordings);
  ASSERT_EQ(others.size(), 1U);
  record("arena-1", {});
  const auto first = recordings_in(recordings);
  ASSERT_EQ(first.size(), 2U);
  // A large old file of this server: only its length grows, as that of a file with a damaged end.
  fs::resize_file(first.back(), kMebibyte);
  const Finished limited = record("arena-1", {"--record-max-bytes", "1MiB"});
  EXPECT_FALSE(limited.err.contains("recording_unlimited"));
  EXPECT_TRUE(limited.err.contains("recording_removed path=" + first.back())) << limited;
  EXPECT_FALSE(fs::exists(first.back()));
  EXPECT_TRUE(fs::exists(others.front()));
  EXPECT_LE(bytes_in(recordings), 1024U * 1024U);
}

// A file that another process still writes looks like an old one of this server.
TEST(DiskServer, NeverRemovesAFileThatAnotherServerWrites) {
  const os::TemporaryFolder folder;
  const std::string recordings = folder.file("recordings");
  RunningServer server{{"--record", recordings, "--name", "arena-1", "--max-clients", "16"}};
  const auto written = recordings_in(recordings);
  ASSERT_EQ(written.size(), 1U);
  (void)folder.write("recordings/ballast", std::string(kMebibyte, 'b'));
  const Finished second =
      run(tickbox_server({"--record", recordings, "--name", "arena-1", "--record-max-bytes", "1MiB",
                          "--ticks", "60", "--port", "0", "--admin-port", "0"}));
  EXPECT_EQ(second.exit_code, kDone) << second;
  EXPECT_TRUE(second.err.contains("recording_over_limit path=")) << second;
  EXPECT_TRUE(fs::exists(written.front()));
  EXPECT_EQ(server.stop().exit_code, kDone);
  EXPECT_TRUE(verified(written.front()).truth("complete"));
}

TEST(DiskServer, FlagsThatDoNotGoTogetherStartNothing) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {"--record-rotate-time", "1s"},
           {"--record-max-bytes", "1GiB"},
           {"--record", "never-made", "--record-max-bytes", "64KiB"},
           {"--record", "never-made", "--record-rotate-time", "1ms"}}) {
    expect_one_line(run(tickbox_server(arguments)), kWrongUsage, {"--record-"});
  }
  for (const char* gone : {"--record-keep", "--record-rotate-size"}) {
    expect_one_line(run(tickbox_server({"--record", "never-made", gone, "4MiB"})), kWrongUsage,
                    {gone, "is gone; ", "--record-max-bytes"});
  }
  EXPECT_FALSE(fs::exists("never-made"));
}

// Clients play while the disk fills, is full, and has space again.
TEST(DiskServer, AFullDiskCostsTheRecordingAloneAndItResumesByItself) {
  const os::TemporaryFolder folder;
  const SmallDisk disk{folder.file("disk")};
  if (!disk.mounted()) GTEST_SKIP() << "only root may mount a small tmpfs";
  // A first run leaves its page there.
  (void)run(tickbox_server(
      {"--record", folder.file("disk"), "--ticks", "1", "--port", "0", "--admin-port", "0"}));
  for (const std::string& file : recordings_in(folder.file("disk")))
    fs::remove(file);
  // Leaves space for a second or two of the match.
  const auto free = static_cast<std::size_t>(fs::space(folder.file("disk")).available);
  const std::string ballast =
      folder.write("disk/ballast", std::string(free - std::size_t{16} * 1024, 'b'));
  RunningServer server{{"--record", folder.file("disk"), "--max-clients", "64"}};
  Process load{tickbox({"load", server.address(), "--clients", "16", "--seconds", "14", "--bot",
                        "stress", "--json", "--require", "state_hash.mismatched==0"})};
  ASSERT_TRUE(eventually([&] { return server.metric("tickbox_recording_degraded") == 1; }));
  EXPECT_GT(server.metric("tickbox_recording_errors_total"), 0);
  EXPECT_GT(server.metric("tickbox_recording_bytes_total"), 0);
  const double full_at = server.metric("tickbox_ticks_total");
  EXPECT_TRUE(has_line(server.process(), "recording_degraded path="));
  EXPECT_TRUE(has_line(server.process(), "no space left"));
  ASSERT_TRUE(eventually([&] { return server.metric("tickbox_ticks_total") > full_at + 60; }));
  // Nothing piles up meanwhile.
  EXPECT_LE(server.metric("tickbox_recording_queue_bytes"), 1'000'000);

  fs::remove(ballast);
  ASSERT_TRUE(eventually([&] { return server.metric("tickbox_recording_degraded") == 0; }));
  EXPECT_TRUE(server.process().wait_for_output(
      [](const Output& output) { return output.err.contains("recording_resumed path="); },
      kPatience));
  const double bytes = server.metric("tickbox_recording_bytes_total");
  ASSERT_TRUE(eventually([&] { return server.metric("tickbox_recording_bytes_total") > bytes; }));
  // On a busy machine a server slips at times. A server that waited for this disk would slip all
  // the time.
  EXPECT_LE(server.metric("tickbox_ticks_slipped_total") * 4, server.metric("tickbox_ticks_total"));
  const Finished loaded = finish(load);
  // A load generator that was held up ends as inconclusive, but it has compared the hashes all
  // the same.
  constexpr int kInconclusive = 5;
  EXPECT_TRUE(loaded.exit_code == kDone || loaded.exit_code == kInconclusive) << loaded;
  const Document played{loaded.out};
  EXPECT_EQ(played.number("state_hash.mismatched"), 0);
  EXPECT_EQ(played.number("clients.dropped"), 0);
  EXPECT_GT(played.number("state_hash.checked"), 0);

  const Finished stopped = server.stop();
  EXPECT_EQ(stopped.exit_code, kDone) << stopped;
  const auto files = recordings_in(folder.file("disk"));
  ASSERT_EQ(files.size(), 1U);
  const Document document = verified(files.front());
  EXPECT_EQ(document.number("mismatched"), 0);
  EXPECT_EQ(document.number("gaps"), 1);
  EXPECT_FALSE(document.truth("complete"));
}

// A disk that stays full until the end: what was written is whole, and the exit code says that it
// is not all.
TEST(DiskServer, AFileAtItsLimitEndsWithAWholeRecord) {
  const os::TemporaryFolder folder;
  const std::string recordings = folder.file("recordings");
  // `ulimit -f` counts units of 1,024 bytes in this shell. Two units are enough for the keyframe of
  // a room of 2,000 seats that nobody is in, and not for the twelve seconds after it.
  Process server{
      {.program = "/bin/bash",
       .arguments = {"-c", "ulimit -f 2 && exec \"$0\" \"$@\"", tickbox_server({}).program,
                     "--port", "0", "--admin-port", "0", "--max-clients", "2000", "--record",
                     recordings, "--ticks", "780"}}};
  expect_ended(finish(server), kFailed, {"recording_degraded", "file too large"});
  const auto files = recordings_in(recordings);
  ASSERT_EQ(files.size(), 1U);
  EXPECT_LE(fs::file_size(files.front()), 2'048U);
  const Document document = verified(files.front());
  EXPECT_FALSE(document.truth("complete"));
  EXPECT_GT(document.number("ticks"), 100);
  EXPECT_EQ(document.number("mismatched"), 0);
}

}  // namespace
}  // namespace tickbox::integration
