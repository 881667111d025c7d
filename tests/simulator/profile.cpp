#include "tests/simulator/profile.h"

#include <initializer_list>
#include <utility>

namespace tickbox::simulator {
namespace {

constexpr std::array<std::string_view, kFaults> kFaultNames{
    "burst",      "partition_up", "partition_down", "cut",      "move",  "pause",
    "clock_jump", "suspend",      "stall",          "leap",     "slew",  "calendar",
    "crash",      "drain",        "kill",           "theft",    "leave", "storm",
    "hostile",    "keys",         "slow_disk",      "full_disk"};

constexpr std::array<std::string_view, kProfiles> kProfileNames{"lan",  "wifi",   "mobile",
                                                                "soak", "mangle", "chaos"};

using PerHour = std::array<std::uint16_t, kFaults>;

constexpr PerHour per_hour(std::initializer_list<std::pair<Fault, std::uint16_t>> rates) {
  PerHour all{};
  for (const auto& [fault, rate] : rates) {
    all[static_cast<std::size_t>(fault)] = rate;
  }
  return all;
}

constexpr std::array<Likelihoods, kProfiles> kTables{
    // Nearly no trouble: hardly any fault can be the cause of a finding.
    Likelihoods{.clients_max = 16,
                .delay_ms = 2,
                .jitter_ms = 2,
                .loss_ppm = 200,
                .drift_ppm = 20,
                .faults_per_hour = per_hour({{Fault::Leave, 60}, {Fault::Kill, 20}})},
    // Short bursts of loss, and some of everything that happens in a living room.
    Likelihoods{.clients_max = 16,
                .delay_ms = 25,
                .jitter_ms = 15,
                .loss_ppm = 30'000,
                .duplicate_ppm = 2'000,
                .reorder_ppm = 10'000,
                .drift_ppm = 50,
                .faults_per_hour = per_hour({{Fault::Burst, 240},
                                             {Fault::Cut, 20},
                                             {Fault::Pause, 40},
                                             {Fault::Leave, 60},
                                             {Fault::Kill, 20},
                                             {Fault::Slew, 60},
                                             {Fault::Stall, 10}})},
    // Far away, with gaps, and with a new address now and then.
    Likelihoods{.clients_max = 12,
                .delay_ms = 120,
                .jitter_ms = 60,
                .loss_ppm = 120'000,
                .duplicate_ppm = 10'000,
                .reorder_ppm = 30'000,
                .drift_ppm = 100,
                .extreme_percent = 3,
                .faults_per_hour = per_hour({{Fault::Burst, 400},
                                             {Fault::PartitionUp, 120},
                                             {Fault::PartitionDown, 120},
                                             {Fault::Cut, 120},
                                             {Fault::Move, 240},
                                             {Fault::Pause, 240},
                                             {Fault::ClockJump, 20},
                                             {Fault::Suspend, 60},
                                             {Fault::Kill, 60},
                                             {Fault::Leave, 60}})},
    // Mild, and meant for long runs.
    Likelihoods{.clients_max = 8,
                .delay_ms = 40,
                .jitter_ms = 20,
                .loss_ppm = 20'000,
                .duplicate_ppm = 2'000,
                .reorder_ppm = 5'000,
                .corrupt_ppm = 200,
                .drift_ppm = 100,
                .faults_per_hour = per_hour({{Fault::Burst, 60},
                                             {Fault::Cut, 12},
                                             {Fault::Move, 12},
                                             {Fault::Pause, 20},
                                             {Fault::Suspend, 6},
                                             {Fault::Stall, 6},
                                             {Fault::Leap, 2},
                                             {Fault::Calendar, 6},
                                             {Fault::Kill, 20},
                                             {Fault::Theft, 2},
                                             {Fault::Keys, 4},
                                             {Fault::Leave, 60},
                                             {Fault::Storm, 2},
                                             {Fault::Hostile, 30},
                                             {Fault::SlowDisk, 6},
                                             {Fault::FullDisk, 6}})},
    // Wrong bytes, from the link and from an attacker.
    Likelihoods{.clients_max = 10,
                .delay_ms = 40,
                .jitter_ms = 20,
                .loss_ppm = 30'000,
                .duplicate_ppm = 50'000,
                .reorder_ppm = 30'000,
                .corrupt_ppm = 100'000,
                .truncate_ppm = 50'000,
                .drift_ppm = 50,
                .faults_per_hour = per_hour({{Fault::Hostile, 1'800},
                                             {Fault::Move, 60},
                                             {Fault::Kill, 120},
                                             {Fault::Theft, 60},
                                             {Fault::Keys, 60},
                                             {Fault::Leave, 120},
                                             {Fault::Crash, 20}})},
    // Everything at once.
    Likelihoods{
        .clients_max = 20,
        .delay_ms = 150,
        .jitter_ms = 60,
        .loss_ppm = 200'000,
        .duplicate_ppm = 50'000,
        .reorder_ppm = 50'000,
        .corrupt_ppm = 20'000,
        .truncate_ppm = 20'000,
        .drift_ppm = 500,
        .extreme_percent = 6,
        .faults_per_hour = per_hour(
            {{Fault::Burst, 360},     {Fault::PartitionUp, 180}, {Fault::PartitionDown, 180},
             {Fault::Cut, 180},       {Fault::Move, 360},        {Fault::Pause, 360},
             {Fault::ClockJump, 180}, {Fault::Suspend, 120},     {Fault::Stall, 180},
             {Fault::Leap, 30},       {Fault::Slew, 180},        {Fault::Calendar, 120},
             {Fault::Crash, 60},      {Fault::Drain, 40},        {Fault::Kill, 360},
             {Fault::Theft, 120},     {Fault::Keys, 120},        {Fault::Leave, 360},
             {Fault::Storm, 60},      {Fault::Hostile, 360},     {Fault::SlowDisk, 120},
             {Fault::FullDisk, 120}})},
};

}  // namespace

std::string_view name_of(Fault fault) {
  return kFaultNames[static_cast<std::size_t>(fault)];
}

std::string_view name_of(Profile profile) {
  return kProfileNames[static_cast<std::size_t>(profile)];
}

std::expected<Profile, std::string> parse_profile(std::string_view text) {
  std::string names;
  for (std::size_t i = 0; i < kProfiles; ++i) {
    if (text == kProfileNames[i]) return static_cast<Profile>(i);
    names.append(names.empty() ? "" : ", ").append(kProfileNames[i]);
  }
  return std::unexpected{"'" + std::string{text} + "' is no profile; there are " + names};
}

const Likelihoods& likelihoods_of(Profile profile) {
  return kTables[static_cast<std::size_t>(profile)];
}

}  // namespace tickbox::simulator
