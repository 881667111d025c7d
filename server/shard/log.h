#pragma once
// Where the server tells what happened: an interface, so that a test can read it and a program can
// print it.

#include <cstdint>
#include <string_view>

namespace tickbox::server {

enum class Severity : std::uint8_t {
  Info,
  Warning,
  Error,  ///< someone must act
};

class Log {
 public:
  virtual ~Log() = default;

  /// One event: a name, then fields as key=value; values with blanks in double quotes.
  virtual void event(Severity severity, std::string_view line) = 0;
};

}  // namespace tickbox::server
