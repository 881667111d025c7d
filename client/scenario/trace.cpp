#include "client/scenario/trace.h"

#include "core/text.h"

#include <array>
#include <charconv>

namespace tickbox::scenario {
namespace {

/// Appends `,"name":[item,item]`; `write(item)` returns the text of an item.
template <class Items, class Write>
void append_list(std::string& out, std::string_view name, const Items& items, Write&& write) {
  out += ",\"";
  out += name;
  out += "\":[";
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) out += ',';
    is_first = false;
    out += write(item);
  }
  out += ']';
}

/// The world's border in a trace: a number that every reader of JSON holds exactly, above all ids
/// of a scenario.
constexpr std::uint32_t kBorderInTrace = 0xffff'fffe;

std::string id_text(BodyId id) {
  return std::to_string(id == sim::kWorldBorder ? kBorderInTrace : id.value);
}

std::string pair_text(const sim::BodyPair& pair) {
  return "[" + id_text(pair.low) + "," + id_text(pair.high) + "]";
}

std::string vector_text(Vec2 vector) {
  return "[" + units_text(vector.x) + "," + units_text(vector.y) + "]";
}

std::string body_text(const sim::Body& body) {
  return "{\"id\":" + id_text(body.id) + ",\"min\":" + vector_text(body.min) +
         ",\"velocity\":" + vector_text(body.velocity) + "}";
}

std::string contact_text(const sim::Contact& contact) {
  return "{\"a\":" + id_text(contact.a) + ",\"b\":" + id_text(contact.b) + ",\"normal\":[" +
         std::to_string(contact.normal_x) + "," + std::to_string(contact.normal_y) +
         "],\"time\":" + time_text(contact) + "}";
}

}  // namespace

void append_trace_line(std::string& out, Tick tick, const sim::PhysicsWorld& world,
                       const sim::StepReport& report) {
  out += "{\"tick\":" + std::to_string(tick.value) + ",\"hash\":\"" +
         hash_text(sim::state_hash(world)) + "\"";
  append_list(out, "bodies", world.movers(), body_text);
  append_list(out, "contacts", report.contacts, contact_text);
  append_list(out, "overlaps", report.overlaps, pair_text);
  append_list(out, "crushed", report.crushed, id_text);
  append_list(out, "frozen", report.frozen, id_text);
  append_list(out, "blocked", report.blocked, id_text);
  append_list(out, "left", report.left, id_text);
  append_list(out, "begin", report.begin, pair_text);
  append_list(out, "end", report.end, pair_text);
  out += "}\n";
}

// A sub-unit is 5^16 / 10^16 of a unit, so its decimals end after 16 digits.
std::string units_text(std::int64_t sub_units) {
  constexpr std::uint64_t kFiveTo16 = 152'587'890'625;
  constexpr std::size_t kDigits = 16;
  const std::uint64_t size = sub_units < 0 ? 0 - static_cast<std::uint64_t>(sub_units)
                                           : static_cast<std::uint64_t>(sub_units);
  std::string text = (sub_units < 0 ? "-" : "") + std::to_string(size / kUnit);
  const std::uint64_t rest = size % kUnit;
  if (rest == 0) return text;
  std::string decimals = std::to_string(rest * kFiveTo16);
  decimals.insert(0, kDigits - decimals.size(), '0');
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return text + "." + decimals;
}

std::string time_text(const sim::Contact& contact) {
  const double steps =
      static_cast<double>(contact.time) +
      static_cast<double>(contact.time_rest) / static_cast<double>(contact.time_divisor);
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.begin(), text.end(), steps / static_cast<double>(sim::kFineSteps));
  return {text.data(), end.ptr};
}

}  // namespace tickbox::scenario
