"""What the server tells who audits: segments that never change, and in them what entered the room."""

from audit_entries import RAY, TickLog, read_keyframe, read_tick, take_entry
from budget import Budget
from flatbuffer import Malformed
from messages import BULLET, PLAYER

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
        self.tick = None  # the last that was sent
        self.log = None  # reads the ticks after the keyframe
        self.budget = Budget(BYTES_PER_SECOND)
        self.requests = 0  # for another run

    def begin(self, run):
        self.run, self.oldest, self.segments, self.stream = run, 0, {}, b""
        self.tick = self.log = None

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
            self.findings.saw("audit begun" if sent.run is None else "audit begun again")
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
                sent.tick, sent.log = keyframe.tick, TickLog(keyframe)
            else:
                sent.tick += 1
                state_hash, logged = read_tick(entry)
                self.check_tick(sent.tick, state_hash, sent.log.read(logged))

    def check_keyframe(self, session, keyframe):
        check, play = self.findings.check, self.world.play
        self.findings.saw("audit keyframe")
        count = len(keyframe.seats)
        check(count == session.accept["map_seats"], "audit", f"{count} seats")
        bodies = {each.id: each for each in keyframe.entities if each.kind == PLAYER}
        seats = {
            (seat.generation << 12 | number): seat for number, seat in enumerate(keyframe.seats) if seat.taken
        }
        check(set(bodies) == set(seats), "audit", "a seat without its body, or a body without its seat")
        owners = {each.id >> 18 & 0xFFF for each in keyframe.entities if each.kind == BULLET}
        check(max(owners, default=0) < count, "audit", "a bullet of a seat that there is not")
        # A room of many segments was written before what is known now.
        known = play.there.get(keyframe.tick)
        if known is not None:
            check(set(bodies) == set(known), "audit", lambda: f"players {set(bodies)} of {set(known)}")
            for body, held in known.items():
                if body in bodies and body in seats:
                    said = (bodies[body].move, seats[body].source)
                    check(said == held, "audit", lambda: f"stick and source of {body:x} {said}, were {tuple(held)}")
        agrees = play.agrees("state", keyframe.tick, None, keyframe.state_hash)
        check(agrees, "audit", f"the hash of tick {keyframe.tick}: others received something else")

    def check_tick(self, tick, state_hash, told):
        check, play = self.findings.check, self.world.play
        check(tick <= play.tick, "audit", f"tick {tick} is sent, the room is at {play.tick}")
        for name, list_told in told._asdict().items():
            if list_told:
                self.findings.saw(f"audit {name} told")
        if not any(told):
            self.findings.saw("audit tick without news")
        entered = play.entered.get(tick)
        if entered is not None:
            self.compare(tick, told, entered)
        for name, value in (("state", state_hash), ("audit strikes", told.strikes)):
            agrees = play.agrees(name, tick, None, value)
            check(agrees, "audit", f"{name} of tick {tick}: others received something else")

    def compare(self, tick, told, entered):
        """What a tick tells, beside what follows from what reached the server."""
        check, there = self.findings.check, self.world.play.there.get(tick - 1)
        for name in ("leaves", "joins", "inputs"):
            said, right = getattr(told, name), getattr(entered, name)
            if name == "joins":
                said = without_unknown(said, right)
            check(said == right, "audit", lambda: f"tick {tick}: {name} {said}, were {right}")
        rays = {each.seat for each in entered.inputs if each.buttons == RAY}
        for strike in told.strikes:
            check(strike.shooter in rays, "audit", f"tick {tick}: {strike} of nobody who fires a ray")
            found = there is None or strike.victim in there
            check(found, "audit", f"tick {tick}: {strike} of nobody who is there")
            own = strike.victim & 0xFFF == strike.shooter
            check(not own, "audit", f"tick {tick}: {strike} of its own shooter")


def without_unknown(joins, known):
    """Without the clients of tokens that do not open."""
    unknown = {each.seat for each in known if each.client is None}
    return [each._replace(client=None) if each.seat in unknown else each for each in joins]
