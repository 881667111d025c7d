-- A game in a window of LÖVE, over tickbox/client.h by ffi. It draws any game, with its line, scores and newest events.
--   love FOLDER HEADER LIBRARY ADDRESS [SECONDS [SHOT.png [BOT]]]     SECONDS: 0 plays until the window is closed

local ffi = require("ffi")

local tb, client, started, phase
local own_seat, seat_fields, told, colour_by_seat = nil, {}, {}, {}
local camera = { x = 0, y = 0, scale = 20 }
local options = {}

-- The colours of tickbox/keys.h, from black to white.
local colours = {
  [0] = { 0.16, 0.17, 0.20 }, { 0.88, 0.36, 0.33 }, { 0.43, 0.78, 0.43 }, { 0.94, 0.78, 0.31 },
  { 0.36, 0.58, 0.94 }, { 0.81, 0.47, 0.86 }, { 0.36, 0.82, 0.84 }, { 0.93, 0.94, 0.96 },
}

-- Declares the header to ffi, which has no preprocessor.
local function declare(header)
  local file = assert(io.open(header))
  local text = file:read("*a"):gsub("\\\n", " ")
  file:close()
  local lines = {}
  for line in text:gmatch("[^\n]*") do
    local is_c = not line:match("^#") and not line:match('^extern "C"') and not line:match("^}%s*$")
    if is_c then lines[#lines + 1] = line:gsub("TB_API ", "") end
  end
  ffi.cdef(table.concat(lines, "\n"))
end

local function check(status, what)
  if status ~= 0 then error(what .. ": " .. ffi.string(tb.tb_status_text(status))) end
end

local function now_ns()
  return ffi.new("uint64_t", (love.timer.getTime() - started) * 1e9)
end

-- The elements of a list, by its stride: a newer library may have longer ones.
local function elements(list, kind)
  local i = -1
  return function()
    i = i + 1
    if i < list.count then
      return ffi.cast("const " .. kind .. "*", ffi.cast("const char*", list.at) + i * list.stride)
    end
  end
end

function love.load(arguments)
  local header, library, address, seconds, shot, bot = unpack(arguments)
  if not address then
    print("usage: love FOLDER HEADER LIBRARY ADDRESS [SECONDS [SHOT.png [BOT]]]")
    return love.event.quit(2)
  end
  options = { seconds = tonumber(seconds) or 0, shot = shot }
  declare(header)
  tb = ffi.load(library)
  started = love.timer.getTime()
  client, phase = ffi.new("tb_client*[1]"), ffi.new("tb_phase[1]")
  local why = ffi.new("char[300]", "open")  -- the library replaces it where it has more to say
  local given = ffi.new("tb_options")
  given.size, given.abi, given.address, given.bot = ffi.sizeof(given), 1, address, bot
  given.error, given.error_size = why, 300
  local status = tb.tb_client_open(given, now_ns(), client)
  check(status, ffi.string(why))
  local types = ffi.new("tb_list")
  check(tb.tb_client_types(client[0], tb.TB_SEAT, types), "types")
  for field in elements(ffi.cast("const tb_type*", types.at).fields, "tb_field") do
    seat_fields[#seat_fields + 1] = { name = ffi.string(field.name), first = field.first }
  end
end

local function press(key, is_down) tb.tb_client_key(client[0], key == "return" and "enter" or key, is_down) end
function love.keypressed(key) press(key, 1) end
function love.keyreleased(key) press(key, 0) end

function love.focus(has_focus)
  if client and not has_focus then tb.tb_client_release_all(client[0]) end
end

function love.update()
  if not client then return end
  check(tb.tb_client_step(client[0], now_ns()), "step")
  check(tb.tb_client_phase(client[0], phase), "phase")
  local session = ffi.new("tb_session")
  session.size = ffi.sizeof(session)
  if tb.tb_client_session(client[0], session) == 0 then own_seat = session.seat end
  local events = ffi.new("tb_list")
  check(tb.tb_client_events(client[0], events), "events")
  for event in elements(events, "tb_event") do
    if event.text[0] ~= 0 then table.insert(told, 1, ffi.string(event.text)) end
    told[5] = nil
  end
  local is_over = phase[0] == tb.TB_REFUSED or phase[0] == tb.TB_ENDED
  local is_late = options.seconds > 0 and love.timer.getTime() - started > options.seconds
  if (is_over or is_late) and not options.is_done then
    options.is_done = true
    if options.shot and not is_over then
      love.graphics.captureScreenshot(function(image)
        local file = assert(io.open(options.shot, "wb"))
        file:write(image:encode("png"):getString())
        file:close()
        love.event.quit(0)
      end)
    else
      love.event.quit(is_over and 1 or 0)
    end
  end
end

local function look_at()
  local given = ffi.new("tb_camera")
  given.size = ffi.sizeof(given)
  if tb.tb_client_camera(client[0], given) ~= 0 then return end
  local width, height = love.graphics.getDimensions()
  camera.x, camera.y = given.x, given.y
  camera.scale = math.min(width / 2 / given.half_width, height / 2 / given.half_height)
end

local function draw_box(shape, x, y, width, height)
  if shape == 1 then
    love.graphics.ellipse("fill", x + width / 2, y + height / 2, width / 2, height / 2)
  elseif shape == 2 then
    love.graphics.polygon("fill", x + width / 2, y, x + width, y + height / 2, x + width / 2, y + height, x, y + height / 2)
  else
    love.graphics.rectangle("fill", x, y, width, height)
  end
end

-- The colour that the game gives. It leaves a player's open: white if own, else neither red nor yellow.
local function colour_of(entity)
  local is_free = entity.is_avatar ~= 0 and entity.has_look == 0
  local free = entity.owner == own_seat and 7 or ({ 2, 4, 5, 6 })[entity.owner % 4 + 1]
  local colour = colours[is_free and free or entity.colour % 8]
  if entity.is_avatar ~= 0 then colour_by_seat[entity.owner] = colour end
  return colour
end

-- The game's line, the first value of each player that is known, and the newest events.
local function draw_words()
  local label, seats, scores = ffi.new("const char*[1]"), ffi.new("tb_list"), {}
  if tb.tb_client_label(client[0], label) == 0 then
    love.graphics.printf(ffi.string(label[0]), 0, 8, love.graphics.getWidth(), "center")
  end
  check(tb.tb_client_seats(client[0], seats), "seats")
  for seat in elements(seats, "tb_seat") do
    if seat.value_count > 0 then scores[#scores + 1] = { seat = seat.seat, score = tonumber(seat.values[0]) } end
  end
  table.sort(scores, function(a, b) return a.score > b.score end)
  for i, line in ipairs(scores) do
    local who = line.seat == own_seat and "you" or "P" .. line.seat
    love.graphics.setColor(colour_by_seat[line.seat] or { 0.6, 0.6, 0.6 })
    love.graphics.print(("%s: %d %s"):format(who, line.score, seat_fields[1].name), 8, 18 * i - 10)
  end
  love.graphics.setColor(1, 1, 1)
  love.graphics.print(table.concat(told, "\n"), 8, love.graphics.getHeight() - 80)
end

function love.draw()
  if not client then return end
  local shown, walls = ffi.new("tb_list"), ffi.new("tb_list")
  check(tb.tb_client_shown(client[0], now_ns(), shown), "shown")
  look_at()
  love.graphics.clear(0.09, 0.11, 0.13)
  love.graphics.push()
  love.graphics.translate(love.graphics.getWidth() / 2, love.graphics.getHeight() / 2)
  love.graphics.scale(camera.scale)
  love.graphics.translate(-camera.x, -camera.y)
  if tb.tb_client_walls(client[0], walls) == 0 then
    for wall in elements(walls, "tb_wall") do
      love.graphics.setColor(wall.one_way == 0 and { 0.34, 0.38, 0.43 } or { 0.45, 0.36, 0.27 })
      love.graphics.rectangle("fill", wall.x, wall.y, wall.width, wall.height)
    end
  end
  for entity in elements(shown, "tb_entity") do
    love.graphics.setColor(colour_of(entity))
    draw_box(entity.shape, entity.x, entity.y, entity.width, entity.height)
  end
  love.graphics.pop()
  love.graphics.setColor(1, 1, 1)
  draw_words()
end

function love.quit()
  if not client then return end
  local figures, why, values = ffi.new("tb_figures"), ffi.new("const char*[1]"), ffi.new("tb_list")
  figures.size = ffi.sizeof(figures)
  check(tb.tb_client_figures(client[0], figures), "figures")
  check(tb.tb_client_why(client[0], why), "why")
  if ffi.string(why[0]) ~= "" then print("the session has ended: " .. ffi.string(why[0])) end
  local has_values = tb.tb_client_values(client[0], tb.TB_SEAT, values) == 0
  for _, field in ipairs(has_values and seat_fields or {}) do
    print(("%s %d"):format(field.name, tonumber(ffi.cast("const int64_t*", values.at)[field.first])))
  end
  local function count(name) return tonumber(figures[name]) end
  print(("hashes %d wrong %d untouched %d exact %d inputs %d late %d"):format(count("hashes_checked"), count("hashes_wrong"),
    count("predictions"), count("predictions_exact"), count("inputs"), count("inputs_late")))
  tb.tb_client_close(client)
  client = nil
end
