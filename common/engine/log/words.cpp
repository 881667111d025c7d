#include "engine/log/words.h"

#include "engine/declared.h"
#include "engine/entity_id.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tickbox::engine {
namespace {

std::string field_json(const FieldInfo& field, std::size_t i, ConstBytes bytes) {
  const std::int64_t value = value_of(field, i, bytes);
  switch (field.form) {
    case FieldForm::Whole:
      break;
    case FieldForm::Flag:
    case FieldForm::Press:
      return value != 0 ? "true" : "false";
    case FieldForm::Player:
      return value == Player::kNobody ? "null" : std::to_string(value);
    case FieldForm::Ref: {
      const Ref ref{static_cast<std::uint64_t>(value)};
      return ref == Ref{} ? "null" : '"' + std::to_string(ref.id) + '"';
    }
  }
  return std::to_string(value);
}

std::string field_json(const FieldInfo& field, ConstBytes bytes) {
  if (field.times == 1) return field_json(field, 0, bytes);
  std::string list = "[";
  for (std::size_t i = 0; i < field.times; ++i) {
    if (i > 0) list += ',';
    list += field_json(field, i, bytes);
  }
  return list + "]";
}

}  // namespace

std::string text_of(const FieldInfo& field, std::size_t i, ConstBytes type) {
  const std::int64_t value = value_of(field, i, type);
  if (field.form == FieldForm::Player && value == Player::kNobody) return "nobody";
  if (field.form == FieldForm::Ref) {
    const Ref ref{static_cast<std::uint64_t>(value)};
    return ref == Ref{} ? "none" : std::to_string(ref.id);
  }
  return std::to_string(value);
}

std::string name_of(const FieldInfo& field, std::size_t i) {
  std::string name{field.name};
  if (field.times > 1) name += "[" + std::to_string(i) + "]";
  return name;
}

std::string entity_in_words(std::string_view kind, BodyId id) {
  const std::uint32_t lineage = lineage_of(id);
  const std::uint32_t number = lineage - std::min(lineage, kSeatsMax) + 1;
  const std::string spawned = ", spawned in tick " + std::to_string(spawn_tick_of(id).value);
  std::string name{kind};
  switch (class_of(id)) {
    case IdClass::Controlled:
      return name + " of seat " + std::to_string(lineage);
    case IdClass::ByServer:
      return name + " " + std::to_string(number) + " of the server" + spawned;
    case IdClass::ByEntity:
      return lineage < kSeatsMax
                 ? name + " of the body of seat " + std::to_string(lineage) + spawned
                 : name + " of entity " + std::to_string(number) + " of the server" + spawned;
    case IdClass::Wall:
      break;
  }
  return name + " " + std::to_string(id.value);
}

std::string changes_in_words(const TypeInfo& type, ConstBytes before, ConstBytes after) {
  std::string words;
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      if (value_of(field, i, before) == value_of(field, i, after)) continue;
      if (!words.empty()) words += ", ";
      words += name_of(field, i) + " " + text_of(field, i, after);
    }
  }
  return words;
}

std::string value_in_words(const TypeInfo& type, ConstBytes value) {
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> by_default{};
  type.write_default(by_default.data());
  return changes_in_words(type, ConstBytes{by_default}.first(type.bytes), value);
}

std::string value_json(const TypeInfo& type, ConstBytes value) {
  std::string object = "{";
  for (const FieldInfo& field : type.fields()) {
    if (object.size() > 1) object += ',';
    object += '"';
    object += field.name;
    object += "\":";
    object += field_json(field, value);
  }
  return object + "}";
}

}  // namespace tickbox::engine
