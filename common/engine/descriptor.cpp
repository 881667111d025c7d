#include "engine/descriptor.h"

#include "core/numbers.h"
#include "engine/declared.h"

#include <array>
#include <span>

namespace tickbox::engine {
namespace {

constexpr std::uint8_t kDescriptorVersion = 1;

class DescriptorWriter {
 public:
  explicit DescriptorWriter(std::vector<std::byte>& out) : out_(out) {}

  void game(const GameTable& game) {
    out_.fixed(kDescriptorVersion);
    text(game.name);
    out_.fixed(game.version);
    out_.fixed(game.hash);
    out_.fixed(game.gravity);
    out_.number(game.avatar);
    for (const TypeInfo* each : {&game.input, &game.seat, &game.room, &game.secret}) {
      type(*each);
    }
    count(game.kinds.size());
    for (const KindTable& kind : game.kinds) {
      type(kind.type);
      out_.fixed(kind.top_speed);
      out_.fixed(static_cast<std::uint8_t>(kind.predict));
      out_.fixed(static_cast<std::uint8_t>(motion_by_default(kind)));
    }
    for (const std::span<const TypeInfo> types : {game.outcomes, game.events}) {
      count(types.size());
      for (const TypeInfo& each : types) {
        type(each);
      }
    }
    count(game.commands.size());
    for (const CommandTable& command : game.commands) {
      type(command.type);
    }
    if (game.results.empty()) return;
    count(game.results.size());
    for (const TypeInfo& result : game.results) {
      type(result);
    }
  }

 private:
  static Motion motion_by_default(const KindTable& kind) {
    alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> state{};
    kind.type.write_default(state.data());
    return kind.body(state.data()).motion;
  }

  void count(std::size_t size) { out_.number(static_cast<std::uint32_t>(size)); }

  void text(std::string_view text) {
    count(text.size());
    out_.bytes(std::as_bytes(std::span{text}));
  }

  void type(const TypeInfo& type) {
    alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> by_default{};
    type.write_default(by_default.data());
    text(type.name);
    count(type.field_count);
    for (const FieldInfo& field : type.fields()) {
      text(field.name);
      out_.fixed(static_cast<std::uint8_t>(field.form));
      out_.number(field.times);
      if (field.form == FieldForm::Whole) {
        out_.fixed(static_cast<std::int32_t>(field.min));
        out_.fixed(static_cast<std::int32_t>(field.max));
      }
      for (std::size_t i = 0; i < field.times; ++i) {
        out_.fixed(static_cast<std::uint64_t>(value_of(field, i, by_default)));
      }
    }
  }

  NumberWriter out_;
};

}  // namespace

void encode_descriptor(const GameTable& game, std::vector<std::byte>& out) {
  out.clear();
  DescriptorWriter{out}.game(game);
}

}  // namespace tickbox::engine
