#include "client/commands/replay/verified.h"

#include "client/commands/replay/replay_commands.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

FigureValue count(std::uint64_t number) {
  return number;
}

FigureValue tick_figure(const std::optional<Tick>& tick) {
  return or_null(tick.transform([](Tick each) { return std::uint64_t{each.value}; }));
}

void add_mismatch(Figures& figures, const std::string& name,
                  const std::optional<record::Mismatch>& mismatch) {
  if (!mismatch) {
    figures.push_back({name, {}});
    return;
  }
  const auto add = [&](const char* member, FigureValue value) {
    figures.push_back({name + member, std::move(value)});
  };
  const record::Difference& what = mismatch->what;
  add(".tick", count(mismatch->tick.value));
  add(".compared", count(mismatch->compared.value));
  add(".entity",
      or_null(what.entity.transform([](BodyId entity) { return std::to_string(entity.value); })));
  add(".subject", what.subject);
  add(".field", what.field);
  add(".expected", what.expected);
  add(".got", what.got);
}

}  // namespace

ExitCode exit_code_of(const record::VerifyResult& result) {
  if (!result.held()) return ExitCode::CheckFailed;
  if (result.interrupted) return ExitCode::Inconclusive;
  const bool is_verified = result.ticks > 0 || result.unfinished;
  return is_verified ? ExitCode::Done : ExitCode::CheckFailed;
}

std::string fault_of(const std::string& subject, const record::VerifyResult& result) {
  if (result.unrepeatable) {
    return fmt::format("{}: two worlds that take the same ticks differ at tick {}; {}", subject,
                       result.unrepeatable->tick.value, kMemoryOutside);
  }
  if (result.mismatched > 0) {
    return subject + ": " + counted(result.mismatched, "hash differs", "hashes differ");
  }
  if (result.damages > 0) return subject + " is damaged inside";
  const bool is_empty = !result.interrupted && result.ticks == 0 && !result.unfinished;
  return is_empty ? fmt::format("{}: {}", subject, kNothingToVerify) : std::string{};
}

Figures document_of(const Verified& verified) {
  const record::VerifyResult& result = verified.result;
  const double rate =
      verified.seconds > 0 ? static_cast<double>(result.ticks) / verified.seconds : 0;
  Figures figures;
  if (verified.header) {
    figures = {{"recorded_by.commit", verified.header->commit},
               {"recorded_by.simulation", verified.header->simulation},
               {"recorded_by.this_build", other_build(*verified.header).empty()}};
  } else {
    figures = {{"recorded_by", {}}};
  }
  figures.push_back({"ticks", result.ticks});
  figures.push_back({"mismatched", result.mismatched});
  add_mismatch(figures, "first_mismatch", result.first_mismatch);
  add_mismatch(figures, "unrepeatable", result.unrepeatable);
  figures.push_back({"complete", result.complete});
  figures.push_back({"segments.whole", count(result.segments_whole)});
  figures.push_back({"segments.lost", count(result.segments_lost)});
  figures.push_back({"recovered_ticks", result.recovered_ticks});
  figures.push_back({"ticks_per_second", static_cast<std::uint64_t>(rate)});
  figures.push_back({"ends_early", result.ends_early});
  figures.push_back({"unfinished", tick_figure(result.unfinished)});
  figures.push_back({"damages", count(result.damages)});
  figures.push_back({"gaps", count(result.gaps)});
  figures.push_back({"interrupted", result.interrupted});
  figures.push_back({"exit", count(static_cast<std::uint64_t>(cli::to_int(verified.code)))});
  if (verified.code != ExitCode::Done) figures.push_back({"error", verified.error});
  return figures;
}

}  // namespace tickbox::commands
