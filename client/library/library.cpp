// The functions of tickbox/client.h: what they check, and how they give.

#include "bots/bot.h"
#include "cli/build_info.h"
#include "client/library/handle.h"
#include "client/library/system.h"
#include "desync/document.h"
#include "net/connect_token.h"
#include "net/handshake.h"
#include "net/transport.h"
#include "tickbox/client.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tickbox::library {
namespace {

constexpr std::int64_t kNoValue = 0;

/// A pointer that a caller must give.
struct Needed {
  template <class To>
  Needed(const To* to) : is_null(to == nullptr) {}  // NOLINT(google-explicit-constructor)

  bool is_null;
};

/// Runs a function of the interface, if its caller gives what it needs. No exception gets out.
template <class Run>
tb_status call(std::initializer_list<Needed> needed, const Run& run) noexcept {
  if (std::ranges::any_of(needed, &Needed::is_null)) return TB_WRONG_USE;
#ifdef __cpp_exceptions
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return TB_NO_MEMORY;
  } catch (...) {
    return TB_FAULT;
  }
#else
  return run();
#endif
}

// The bytes that each struct had at first. It grows at its end, so no caller knows fewer.

constexpr std::size_t first_bytes(const tb_options*) {
  return offsetof(tb_options, error_size) + sizeof(tb_options::error_size);
}

constexpr std::size_t first_bytes(const tb_session*) {
  return offsetof(tb_session, map) + sizeof(tb_session::map);
}

constexpr std::size_t first_bytes(const tb_camera*) {
  return offsetof(tb_camera, half_height) + sizeof(tb_camera::half_height);
}

constexpr std::size_t first_bytes(const tb_figures*) {
  return offsetof(tb_figures, datagrams_dropped) + sizeof(tb_figures::datagrams_dropped);
}

/// Writes a struct of a caller that may know more of its members, or fewer.
template <class Struct>
tb_status write_struct(Struct* out, Struct value) {
  const std::size_t size = out->size;
  if (size < first_bytes(out)) return TB_WRONG_USE;
  value.size = out->size;
  std::memset(static_cast<void*>(out), 0, size);
  std::memcpy(out, &value, std::min(size, sizeof(Struct)));
  return TB_OK;
}

template <class Element>
tb_status write_list(tb_list* out, std::span<Element> elements) {
  *out = {.at = elements.empty() ? nullptr : static_cast<const void*>(elements.data()),
          .count = static_cast<std::uint32_t>(elements.size()),
          .stride = sizeof(Element)};
  return TB_OK;
}

/// Checks what a caller gives. Fails: the status and one line.
struct Refused {
  tb_status status = TB_WRONG_USE;
  std::string why;
};

std::expected<Start, Refused> read_start(const tb_options& options) {
  Start start{.seed = options.seed, .send = options.send, .send_user = options.send_user};
  if (options.token != nullptr) {
    const auto token = net::parse_token(options.token);
    if (!token) return std::unexpected{Refused{TB_BAD_TOKEN, "token: " + token.error()}};
    start.token = *token;
    start.servers = token->servers;
  }
  if (options.ticket != nullptr) {
    const auto ticket = net::parse_ticket(options.ticket);
    if (!ticket) return std::unexpected{Refused{TB_BAD_TOKEN, "ticket: " + ticket.error()}};
    start.ticket = *ticket;
  }
  if (options.address != nullptr) {
    const auto address = net::parse_address(options.address);
    if (!address) {
      return std::unexpected{
          Refused{TB_WRONG_USE, "address: " + address.error() + "; tb_resolve() resolves a name"}};
    }
    start.has_address = true;
    start.servers.clear();
    start.servers.push_back(*address);
  }
  if (start.servers.empty()) {
    return std::unexpected{
        Refused{TB_WRONG_USE, "neither address nor token says where the server is; give one"}};
  }
  if (options.bot != nullptr) {
    const auto style = bots::parse_style(game_named_by_TICKBOX_GAME(), options.bot);
    if (!style) return std::unexpected{Refused{TB_UNKNOWN, "bot: " + style.error()}};
    start.bot = options.bot;
  }
  return start;
}

template <class Opened>
std::expected<std::unique_ptr<Opened>, Refused> open(const tb_options& options,
                                                     std::uint64_t now_ns) {
  auto start = read_start(options);
  if (!start) return std::unexpected{std::move(start.error())};
  auto entropy = open_entropy();
  if (!entropy) return std::unexpected{Refused{TB_FAULT, std::move(entropy.error())}};
  auto opened = std::make_unique<Opened>(*std::move(start), *std::move(entropy));
  if (!opened->pass_to(now_ns)) {
    return std::unexpected{Refused{TB_WRONG_USE, "now_ns is above 2^62"}};
  }
  if (auto begun = opened->connect(); !begun) {
    return std::unexpected{Refused{TB_NO_NETWORK, std::move(begun.error())}};
  }
  return opened;
}

}  // namespace
}  // namespace tickbox::library

struct tb_client final : tickbox::library::Handle {  // NOLINT(readability-identifier-naming)
  using Handle::Handle;
};

using namespace tickbox;           // NOLINT(google-build-using-namespace): all below is C
using namespace tickbox::library;  // NOLINT(google-build-using-namespace)

uint32_t tb_abi(void) {
  return TB_ABI;
}

const char* tb_status_text(uint32_t status) {
  static constexpr std::array kTexts{
      "done",
      "wrong use: a null pointer, a struct of a wrong size or a number out of its range",
      "the caller was built for another version of tickbox/client.h; build it again",
      "the memory is used up",
      "no network: the system gives no socket or does not know the host",
      "the token or ticket is damaged; get a new one",
      "the game has no such type, field, key, command or bot",
      "not now: this needs a session, a view or an end that is not there yet",
      "a fault of the library"};
  static_assert(kTexts.size() == TB_FAULT + 1);
  return status < kTexts.size() ? kTexts[status] : "no status of this library";
}

tb_status tb_resolve(const char* host_and_port, char* out, size_t size) {
  return call({host_and_port, out}, [&] {
    const auto found = resolve(host_and_port);
    if (!found) return TB_NO_NETWORK;
    const std::string text = net::to_string(*found);
    if (text.size() >= size) return TB_WRONG_USE;
    std::memcpy(out, text.c_str(), text.size() + 1);
    return TB_OK;
  });
}

tb_status tb_client_open(const tb_options* options, uint64_t now_ns, tb_client** out) {
  return call({options, out}, [&] {
    if (options->size < first_bytes(options)) return TB_WRONG_USE;
    if (options->abi == 0 || options->abi > TB_ABI) return TB_WRONG_ABI;
    tb_options known{};
    std::memcpy(&known, options, std::min<std::size_t>(options->size, sizeof(known)));
    auto opened = open<tb_client>(known, now_ns);
    if (opened) {
      *out = opened->release();
      return TB_OK;
    }
    if (options->error != nullptr && options->error_size > 0) {
      const std::string& why = opened.error().why;
      const std::size_t size = std::min(why.size(), options->error_size - 1);
      std::memcpy(options->error, why.data(), size);
      options->error[size] = 0;
    }
    return opened.error().status;
  });
}

tb_status tb_client_close(tb_client** client) {
  if (client == nullptr) return TB_WRONG_USE;
  const tb_status left = tb_client_leave(*client);
  delete std::exchange(*client, nullptr);
  return left;
}

tb_status tb_client_leave(tb_client* client) {
  return call({client}, [&] {
    client->has_left = true;
    client->client->leave();
    return TB_OK;
  });
}

tb_status tb_client_join(tb_client* client, const char* token, uint64_t now_ns) {
  return call({client}, [&] {
    std::optional<net::ConnectToken> given;
    if (token != nullptr) {
      const auto parsed = net::parse_token(token);
      if (!parsed) return TB_BAD_TOKEN;
      given = *parsed;
    }
    if (!client->pass_to(now_ns)) return TB_WRONG_USE;
    return client->join(given);
  });
}

tb_status tb_client_receive(tb_client* client, const char* from, const void* datagram,
                            size_t size) {
  return call({client, datagram}, [&] {
    std::optional<net::Address> sender;
    if (from != nullptr) {
      const auto parsed = net::parse_address(from);
      if (!parsed) return TB_WRONG_USE;
      sender = *parsed;
    }
    if (!client->caller) return TB_WRONG_USE;
    client->caller->push(sender, {static_cast<const std::byte*>(datagram), size});
    return TB_OK;
  });
}

tb_status tb_client_step(tb_client* client, uint64_t now_ns) {
  return call({client}, [&] {
    if (!client->pass_to(now_ns)) return TB_WRONG_USE;
    client->client->poll(client->now);
    client->follow();
    return TB_OK;
  });
}

tb_status tb_client_next_ns(const tb_client* client, uint64_t* out) {
  return call({client, out}, [&] {
    const Duration next = client->client->next_wakeup().time_since_epoch();
    *out = static_cast<std::uint64_t>(std::max<std::int64_t>(next.count(), 0));
    return TB_OK;
  });
}

tb_status tb_client_phase(const tb_client* client, tb_phase* out) {
  return call({client, out}, [&] {
    *out = client->phase();
    return TB_OK;
  });
}

tb_status tb_client_why(tb_client* client, const char** out) {
  return call({client, out}, [&] {
    *out = client->client->connection().reason().c_str();
    return TB_OK;
  });
}

tb_status tb_client_ticket(tb_client* client, const char** out) {
  return call({client, out}, [&] {
    const client::Connection& connection = client->client->connection();
    if (connection.sessions() == 0 || connection.over() || !connection.is_proven()) {
      return TB_NOT_NOW;
    }
    client->ticket = net::to_text(connection.ticket());
    *out = client->ticket.c_str();
    return TB_OK;
  });
}

tb_status tb_client_session(tb_client* client, tb_session* out) {
  return call({client, out}, [&] {
    return client->find_session() ? write_struct(out, client->session()) : TB_NOT_NOW;
  });
}

tb_status tb_client_types(const tb_client* client, uint32_t of, tb_list* out) {
  return call({client, out}, [&] {
    return of > TB_COMMANDS ? TB_WRONG_USE : write_list(out, client->declared.types(of));
  });
}

tb_status tb_client_find(const tb_client* client, uint32_t of, const char* type, const char* field,
                         uint32_t* out) {
  return call({client, out}, [&] {
    if (of > TB_COMMANDS || (type == nullptr && field == nullptr)) return TB_WRONG_USE;
    const auto found = client->declared.find(of, type, field);
    *out = found.value_or(*out);
    return found ? TB_OK : TB_UNKNOWN;
  });
}

tb_status tb_client_keys(const tb_client* client, tb_list* out) {
  return call({client, out}, [&] { return write_list(out, client->declared.keys()); });
}

tb_status tb_client_bots(const tb_client* client, tb_list* out) {
  return call({client, out}, [&] { return write_list(out, client->declared.bots()); });
}

tb_status tb_client_input(tb_client* client, uint32_t value_number, int64_t value) {
  return call({client}, [&] {
    return client->start.bot ? TB_NOT_NOW : client->person.set(value_number, value);
  });
}

tb_status tb_client_key(tb_client* client, const char* name, int is_down) {
  return call({client, name}, [&] {
    if (client->start.bot) return TB_NOT_NOW;
    return client->person.set_key(name, is_down != 0);
  });
}

tb_status tb_client_release_all(tb_client* client) {
  return call({client}, [&] {
    client->person.release_all();
    return TB_OK;
  });
}

tb_status tb_client_command(tb_client* client, uint32_t command, const int64_t* values,
                            uint32_t count) {
  return call({client, count > 0 ? values : &kNoValue}, [&] {
    return client->start.bot ? TB_NOT_NOW : client->command(command, {values, count});
  });
}

tb_status tb_client_walls(tb_client* client, tb_list* out) {
  return call({client, out}, [&] {
    return client->find_session() ? write_list(out, std::span{client->walls}) : TB_NOT_NOW;
  });
}

tb_status tb_client_shown(tb_client* client, uint64_t now_ns, tb_list* out) {
  return call({client, out}, [&] {
    if (!client->pass_to(now_ns)) return TB_WRONG_USE;
    client->picture.make(*client->client, client->now);
    return write_list(out, client->picture.entities());
  });
}

tb_status tb_client_camera(const tb_client* client, tb_camera* out) {
  return call({client, out}, [&] {
    const client::Focus& focus = client->picture.focus();
    if (!focus.place) return TB_NOT_NOW;
    return write_struct(out, {.x = units(focus.place->x),
                              .y = units(focus.place->y),
                              .half_width = units(focus.sight.x),
                              .half_height = units(focus.sight.y)});
  });
}

tb_status tb_client_values(tb_client* client, uint32_t of, tb_list* out) {
  return call({client, out}, [&] {
    if (of != TB_SEAT && of != TB_ROOM) return TB_WRONG_USE;
    const auto values = of == TB_SEAT ? client->find_seat_values() : client->find_room_values();
    return values ? write_list(out, *values) : TB_NOT_NOW;
  });
}

tb_status tb_client_seats(tb_client* client, tb_list* out) {
  return call({client, out}, [&] { return write_list(out, client->find_seats()); });
}

tb_status tb_client_events(tb_client* client, tb_list* out) {
  return call({client, out}, [&] { return write_list(out, client->events.fetch()); });
}

tb_status tb_client_label(tb_client* client, const char** out) {
  return call({client, out}, [&] {
    const char* const label = client->find_label();
    if (label == nullptr) return TB_NOT_NOW;
    *out = label;
    return TB_OK;
  });
}

tb_status tb_client_figures(const tb_client* client, tb_figures* out) {
  return call({client, out}, [&] { return write_struct(out, client->figures()); });
}

tb_status tb_client_desync(tb_client* client, const char** out) {
  return call({client, out}, [&] {
    const auto desync = client->desyncs.fetch();
    if (!desync) return TB_NOT_NOW;
    client->desync = desync::to_json(*desync, cli::build_info());
    *out = client->desync.c_str();
    return TB_OK;
  });
}
