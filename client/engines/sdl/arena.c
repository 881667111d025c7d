// A game in a window, over tickbox/client.h and SDL2. It draws any game; the title has its words.
//   arena ADDRESS [SECONDS [SHOT.bmp [BOT]]]     SECONDS: 0 plays until the window is closed

#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tickbox/client.h>

enum { WIDTH = 960, HEIGHT = 640 };

typedef struct view {
  SDL_Renderer* renderer;
  double x, y;   // the centre, in units
  double scale;  // pixels per unit
} view;

static tb_client* client;

static void check(tb_status status, const char* what) {
  if (status == TB_OK) return;
  fprintf(stderr, "%s: %s\n", what, tb_status_text(status));
  exit(1);
}

static uint64_t now_ns(void) {
  return (uint64_t)(1e9 * SDL_GetPerformanceCounter() / SDL_GetPerformanceFrequency());
}

static void set_colour(const view* to, const uint8_t* rgb) {
  SDL_SetRenderDrawColor(to->renderer, rgb[0], rgb[1], rgb[2], 255);
}

static SDL_FRect place(const view* to, double x, double y, double width, double height) {
  return (SDL_FRect){(float)((x - to->x) * to->scale + WIDTH / 2.0), (float)((y - to->y) * to->scale + HEIGHT / 2.0),
                     (float)(width * to->scale), (float)(height * to->scale)};
}

static void draw_walls(const view* to) {
  static const uint8_t stone[3] = {86, 96, 110}, edge[3] = {118, 130, 148};
  tb_list walls;
  if (tb_client_walls(client, &walls) != TB_OK) return;
  for (uint32_t i = 0; i < walls.count; ++i) {
    const tb_wall* wall = TB_AT(tb_wall, walls, i);
    const SDL_FRect box = place(to, wall->x, wall->y, wall->width, wall->height);
    set_colour(to, stone);
    SDL_RenderFillRectF(to->renderer, &box);
    set_colour(to, edge);
    SDL_RenderDrawRectF(to->renderer, &box);
  }
}

// The colours of tickbox/keys.h, from black to white.
static const uint8_t colours[8][3] = {{40, 44, 52}, {224, 92, 84}, {110, 200, 110}, {240, 200, 80},
                                      {92, 148, 240}, {206, 120, 220}, {92, 208, 214}, {236, 240, 244}};

// The colour that the game gives. It leaves a player's open: white if own, else not red or yellow.
static const uint8_t* colour_of(const tb_entity* entity) {
  static const uint8_t others[4] = {2, 4, 5, 6};
  if (entity->has_look || !entity->is_avatar) return colours[entity->colour % 8];
  return colours[entity->origin == TB_PREDICTED ? 7 : others[entity->owner % 4]];
}

static void draw_entity(const view* to, const tb_entity* entity) {
  SDL_FRect box = place(to, entity->x, entity->y, entity->width, entity->height);
  if (box.w < 4) box.w = 4;
  if (box.h < 4) box.h = 4;
  set_colour(to, colour_of(entity));
  if (entity->shape == 0) {
    SDL_RenderFillRectF(to->renderer, &box);
    return;
  }
  for (float row = 0; row < box.h; ++row) {  // a disc, or a diamond, in lines
    const double up = 2.0 * row / box.h - 1;
    const double part = entity->shape == 1 ? SDL_sqrt(1 - up * up) : 1 - SDL_fabs(up);
    const float half = (float)part * box.w / 2, middle = box.x + box.w / 2, y = box.y + row;
    SDL_RenderDrawLineF(to->renderer, middle - half, y, middle + half, y);
  }
}

// Draws what the client shows. Returns where the player's own entity is.
static SDL_FRect draw(view* to) {
  tb_list shown;
  tb_camera camera = {.size = sizeof(camera)};
  check(tb_client_shown(client, now_ns(), &shown), "shown");
  if (tb_client_camera(client, &camera) == TB_OK) {
    to->x = camera.x;
    to->y = camera.y;
    to->scale = SDL_min(WIDTH / 2.0 / camera.half_width, HEIGHT / 2.0 / camera.half_height);
  }
  set_colour(to, (const uint8_t[]){24, 28, 34});
  SDL_RenderClear(to->renderer);
  SDL_FRect own = {-1, -1, 0, 0};
  for (uint32_t i = 0; i < shown.count; ++i) {
    const tb_entity* entity = TB_AT(tb_entity, shown, i);
    draw_entity(to, entity);
    if (entity->origin != TB_PREDICTED || !entity->is_avatar) continue;
    own = place(to, entity->x, entity->y, entity->width, entity->height);
  }
  return own;
}

// Gives the key to the client by the name that games have for it.
static void press(SDL_Keycode key, int is_down) {
  char name[32];
  SDL_strlcpy(name, SDL_GetKeyName(key), sizeof(name));
  SDL_strlwr(name);
  tb_client_key(client, strcmp(name, "return") == 0 ? "enter" : name, is_down);
}

// Returns 0 when the window is closed.
static int handle_events(void) {
  SDL_Event event;
  while (SDL_PollEvent(&event)) {
    if (event.type == SDL_QUIT) return 0;
    if (event.type == SDL_KEYDOWN) press(event.key.keysym.sym, 1);
    if (event.type == SDL_KEYUP) press(event.key.keysym.sym, 0);
    if (event.type != SDL_WINDOWEVENT) continue;
    if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) tb_client_release_all(client);
  }
  return 1;
}

// Writes the game's line, the first value of each player that is known, and the newest event.
static void write_title(SDL_Window* window) {
  static char told[100];
  char title[400], part[100];
  const char* label;
  tb_list seats, events;
  tb_session session = {.size = sizeof(session)};
  if (tb_client_label(client, &label) != TB_OK) return;
  check(tb_client_session(client, &session), "session");
  check(tb_client_seats(client, &seats), "seats");
  check(tb_client_events(client, &events), "events");
  snprintf(title, sizeof(title), "%s", label[0] != 0 ? label : session.game);
  for (uint32_t i = 0; i < seats.count && TB_AT(tb_seat, seats, i)->value_count > 0; ++i) {
    const tb_seat* seat = TB_AT(tb_seat, seats, i);
    snprintf(part, sizeof(part), " | %s%u: %lld", seat->seat == session.seat ? "you, P" : "P", seat->seat, (long long)seat->values[0]);
    SDL_strlcat(title, part, sizeof(title));
  }
  for (uint32_t i = 0; i < events.count; ++i) {
    const char* text = TB_AT(tb_event, events, i)->text;
    if (text[0] != 0) snprintf(told, sizeof(told), " | %s", text);
  }
  SDL_strlcat(title, told, sizeof(title));
  if (strcmp(title, SDL_GetWindowTitle(window)) != 0) SDL_SetWindowTitle(window, title);
}

static void save(SDL_Renderer* renderer, const char* file) {
  SDL_Surface* shot = SDL_CreateRGBSurfaceWithFormat(0, WIDTH, HEIGHT, 32, SDL_PIXELFORMAT_ARGB8888);
  if (shot == NULL || SDL_RenderReadPixels(renderer, NULL, shot->format->format, shot->pixels,
                                           shot->pitch) != 0 || SDL_SaveBMP(shot, file) != 0) {
    fprintf(stderr, "%s: %s\n", file, SDL_GetError());
  }
  SDL_FreeSurface(shot);
}

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: arena ADDRESS [SECONDS [SHOT.bmp [BOT]]]\n");
    return 2;
  }
  const double seconds = argc > 2 ? atof(argv[2]) : 0;
  SDL_Window* window = NULL;
  view to = {NULL, 0, 0, 20};
  if (SDL_Init(SDL_INIT_VIDEO) != 0 || SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, 0, &window, &to.renderer) != 0) {
    fprintf(stderr, "no window: %s\n", SDL_GetError());
    return 1;
  }
  char why[300] = "open";  // the library replaces it where it has more to say
  const tb_options options = {.size = sizeof(options), .abi = TB_ABI, .address = argv[1],
                              .bot = argc > 4 ? argv[4] : NULL, .error = why, .error_size = sizeof(why)};
  check(tb_client_open(&options, now_ns(), &client), why);
  const uint64_t end = now_ns() + (uint64_t)(seconds * 1e9);
  tb_phase phase = TB_CONNECTING;
  const char* reason = "";
  while (handle_events() && phase != TB_REFUSED && phase != TB_ENDED) {
    check(tb_client_step(client, now_ns()), "step");
    check(tb_client_phase(client, &phase), "phase");
    const SDL_FRect at = draw(&to);
    draw_walls(&to);
    if (seconds > 0 && now_ns() > end) {
      printf("player %.0f %.0f\n", at.x + at.w / 2, at.y + at.h / 2);
      if (argc > 3) save(to.renderer, argv[3]);
      break;
    }
    SDL_RenderPresent(to.renderer);
    write_title(window);
    SDL_Delay(8);
  }
  check(tb_client_why(client, &reason), "why");
  if (reason[0] != 0) fprintf(stderr, "the session has ended: %s\n", reason);
  tb_figures of = {.size = sizeof(of)};
  check(tb_client_figures(client, &of), "figures");
  const double n[] = {of.hashes_checked, of.hashes_wrong, of.predictions, of.predictions_exact, of.inputs, of.inputs_late};
  printf("hashes %.0f wrong %.0f untouched %.0f exact %.0f inputs %.0f late %.0f\n", n[0], n[1], n[2], n[3], n[4], n[5]);
  tb_client_close(&client);
  SDL_Quit();
  return phase == TB_REFUSED || of.hashes_wrong > 0 ? 1 : 0;
}
