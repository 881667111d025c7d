#pragma once
// A client of one game for any engine or language: C11, also read as C++17.
//
// tickbox_add_game(NAME …) makes libNAME_client with the game inside. Open a handle with
// tb_client_open(). Once a frame say what the player wants (tb_client_input() or tb_client_key()),
// call tb_client_step(), then draw what tb_client_shown() returns.
//
// - There are no globals and no threads. Nothing blocks but tb_resolve(). No exception gets out.
// - One thread at a time uses a handle; several threads may use several handles.
// - Memory that a function returns is good until the next call of the same function with this
//   handle, or the next tb_client_step(), tb_client_leave() or tb_client_join(). Names, and the
//   lists of the game's types, keys and bots are good until tb_client_close().
// - Each function that can fail returns a tb_status, and then changes none of its outputs.
// - Structs only grow at their end, and functions are only added. So a caller sets the `size` of a
//   struct that it gives, and steps through a tb_list by its stride: TB_AT() does.
// - Look for types, fields and keys by name, once. A game that has gained a field has other
//   numbers for them, and a program that was built before goes on.
// - Times are nanoseconds of any clock, from 0 to 2^62. A time before the last one counts as that.
// - Texts are UTF-8 and end with a 0. Lengths are units of the game's world, y grows downwards.

// NOLINTBEGIN(readability-identifier-naming,performance-enum-size,modernize-*): this is C
#include <stddef.h>
#include <stdint.h>

#define TB_API __attribute__((visibility("default")))
#define TB_ABI 1u

// Element I of a tb_list, as a pointer to a const TYPE.
#ifdef __cplusplus
#define TB_AT(TYPE, LIST, I)                                          \
  reinterpret_cast<const TYPE*>(static_cast<const char*>((LIST).at) + \
                                static_cast<size_t>(I) * (LIST).stride)
#else
#define TB_AT(TYPE, LIST, I) \
  ((const TYPE*)(const void*)((const char*)(LIST).at + (size_t)(I) * (LIST).stride))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tb_client tb_client;

typedef enum tb_status {
  TB_OK = 0,
  TB_WRONG_USE = 1,  // a null pointer, a struct of a wrong size, a number out of its range
  TB_WRONG_ABI = 2,  // the caller was built for a later TB_ABI than the library
  TB_NO_MEMORY = 3,
  TB_NO_NETWORK = 4,  // the system gives no socket, or does not know the host
  TB_BAD_TOKEN = 5,   // the token or the ticket is damaged
  TB_UNKNOWN = 6,     // the game has no such type, field, key, command or bot
  TB_NOT_NOW = 7,     // it needs a session, a view or an end that is not there; try again later
  TB_FAULT = 8        // a fault of the library
} tb_status;

typedef enum tb_phase {
  TB_CONNECTING = 1,  // to a match, or to the next one
  TB_LOADING = 2,     // connected; the player has nothing in the world yet, or no longer
  TB_PLAYING = 3,
  TB_RESUMING = 4,  // the link is lost or the server hands its players over; what was seen stays
  TB_REFUSED = 5,   // the first session did not begin
  TB_ENDED = 6
} tb_phase;

typedef struct tb_list {
  const void* at;  // null if empty
  uint32_t count;
  uint32_t stride;  // bytes from one element to the next
} tb_list;

/// Returns the TB_ABI of the library.
TB_API uint32_t tb_abi(void);

/// Returns a status in words, never null.
TB_API const char* tb_status_text(uint32_t status);

/// Resolves "host:port" to a numeric address, as tb_options::address takes it. It may wait for a
/// name server. Fails: TB_NO_NETWORK; TB_WRONG_USE also if `size` is too small, 64 is enough.
TB_API tb_status tb_resolve(const char* host_and_port, char* out, size_t size);

// ---- the life of a client

/// Sends a datagram of at most 1,200 bytes, or drops it. `to`: a numeric address, such as
/// "127.0.0.1:7777". It must not call the library.
typedef void (*tb_send_fn)(void* user, const char* to, const void* datagram, size_t size);

typedef struct tb_options {
  uint32_t size;        // sizeof(tb_options)
  uint32_t abi;         // TB_ABI
  const char* address;  // of the server, numeric; null: those in the token
  const char* token;    // as the backend gave it out; null: for a server without keys of its own
  const char* ticket;   // of a session to resume, from tb_client_ticket(); null: none
  const char* bot;      // the style of a bot that plays; null: the caller does
  uint64_t seed;        // of the bot
  tb_send_fn send;      // null: a UDP socket of the library's own
  void* send_user;
  char* error;  // receives one line if what is below `abi` is wrong; may be null
  size_t error_size;
} tb_options;

/// Opens a client and sends the first request. Fails: TB_WRONG_USE, TB_WRONG_ABI, TB_BAD_TOKEN,
/// TB_UNKNOWN for a bot that the game has not, TB_NO_NETWORK.
TB_API tb_status tb_client_open(const tb_options* options, uint64_t now_ns, tb_client** out);

/// Says goodbye, frees the client and sets the pointer to null.
TB_API tb_status tb_client_close(tb_client** client);

/// Says goodbye. The handle stays, in the phase TB_ENDED.
TB_API tb_status tb_client_leave(tb_client* client);

/// Connects to the next match after the end of a session: at the last server, or where only the
/// token said where, at one that it names. `token`: a fresh one; null: for a server without keys,
/// where a client without a token joins the next match by itself. Fails: TB_NOT_NOW before that
/// end, TB_BAD_TOKEN.
TB_API tb_status tb_client_join(tb_client* client, const char* token, uint64_t now_ns);

/// Takes a datagram that has arrived, for a client with a send function. `from`: the numeric
/// address of the sender; null: the server to which the client has sent last. More than 256 between
/// two steps are dropped.
TB_API tb_status tb_client_receive(tb_client* client, const char* from, const void* datagram,
                                   size_t size);

/// Receives, runs the ticks that are due, predicts and sends. Call it once a frame, and not later
/// than tb_client_next_ns() where that is possible.
TB_API tb_status tb_client_step(tb_client* client, uint64_t now_ns);
TB_API tb_status tb_client_next_ns(const tb_client* client, uint64_t* out);

TB_API tb_status tb_client_phase(const tb_client* client, tb_phase* out);

/// Gives why the session was refused or has ended, in words; an empty text before that.
TB_API tb_status tb_client_why(tb_client* client, const char** out);

/// Gives the ticket that resumes this session in its seat, also after a crash. It is a secret.
/// Fails: TB_NOT_NOW while there is none.
TB_API tb_status tb_client_ticket(tb_client* client, const char** out);

typedef struct tb_session {
  uint32_t size;       // sizeof(tb_session)
  uint32_t number;     // 1 for the first session; another one may have another map
  uint32_t seat;       // of this player
  uint32_t tick_rate;  // per second
  uint32_t tick;       // of the newest view
  uint32_t matches_ended;
  uint32_t resumed;   // sessions that went on with a ticket
  uint32_t moved;     // hand-overs to another server
  double stops_in_s;  // until the server stops, as it has announced; -1: it has not
  const char* game;
  const char* map;     // empty if the game's map has no name
  const char* server;  // its numeric address, at which the ticket is good
} tb_session;

/// Fails: TB_NOT_NOW before the first session.
TB_API tb_status tb_client_session(tb_client* client, tb_session* out);

// ---- what the game declares

/// What the parameter `of` of the functions below names.
typedef enum tb_declared {
  TB_KINDS = 0,  // of entities
  TB_INPUT = 1,  // one
  TB_EVENTS = 2,
  TB_SEAT = 3,  // one: what the game knows of a player
  TB_ROOM = 4,  // one: what it knows of the match
  TB_COMMANDS = 5
} tb_declared;

typedef enum tb_form { TB_WHOLE = 0, TB_FLAG = 1, TB_PRESS = 2, TB_PLAYER = 3, TB_REF = 4 } tb_form;

/// A field has `count` values, from number `first` of its type on. A TB_PLAYER is a seat or 65535,
/// a TB_REF the id of an entity or -1.
typedef struct tb_field {
  const char* name;
  int64_t min, max;
  uint32_t form;  // a tb_form
  uint32_t first, count;
  int64_t by_default;  // of its first value
} tb_field;

typedef struct tb_type {
  const char* name;
  tb_list fields;  // of tb_field
  uint32_t value_count;
} tb_type;

/// Keys as the game binds them: "w", "space", "up", or several with + between them.
typedef struct tb_key {
  const char* keys;
  const char* sets;  // the name of the input's field, or of the command that they send
} tb_key;

/// Lists the types of one tb_declared, as tb_type.
TB_API tb_status tb_client_types(const tb_client* client, uint32_t of, tb_list* out);

/// Finds the number of a type, or of the first value of a field among the values of its type:
///
///   tb_client_find(client, TB_KINDS, "Hero", NULL, &kind)      // as tb_entity::kind has it
///   tb_client_find(client, TB_KINDS, "Hero", "coins", &coins)  // in tb_entity::values
///   tb_client_find(client, TB_INPUT, NULL, "run", &run)        // it has one type
///
/// Fails: TB_UNKNOWN; TB_WRONG_USE without any name.
TB_API tb_status tb_client_find(const tb_client* client, uint32_t of, const char* type,
                                const char* field, uint32_t* out);

/// Lists the keys of the game, as tb_key.
TB_API tb_status tb_client_keys(const tb_client* client, tb_list* out);

/// Lists the names of the bots' styles, as const char*.
TB_API tb_status tb_client_bots(const tb_client* client, tb_list* out);

// ---- what the player wants; TB_NOT_NOW where a bot plays

/// Sets a value of the input from now on. What is set and released between two ticks counts for one
/// tick. A TB_PRESS is 1 while its button is down, and counts once. Where a value is the one by
/// default, the keys decide. Fails: TB_UNKNOWN; TB_WRONG_USE if the field cannot have the value.
TB_API tb_status tb_client_input(tb_client* client, uint32_t value_number, int64_t value);

/// Says that a key went down or up. Fails: TB_UNKNOWN for a key that the game does not use.
TB_API tb_status tb_client_key(tb_client* client, const char* name, int is_down);

/// Releases all keys and all values, as a window that loses the focus must.
TB_API tb_status tb_client_release_all(tb_client* client);

/// Sends a command. The server takes them in order, each once. `values`: of its type; those that
/// are left out at the end are the ones by default. Fails: TB_UNKNOWN; TB_WRONG_USE; TB_NOT_NOW
/// without a session, and while ten others wait.
TB_API tb_status tb_client_command(tb_client* client, uint32_t command, const int64_t* values,
                                   uint32_t count);

// ---- what to draw

/// Border::Solid of a map is four walls outside of its box.
typedef struct tb_wall {
  double x, y, width, height;  // x, y: the corner with the least of both
  uint32_t one_way;            // the only solid side: 0 all, 1 up, 2 down, 3 left, 4 right
} tb_wall;

typedef enum tb_origin { TB_INTERPOLATED = 0, TB_EXTRAPOLATED = 1, TB_PREDICTED = 2 } tb_origin;

typedef struct tb_entity {
  uint64_t id;
  double x, y, width, height;     // between two ticks; x, y: the corner with the least of both
  double velocity_x, velocity_y;  // units per second
  const int64_t* values;          // of its kind; null while none is known
  uint32_t value_count;
  uint32_t kind;
  uint32_t owner;                // a seat, for the own player tb_session::seat; 65535: nobody's
  uint8_t origin;                // a tb_origin
  uint8_t is_avatar;             // moved by the inputs of its owner
  uint8_t is_new;                // tb_client_shown() did not have it the last time
  uint8_t is_cut;                // put elsewhere since the last time: it did not move there
  uint8_t glyph, colour, shape;  // how the game draws it; shape: 0 box, 1 disc, 2 diamond, 3 flame
  uint8_t is_sensor;             // it stops nothing
  uint8_t one_way;               // the only solid side, as a tb_wall has it
  uint8_t has_look;              // the game says how it looks; else a player's colour is free
  uint8_t is_team;               // the colour is that of its owner's team
} tb_entity;

/// The player's view, as wide as the game's sight(). The server sends little beyond it.
typedef struct tb_camera {
  uint32_t size;  // sizeof(tb_camera)
  uint32_t reserved;
  double x, y;  // the centre of the player's view
  double half_width, half_height;
} tb_camera;

/// Lists the walls of the session's map, as tb_wall. Fails: TB_NOT_NOW before the first session.
TB_API tb_status tb_client_walls(tb_client* client, tb_list* out);

/// Lists all entities as tb_entity, by id, as they are to be drawn at `now_ns`: the player's own as
/// predicted, the others as they were a moment ago. Values and velocities are those of the newest
/// view, of the own ones as predicted. Empty before the first view.
TB_API tb_status tb_client_shown(tb_client* client, uint64_t now_ns, tb_list* out);

/// Gives the camera for what tb_client_shown() has listed last. Fails: TB_NOT_NOW before the first
/// view.
TB_API tb_status tb_client_camera(const tb_client* client, tb_camera* out);

/// Lists the values, as int64_t, of the own seat (TB_SEAT) or of the match (TB_ROOM), as they are
/// in the newest view. Fails: TB_NOT_NOW before the first view; of the own seat, after a resume by
/// ticket, until its values change.
TB_API tb_status tb_client_values(tb_client* client, uint32_t of, tb_list* out);

typedef struct tb_seat {
  const int64_t* values;  // of the game's TB_SEAT
  uint32_t value_count;
  uint32_t seat;
} tb_seat;

/// Lists the players whose values are known, as tb_seat, by seat: the own one as tb_client_values()
/// has it, others once their values change where this player could see them. One that has left
/// stays in the list. For a table of all players a game keeps it in its Room.
TB_API tb_status tb_client_seats(tb_client* client, tb_list* out);

typedef struct tb_event {
  uint32_t type;  // among the events of the game
  uint32_t tick;
  const int64_t* values;
  uint32_t value_count;
  const char* text;  // in the game's words, as "P3 hit you": P3 has seat 3; empty if it has none
} tb_event;

/// Lists the events since the last call, as tb_event: in their order, each once. Of more than 1,024
/// the oldest are dropped.
TB_API tb_status tb_client_events(tb_client* client, tb_list* out);

/// Gives the game's line over the match, in the newest view; empty if it has none. Fails:
/// TB_NOT_NOW before the first view.
TB_API tb_status tb_client_label(tb_client* client, const char** out);

// ---- how it goes

/// Times are milliseconds, shares from 0 to 1; the other figures count since the server that
/// answers was first asked.
typedef struct tb_figures {
  uint32_t size;  // sizeof(tb_figures)
  uint32_t reserved;
  double round_trip_ms;  // the median, from when an input was due to the answer
  double round_trip_p99_ms;
  double jitter_ms;           // the difference of the two
  double delay_ms;            // how far the others are shown in the past; the mean
  double gap_p99_ms;          // between two views
  double loss_up, loss_down;  // of this session
  uint64_t snapshots, bytes_up, bytes_down;
  uint64_t hashes_checked, hashes_wrong;
  uint64_t predictions, predictions_exact;  // those in which nothing else had a part
  uint64_t touched, touched_exact;          // the other predictions
  uint64_t corrections;
  uint64_t inputs, inputs_late;
  uint64_t events_dropped, datagrams_dropped;  // because the caller did not fetch or step in time
} tb_figures;

TB_API tb_status tb_client_figures(const tb_client* client, tb_figures* out);

/// Gives the newest report of a view whose hash differs from the server's, as a JSON document that
/// the caller may store. Fails: TB_NOT_NOW if there is none since the last call.
TB_API tb_status tb_client_desync(tb_client* client, const char** out);

#ifdef __cplusplus
}
#endif
// NOLINTEND(readability-identifier-naming,performance-enum-size,modernize-*)
