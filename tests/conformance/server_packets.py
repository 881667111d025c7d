"""What the server takes and sends within sessions: steps 1 to 8 of "Receiving a packet", and everything after it."""

import layouts
import messages
from inputs import Inputs
from server_snapshots import ServerSnapshots
from session import ACCEPTED, ORPHANED, OVER, PLAYING, PathCheck
from world import NS

SILENCE = 5 * NS
ORPHANED_FOR = 30 * NS
CHALLENGE_EVERY = NS // 20
MOVES_EVERY = 2 * NS
TIMER_SLACK = NS // 10  # the server looks at its timers now and then
GOODBYES = 3
DEPARTED_FOR = 2 * NS
AMPLIFIED_MAX = 3
MARGIN_UNITS = 16  # in a tick
STEPS_LATE = NS // 1_000  # how late a step may be


class ServerPackets:
    def __init__(self, world, door):
        self.world = world
        self.findings = world.findings
        self.door = door
        self.snapshots = ServerSnapshots(world)
        self.departed = {}  # by place: connection, address and time of the last client that left

    def arrived(self, now, address, data):
        """Returns the name under which the datagram is dropped, or None."""
        if not layouts.SEALED_MIN <= len(data) <= layouts.DATAGRAM_MAX:
            return "too_short" if len(data) < layouts.SEALED_MIN else "too_long"
        kind = layouts.type_of(data)
        if kind not in layouts.SEALED_TO_SERVER:
            return "unknown_type"
        connection = layouts.connection_of(data)
        known = self.world.sessions.get(connection, [])
        live = [each for each in known if each.live() and connection in each.ids]
        if not live:
            return self.take_stray(now, address, connection)
        session = live[-1]
        sequence, message = session.server.receiver.read(data)
        if message is None:
            return sequence
        read = self.world.read_arrived(data, message)
        if kind == layouts.DISCONNECT and read in messages.REFUSALS and session.server.state == ACCEPTED:
            self.depart(now, session, connection)
            return None
        self.taken(now, address, session, sequence)
        session.server.sent.unproven_in += len(data)
        self.follow(now, address, session, sequence, data)
        if read is None:
            return "malformed"
        if kind == layouts.RESPONSE:
            return self.take_response(now, address, session, read)
        if kind == layouts.INPUT:
            return self.take_inputs(now, session, sequence, read)
        elif kind == layouts.DESYNC_REPORT:
            session.server.reports.took(now, read, len(data))
        elif kind == layouts.DISCONNECT:
            self.depart(now, session, connection)
        return None

    def depart(self, now, session, connection):
        session.server.state = OVER
        self.departed[connection % layouts.PLACES] = (session.ids, session.server.address, now)

    def take_stray(self, now, address, connection):
        """A packet of no live session. The other copies of a DISCONNECT are ignored."""
        ids, where, when = self.departed.get(connection % layouts.PLACES, ([], None, 0))
        if connection not in ids or where != address or now - when > DEPARTED_FOR:
            return "unknown_connection"
        self.findings.saw("copy of a DISCONNECT ignored by the server")
        return None

    def taken(self, now, address, session, sequence):
        server = session.server
        server.heard = now
        if server.state == ACCEPTED:
            server.state = PLAYING
            server.inputs = Inputs(self.world.play.tick)
            server.sent.proven = server.sent.proven_then = now
            server.address = address
            self.door.proven(now, session)
            earlier = session.resumed_from
            if earlier is not None and earlier.server.state != OVER:
                orphaned = earlier.server.state == ORPHANED
                self.findings.saw("session resumed after a timeout" if orphaned else "session taken over")
                earlier.server.state = OVER

    def follow(self, now, address, session, sequence, data):
        """Keeps track of another address from which a session's newest packets come."""
        server = session.server
        if server.check is not None and now > server.check.expires:
            server.check = None
        newest_from_elsewhere = address != server.address and sequence == server.receiver.newest
        if server.check is None and newest_from_elsewhere and now >= server.next_check:
            server.check = PathCheck(address, now)
        if server.check is None or server.check.address != address:
            return
        server.check.bytes_in += len(data)
        if server.check.moves is not None and now >= server.check.moves:
            session.move(address)
            self.end_check(now, server)
            self.findings.saw("session moved")

    def take_response(self, now, address, session, data):
        server = session.server
        if server.check is None:
            return "unexpected"
        if data == server.check.asked_at(server.address):
            self.findings.saw("client still at its address")
            self.end_check(now, server)
            return None
        if address != server.check.address or data != server.check.asked_at(address):
            return "unexpected"
        if server.check.moves is None:
            server.check.answered(now)
        return None

    @staticmethod
    def end_check(now, server):
        server.check = None
        server.next_check = now + MOVES_EVERY

    def take_inputs(self, now, session, sequence, message):
        """If the packet is the newest, its acknowledgements and its margin count too."""
        server, name, inputs = session.server, None, message.inputs
        first = max(0, layouts.nearest_tick(message.head.first_tick, self.world.play.tick))
        if sequence == server.receiver.newest:
            if inputs:
                newest = first + len(inputs) - 1
                before = (newest - self.world.play.tick - 1) * MARGIN_UNITS
                overdue = 1 + MARGIN_UNITS * session.accept["tick_rate"] * STEPS_LATE // NS
                server.margin = (before - overdue, before + MARGIN_UNITS)
            server.sent.acknowledge_events(message.head.events)
            name = self.take_acknowledgement(now, session, message.view)
        for tick, given in enumerate(inputs, first):
            server.inputs.arrive(tick, given)
        return name

    def take_acknowledgement(self, now, session, view):
        """A client that has acknowledged a view, and now acknowledges none, asks for a full view."""
        sent = session.server.sent
        if view is not None:
            tick = layouts.nearest_tick(view.tick, self.world.play.tick)
            proven = sent.acknowledge(now, tick, view.receipt, self.world.play.tick, session.accept["tick_rate"])
            self.findings.saw("view acknowledged" if proven else "view acknowledged without proof")
        elif sent.base is not None:
            granted = sent.throw_away(now)
            self.findings.saw("full view asked for" if granted else "full view asked for too soon")
            return None if granted else "rate_limited"
        return None

    def pass_time(self, now):
        for session in self.world.all_sessions:
            server = session.server
            silent = now - server.heard
            if server.state == ACCEPTED and silent > SILENCE + TIMER_SLACK:
                server.state = OVER
            elif server.state == ORPHANED and silent > SILENCE + ORPHANED_FOR + TIMER_SLACK:
                server.state = OVER

    def sent(self, now, address, data, kind):
        name = layouts.NAMES[kind]
        session = self.world.session_of(data, "server")
        if not self.findings.check(session, "stranger", f"a {name} of no session"):
            return
        read = self.world.read_sent(session.server.sender, data)
        if read is None:
            return
        current = layouts.connection_of(data) == session.connection and not session.renews
        self.findings.check(current, "connection", f"a {name} with the id of before the move")
        if kind == layouts.CHALLENGE:
            self.sent_challenge(now, address, session, data, read)
            return
        there = address == session.server.address
        self.findings.check(there, "address", f"a {name} to another address than the session's")
        if kind == layouts.DISCONNECT:
            self.sent_goodbye(now, session, read)
        elif kind == layouts.DRAIN:
            self.sent_drain(now, session, read)
        elif kind == layouts.DESYNC_STATE:
            session.server.reports.sent(now, read, len(data), self.world)
        else:
            self.sent_snapshot(now, session, data, read)

    def sent_challenge(self, now, address, session, data, drawn):
        check, server = self.findings.check, session.server
        path = server.check
        check(server.state == PLAYING, "state", f"a CHALLENGE to who is {server.state}")
        known = path is not None and address in (path.address, server.address)
        if not check(known, "challenge", "nothing newest came from there"):
            return
        if address == path.address:
            path.bytes_out += len(data)
            within = path.bytes_out <= AMPLIFIED_MAX * path.bytes_in
            check(within, "amplification", f"{path.bytes_out} bytes to a path that sent {path.bytes_in}")
            check(path.moves is None, "challenge", "to an address that has answered")
        last, data_before = path.asked.get(address, (None, None))
        check(last is None or now - last >= CHALLENGE_EVERY, "challenge", "sooner than 50 ms after the last")
        check(data_before in (None, drawn), "challenge", "other data than was drawn for this address")
        others = [asked for where, (_, asked) in path.asked.items() if where != address]
        check(drawn not in others, "challenge", "the same data for two addresses")
        path.asked[address] = (now, drawn)

    def sent_drain(self, now, session, left_ms):
        """The end that it names stays the same, and between two lies a second."""
        check, server = self.findings.check, session.server
        check(server.state == PLAYING, "state", f"a DRAIN to who is {server.state}")
        end = now + left_ms * NS // 1000
        if server.drained is not None:
            last, before = server.drained
            check(now - last >= NS, "drain", "sooner than a second after the last")
            check(abs(end - before) <= NS // 1000, "drain", "another end than before")
        server.drained = (now, end)

    def sent_goodbye(self, now, session, reason):
        check, server = self.findings.check, session.server
        check(not server.goodbyes or server.goodbyes[-1] == reason, "goodbye", "another reason than before")
        server.goodbyes.append(reason)
        check(len(server.goodbyes) <= GOODBYES, "goodbye", "more than three")
        check(reason not in (messages.LEFT, *messages.REFUSALS), "goodbye", "a client's reason")
        self.findings.saw(f"DISCONNECT of reason {reason} by the server")
        if reason == messages.TAKEN_OVER:
            resumed = [s for s in self.world.all_sessions if s.resumed_from is session]
            begun = any(s.server.receiver.taken > 0 for s in resumed)
            check(begun, "goodbye", "taken over by nobody")
            server.state = OVER
        elif reason == messages.TIMED_OUT:
            check(now - server.heard >= SILENCE, "goodbye", "timed out before 5 s of silence")
            server.state = ORPHANED
        elif reason == messages.STOPPING:
            check(self.world.draining, "goodbye", "the server does not stop")
            server.state = OVER
        elif reason == messages.MATCH_ENDED:
            server.state = OVER

    def sent_snapshot(self, now, session, datagram, snapshot):
        check, server = self.findings.check, session.server
        check(server.state == PLAYING, "state", f"a SNAPSHOT to who is {server.state}")
        check(not server.goodbyes, "goodbye", "a SNAPSHOT after goodbye")
        check(now - server.heard <= SILENCE + TIMER_SLACK, "silence", "a SNAPSHOT to who is long silent")
        if server.inputs is not None:
            self.snapshots.sent(now, session, len(datagram), snapshot)
