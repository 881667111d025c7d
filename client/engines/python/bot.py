#!/usr/bin/env python3
"""A bot for the arena over tickbox/client.h: it runs to the nearest player and shoots. Prints its figures as JSON.

    bot.py LIBRARY ADDRESS SECONDS      such as: bot.py lib/libarena_client.so 127.0.0.1:7777 10
"""

import ctypes
import json
import math
import sys
import time
from ctypes import POINTER, byref, c_char, c_char_p, c_double, c_int64, c_uint8, c_uint32, c_uint64, c_void_p, sizeof

KINDS, INPUT = 0, 1
OK, PLAYING, REFUSED, ENDED, PREDICTED = 0, 3, 5, 6, 2


def struct(name, **fields):
    """A struct of the header: the members by name, in their order."""
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


List = struct("List", at=c_void_p, count=c_uint32, stride=c_uint32)
Options = struct("Options", size=c_uint32, abi=c_uint32, address=c_char_p, token=c_char_p, ticket=c_char_p, bot=c_char_p,
                 seed=c_uint64, send=c_void_p, send_user=c_void_p, error=POINTER(c_char), error_size=ctypes.c_size_t)
Entity = struct("Entity", id=c_uint64, x=c_double, y=c_double, width=c_double, height=c_double, velocity_x=c_double,
                velocity_y=c_double, values=POINTER(c_int64), value_count=c_uint32, kind=c_uint32, owner=c_uint32,
                origin=c_uint8, is_avatar=c_uint8, is_new=c_uint8, is_cut=c_uint8, glyph=c_uint8, colour=c_uint8,
                shape=c_uint8, is_sensor=c_uint8)
Figures = struct("Figures", size=c_uint32, reserved=c_uint32, round_trip_ms=c_double, round_trip_p99_ms=c_double,
                 jitter_ms=c_double, delay_ms=c_double, gap_p99_ms=c_double, loss_up=c_double, loss_down=c_double,
                 snapshots=c_uint64, bytes_up=c_uint64, bytes_down=c_uint64, hashes_checked=c_uint64,
                 hashes_wrong=c_uint64, predictions=c_uint64, predictions_exact=c_uint64, touched=c_uint64,
                 touched_exact=c_uint64, corrections=c_uint64, inputs=c_uint64, inputs_late=c_uint64,
                 events_dropped=c_uint64, datagrams_dropped=c_uint64)


def elements(listed, kind):
    """The elements of a list, by its stride: a newer library may have longer ones."""
    return [kind.from_address(listed.at + i * listed.stride) for i in range(listed.count)]


def main():
    try:
        library, address, seconds = sys.argv[1:]
        seconds, tb = float(seconds), ctypes.CDLL(library)
    except (ValueError, OSError) as failure:
        print("usage: bot.py LIBRARY ADDRESS SECONDS" if isinstance(failure, ValueError) else failure, file=sys.stderr)
        sys.exit(2)
    client = c_void_p()

    def check(status, what):
        if status != OK:
            sys.exit(f"{what}: {tb.tb_status_text(status).decode()}")

    def call(name, *arguments):
        check(getattr(tb, name)(client, *arguments), name)

    tb.tb_status_text.restype = c_char_p
    why = ctypes.create_string_buffer(b"open", 300)  # the library replaces it where it has more to say
    options = Options(size=sizeof(Options), abi=1, address=address.encode(), error=why, error_size=len(why))
    now = lambda: c_uint64(time.monotonic_ns())
    check(tb.tb_client_open(byref(options), now(), byref(client)), why.value.decode())

    def find(of, kind, field):
        number = c_uint32()
        call("tb_client_find", c_uint32(of), kind, field, byref(number))
        return number.value

    hero = find(KINDS, b"Hero", None)
    move, shoot, aim = (find(INPUT, None, field) for field in (b"move", b"shoot", b"aim"))
    phase, shown, is_down = c_uint32(), List(), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        call("tb_client_step", now())
        call("tb_client_phase", byref(phase))
        if phase.value in (REFUSED, ENDED):
            text = c_char_p()
            call("tb_client_why", byref(text))
            sys.exit(text.value.decode())
        call("tb_client_shown", now(), byref(shown))
        heroes = [each for each in elements(shown, Entity) if each.kind == hero]
        own = next((each for each in heroes if each.origin == PREDICTED), None)
        others = [each for each in heroes if each.origin != PREDICTED]
        if phase.value == PLAYING and own and others:
            nearest = min(others, key=lambda each: math.hypot(each.x - own.x, each.y - own.y))
            turn = math.atan2(nearest.y - own.y, nearest.x - own.x) / math.tau % 1
            is_down = 1 - is_down  # a press counts once: released, it can be pressed again
            for field, value in ((move, round(turn * 8) % 8 + 1), (aim, int(turn * 1024) % 1024), (shoot, is_down)):
                call("tb_client_input", c_uint32(field), c_int64(value))
        time.sleep(0.004)

    figures = Figures(size=sizeof(Figures))
    call("tb_client_figures", byref(figures))
    print(json.dumps({name: getattr(figures, name) for name, _ in Figures._fields_[2:]}))
    tb.tb_client_close(byref(client))


if __name__ == "__main__":
    main()
