// The module that a page loads, compiled for WebAssembly alone: one log, and functions over numbers
// and JSON. page/engine.js calls them.
//
// A text is valid until the next call that returns one, numbers until the next call of the same
// function; count() is that of the last ones. An index is one of the last rows() or events().

#include "cli/build_info.h"
#include "core/assert.h"
#include "engine/log/words.h"
#include "record/viewing.h"
#include "viewer/answers.h"
#include "viewer/module_games.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Imported: returns whether the page wants no more of the present call.
extern "C" __attribute__((import_module("tickbox"), import_name("stopped"))) bool viewer_stopped();

namespace tickbox::viewer {
namespace {

struct Module {
  record::Viewing viewing{module_games(), [] { return viewer_stopped(); }};
  std::string text;
  std::vector<Row> rows;
  std::vector<EventRow> events;
  std::vector<ContactRow> contacts;
  std::size_t count = 0;  ///< of the numbers that were returned last
};

Module& module() {
  static Module& only = *new Module;
  return only;
}

record::Viewing& viewing() {
  return module().viewing;
}

template <class Numbers>
const auto* counted(const std::vector<Numbers>& numbers) {
  module().count = numbers.size();
  return numbers.data();
}

const char* keep(std::string text) {
  module().text = std::move(text);
  return module().text.data();
}

const engine::World& world() {
  TICKBOX_ASSERT(viewing().world() != nullptr);
  return *viewing().world();
}

}  // namespace

// The linker keeps what is exported. An export has the name of its function: `wasm-ld -r`, which
// makes the object for studios, forgets any other name.
#define TICKBOX_EXPORT(NAME) extern "C" __attribute__((export_name("viewer_" #NAME)))

/// Returns where to write the next `count` bytes of the log; 0 if it is too long.
TICKBOX_EXPORT(reserve) std::byte* viewer_reserve(std::size_t count) {
  return viewing().reserve(count).data();
}

/// Takes the bytes that were written there.
TICKBOX_EXPORT(append) void viewer_append(std::size_t count) {
  viewing().append(count);
}

TICKBOX_EXPORT(end) void viewer_end() {
  viewing().end();
}

/// Reads what has arrived; false if the log is refused.
TICKBOX_EXPORT(read) bool viewer_read() {
  return viewing().read();
}

TICKBOX_EXPORT(remove_before) void viewer_remove_before(std::uint32_t tick) {
  if (viewing().is_open()) viewing().remove_before({tick});
}

/// Returns the number of bytes of the last text.
TICKBOX_EXPORT(text_size) std::size_t viewer_text_size() {
  return module().text.size();
}

TICKBOX_EXPORT(log) const char* viewer_log() {
  const cli::BuildInfo& build = cli::build_info();
  return keep(log_json(viewing(), module_games(),
                       {.commit = build.commit, .simulation = build.simulation_hash}));
}

TICKBOX_EXPORT(game) const char* viewer_game() {
  TICKBOX_ASSERT(viewing().is_open());
  return keep(game_json(viewing()));
}

TICKBOX_EXPORT(seek) bool viewer_seek(std::uint32_t tick) {
  return viewing().is_open() && viewing().seek({tick});
}

TICKBOX_EXPORT(step) bool viewer_step() {
  return viewing().is_open() && viewing().step();
}

TICKBOX_EXPORT(tick) std::uint32_t viewer_tick() {
  return world().tick.value;
}

TICKBOX_EXPORT(moment) const char* viewer_moment() {
  return keep(moment_json(viewing()));
}

TICKBOX_EXPORT(count) std::size_t viewer_count() {
  return module().count;
}

/// Returns the entities.
TICKBOX_EXPORT(rows) const Row* viewer_rows() {
  write_rows(world(), module().rows);
  return counted(module().rows);
}

/// Returns the declared state of an entity.
TICKBOX_EXPORT(state) const char* viewer_state(std::size_t row) {
  TICKBOX_ASSERT(row < world().size());
  return keep(engine::value_json(world().kind_of(row).type, world().state(row)));
}

/// Returns the events of the tick.
TICKBOX_EXPORT(events) const EventRow* viewer_events() {
  module().events.clear();
  if (const auto* report = viewing().report()) {
    write_events(world().game(), *report, module().events);
  }
  return counted(module().events);
}

/// Returns an event as the game tells it, and its declared fields.
TICKBOX_EXPORT(event) const char* viewer_event(std::size_t i) {
  const engine::TickReport* const report = viewing().report();
  TICKBOX_ASSERT(report != nullptr && i < report->emitted.size());
  return keep(event_json(world().game(), *report, report->emitted[i]));
}

/// Returns what touched in the tick.
TICKBOX_EXPORT(contacts) const ContactRow* viewer_contacts() {
  module().contacts.clear();
  if (const auto* report = viewing().report()) write_contacts(*report, module().contacts);
  return counted(module().contacts);
}

/// Verifies the next record; false if there is none.
TICKBOX_EXPORT(verify) bool viewer_verify() {
  return viewing().verify();
}

/// Returns the last tick that was verified.
TICKBOX_EXPORT(verified) std::uint32_t viewer_verified() {
  return viewing().verified().value;
}

/// Returns the number of ticks that were compared so far.
TICKBOX_EXPORT(compared) std::uint32_t viewer_compared() {
  return static_cast<std::uint32_t>(viewing().verdict().ticks);
}

/// Returns the number of ticks that differ so far.
TICKBOX_EXPORT(mismatched) std::uint32_t viewer_mismatched() {
  return static_cast<std::uint32_t>(viewing().verdict().mismatched);
}

TICKBOX_EXPORT(verdict) const char* viewer_verdict() {
  return keep(verdict_json(viewing().verdict()));
}

}  // namespace tickbox::viewer
