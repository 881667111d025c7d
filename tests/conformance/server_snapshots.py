"""What the server tells in snapshots, and when: the page's parts "Views and snapshots" and "The server"."""

import struct

import views
from flatbuffer import Malformed
from game import FIXED, NOBODY, PLAYER
from game import class_of
from game_views import UNIT
from layouts import DATAGRAM_MAX
from sent_views import NS, UNPROVEN_FREE, base_age_max, unproven_interval

U8, U16, U32 = 2**8, 2**16, 2**32
MARGIN_EXACT, MARGIN_MAX = 64, 127
TICK = 16  # units of a margin
FULL_PER_SECOND = 20
QUIET_PER_SECOND = 10
STATUS_SECONDS = 2
SILENCE_SLACK = NS // 50  # the server looks at the time once a tick
# The most bytes: of what is around the causes, with the own body; of a leave or an outcome; of a changed input.
FRAME_BYTES, MEMBER_BYTES, CHANGE_BYTES = 140, 21, 10
SIGHT = (24 * UNIT, 16 * UNIT)  # half of what is to be seen, along x and y, of a game that does not say
SPAWNED_MOST = 8  # members that entities have spawned, in the scenes in which a base may not be left out
BODY = 2 * UNIT  # more than any body measures


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
        self.rows_most = 0  # rows in one snapshot, so far

    def sent(self, now, session, size, snapshot):
        check, sent = self.findings.check, session.server.sent
        tick = self.world.play.tick
        said = snapshot.head.tick
        check(said == tick % U16, "view", f"of tick {said}, the room is at {tick}")
        if not check(tick > sent.last, "view", f"tick {tick} after {sent.last}"):
            return
        self.check_link(session.server, tick, snapshot)
        view, content = self.read_content(session, tick, snapshot)
        self.check_pace(now, session, tick, size, snapshot, content)
        self.check_events(session, tick, snapshot.events)
        if content is not None:
            self.check_whole(content["rows"])
        sent.add(tick, view, snapshot.receipt)

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
            name = self.world.game.events[event.kind - 1].name if event.kind else "new state"
            number = sent.newest_event + (event.number - sent.newest_event + U16 // 2) % U16 - U16 // 2
            if number == sent.newest_event + 1:
                sent.newest_event = number
                self.findings.saw(f"event {name}")
            check(number <= sent.newest_event, "events", f"{number} follows {sent.newest_event}")
            check(number > sent.events_had, "events", f"{number}, acknowledged is {sent.events_had}")
            when = tick - event.ago if event.ago < U8 - 1 else None
            said = (event.kind, event.seat, event.value)
            first_when, before = sent.events.setdefault(number, (when, said))
            agrees = said == before and (when is None or when == first_when)
            check(agrees, "events", f"{number} is {said} of tick {when}, was {before} of {first_when}")
            named = self.players_in(event)
            check(all(seat < seats for seat in named), "events", f"{name} of a seat that there is not")
            self.check_event(name, when, event, named)

    def players_in(self, event):
        """The seats that an event names."""
        if event.kind == 0:
            return [event.seat]
        fields = self.world.game.events[event.kind - 1].fields
        named = [seat for field in fields if field.form == PLAYER for seat in event.value[field.name]]
        return [seat for seat in named if seat != NOBODY]

    def check_event(self, name, when, event, named):
        """The players that it names were there. A new state is the same for all clients."""
        play = self.world.play
        if when is None or when not in play.there:
            return
        there = {who & 0xFFF for tick in (when - 1, when) for who in play.there.get(tick, ())}
        away = [seat for seat in named if seat not in there]
        self.findings.check(not away, "events", f"{name} of {away} in tick {when}, who were not there")
        if event.kind == 0:
            agrees = play.agrees("states", when, event.seat, event.value)
            self.findings.check(agrees, "events", f"{name} of {event.seat} in tick {when}: others received another")

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

    def check_pace(self, now, session, tick, size, snapshot, content):
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
            news = snapshot.events or content is None or any(content.values())
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
        players = (self.world.play.players.get(views.who_of(each)) for each in base.players())
        changes = sum(each.changes_since(base.tick) for each in players if each)
        return FRAME_BYTES + (len(base.solid) + SPAWNED_MOST) * MEMBER_BYTES + changes * CHANGE_BYTES

    # Who is in it, and why.

    def read_content(self, session, tick, snapshot):
        """The view, as far as it can be known, and the content; None where they cannot be read."""
        head = snapshot.head
        base = session.server.sent.views.get(tick - head.base_age) if head.base_age else None
        if head.base_age and base is None:
            return None, None
        try:
            return self.view_of(session, tick, snapshot, base)
        except Malformed as fault:
            self.findings.add("message", f"SNAPSHOT of tick {tick}: {fault}")
            return None, None

    def view_of(self, session, tick, snapshot, base):
        check, reader, age = self.findings.check, self.world.views, snapshot.head.base_age
        if base is None:
            content = reader.content(snapshot.content, tick, 0, None)
            view = views.whole_view(tick, content["rows"])
            self.check_full(session, tick, snapshot, content)
        else:
            content = reader.content_on(snapshot.content, tick, age, base.known(), base.more(), self.is_likely)
            view, replayed = views.on_base(base, tick, content)
            for member in replayed:
                self.check_causes(member, base.tick, tick)
            for when, room in content["room"].items():
                agrees = self.world.play.agrees("room", when, None, room)
                check(agrees, "causes", f"the room in tick {when}: others received something else")
            self.see(base, content)
        self.rows_most = max(self.rows_most, len(content["rows"]))
        if len(view.solid) > self.rows_most:
            self.findings.saw("view of more members than a snapshot has taken")
        fault = view.fault(session.accept["map_seats"])
        check(fault is None, "members", f"tick {tick}: {fault}")
        players = {views.who_of(each) for each in view.players()}
        check(session.who in players, "members", f"tick {tick}: without an entity of the client's own")
        gone = players - set(self.world.play.players)
        check(not gone, "members", f"tick {tick}: players who are not in the room: {gone}")
        return view, content

    def is_likely(self, content):
        """Whether entities of this tick can have all these rows."""
        return all(self.is_likely_row(row) for row in content["rows"])

    def is_likely_row(self, row):
        play, kind = self.world.play, self.world.game.kinds[row["kind"]]
        speed = kind.top_speed * UNIT // self.tick_rate()
        velocity = struct.unpack("<2i", row["extra"][:8]) if kind.motion != FIXED else (0, 0)
        if max(abs(each) for each in velocity) > speed:
            return False
        if row["id"] is None:
            return True
        if class_of(row["id"]) == 0 and not self.is_held(row):
            return False
        return play.states.get(row["id"], row) == row and play.kinds.get(row["id"], row["kind"]) == row["kind"]

    def is_held(self, row):
        """Whether the player is there, and holds the values of the input that are always told."""
        player = self.world.play.players.get(views.who_of(row["id"]))
        if player is None:
            return False
        used = player.used.get(self.world.play.tick) or self.world.game.input.by_default()
        return all(row["input"][name] == used[name] for name in self.world.always)

    def check_full(self, session, tick, snapshot, content):
        """A full view has all of the view, and nothing that is not to be seen."""
        room = content["room"].get(tick, self.world.game.room.by_default())
        said, right = snapshot.head.view_hash, self.world.views.rows_hash(content["rows"], room)
        self.findings.check(said == right, "view", f"hash {said:08x}, its rows say {right:08x}")
        own = [row for row in content["rows"] if class_of(row["id"]) == 0 and views.who_of(row["id"]) == session.who]
        if not own:
            return  # view_of() reports this
        far = [
            row
            for row in content["rows"]
            for axis in range(2)
            if abs(row["place"][axis] - own[0]["place"][axis]) > SIGHT[axis] + BODY
        ]
        self.findings.check(not far, "sight", f"{len(far)} entities out of sight")

    def check_causes(self, member, base, tick):
        """All causes of a member that was not sent in full."""
        check, play = self.findings.check, self.world.play
        ticks = range(base + 1, tick + 1)
        for when in ticks:
            said = member.outcomes.get(when, [])
            for outcome in said:
                self.findings.saw("strike told" if outcome[0] == "strike" else "outcome told")
            agrees = play.agrees("outcomes", when, member.id, said)
            check(agrees, "causes", f"outcomes of {member.id:x} in tick {when}: others received something else")
        if class_of(member.id) != 0:
            return
        player = play.players.get(views.who_of(member.id))
        if player is None:
            return  # view_of() reports this
        for when in ticks:
            said = member.inputs.get(when, {})
            self.check_arrived(member, player, when, said)
            agrees = play.agrees("inputs", when, views.seat_of(member.id), said)
            check(agrees, "causes", f"the input of {member.id:x} in tick {when}: others received something else")

    def check_arrived(self, member, player, when, said):
        """Each value told is the one that has arrived, or the one by default; some are always told."""
        check, kind = self.findings.check, self.world.game.input
        by_default = kind.by_default()
        used, before = (player.used.get(each) or by_default for each in (when, when - 1))
        for (name, i), value in said.items():
            right = (used[name][i], by_default[name][i])
            check(value in (*right, views.OTHER), "causes", f"{name} of {member.id:x} in tick {when}: {value}")
        if when - 1 not in player.used:
            return
        for name in self.world.always:
            right = {(name, i): new for i, new in enumerate(used[name]) if new != before[name][i]}
            told = {key: value for key, value in said.items() if key[0] == name}
            check(told == right, "causes", f"{name} of {member.id:x} in tick {when}: {told}, is {right}")

    def check_whole(self, rows):
        check, play = self.findings.check, self.world.play
        for row in rows:
            check(play.is_state(row), "whole", f"row {row['id']}: others received something else")
            if row["id"] is None or class_of(row["id"]) != 0:
                continue
            if views.who_of(row["id"]) in play.players:
                check(self.is_held(row), "whole", f"{row['id']:x} holds {row['input']}")

    def see(self, base, content):
        for name in ("inputs", "outcomes", "exits", "rows", "room"):
            if content[name]:
                self.findings.saw(f"{name} told")
        held = {row["id"] for row in content["rows"]}.intersection(base.solid)
        if held:
            self.findings.saw("held member sent in full")

    def tick_rate(self):
        return self.world.all_sessions[0].accept["tick_rate"]
