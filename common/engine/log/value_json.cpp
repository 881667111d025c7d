#include "engine/log/value_json.h"

#include "engine/declared.h"

#include <cstddef>
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
