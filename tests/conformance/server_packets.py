"""What the server takes and sends within sessions: steps 1 to 8 of "Receiving a packet", and everything after it."""

import layouts
import messages
from session import ACCEPTED, ORPHANED, OVER, PLAYING, Path
from views import View
from world import NS

SILENCE = 5 * NS
ORPHANED_FOR = 30 * NS
CHALLENGE_EVERY = NS // 20
TIMER_SLACK = NS // 10  # the server looks at its timers now and then
GOODBYES = 3
AMPLIFIED_MAX = 3
ACK_DELAY_UNIT = 10_000  # ns
ACK_DELAY_MAX = 65_535
U32 = 2**32
U16 = 2**16
INPUTS_AHEAD = 64
INPUTS_KEPT = 1_024  # ticks; older ones do not come any more


class ServerPackets:
    def __init__(self, world, door):
        self.world = world
        self.findings = world.findings
        self.door = door

    def arrived(self, now, address, data):
        """Returns the name under which the datagram is dropped, or None."""
        if not layouts.SEALED_MIN <= len(data) <= layouts.DATAGRAM_MAX:
            return "too_short" if len(data) < layouts.SEALED_MIN else "too_long"
        kind = layouts.type_of(data)
        if kind not in layouts.SEALED_TO_SERVER:
            return "unknown_type"
        live = [each for each in self.world.sessions.get(layouts.connection_of(data), []) if each.live()]
        if not live:
            return "unknown_connection"
        session = live[-1]
        sequence, message = session.server.receiver.read(data)
        if message is None:
            return sequence
        self.taken(now, address, session, sequence)
        read = self.world.read_arrived(data, message)
        self.follow(address, session, sequence, data)
        if read is None:
            return "malformed"
        if kind == layouts.RESPONSE:
            return self.take_response(address, session, read)
        if kind == layouts.INPUT:
            self.take_inputs(session, *read)
        elif kind == layouts.DISCONNECT:
            session.server.state = OVER
        return None

    def taken(self, now, address, session, sequence):
        server = session.server
        server.heard = now
        if sequence == server.receiver.newest:
            server.newest_arrival = now
        if server.state == ACCEPTED:
            server.state = PLAYING
            server.address = address
            self.door.proven(session)
            earlier = session.resumed_from
            if earlier is not None and earlier.server.state != OVER:
                orphaned = earlier.server.state == ORPHANED
                self.findings.saw("session resumed after a timeout" if orphaned else "session taken over")
                earlier.server.state = OVER

    def follow(self, address, session, sequence, data):
        """Keeps track of another address from which a session's newest packets come."""
        server = session.server
        if address == server.address or sequence != server.receiver.newest:
            return
        if server.path is None or server.path.address != address:
            server.path = Path(address)
        server.path.bytes_in += len(data)

    def take_response(self, address, session, data):
        server = session.server
        path = server.path
        if path is None or path.address != address or path.data != data:
            return "unexpected"
        server.address, server.path = address, None
        self.findings.saw("session moved")
        return None

    def take_inputs(self, session, head, inputs):
        """The first for a tick stands; where it comes after its tick, it is late."""
        server = session.server
        for tick in range(head.first_tick, head.first_tick + len(inputs)):
            if tick <= server.tick and tick not in server.inputs:
                server.late += 1
            if tick <= server.tick + INPUTS_AHEAD or server.tick == 0:
                server.inputs.add(tick)

    def pass_time(self, now):
        for session in self.world.all_sessions():
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
        if kind == layouts.CHALLENGE:
            self.sent_challenge(now, address, session, data, read)
            return
        there = address == session.server.address
        self.findings.check(there, "address", f"a {name} to another address than the session's")
        if kind == layouts.DISCONNECT:
            self.sent_goodbye(now, session, read)
        else:
            self.sent_snapshot(now, session, *read)

    def sent_challenge(self, now, address, session, data, drawn):
        check, path = self.findings.check, session.server.path
        check(session.server.state == PLAYING, "state", f"a CHALLENGE to who is {session.server.state}")
        if not check(path is not None and path.address == address, "challenge", "nothing newest came from there"):
            return
        path.bytes_out += len(data)
        within = path.bytes_out <= AMPLIFIED_MAX * path.bytes_in
        check(within, "amplification", f"{path.bytes_out} bytes to a path that sent {path.bytes_in}")
        soon = path.challenged is not None and now - path.challenged < CHALLENGE_EVERY
        check(not soon, "challenge", "sooner than 50 ms after the last")
        check(path.data in (None, drawn), "challenge", "other data than was drawn for this address")
        path.challenged = now
        path.data = drawn

    def sent_goodbye(self, now, session, reason):
        check, server = self.findings.check, session.server
        check(not server.goodbyes or server.goodbyes[-1] == reason, "goodbye", "another reason than before")
        server.goodbyes.append(reason)
        check(len(server.goodbyes) <= GOODBYES, "goodbye", "more than three")
        check(reason != messages.LEFT, "goodbye", "the client's own reason")
        self.findings.saw(f"DISCONNECT of reason {reason} by the server")
        if reason == messages.TAKEN_OVER:
            resumed = [s for s in self.world.all_sessions() if s.resumed_from is session]
            begun = any(s.server.receiver.taken > 0 for s in resumed)
            check(begun, "goodbye", "taken over by nobody")
            server.state = OVER
        elif reason == messages.TIMED_OUT:
            check(now - server.heard >= SILENCE, "goodbye", "timed out before 5 s of silence")
            server.state = ORPHANED
        elif reason == messages.STOPPING:
            check(self.world.draining, "goodbye", "the server does not stop")
            server.state = OVER

    def sent_snapshot(self, now, session, head, entities):
        check, server = self.findings.check, session.server
        check(server.state == PLAYING, "state", f"a SNAPSHOT to who is {server.state}")
        check(not server.goodbyes, "goodbye", "a SNAPSHOT after goodbye")
        check(now - server.heard <= SILENCE + TIMER_SLACK, "silence", "a SNAPSHOT to who is long silent")
        receiver = server.receiver
        taken = head.packets_received == receiver.taken % U32
        check(taken, "received", f"packets_received {head.packets_received} of {receiver.taken}")
        newest = head.newest_packet == receiver.newest % U32
        check(newest, "received", f"newest_packet {head.newest_packet}, is {receiver.newest}")
        delay = min((now - server.newest_arrival) // ACK_DELAY_UNIT, ACK_DELAY_MAX)
        check(abs(head.ack_delay - delay) <= 1, "received", f"ack_delay {head.ack_delay}, is {delay}")
        if head.tick != server.tick:
            self.check_inputs(server, head)
        self.gather(server, head, entities)

    def check_inputs(self, server, head):
        """What a snapshot says of the client's inputs, at the first fragment of its tick."""
        check = self.findings.check
        whole = head.tick
        while whole + 1 in server.inputs:
            whole += 1
        check(head.input_tick == whole, "input_tick", f"{head.input_tick}, is {whole}")
        made_up = (head.substituted - server.substituted) % U16
        missing = sum(tick not in server.inputs for tick in range(server.tick + 1, head.tick + 1))
        if server.tick > 0:
            check(made_up == missing, "substituted", f"{made_up} more, and {missing} had not come")
        late = head.late == server.late % U16
        check(late, "late", f"{head.late} of {server.late}")
        server.substituted = head.substituted
        server.inputs = {tick for tick in server.inputs if tick + INPUTS_KEPT > head.tick}

    def gather(self, server, head, entities):
        check = self.findings.check
        if server.view is None or head.tick != server.tick:
            check(server.view is None or server.view.whole(), "view", f"tick {server.tick}: not all its fragments")
            next_one = head.tick == server.tick + 1 or server.tick == 0
            check(next_one, "view", f"tick {head.tick} after {server.tick}")
            self.world.tick = head.tick
            server.tick, server.view = head.tick, View()
        fault = server.view.add(head, entities)
        check(fault is None, "view", f"tick {head.tick}: {fault}")
        if fault is None and server.view.whole():
            fault = server.view.fault()
            check(fault is None, "view", f"tick {head.tick}: {fault}")
            self.findings.saw(f"view of {head.fragments} fragments")
