#include "os/http/http.h"

#include "core/text.h"

#include <algorithm>

namespace tickbox::os {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_names(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool is_address_of(const std::string& host, const net::Address& local) {
  const auto address = net::parse_address(host.contains(':') ? "[" + host + "]:0" : host + ":0");
  return address && (net::is_loopback(*address) || address->ip == local.ip);
}

}  // namespace

/// Compares addresses as addresses, and names as names, ignoring case.
bool is_allowed_host(std::string_view host, const net::Address& local,
                     std::span<const std::string> names) {
  const bool has_port = host.find(':') != std::string_view::npos && !host.ends_with(']');
  const auto parsed = parse_host_port(has_port ? std::string{host} : std::string{host} + ":0");
  if (!parsed) return false;
  return equal_names(parsed->host, "localhost") || is_address_of(parsed->host, local) ||
         std::ranges::any_of(
             names, [&](const std::string& name) { return equal_names(parsed->host, name); });
}

std::optional<std::string_view> form_value(std::string_view form, std::string_view key) {
  while (!form.empty()) {
    const std::string_view field = form.substr(0, form.find('&'));
    const std::size_t equals = field.find('=');
    if (equals != std::string_view::npos && field.substr(0, equals) == key) {
      return field.substr(equals + 1);
    }
    form.remove_prefix(std::min(form.size(), field.size() + 1));
  }
  return std::nullopt;
}

}  // namespace tickbox::os
