#include "engine/tick_record.h"

#include "engine/declared.h"

namespace tickbox::engine {
namespace {

void add_user_data(std::string_view text, std::vector<std::byte>& out) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  out.insert(out.end(), bytes, bytes + text.size());
}

}  // namespace

void write_request(const GameTable& game, const TickRequest& request, TickRecord& record) {
  record.clear();
  record.is_idle = request.is_idle;
  if (request.opens_match) record.outcomes.push_back({.kind = OutcomeKind::Closed});
  for (const Player player : request.leaves) {
    record.outcomes.push_back({.kind = OutcomeKind::Left, .player = player});
  }
  for (const Join& join : request.joins) {
    record.outcomes.push_back({.kind = OutcomeKind::Joined,
                               .player = join.player,
                               .first = record.bytes.size(),
                               .size = join.user_data.size()});
    add_user_data(join.user_data, record.bytes);
  }
  for (const Command& command : request.commands) {
    record.outcomes.push_back({.kind = OutcomeKind::Commanded,
                               .type = command.type,
                               .player = command.player,
                               .first = record.bytes.size(),
                               .size = command.bytes.size()});
    append_clean(game.commands[command.type].type, command.bytes, record.bytes);
  }
  for (const PlayerInput& given : request.inputs) {
    record.inputs.push_back({.player = given.player, .first = record.bytes.size()});
    append_clean(game.input, given.input, record.bytes);
  }
}

RequestReader::RequestReader(const GameTable& game, const TickRecord& record)
    : is_idle_(record.is_idle) {
  for (const Outcome& outcome : record.outcomes) {
    if (outcome.kind == OutcomeKind::Closed) opens_match_ = true;
    if (outcome.kind == OutcomeKind::Left) leaves_.push_back(outcome.player);
    const ConstBytes bytes = record.bytes_of(outcome);
    if (outcome.kind == OutcomeKind::Commanded) {
      commands_.push_back({.player = outcome.player, .type = outcome.type, .bytes = bytes});
    }
    if (outcome.kind != OutcomeKind::Joined) continue;
    joins_.push_back({.player = outcome.player,
                      .user_data = {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
  }
  for (const TickRecord::Input& given : record.inputs) {
    inputs_.push_back({.player = given.player,
                       .input = ConstBytes{record.bytes}.subspan(given.first, game.input.bytes)});
  }
}

}  // namespace tickbox::engine
