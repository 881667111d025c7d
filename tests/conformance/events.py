"""The page's part "Events": what has happened beside the movement of bodies, in the one form that is accepted."""

from collections import namedtuple

from flatbuffer import need
from front import Front

EVENTS_MAX = 16
AGO_MORE = 63
HIT, SCORE, SPAWN = 0, 1, 2

Event = namedtuple("Event", "number subject what ago kind")


def read_event(data, number):
    both = data.take("B")
    ago, kind = both >> 2, both & 3
    need(kind <= SPAWN, "an event of no kind")
    if ago == AGO_MORE:
        ago += data.take("B")
        need(ago <= 255, "an age that is not written")
    return Event(number, data.number(16), data.number(16), ago, kind)


def read_events(content):
    """Absent, or some that are numbered one after the other."""
    if content is None:
        return []
    data = Front(bytes(content))
    first = data.take("H")
    events = []
    while data.left():
        events.append(read_event(data, (first + len(events)) % 2**16))
    need(1 <= len(events) <= EVENTS_MAX, f"{len(events)} events")
    return events
