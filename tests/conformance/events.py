"""The page's part "Events": what has happened beside the movement of bodies, in the one form that is accepted."""

from collections import namedtuple

from flatbuffer import need
from front import Front

EVENTS_MAX = 16
AGO_MORE = 31
HIT, SCORE, SPAWN, HIT_AND_SCORE, HIT_SCORE_AND_SPAWN = range(5)

Event = namedtuple("Event", "number subject what ago kind")


def read_one(data):
    """The events that are sent as one: (subject, what, ago, kind) of each."""
    both = data.take("B")
    ago, form = both >> 3, both & 7
    need(form <= HIT_SCORE_AND_SPAWN, "events of no form")
    if ago == AGO_MORE:
        ago += data.take("B")
        need(ago <= 255, "an age that is not written")
    subject, what = data.number(16), data.number(16)
    if form <= SPAWN:
        return [(subject, what, ago, form)]
    told = [(subject, what, ago, HIT), (subject, data.number(16), ago, SCORE)]
    if form == HIT_SCORE_AND_SPAWN:
        told.append((what, data.number(16), ago, SPAWN))
    return told


def belongs_to(before, event):
    """Whether what begins with `event` had to be sent together with what is before it."""
    (subject, what, ago, kind), (next_subject, _, next_ago, next_kind) = before[0], event
    if kind != HIT or ago != next_ago:
        return False
    follower = {1: (SCORE, subject), 2: (SPAWN, what)}.get(len(before))
    return (next_kind, next_subject) == follower


def read_events(content):
    """Absent, or some that are numbered one after the other."""
    if content is None:
        return []
    data = Front(bytes(content))
    first = data.take("H")
    events, before = [], None
    while data.left():
        told = read_one(data)
        need(before is None or not belongs_to(before, told[0]), "two where one had to be sent")
        before = told
        events += [Event((first + len(events) + i) % 2**16, *each) for i, each in enumerate(told)]
    need(1 <= len(events) <= EVENTS_MAX, f"{len(events)} events")
    return events
