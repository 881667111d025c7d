#include "tests/threats/peers/wire.h"

#include <utility>

namespace tickbox::tests {
namespace {

net::Address ipv4(std::uint32_t bits, std::uint16_t port) {
  net::Address address{.ip = {}, .port = port};
  address.ip[10] = address.ip[11] = 0xff;
  for (unsigned i = 0; i < 4; ++i) {
    address.ip[12 + i] = static_cast<std::uint8_t>(bits >> (24 - 8 * i));
  }
  return address;
}

}  // namespace

net::Address stranger(std::uint32_t number) {
  constexpr std::uint32_t kNet = 11U << 24;
  return ipv4(kNet | number, 40'000);
}

net::Address stranger_far_away(std::uint32_t number) {
  constexpr std::uint32_t kNet = 12U << 24;
  return ipv4(kNet | number << 8 | 1, 50'000);
}

Wire::Wire(Harness& harness) {
  harness.network().watch([this](const Passed& passed) { on_passed(passed); });
}

void Wire::listen(std::function<void(const Passed&)> listener) {
  listeners_.push_back(std::move(listener));
}

void Wire::on_passed(const Passed& passed) {
  if (passed.where == Where::FromServer) {
    const auto inbox = inboxes_.find(passed.client);
    if (inbox != inboxes_.end()) inbox->second.push_back(copy_of(passed.bytes));
  }
  for (const auto& listener : listeners_) {
    listener(passed);
  }
}

}  // namespace tickbox::tests
