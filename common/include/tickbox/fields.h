#pragma once
// The state of a game, declared once. A type lists its members with TICKBOX_FIELDS; hash, wire,
// recordings and reports of desyncs walk that list.
//
//   struct Hero {
//     tickbox::Int<0, 31> coyote;  // ticks in which it may still jump after it left the ground
//     bool jump_was = false;
//     TICKBOX_FIELDS(Hero, coyote, jump_was)
//   };
//
// A member is an Int, a flag, a Press, a Player, a Ref, or an Array of one of these. A float, a
// pointer, a member that the list lacks or names twice, and a list in another order than the
// members do not compile.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tickbox {

namespace detail {
/// Ends the process with a message that names the number and the range.
[[noreturn]] void out_of_range(std::int32_t value, std::int32_t min, std::int32_t max);
}  // namespace detail

/// A whole number that was converted from units of time or length. An Int that cannot hold it fails
/// an assertion, which names the number and the range; a plain number would saturate.
class Checked {
 public:
  explicit constexpr Checked(std::int32_t value) : value_(value) {}

  // NOLINTNEXTLINE(google-explicit-constructor): it is a number
  constexpr operator std::int32_t() const { return value_; }

 private:
  std::int32_t value_;
};

/// A whole number from Min to Max, sent in as many bits as that range needs. It saturates at both
/// ends: a timer that counts down stops at 0. Its value by default is the one nearest to 0.
///
/// It takes the values of an enum and compares with them; static_cast makes an enum of it. It
/// converts from and to int, so the compiler refuses `won ? 1 : team`: write `won ? 1 : +team`.
template <std::int64_t Min, std::int64_t Max>
class Int {
  static_assert(Min < Max, "an Int has at least two values");
  static_assert(Min >= INT32_MIN && Max <= INT32_MAX, "an Int fits 32 bits");

 public:
  static constexpr std::int64_t kMin = Min;
  static constexpr std::int64_t kMax = Max;

  constexpr Int() = default;

  template <std::integral Number>
  // NOLINTNEXTLINE(google-explicit-constructor): it is a number
  constexpr Int(Number value) : value_(saturated(value)) {}

  template <class Enum>
    requires std::is_enum_v<Enum>
  // NOLINTNEXTLINE(google-explicit-constructor): it is a number
  constexpr Int(Enum value) : Int(std::to_underlying(value)) {}

  template <std::int64_t OtherMin, std::int64_t OtherMax>
    requires(OtherMin != Min || OtherMax != Max)
  // NOLINTNEXTLINE(google-explicit-constructor): it is a number
  constexpr Int(Int<OtherMin, OtherMax> value) : Int(std::int32_t{value}) {}

  // NOLINTNEXTLINE(google-explicit-constructor): it is a number
  constexpr Int(Checked value) : value_(saturated(std::int32_t{value})) {
    if (std::int32_t{value} < Min || std::int32_t{value} > Max) {
      detail::out_of_range(value, static_cast<std::int32_t>(Min), static_cast<std::int32_t>(Max));
    }
  }

  // NOLINTNEXTLINE(google-explicit-constructor): it is a number
  constexpr operator std::int32_t() const { return value_; }

  template <class Enum>
    requires std::is_enum_v<Enum>
  explicit constexpr operator Enum() const {
    return static_cast<Enum>(value_);
  }

  template <class Enum>
    requires std::is_enum_v<Enum>
  friend constexpr bool operator==(Int number, Enum value) {
    return std::int64_t{number.value_} == static_cast<std::int64_t>(value);
  }

  /// Returns it as an index of a table.
  [[nodiscard]] constexpr std::size_t index() const
    requires(Min >= 0)
  {
    return static_cast<std::size_t>(value_);
  }

  constexpr Int& operator+=(std::int32_t by) { return *this = Int(std::int64_t{value_} + by); }

  constexpr Int& operator-=(std::int32_t by) { return *this = Int(std::int64_t{value_} - by); }

  constexpr Int& operator++() { return *this += 1; }

  constexpr Int& operator--() { return *this -= 1; }

 private:
  using Stored = std::conditional_t<
      (Min >= INT8_MIN && Max <= INT8_MAX), std::int8_t,
      std::conditional_t<
          (Min >= 0 && Max <= UINT8_MAX), std::uint8_t,
          std::conditional_t<(Min >= INT16_MIN && Max <= INT16_MAX), std::int16_t, std::int32_t>>>;

  template <std::integral Number>
  static constexpr Stored saturated(Number value) {
    if (value < 0) {
      const auto least = static_cast<std::int64_t>(value);
      return static_cast<Stored>(least < Min ? Min : least > Max ? Max : least);
    }
    const auto most = static_cast<std::uint64_t>(value);
    if (Max < 0 || most > static_cast<std::uint64_t>(Max)) return static_cast<Stored>(Max);
    const auto within = static_cast<std::int64_t>(most);
    return static_cast<Stored>(within < Min ? Min : within);
  }

  Stored value_ = static_cast<Stored>(Min > 0 ? Min : Max < 0 ? Max : 0);
};

/// A button that is down in one tick only: it is up again in the next unless it is pressed again.
/// So the release of a button costs nothing. A server that has not got a player's next input
/// repeats the last one, with its presses, for up to 8 ticks.
struct Press {
  bool down = false;

  explicit constexpr operator bool() const { return down; }

  friend constexpr bool operator==(Press, Press) = default;
};

/// A player's seat in the room.
struct Player {
  static constexpr std::uint16_t kNobody = 0xffff;

  std::uint16_t seat = kNobody;

  friend constexpr bool operator==(Player, Player) = default;
};

/// The id of an entity, or of none. Server and client derive the same id for the same spawn.
struct Ref {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  std::uint64_t id = kNone;

  friend constexpr bool operator==(Ref, Ref) = default;
};

/// N values of one type. An index is a whole number or an Int. An index beyond the last element
/// means the last element, and a negative index means the first.
template <class T, std::size_t N>
struct Array {
  static_assert(N >= 1 && N <= 32, "an Array has 1 to 32 elements");

  std::array<T, N> all{};

  template <std::integral Index>
  constexpr T& operator[](Index i) {
    return all[place(i)];
  }

  template <std::integral Index>
  constexpr const T& operator[](Index i) const {
    return all[place(i)];
  }

  template <std::int64_t Min, std::int64_t Max>
  constexpr T& operator[](Int<Min, Max> i) {
    return all[place(std::int32_t{i})];
  }

  template <std::int64_t Min, std::int64_t Max>
  constexpr const T& operator[](Int<Min, Max> i) const {
    return all[place(std::int32_t{i})];
  }

  friend constexpr bool operator==(const Array&, const Array&) = default;

 private:
  template <std::integral Index>
  static constexpr std::size_t place(Index i) {
    if (i < 0) return 0;
    const auto at = static_cast<std::uint64_t>(i);
    return at < N ? static_cast<std::size_t>(at) : N - 1;
  }
};

/// The most members of one type.
inline constexpr std::size_t kFieldsMax = 32;

namespace detail {

template <class T>
inline constexpr bool kIsOneField = std::is_same_v<T, bool> || std::is_same_v<T, Press> ||
                                    std::is_same_v<T, Player> || std::is_same_v<T, Ref>;
template <std::int64_t Min, std::int64_t Max>
inline constexpr bool kIsOneField<Int<Min, Max>> = true;

template <class T>
inline constexpr bool kIsField = kIsOneField<T>;
template <class T, std::size_t N>
inline constexpr bool kIsField<Array<T, N>> = kIsOneField<T>;

/// Converts to any type, so that aggregates can be initialised to count their members.
struct Anything {
  template <class T>
  constexpr operator T() const;  // NOLINT(google-explicit-constructor): for counting
};

template <class T, class... Members>
consteval std::size_t member_count() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return member_count<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

template <class T>
consteval std::size_t listed_count() {
  std::size_t count = 0;
  T::tickbox_visit([&count](auto, auto, auto) { ++count; });
  return count;
}

/// Converts to one type alone.
template <class Member>
struct Only {
  constexpr operator Member() const;  // NOLINT(google-explicit-constructor): for counting
};

template <class T, class Member, std::size_t... Before>
consteval bool is_member_after(std::index_sequence<Before...>) {
  return requires { T{(static_cast<void>(Before), Anything{})..., Only<Member>{}}; };
}

/// Whether T has a Member at a place, by the place.
template <class T, class Member>
inline constexpr auto kIsMemberAt = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{is_member_after<T, Member>(std::make_index_sequence<I>{})...};
}(std::make_index_sequence<kFieldsMax>{});

/// Returns the first member in the list that is not of the type, or not at the place, of the member
/// there; nothing if all that the list names fit.
template <class T>
consteval std::string_view first_misfit() {
  std::string_view misfit;
  std::size_t place = 0;
  std::size_t end = 0;
  T::tickbox_visit([&]<class Member>(std::string_view name, Member T::*, std::size_t offset) {
    const std::size_t next = (end + alignof(Member) - 1) / alignof(Member) * alignof(Member);
    const bool fits = kIsMemberAt<T, Member>[place] && offset == next;
    if (misfit.empty() && !fits) misfit = name;
    end = offset + sizeof(Member);
    ++place;
  });
  return misfit;
}

/// Fails to compile. Its arguments are the type, and the letters of the member before which one is
/// missing: all compilers print letters as such.
template <class T, char... kMember>
consteval void misses_a_member_before() {
  static_assert(sizeof...(kMember) == 0,
                "TICKBOX_FIELDS does not name every member: one is missing before the kMember that "
                "the compiler prints for misses_a_member_before()");
  static_assert(sizeof...(kMember) > 0,
                "TICKBOX_FIELDS does not name every member: one is missing at the end, or beside "
                "one of its type");
}

template <class T, std::size_t... I>
consteval void report_missing_member(std::index_sequence<I...>) {
  misses_a_member_before<T, first_misfit<T>()[I]...>();
}

template <class T>
consteval bool has_only_fields() {
  bool has_only = true;
  T::tickbox_visit([&has_only]<class Member>(auto, Member T::*, auto) {
    has_only = has_only && kIsField<Member>;
  });
  return has_only;
}

template <class T>
consteval bool is_in_order() {
  bool in_order = true;
  std::size_t end = 0;
  T::tickbox_visit([&]<class Member>(auto, Member T::*, std::size_t offset) {
    in_order = in_order && offset >= end;
    end = offset + sizeof(Member);
  });
  return in_order;
}

/// Fails to compile, in words, unless T declares all of its members.
template <class T>
consteval bool check_declared() {
  static_assert(std::is_aggregate_v<T> && std::is_trivially_copyable_v<T>,
                "a declared type is a plain struct: no constructor, no virtual function");
  static_assert(has_only_fields<T>(),
                "a member is not of a type that Tickbox can hash and send: use Int, bool, Press, "
                "Player, Ref, or an Array of these; no float, pointer or plain array");
  static_assert(listed_count<T>() <= kFieldsMax, "a declared type has at most 32 members");
  static_assert(is_in_order<T>(),
                "TICKBOX_FIELDS names a member twice, or in another order than the members");
  if constexpr (listed_count<T>() != member_count<T>()) {
    report_missing_member<T>(std::make_index_sequence<first_misfit<T>().size()>{});
  }
  return true;
}

}  // namespace detail

/// A type that lists its members with TICKBOX_FIELDS.
template <class T>
concept Declared = requires {
  { T::tickbox_name() } -> std::convertible_to<std::string_view>;
};

/// A list of types.
template <Declared... Types>
struct List {};

}  // namespace tickbox

// Declares the members of a type, in their order. Put it last in the type.
// NOLINTBEGIN(cppcoreguidelines-macro-usage, bugprone-macro-parentheses): lists members
#define TICKBOX_FIELDS(Type, ...)                                                        \
  [[maybe_unused]] friend constexpr bool operator==(const Type&, const Type&) = default; \
  static constexpr std::string_view tickbox_name() {                                     \
    return #Type;                                                                        \
  }                                                                                      \
  template <class TickboxVisit>                                                          \
  static constexpr void tickbox_visit(TickboxVisit&& tickbox_each) {                     \
    static_cast<void>(tickbox_each);                                                     \
    __VA_OPT__(TICKBOX_DETAIL_REPEAT(TICKBOX_DETAIL_EACH(Type, __VA_ARGS__)))            \
  }
#define TICKBOX_DETAIL_PARENS ()
#define TICKBOX_DETAIL_REPEAT(...) \
  TICKBOX_DETAIL_REPEAT3(TICKBOX_DETAIL_REPEAT3(TICKBOX_DETAIL_REPEAT3(__VA_ARGS__)))
#define TICKBOX_DETAIL_REPEAT3(...) \
  TICKBOX_DETAIL_REPEAT2(TICKBOX_DETAIL_REPEAT2(TICKBOX_DETAIL_REPEAT2(__VA_ARGS__)))
#define TICKBOX_DETAIL_REPEAT2(...) \
  TICKBOX_DETAIL_REPEAT1(TICKBOX_DETAIL_REPEAT1(TICKBOX_DETAIL_REPEAT1(__VA_ARGS__)))
#define TICKBOX_DETAIL_REPEAT1(...) __VA_ARGS__
#define TICKBOX_DETAIL_EACH(Type, member, ...)                  \
  tickbox_each(#member, &Type::member, offsetof(Type, member)); \
  __VA_OPT__(TICKBOX_DETAIL_NEXT TICKBOX_DETAIL_PARENS(Type, __VA_ARGS__))
#define TICKBOX_DETAIL_NEXT() TICKBOX_DETAIL_EACH

// NOLINTEND(cppcoreguidelines-macro-usage, bugprone-macro-parentheses)

namespace tickbox {

/// A type without members.
struct Empty {
  TICKBOX_FIELDS(Empty)
};

}  // namespace tickbox
