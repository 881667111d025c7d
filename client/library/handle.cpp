#include "client/library/handle.h"

#include "bots/bot.h"
#include "client/library/system.h"
#include "client/player.h"
#include "client/presentation/presentation.h"
#include "engine/log/words.h"
#include "net/crypto.h"
#include "net/reasons.h"
#include "sim/statics.h"
#include "views/events.h"

#include <cmath>
#include <limits>

namespace tickbox::library {
namespace {

using client::Connection;

/// The time after which a client without an answer tries the next address of its token.
constexpr Duration kNextAddressAfter = std::chrono::milliseconds{1'500};
/// Below 2^53, so that a double represents the client's id exactly.
constexpr std::uint64_t kClientIds = std::uint64_t{1} << 53U;

void append_values(const TypeInfo& type, ConstBytes bytes, std::vector<std::int64_t>& out) {
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      out.push_back(engine::value_of(field, i, bytes));
    }
  }
}

/// Lets each element point at its values, which follow one another.
template <class Element>
void point_at(const std::vector<std::int64_t>& values, std::vector<Element>& elements) {
  const std::int64_t* next = values.data();
  for (Element& element : elements) {
    if (element.value_count > 0) element.values = next;
    next += element.value_count;
  }
}

}  // namespace

static_assert(static_cast<int>(FieldForm::Ref) == TB_REF);
static_assert(static_cast<int>(client::Origin::Own) == TB_PREDICTED);

Declarations::Declarations(const GameTable& game) {
  for (const KindTable& kind : game.kinds) {
    add(TB_KINDS, kind.type);
  }
  for (const TypeInfo& event : game.events) {
    add(TB_EVENTS, event);
  }
  for (const CommandTable& command : game.commands) {
    add(TB_COMMANDS, command.type);
  }
  add(TB_INPUT, game.input);
  add(TB_SEAT, game.seat);
  add(TB_ROOM, game.room);
  for (const KeyTable& key : game.keys) {
    add_key(key.keys, game.input.fields()[key.field].name);
  }
  for (const CommandKeyTable& key : game.command_keys) {
    add_key(key.keys, game.commands[key.command].type.name);
  }
  for (const bots::Style& style : bots::styles_of(game)) {
    bots_.push_back(keep(style.name));
  }
}

void Declarations::add(tb_declared of, const TypeInfo& type) {
  std::vector<tb_field>& fields = fields_.emplace_back();
  std::uint32_t values = 0;
  TypeBytes by_default;
  type.write_default(by_default.data());
  for (const FieldInfo& field : type.fields()) {
    const bool is_id = field.form == FieldForm::Ref;  // of any bits
    fields.push_back({.name = keep(field.name),
                      .min = is_id ? std::numeric_limits<std::int64_t>::min() : field.min,
                      .max = is_id ? std::numeric_limits<std::int64_t>::max() : field.max,
                      .form = static_cast<std::uint32_t>(field.form),
                      .first = values,
                      .count = field.times,
                      .by_default = engine::value_of(field, 0, by_default)});
    values += field.times;
  }
  types_[of].push_back({.name = keep(type.name),
                        .fields = {.at = fields.empty() ? nullptr : fields.data(),
                                   .count = static_cast<std::uint32_t>(fields.size()),
                                   .stride = sizeof(tb_field)},
                        .value_count = values});
}

/// A key that sets several fields is listed with the first one.
void Declarations::add_key(std::string_view keys, std::string_view sets) {
  if (!keys_.empty() && keys_.back().keys == keys) return;
  keys_.push_back({.keys = keep(keys), .sets = keep(sets)});
}

std::optional<std::uint32_t> Declarations::find(std::uint32_t of, const char* type,
                                                const char* field) const {
  const auto found = std::ranges::find_if(types_[of], [type](const tb_type& each) {
    return type == nullptr || std::string_view{each.name} == type;
  });
  if (found == types_[of].end()) return std::nullopt;
  if (field == nullptr) return static_cast<std::uint32_t>(found - types_[of].begin());
  const std::span fields{static_cast<const tb_field*>(found->fields.at), found->fields.count};
  for (const tb_field& each : fields) {
    if (std::string_view{each.name} == field) return each.first;
  }
  return std::nullopt;
}

Person::Person(const GameTable& game) : game_(game), bindings_(game) {
  TypeBytes by_default;
  game.input.write_default(by_default.data());
  for (const FieldInfo& field : game.input.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      const std::int64_t value = engine::value_of(field, i, by_default);
      wanted_.push_back({.field = &field, .i = i, .by_default = value, .held = value});
    }
  }
}

tb_status Person::set(std::size_t number, std::int64_t value) {
  if (number >= wanted_.size()) return TB_UNKNOWN;
  Wanted& wanted = wanted_[number];
  if (!engine::is_in_range(*wanted.field, value)) return TB_WRONG_USE;
  if (value != wanted.by_default && value != wanted.held) wanted.once = value;
  wanted.held = value;
  return TB_OK;
}

tb_status Person::set_key(std::string_view name, bool is_down) {
  const auto key = client::key_named(name);
  if (!key || !bindings_.has(*key)) return TB_UNKNOWN;
  if (is_down) {
    keys_.press(*key);
  } else {
    keys_.release(*key);
  }
  return TB_OK;
}

void Person::release_all() {
  keys_.release_all();
  for (Wanted& wanted : wanted_) {
    wanted.held = wanted.by_default;
  }
}

client::Decision Person::decide() {
  std::ranges::copy(bindings_.input(keys_), input_.begin());
  for (Wanted& wanted : wanted_) {
    const bool is_press = wanted.field->form == FieldForm::Press;
    const std::int64_t value = wanted.once.value_or(is_press ? wanted.by_default : wanted.held);
    wanted.once.reset();
    if (value == wanted.by_default) continue;
    engine::set_value(*wanted.field, wanted.i, value, input_.of(game_.input));
  }
  commands_.clear();
  for (const CommandKeyTable* pressed : bindings_.commands()) {
    const std::size_t bytes = game_.commands[pressed->command].type.bytes;
    commands_.push_back({.type = pressed->command,
                         .value = {static_cast<const std::byte*>(pressed->value), bytes}});
  }
  return {input_.of(game_.input), commands_};
}

void EventKeeper::add(const GameTable& game, const client::MatchEvent& event, Player own) {
  if (waiting_.size() == kWaitingMax) {
    waiting_values_.erase(waiting_values_.begin(),
                          waiting_values_.begin() + waiting_.front().value_count);
    waiting_.erase(waiting_.begin());
    waiting_texts_.erase(0, waiting_texts_.find('\0') + 1);
    ++dropped_;
  }
  const std::uint32_t type = event.event.kind - std::uint32_t{1};
  if (const EventText text = game.texts[type]) {
    const engine::AlignedValue value{event.event.bytes};
    engine::append_caption(text(value.data()), own, waiting_texts_);
  }
  waiting_texts_ += '\0';
  const std::size_t before = waiting_values_.size();
  append_values(views::type_of(game, event.event.kind), event.event.bytes, waiting_values_);
  waiting_.push_back({.type = type,
                      .tick = event.tick.value,
                      .values = nullptr,
                      .value_count = static_cast<std::uint32_t>(waiting_values_.size() - before),
                      .text = nullptr});
}

std::span<const tb_event> EventKeeper::fetch() {
  fetched_.clear();
  fetched_values_.clear();
  fetched_texts_.clear();
  std::swap(fetched_, waiting_);
  std::swap(fetched_values_, waiting_values_);
  std::swap(fetched_texts_, waiting_texts_);
  point_at(fetched_values_, fetched_);
  const char* next = fetched_texts_.data();
  for (tb_event& event : fetched_) {
    event.text = next;
    next += std::string_view{next}.size() + 1;
  }
  return fetched_;
}

void Picture::make(client::Client& client, Instant now) {
  std::swap(before_, shown_);
  shown_.clear();
  entities_.clear();
  values_.clear();
  const std::uint32_t seat = client.connection().began_in_seat();
  if (std::exchange(seat_, seat) != seat) before_.clear();
  const std::span<const client::PresentedBody> bodies = client.shown(now);
  focus_ = client.focus(bodies);
  if (client.view() == nullptr) return;
  // What is shown runs a tenth faster at times, and a caller's frames are not even.
  const double seconds =
      1.25 * std::chrono::duration<double>(now - std::exchange(made_at_, now)).count() +
      2.0 / client.assets()->tick_rate;
  std::size_t before = 0;
  for (const client::PresentedBody& body : bodies) {
    const views::Rows& rows = body.origin == client::Origin::Own ? *client.own() : *client.view();
    tb_entity entity = draw(*client.assets(), body, rows, rows.index_of(body.id));
    while (before < before_.size() && before_[before].id < body.id) {
      ++before;
    }
    entity.is_new = before == before_.size() || before_[before].id != body.id ? 1 : 0;
    if (entity.is_new == 0) {
      const ShownBody& was = before_[before];
      const double speed =
          std::max({static_cast<double>(client.assets()->game->kinds[body.kind].top_speed),
                    std::abs(entity.velocity_x), std::abs(entity.velocity_y)});
      // A corrected body returns faster than it can walk.
      const double most =
          speed * seconds + (entity.origin == TB_PREDICTED ? client::kSmoothedUnitsMax : 0);
      const double way = std::max(std::abs(entity.x - was.x), std::abs(entity.y - was.y));
      entity.is_cut = way > most ? 1 : 0;
    }
    shown_.push_back({.id = body.id, .x = entity.x, .y = entity.y});
    entities_.push_back(entity);
  }
  point_at(values_, entities_);
}

/// Returns an entity by its state in `rows`, or by default once it has left them.
tb_entity Picture::draw(const engine::GameOnMap& assets, const client::PresentedBody& body,
                        const views::Rows& rows, std::size_t row) {
  const KindTable& kind = assets.game->kinds[body.kind];
  tb_entity entity{.id = body.id.value,
                   .x = units(body.min.x),
                   .y = units(body.min.y),
                   .kind = body.kind,
                   .owner = views::owner_of(body.id).seat,
                   .origin = static_cast<std::uint8_t>(body.origin),
                   .is_avatar = static_cast<std::uint8_t>(views::is_controlled(body.id))};
  TypeBytes by_default;
  const void* state = by_default.data();
  if (row != rows.size() && rows.head(row).kind == body.kind) {
    const std::size_t before = values_.size();
    append_values(kind.type, rows.state(row), values_);
    entity.value_count = static_cast<std::uint32_t>(values_.size() - before);
    const Vec2 velocity = rows.head(row).velocity;  // a tick
    entity.velocity_x = units(velocity.x) * assets.tick_rate;
    entity.velocity_y = units(velocity.y) * assets.tick_rate;
    state = rows.state(row).data();
  } else {
    kind.type.write_default(by_default.data());
  }
  const Body box = kind.body(state);
  const Look look = kind.look(state);
  entity.width = units(box.size.x);
  entity.height = units(box.size.y);
  entity.is_sensor = box.sensor ? 1 : 0;
  entity.one_way = static_cast<std::uint8_t>(box.one_way);
  entity.has_look = kind.has_look ? 1 : 0;
  entity.is_team = look.is_team ? 1 : 0;
  entity.glyph = static_cast<std::uint8_t>(look.glyph);
  entity.colour = static_cast<std::uint8_t>(look.colour);
  entity.shape = static_cast<std::uint8_t>(look.shape);
  return entity;
}

Handle::Handle(Start given, std::unique_ptr<Entropy> random)
    : start(std::move(given)),
      entropy(std::move(random)),
      id_(draw_number<std::uint64_t>(*entropy) % kClientIds),
      shared_(engine::Games{&game.all, 1}) {
  if (start.send != nullptr) caller.emplace(start.send, start.send_user);
}

bool Handle::pass_to(std::uint64_t now_ns) {
  if (now_ns > kTimeMax) return false;
  now = std::max(now, Instant{Duration{static_cast<std::int64_t>(now_ns)}});
  return true;
}

std::expected<void, std::string> Handle::connect() {
  const net::Address& server = start.servers[server_];
  std::unique_ptr<net::Transport> opened;
  if (!caller) {
    auto found = open_socket(server);
    if (!found) return std::unexpected{std::move(found.error())};
    opened = *std::move(found);
  }
  client.reset();
  socket = std::move(opened);
  const client::ClientOptions options{
      .connection = {.server = server,
                     .token = start.token ? *start.token : make_token(server),
                     .ticket = start.ticket,
                     .best_cipher = net::best_cipher()},
      .player = player(),
      .sees = start.bot ? client::Sees::NewestView : client::Sees::Shown,
      .on_event = [this](const client::MatchEvent& event) { on_event(event); },
      .desyncs = &desyncs};
  net::Transport& transport = caller ? static_cast<net::Transport&>(*caller) : *socket;
  client = std::make_unique<client::Client>(options, transport, *entropy, shared_, now);
  began_ = now;
  return {};
}

client::MakePlayer Handle::player() {
  if (start.bot) return client::bot_player(*start.bot, start.seed, start.seed);
  return [this](const engine::GameOnMap&) -> std::expected<client::Decide, std::string> {
    return [this](const bots::Seen&) { return person.decide(); };
  };
}

net::ConnectToken Handle::make_token(const net::Address& to) {
  net::TokenClaims claims{.client = id_};
  claims.servers.push_back(to);
  const WallTime issued = today();
  const auto life = std::chrono::duration_cast<std::chrono::milliseconds>(token_life_);
  return net::issue_token(claims, issued, issued + life, net::KeyRing::published(), *entropy);
}

void Handle::on_event(const client::MatchEvent& event) {
  if (event.event.kind > 0) {
    return events.add(game.table, event, {client->connection().accept().player.value});
  }
  reset_seats_of_another_session();
  set_seat(event.event.player.seat, event.event.bytes);
}

void Handle::set_seat(std::size_t seat, ConstBytes state) {
  if (seat >= is_seat_known_.size()) return;
  is_seat_known_[seat] = true;
  std::size_t next = seat * seat_value_count();
  for (const FieldInfo& field : game.table.seat.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      seat_values_[next++] = engine::value_of(field, i, state);
    }
  }
}

/// Allocates for every seat of the map, so that no later event does. The own values are known if
/// the player is new: a ticket and a hand-over bring one that has played.
void Handle::reset_seats_of_another_session() {
  const Connection& connection = client->connection();
  if (connection.sessions() == 0 || seats_session_ == connection.began_in_seat()) return;
  seats_session_ = connection.began_in_seat();
  const std::size_t seats = connection.accept().map_seats;
  is_seat_known_.assign(seats, false);
  seat_values_.assign(seats * seat_value_count(), 0);
  listed_seats_.reserve(seats);
  const bool has_moved = std::exchange(moves_, connection.moved()) != connection.moved();
  if (seats_session_ == 0U || has_moved) return;
  TypeBytes by_default;
  game.table.seat.write_default(by_default.data());
  set_seat(connection.accept().player.value, by_default.of(game.table.seat));
}

void Handle::follow() {
  reset_seats_of_another_session();
  const Connection& connection = client->connection();
  if (!connection.over()) {
    const bool is_silent = connection.sessions() == 0 && connection.use().packets_down == 0 &&
                           now - began_ >= kNextAddressAfter;
    if (is_silent && server_ + 1 < start.servers.size()) try_server(server_ + 1);
  } else if (start.token || has_left) {
    return;
  } else if (connection.sessions() == 0) {
    if (!has_new_token_) renew_token();
  } else if (connection.match_has_ended() ||
             connection.refused() == net::RefuseReason::TicketOver) {
    client->connect_again(make_token(connection.server()), now);
  }
}

void Handle::try_server(std::size_t number) {
  const std::size_t before = std::exchange(server_, number);
  if (!connect()) server_ = before;
}

/// Begins again if the server has started after the token was made, or allows only a shorter life.
/// Once: a server whose clock is ahead refuses the next token too.
void Handle::renew_token() {
  const std::optional<net::Refuse> refusal = client->connection().refusal();
  if (!refusal) return;
  const bool is_long = refusal->reason == net::RefuseReason::TokenLong && refusal->limit > 0;
  if (!is_long && refusal->reason != net::RefuseReason::TokenBeforeBoot) return;
  if (is_long) token_life_ = std::min(token_life_, std::chrono::seconds{refusal->limit});
  has_new_token_ = true;
  try_server(server_);
}

tb_status Handle::join(const std::optional<net::ConnectToken>& token) {
  const Connection& connection = client->connection();
  if (!connection.over() || connection.sessions() == 0) return TB_NOT_NOW;
  has_left = false;
  std::optional<net::Address> other;
  if (token && !start.has_address && std::ranges::count(token->servers, connection.server()) == 0) {
    other = *token->servers.begin();
  }
  client->connect_again(token ? *token : make_token(connection.server()), now, other);
  return TB_OK;
}

tb_status Handle::command(std::uint32_t number, std::span<const std::int64_t> values) {
  if (number >= game.table.commands.size()) return TB_UNKNOWN;
  const TypeInfo& type = game.table.commands[number].type;
  TypeBytes bytes;
  type.write_default(bytes.data());
  std::size_t given = 0;
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times && given < values.size(); ++i) {
      const std::int64_t value = values[given++];
      if (!engine::is_in_range(field, value)) return TB_WRONG_USE;
      engine::set_value(field, i, value, bytes.of(type));
    }
  }
  if (given < values.size()) return TB_WRONG_USE;
  const bool is_taken = client->command(static_cast<std::uint8_t>(number), bytes.of(type));
  return is_taken ? TB_OK : TB_NOT_NOW;
}

tb_phase Handle::phase() const {
  const Connection& connection = client->connection();
  if (connection.over()) {
    const bool is_refused =
        connection.sessions() == 0 || connection.state() == Connection::State::Refused;
    return is_refused && !has_left ? TB_REFUSED : TB_ENDED;
  }
  if (connection.state() == Connection::State::Connected) {
    return client->playing() ? TB_PLAYING : TB_LOADING;
  }
  const bool resumes = connection.is_moving() || connection.state() == Connection::State::Resuming;
  return resumes && connection.sessions() > 0 ? TB_RESUMING : TB_CONNECTING;
}

bool Handle::find_session() {
  const engine::GameOnMap* const assets = client->assets();
  if (assets == nullptr) return false;
  if (const net::Address& server = client->connection().server(); server != server_shown_) {
    server_shown_ = server;
    server_text_ = net::to_string(server);
  }
  if (map_ == assets->map) return true;
  map_ = assets->map;
  map_name_ = map_->name;
  walls.clear();
  for (const sim::Body& wall : map_->statics->bodies()) {
    walls.push_back({.x = units(wall.min.x),
                     .y = units(wall.min.y),
                     .width = units(wall.size.x),
                     .height = units(wall.size.y),
                     .one_way = static_cast<std::uint32_t>(wall.one_way)});
  }
  return true;
}

tb_session Handle::session() const {
  const Connection& connection = client->connection();
  const std::optional<Instant> stops = connection.drains_to();
  return {
      .number = connection.sessions(),
      .seat = connection.accept().player.value,
      .tick_rate = connection.accept().tick_rate,
      .tick = client->view_tick().value,
      .matches_ended = connection.matches_ended(),
      .resumed = connection.resumed(),
      .moved = connection.moved(),
      .stops_in_s = stops ? std::max(std::chrono::duration<double>(*stops - now).count(), 0.0) : -1,
      .game = game_name.c_str(),
      .map = map_name_.c_str(),
      .server = server_text_.c_str()};
}

tb_figures Handle::figures() const {
  const client::ClientStats stats = client->stats();
  const client::LinkUse& use = client->connection().use();
  const auto ms = [](std::uint64_t microseconds) {
    return static_cast<double>(microseconds) / 1'000;
  };
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  const double median = ms(stats.round_trip.quantile(500));
  const double late = ms(stats.round_trip.quantile(990));
  return {.round_trip_ms = median,
          .round_trip_p99_ms = late,
          .jitter_ms = late - median,
          .delay_ms = share(stats.presentation_delay, stats.ticks_shown) / 1'000,
          .gap_p99_ms = ms(stats.snapshot_gap.quantile(990)),
          .loss_up = share(stats.up_sent - stats.up_arrived, stats.up_sent),
          .loss_down = share(stats.packets_lost, stats.down_sent),
          .snapshots = stats.snapshots_received,
          .bytes_up = use.bytes_up,
          .bytes_down = use.bytes_down,
          .hashes_checked = stats.hashes_checked,
          .hashes_wrong = stats.hashes_mismatched,
          .predictions = stats.untouched.checked,
          .predictions_exact = stats.untouched.exact,
          .touched = stats.touched.checked,
          .touched_exact = stats.touched.exact,
          .corrections = stats.corrected,
          .inputs = stats.inputs_sent,
          .inputs_late = stats.inputs_late,
          .events_dropped = events.dropped(),
          .datagrams_dropped = caller ? caller->dropped() : 0};
}

std::optional<std::span<const std::int64_t>> Handle::find_seat_values() const {
  const Connection& connection = client->connection();
  if (seats_session_ != connection.began_in_seat()) return {};
  const std::size_t seat = connection.accept().player.value;
  if (seat >= is_seat_known_.size() || !is_seat_known_[seat]) return {};
  return std::span{seat_values_}.subspan(seat * seat_value_count(), seat_value_count());
}

std::span<const tb_seat> Handle::find_seats() {
  listed_seats_.clear();
  if (seats_session_ != client->connection().began_in_seat()) return {};
  for (std::uint32_t seat = 0; seat < is_seat_known_.size(); ++seat) {
    if (!is_seat_known_[seat]) continue;
    listed_seats_.push_back({.values = seat_values_.data() + std::size_t{seat} * seat_value_count(),
                             .value_count = seat_value_count(),
                             .seat = seat});
  }
  return listed_seats_;
}

const char* Handle::find_label() {
  if (client->view() == nullptr || client->room().size() < game.table.room.bytes) return nullptr;
  label_.clear();
  if (game.table.label != nullptr) {
    const engine::AlignedValue room{client->room()};
    const Player own{client->connection().accept().player.value};
    engine::append_caption(game.table.label(room.data()), own, label_);
  }
  return label_.c_str();
}

std::optional<std::span<const std::int64_t>> Handle::find_room_values() {
  if (client->view() == nullptr || client->room().size() < game.table.room.bytes) return {};
  room_values_.clear();
  append_values(game.table.room, client->room(), room_values_);
  return room_values_;
}

}  // namespace tickbox::library
