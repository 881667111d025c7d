#pragma once
// A reference to something that can be called, for functions that are no templates.

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>

namespace tickbox {

template <class Signature>
class FunctionRef;

/// Calls the object that it was made from, such as a lambda. Valid as long as that object. Cost: as
/// the call of a virtual function.
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, FunctionRef> &&
             std::is_object_v<std::remove_reference_t<Callable>> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
  // NOLINTNEXTLINE(*-explicit-*,*-forwarding-reference-*): a reference to whatever is given
  FunctionRef(Callable&& callable)
      : object_(const_cast<void*>(static_cast<const void*>(std::addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Result {
          auto& called = *static_cast<std::remove_reference_t<Callable>*>(object);
          return std::invoke(called, arguments...);
        }) {}

  Result operator()(Arguments... arguments) const { return call_(object_, arguments...); }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace tickbox
