#include "net/reasons.h"

#include "core/text.h"

namespace tickbox::net {
namespace {

/// What to try when a token does not fit the server's time.
constexpr const char* kClocks = "compare the clock of its issuer with that of the server";
constexpr const char* kNewToken =
    "ask for a new one; if that fails too, compare the clock of its issuer with that of the server";

}  // namespace

std::string_view name_of(RefuseReason reason) {
  // By reason; 0 is none.
  static constexpr std::string_view kNames[] = {
      "unknown",         "full",          "protocol",
      "schema",          "draining",      "key_unknown",
      "token_forged",    "token_expired", "token_before_boot",
      "token_elsewhere", "token_room",    "token_used",
      "token_taken",     "tokens_full",   "restarted",
      "ticket_forged",   "ticket_over",   "denied",
      "token_early",     "token_long",    "overloaded",
      "game_version",    "game_rules",    "map"};
  return name_among<RefuseReason::Map>(kNames, reason);
}

bool is_final(RefuseReason reason) {
  switch (reason) {
    case RefuseReason::Full:
    case RefuseReason::Draining:
    case RefuseReason::TokenExpired:
    case RefuseReason::TokenBeforeBoot:
    case RefuseReason::TokenUsed:
    case RefuseReason::TokenTaken:
    case RefuseReason::TokensFull:
    case RefuseReason::Restarted:
    case RefuseReason::TicketForged:
    case RefuseReason::TicketOver:
    case RefuseReason::TokenEarly:
    case RefuseReason::Overloaded:
      return false;
    default:
      return true;
  }
}

std::string describe(const Refuse& refuse) {
  const std::string have = std::to_string(refuse.have);
  const std::string limit = std::to_string(refuse.limit);
  switch (refuse.reason) {
    case RefuseReason::Full:
      return "server full " + have + "/" + limit;
    case RefuseReason::Protocol:
      return "protocol " + have + ", not " + limit;
    case RefuseReason::Schema:
      return "server and client have different schemas of this protocol: build both from one "
             "version";
    case RefuseReason::Draining:
      return "server is stopping";
    case RefuseReason::KeyUnknown:
      return have == "0"
                 ? "this server needs a token: use --token FILE (or --key-file FILE for tests)"
                 : "token sealed with key " + have + ", which this server does not have";
    case RefuseReason::TokenForged:
      return "token does not open: it was altered, or not sealed with the server's key";
    case RefuseReason::TokenExpired:
      return "token expired " + have + " s ago: " + kNewToken;
    case RefuseReason::TokenBeforeBoot:
      return "token was issued " + have + " s before this server started: " + kNewToken;
    case RefuseReason::TokenElsewhere:
      return "token is for other servers";
    case RefuseReason::TokenRoom:
      return "token is for room " + have +
             ", which is not at this port: has it closed, or is it in another shard (load: "
             "--shards N)?";
    case RefuseReason::TokenUsed:
      return "token has been used, or a newer one of this client: a token admits one client once";
    case RefuseReason::TokenTaken:
      return "token is being used from another address";
    case RefuseReason::TokensFull:
      return "server cannot remember more used tokens now: try again later";
    case RefuseReason::Restarted:
      return "server has been restarted: connect again";
    case RefuseReason::TicketForged:
      return "resume ticket does not open: it was altered, or is from another server";
    case RefuseReason::TicketOver:
      return "resume ticket is no longer valid: its player has left, or a newer ticket or token "
             "of its seat counts";
    case RefuseReason::Denied:
      return "server does not admit this client";
    case RefuseReason::TokenEarly:
      return "token was issued " + have + " s after this server's time: " + kClocks;
    case RefuseReason::TokenLong:
      return "token is valid for " + have + " s, longer than the " + limit +
             " s that this server allows";
    case RefuseReason::Overloaded:
      return "server is overloaded: try again later, or another server";
    case RefuseReason::GameVersion:
      return "client does not have the server's game, or has another version of it";
    case RefuseReason::GameRules:
      return "client has other rules of the same version of the game";
    case RefuseReason::Map:
      return "client does not have the server's map";
  }
  return "refused";
}

}  // namespace tickbox::net
