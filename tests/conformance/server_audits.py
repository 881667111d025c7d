"""What the server tells auditors: segments that never change, and in them what entered the room."""

import views
from audit_entries import read_tick, take_entry
from budget import Budget
from flatbuffer import Malformed
from game import TickLog
from game_views import class_of

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
                frame = self.world.game.keyframe(entry)
                self.check_keyframe(session, frame)
                sent.tick, sent.log = frame["tick"], TickLog(self.world.game, frame)
            else:
                sent.tick += 1
                state_hash, logged = read_tick(entry)
                self.check_tick(sent.tick, state_hash, sent.log.record(logged))

    def check_keyframe(self, session, frame):
        check, play, tick = self.findings.check, self.world.play, frame["tick"]
        self.findings.saw("audit keyframe")
        count = len(frame["seats"])
        check(count == session.accept["map_seats"], "audit", f"{count} seats")
        made = self.world.game.state_hash(frame)
        check(made == frame["hash"], "audit", lambda: f"the hash of tick {tick} is {frame['hash']:x}, not {made:x}")
        seats = {seat["generation"] << 12 | number: seat for number, seat in enumerate(frame["seats"]) if seat["taken"]}
        players = {views.who_of(each["id"]) for each in frame["entities"] if class_of(each["id"]) == 0}
        check(players <= set(seats), "audit", "an entity of a player who is not there")
        # A room of many segments was written before what is known now.
        known, entered = play.there.get(tick), play.entered.get(tick)
        if known is not None:
            check(set(seats) == set(known), "audit", lambda: f"players {set(seats)} of {set(known)}")
            for who, source in known.items():
                said = seats.get(who, {"source": None})["source"]
                check(said == source, "audit", lambda: f"source of {who:x} {said}, was {source}")
                if who in seats:
                    self.check_used(tick, who & 0xFFF, seats[who]["input"], entered.used.get(who & 0xFFF))
        agrees = play.agrees("state", tick, None, frame["hash"])
        check(agrees, "audit", f"the hash of tick {tick}: others received something else")

    def check_used(self, tick, seat, values, used, before=None):
        """Each value is the one that was used, the one by default, or the one before. Some are always the one used."""
        by_default = self.world.game.input.by_default()
        used = used or by_default
        for name, all_of in values.items():
            for i, value in enumerate(all_of):
                kept = (by_default if before is None else before)[name][i]
                right = (used[name][i],) if name in self.world.always else (used[name][i], by_default[name][i], kept)
                self.findings.check(value in right, "audit", f"tick {tick}: {name} of seat {seat} {value} of {right}")

    def check_tick(self, tick, state_hash, record):
        check, play = self.findings.check, self.world.play
        check(tick <= play.tick, "audit", f"tick {tick} is sent, the room is at {play.tick}")
        for name in ("leaves", "joins", "inputs", "outcomes"):
            if record[name]:
                self.findings.saw(f"audit {name} told")
        for outcome in record["outcomes"]:
            self.findings.saw(f"audit {outcome[0]} told")
        if not any(record[name] for name in ("leaves", "joins", "inputs", "outcomes")):
            self.findings.saw("audit tick without news")
        if tick in play.entered:
            self.compare(tick, record, play.entered[tick])
        for name, value in (("state", state_hash), ("record", (record["inputs"], record["outcomes"]))):
            agrees = play.agrees(name, tick, None, value)
            check(agrees, "audit", f"{name} of tick {tick}: others received something else")
        for name, values in self.causes_of(record).items():
            check(play.log(name, tick, values), "audit", f"{name} of tick {tick}: others received something else")

    def causes_of(self, record):
        """What snapshots tell of the same tick."""
        kind = self.world.game.input
        inputs = {
            seat: views.changed_between(kind, record["before"][seat], given, seat in record["pressed"])
            for seat, given in record["inputs"].items()
        }
        outcomes, states, room = {}, {}, {}
        for outcome in record["outcomes"]:
            if outcome[0] == "strike":
                outcomes.setdefault(outcome[3], []).append(("strike", outcome[2]))
            elif outcome[0] == "decided":
                _, phase, of, ref, values = outcome
                outcomes.setdefault(ref, []).append(("decided", phase, of, values))
            elif outcome[0] == "seat":
                states[outcome[2]] = outcome[3]
            elif outcome[0] == "room":
                room[None] = outcome[2]
        return {"inputs": inputs, "outcomes": outcomes, "states": states, "room": room}

    def compare(self, tick, record, entered):
        """What a tick tells, beside what follows from what reached the server."""
        check = self.findings.check
        leaves, joins = record["leaves"], {seat: client for seat, (client, _) in record["joins"].items()}
        check(leaves == entered.leaves, "audit", lambda: f"tick {tick}: leaves {leaves}, were {entered.leaves}")
        said = without_unknown(joins, entered.joins)
        check(said == entered.joins, "audit", lambda: f"tick {tick}: joins {said}, were {entered.joins}")
        sources = record["sources"]
        check(sources == entered.sources, "audit", lambda: f"tick {tick}: sources {sources}, were {entered.sources}")
        for seat, given in record["given"].items():
            self.check_used(tick, seat, given, entered.used.get(seat), record["before"][seat])
        for outcome in record["outcomes"]:
            there = outcome[0] != "strike" or outcome[2] in entered.used
            check(there, "audit", f"tick {tick}: a ray of nobody who is there")


def without_unknown(joins, known):
    """Without the clients of tokens that do not open."""
    return {seat: None if known.get(seat, client) is None else client for seat, client in joins.items()}
