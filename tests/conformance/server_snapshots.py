"""What the server tells in snapshots, and when: the page's parts "Views and snapshots" and "The server"."""

import views
from events import HIT, SPAWN
from flatbuffer import Malformed
from inputs import REST
from layouts import DATAGRAM_MAX
from messages import BODIES_MAX, PLAYER, view_hash
from sent_views import NS, UNPROVEN_FREE, base_age_max, unproven_interval

SHOOT, RAY = 1, 2  # buttons; of both at once the first counts
U8, U16, U32 = 2**8, 2**16, 2**32
MARGIN_EXACT, MARGIN_MAX = 64, 127
TICK = 16  # of which margins are sent
FULL_PER_SECOND = 20
QUIET_PER_SECOND = 10
STATUS_SECONDS = 2
SILENCE_SLACK = NS // 50  # the server looks at the time once a tick
# More than anything takes: what is around the causes, and the own body; a leave, shots and teleports of one; a turn.
FRAME_BYTES, MEMBER_BYTES, TURN_BYTES = 140, 21, 3
SIGHT = (24 * 65_536, 16 * 65_536)  # half of what is to be seen, along x and y


def margin_code(sixteenths):
    """Exact where it is small, else in whole ticks."""
    code = sixteenths
    if sixteenths >= MARGIN_EXACT:
        code = MARGIN_EXACT + (sixteenths - MARGIN_EXACT) // TICK
    elif sixteenths < -MARGIN_EXACT:
        code = -MARGIN_EXACT + (sixteenths + MARGIN_EXACT) // TICK
    return min(max(code, -MARGIN_MAX), MARGIN_MAX)


class ServerSnapshots:
    def __init__(self, world):
        self.world = world
        self.findings = world.findings

    def sent(self, now, session, size, snapshot):
        check, sent = self.findings.check, session.server.sent
        tick = self.world.play.tick
        said = snapshot.head.tick
        check(said == tick % U16, "view", f"of tick {said}, the room is at {tick}")
        if not check(tick > sent.last, "view", f"tick {tick} after {sent.last}"):
            return
        self.check_link(session.server, tick, snapshot)
        self.check_pace(now, session, tick, size, snapshot)
        self.check_whole(session, tick, snapshot.bodies)
        self.check_events(session, tick, snapshot.events)
        sent.add(tick, self.view_of(session, tick, snapshot), snapshot.receipt)

    # The fates of the client's packets and inputs.

    def check_link(self, server, tick, snapshot):
        check, head, inputs = self.findings.check, snapshot.head, server.inputs
        newest = server.receiver.newest
        check(head.newest_packet == newest % U8, "received", f"newest_packet {head.newest_packet}, is {newest}")
        low, high = (margin_code(each) for each in server.margin)
        check(low <= head.margin <= high, "margin", f"{head.margin}, is {low} to {high}")
        complete = inputs.complete()
        check(head.input_tick == complete % U16, "input_tick", f"{head.input_tick}, is {complete}")
        missing = inputs.substituted
        check(head.substituted == missing % U8, "substituted", f"{head.substituted} of {missing}")
        self.check_status(server, tick, snapshot.status)

    def check_events(self, session, tick, events):
        """One after the other. What is sent again is the same, and nothing is sent again after its acknowledgement."""
        check, sent = self.findings.check, session.server.sent
        seats = session.accept["map_seats"]
        for event in events:
            name = ("hit", "score", "spawn")[event.kind]
            number = sent.newest_event + (event.number - sent.newest_event + U16 // 2) % U16 - U16 // 2
            if number == sent.newest_event + 1:
                sent.newest_event = number
                self.findings.saw(f"event {name}")
            check(number <= sent.newest_event, "events", f"{number} follows {sent.newest_event}")
            check(number > sent.events_had, "events", f"{number}, acknowledged is {sent.events_had}")
            when = tick - event.ago if event.ago < U8 - 1 else None
            said = (event.kind, event.subject, event.what)
            first_when, before = sent.events.setdefault(number, (when, said))
            agrees = said == before and (when is None or when == first_when)
            check(agrees, "events", f"{number} is {said} of tick {when}, was {before} of {first_when}")
            in_room = event.subject < seats and (event.kind != HIT or event.what < seats)
            check(in_room, "events", f"{name} of a seat that there is not")
            self.check_event(name, when, event)

    def check_event(self, name, when, event):
        """All clients receive the same of a tick; who spawns has that body, who is hit is there and hit once."""
        play = self.world.play
        if when is None or when not in play.there:
            return
        key, said = (event.what, event.subject) if event.kind == HIT else (event.subject, event.what)
        agrees = play.agrees(name, when, key, said)
        self.findings.check(agrees, "events", f"{name} {said} of {key} in tick {when}: others received something else")
        there = {body & 0xFFF: body >> 12 & U16 - 1 for body in play.there[when]}
        right = there.get(event.subject) == event.what if event.kind == SPAWN else key in there or key in self.left(when)
        self.findings.check(right, "events", f"{name} {said} of {key} in tick {when}, who was not there")

    def left(self, tick):
        """Seats of those who were in the room before that tick."""
        return {body & 0xFFF for body in self.world.play.there.get(tick - 1, ())}

    def check_status(self, server, tick, status):
        check, receiver = self.findings.check, server.receiver
        due = tick - server.sent.status >= STATUS_SECONDS * self.tick_rate()
        check((status is not None) == due, "status", "told" if status else "not told, and due")
        if status is None:
            return
        server.sent.status = tick
        taken, newest, late = receiver.taken, receiver.newest, server.inputs.late
        check(status.packets_received == taken % U32, "received", f"{status.packets_received} packets of {taken}")
        check(status.newest_packet == newest % U32, "received", f"newest_packet {status.newest_packet}, is {newest}")
        check(status.late == late % U32, "late", f"{status.late} of {late}")
        self.findings.saw("link status")

    # When, and on what.

    def check_pace(self, now, session, tick, size, snapshot):
        check, sent, rate = self.findings.check, session.server.sent, self.tick_rate()
        gap = tick - sent.last
        short = sent.budget.was_short(now, rate)
        most = min(DATAGRAM_MAX, sent.budget.level(now))
        check(sent.budget.spend(now, size), "budget", f"{size} bytes are more than it has left")
        full, quiet = rate // FULL_PER_SECOND, rate // QUIET_PER_SECOND
        surely, usable = sent.has_base(tick, rate)
        silent = now - sent.proven
        slow = unproven_interval(silent - SILENCE_SLACK, rate)
        check(sent.last == 0 or gap >= slow, "pace", f"{gap} ticks after the last, silent for {silent / NS:.2f} s")
        if slow:
            self.findings.saw("snapshot to a silent client")
        if silent - SILENCE_SLACK >= NS:
            answered = f"{size} bytes after {sent.unproven_out}, for {sent.unproven_in} of a silent client"
            check(sent.spend_unproven(size), "pace", answered)
        if snapshot.head.base_age == 0:
            check(usable or sent.last == 0 or gap >= full, "pace", f"a full view {gap} ticks after the last")
            fits = surely and self.bytes_on_base(sent) <= most
            check(not fits, "base", "a full view, and there is a base on which it fits")
            self.findings.saw("full view" if not usable else "full view in place of one on a base")
        else:
            base = tick - snapshot.head.base_age
            check(base == sent.base, "base", f"on {base}, acknowledged is {sent.base}")
            check(usable, "base", f"{snapshot.head.base_age} ticks old, at most {base_age_max(rate)}")
            news = snapshot.bodies or any(snapshot.causes) or snapshot.events
            check(news or gap >= quiet, "pace", f"nothing new, {gap} ticks after the last")
            self.findings.saw("view on a base" if news else "view without news")
        never_quiet = sent.base_then is None and not usable
        slowest = unproven_interval(now - sent.proven_then + SILENCE_SLACK, rate)
        in_time = sent.last == 0 or gap <= max(full, slowest, 0 if never_quiet else quiet)
        kept_short = sent.unproven_slow >= UNPROVEN_FREE - 1
        check(in_time or short or kept_short, "pace", f"none for {gap} ticks")
        sent.base_then = sent.base
        sent.proven_then = sent.proven

    def bytes_on_base(self, sent):
        """More than what has to be sent on the base takes."""
        base = sent.views.get(sent.base)
        if base is None:
            return DATAGRAM_MAX + 1
        bodies = (self.world.play.bodies.get(each) for each in base.solid)
        turns = sum(len(each.turns_since(base.tick)) for each in bodies if each)
        return FRAME_BYTES + base.size_max() * MEMBER_BYTES + turns * TURN_BYTES

    # Who is in it, and why.

    def view_of(self, session, tick, snapshot):
        """The view, as far as it can be known; None where it cannot."""
        check, sent, head = self.findings.check, session.server.sent, snapshot.head
        if head.base_age == 0:
            view = views.whole_view(tick, snapshot)
            self.check_sight(session, snapshot.bodies)
        else:
            base = sent.views.get(tick - head.base_age)
            if base is None:
                return None
            try:
                view, replayed = views.on_base(base, tick, snapshot, self.tick_rate())
            except Malformed as fault:
                self.findings.add("members", f"tick {tick}: {fault}")
                return None
            for player in replayed:
                self.check_causes(player, base.tick, tick)
            self.see(base, snapshot)
        if len(view.solid) > BODIES_MAX:
            self.findings.saw("view of more bodies than a snapshot takes")
        fault = view.fault(session.accept["map_seats"])
        check(fault is None, "members", f"tick {tick}: {fault}")
        check(session.accept["body"] in view.solid, "members", f"tick {tick}: without the client's own body")
        gone = [each for each in view.solid if each >> 30 == PLAYER and each not in self.world.play.bodies]
        check(not gone, "members", f"tick {tick}: players who are not in the room: {gone}")
        if view.is_whole():
            right = view_hash(snapshot.bodies)
            check(head.view_hash == right, "view", f"hash {head.view_hash:08x}, its bodies say {right:08x}")
        return view

    def check_causes(self, player, base, tick):
        """All of a player's that was not sent in full."""
        check, play = self.findings.check, self.world.play
        body = play.bodies.get(player.id)
        if body is None:
            return  # found by who is in the view
        turns = body.turns_since(base)
        check(player.moves == turns, "causes", f"player {player.id:x} moves {player.moves}, has moved {turns}")
        for shot, (aim, ray) in player.shots.items():
            used = body.used.get(shot, REST)
            fired = used.buttons == RAY if ray else used.buttons & SHOOT
            self.findings.saw("ray told" if ray else "shot told")
            agrees = fired and used.aim == aim
            check(agrees, "causes", f"a shot of {player.id:x} at {aim} in tick {shot}, its input was {used}")
        for name in ("shots", "teleports"):
            told = getattr(player, name)
            for each in range(base + 1, tick + 1):
                agrees = play.agrees(name, each, player.id, told.get(each))
                check(agrees, "causes", f"{name} of {player.id:x} in tick {each}: others received something else")

    def check_whole(self, session, tick, bodies):
        check, play = self.findings.check, self.world.play
        for entity in bodies:
            check(play.is_state(entity), "whole", f"body {entity.id:x}: others received something else")
            body = play.bodies.get(entity.id)
            if entity.kind == PLAYER and body is not None:
                move = body.used.get(tick, REST).move
                check(entity.move == move, "whole", f"player {entity.id:x} moves {entity.move}, its input was {move}")

    def check_sight(self, session, bodies):
        """A full view has nothing but what is to be seen from the client's own body."""
        own = next((each for each in bodies if each.id == session.accept["body"]), None)
        if own is None:
            return  # found by who is in the view
        far = [each for each in bodies if abs(each.x - own.x) > SIGHT[0] or abs(each.y - own.y) > SIGHT[1]]
        self.findings.check(not far, "sight", f"{len(far)} bodies out of sight")

    def see(self, base, snapshot):
        for name, causes in snapshot.causes._asdict().items():
            if causes:
                self.findings.saw(f"{name} told")
        held = {each.id for each in snapshot.bodies}.intersection(base.solid)
        if held:
            self.findings.saw("held body sent in full")

    def tick_rate(self):
        return self.world.all_sessions[0].accept["tick_rate"]
