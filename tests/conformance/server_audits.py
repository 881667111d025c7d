"""What the server tells who audits: segments that never change, and in them what entered the room."""

from audit_entries import read_keyframe, read_tick, take_entry
from budget import Budget
from flatbuffer import Malformed
from messages import PLAYER

U16 = 2**16
WINDOW = 64
BYTES_PER_SECOND = 128_000
BEHIND_SECONDS = 2
ASKS_AT_ONCE = 2


def nearest(low, near):
    """The number that these 16 bits are the end of."""
    ahead = (low - near) % U16
    return near + ahead - (U16 if ahead >= U16 // 2 else 0)


class SentAudit:
    """The stream of one session, as the server has sent it."""

    def __init__(self):
        self.run = None  # number
        self.oldest = 0  # segment that was not acknowledged
        self.segments = {}  # by number
        self.stream = b""  # not read yet
        self.tick = None  # the last that was told
        self.budget = Budget(BYTES_PER_SECOND)
        self.asks = 0  # for another run

    def begin(self, run):
        self.run, self.oldest, self.segments, self.stream, self.tick = run, 0, {}, b"", None

    def acknowledge(self, ack):
        if self.run is None or ack.run != self.run % 256:
            return
        following = nearest(ack.next, self.oldest)
        if self.oldest <= following <= len(self.segments):
            self.oldest = following


class ServerAudits:
    def __init__(self, world, snapshots):
        self.world = world
        self.findings = world.findings
        self.snapshots = snapshots

    def sent(self, now, session, size, audit):
        check, sent, head = self.findings.check, session.server.audit, audit.head
        tick = self.world.play.tick
        check(head.tick == tick % U16, "audit", f"of tick {head.tick}, the room is at {tick}")
        self.snapshots.check_link(session.server, tick, audit)
        check(sent.budget.spend(now, size), "budget", f"{size} bytes are more than it has left")
        if sent.run is None or head.run == (sent.run + 1) % 256:
            self.findings.saw("audit begun" if sent.run is None else "audit begun anew")
            sent.begin(0 if sent.run is None else sent.run + 1)
        if not check(head.run == sent.run % 256, "audit", f"of run {head.run}, after {sent.run}"):
            return
        self.take_segment(session, nearest(head.segment, sent.oldest), audit.bytes)

    def take_segment(self, session, number, data):
        check, sent = self.findings.check, session.server.audit
        if number in sent.segments:
            check(sent.segments[number] == data, "audit", f"segment {number} is another than before")
            check(number >= sent.oldest, "audit", f"segment {number} again, and it was acknowledged")
            self.findings.saw("audit segment sent again")
            return
        following = len(sent.segments)
        if not check(number == following, "audit", f"segment {number}, {following} is the next"):
            return
        check(number - sent.oldest < WINDOW, "audit", f"segment {number}, beyond the window from {sent.oldest}")
        sent.segments[number] = data
        sent.stream += data
        try:
            self.read_entries(session)
        except Malformed as fault:
            self.findings.add("audit", f"after tick {sent.tick}: {fault}")
            sent.stream = b""

    def read_entries(self, session):
        sent = session.server.audit
        while taken := take_entry(sent.stream):
            entry, sent.stream = taken
            if sent.tick is None:
                keyframe = read_keyframe(entry)
                self.check_keyframe(session, keyframe)
                sent.tick = keyframe.tick
            else:
                sent.tick += 1
                self.check_tick(sent.tick, read_tick(entry))

    def check_keyframe(self, session, keyframe):
        check, play = self.findings.check, self.world.play
        self.findings.saw("audit keyframe")
        check(len(keyframe.seats) == session.accept["map_seats"], "audit", f"{len(keyframe.seats)} seats")
        bodies = {each.id for each in keyframe.entities if each.kind == PLAYER}
        taken = {
            (seat.generation << 12 | number) for number, seat in enumerate(keyframe.seats) if seat.taken
        }
        check(bodies == taken, "audit", "a seat without its body, or a body without its seat")
        # A room of many segments was written before what is known now.
        known = play.there.get(keyframe.tick)
        check(known is None or bodies == known, "audit", f"players {bodies} of {known}")
        agrees = play.agrees("state", keyframe.tick, None, keyframe.state_hash)
        check(agrees, "audit", f"the hash of tick {keyframe.tick}: others were told otherwise")

    def check_tick(self, tick, told):
        check, play = self.findings.check, self.world.play
        check(tick <= play.tick, "audit", f"tick {tick} is told, the room is at {play.tick}")
        entered = play.entered.get(tick)
        if entered is not None:
            for name in ("leaves", "joins", "inputs"):
                said, right = getattr(told, name), getattr(entered, name)
                check(said == right, "audit", lambda: f"tick {tick}: {name} {said}, were {right}")
                if said:
                    self.findings.saw(f"audit {name} told")
        if not (told.leaves or told.joins or told.inputs):
            self.findings.saw("audit tick without news")
        agrees = play.agrees("state", tick, None, told.state_hash)
        check(agrees, "audit", f"the hash of tick {tick}: others were told otherwise")
