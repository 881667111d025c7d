#include "os/http/http.h"

#include "core/values.h"
#include "os/net/socket_address.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>

namespace tickbox::os {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equal_names(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool is_address_of(const std::string& host, const net::Address& local) {
  sockaddr_storage storage{};
  in_addr v4{};
  in6_addr v6{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    sockaddr_in socket{};
    socket.sin_family = AF_INET;
    socket.sin_addr = v4;
    std::memcpy(&storage, &socket, sizeof socket);
  } else if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) {
    sockaddr_in6 socket{};
    socket.sin6_family = AF_INET6;
    socket.sin6_addr = v6;
    std::memcpy(&storage, &socket, sizeof socket);
  } else {
    return false;
  }
  const net::Address address = from_socket_address(storage);
  return net::is_loopback(address) || address.ip == local.ip;
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
