"""All that the two sides of the reader share: what was handed out, who has a session, which keys were used."""

from collections import defaultdict

import credentials
import crypto
import game
import game_views
import layouts
import messages
from crypto import EPOCH_PACKETS
from flatbuffer import Malformed
from room import Room
from session import OVER

NS = 1_000_000_000
READERS = {
    layouts.DISCONNECT: messages.read_disconnect,
    layouts.CHALLENGE: messages.read_path_check,
    layouts.RESPONSE: messages.read_path_check,
    layouts.DRAIN: messages.read_drain,
    layouts.DESYNC_REPORT: messages.read_view_part,
    layouts.DESYNC_STATE: messages.read_view_part,
}
READERS_OF_A_GAME = {
    layouts.INPUT: messages.read_input_message,
    layouts.SNAPSHOT: messages.read_snapshot,
}


class World:
    def __init__(self, head, schema, findings):
        self.findings = findings
        self.schema = schema
        self.tokens = {}  # texts by sealed part
        self.all_sessions = []
        self.sessions = defaultdict(list)  # by each connection id that they had, the newest last
        self.by_ticket = {}
        self.secrets = {}  # of the server's handshakes, by nonce
        self._used = {}  # (key, sequence) → datagram
        self.views = game_views.Views(game.Game(bytes.fromhex(head["descriptor"])))  # reads the bits of the game
        self.restart(head)

    def restart(self, head):
        """A server starts, with nothing but its keys."""
        self.ring = credentials.read_ring(head["key_ring"])
        self.server = layouts.read_address(head["server"])
        self.seats = head["seats"]
        self.room = head["room"]  # its number
        self.always = head["always"]  # names of the values of an input that the game never leaves out
        self.boot_wall_ms = head["ms_since_1970"]
        self.boot_ns = head["ns"]
        self.draining = False
        self.play = Room()
        for session in self.all_sessions:
            session.server.state = OVER

    def hand_out(self, text):
        token = credentials.read_token(text, self.ring)
        self.tokens[token.sealed] = token

    @property
    def game(self):
        return self.views.game

    def read_message(self, kind, message):
        if kind in READERS_OF_A_GAME:
            return READERS_OF_A_GAME[kind](message, self.views)
        return READERS[kind](message)

    def draw(self, secret):
        self.secrets[crypto.nonce_of(secret)] = secret

    def wall_ms(self, now):
        return self.boot_wall_ms + (now - self.boot_ns) // 1_000_000

    def add(self, session):
        fresh = all(other.datagram[5:37] != session.datagram[5:37] for other in self.all_sessions)
        self.findings.check(fresh, "nonce", "a server nonce that another session has")
        taken = self.has_live(session.connection)
        self.findings.check(not taken, "connection", "a connection id that a live session has")
        self.all_sessions.append(session)
        self.sessions[session.connection].append(session)
        self.by_ticket[session.accept["ticket"]] = session

    def has_live(self, connection):
        return any(each.live() and connection in each.ids for each in self.sessions[connection])

    def session_of(self, data, end):
        """The session whose `end` has sent this packet; several sessions may have had its connection id."""
        connection = layouts.connection_of(data)
        if end == "server":
            self.take_new_id(connection, data)
        known = self.sessions.get(connection, [])
        if end == "client":
            known = [session for session in known if session.client.accepted]
        if len(known) > 1:
            known = [s for s in known if getattr(s, end).sender.opens(data)] or known
        return known[-1] if known else None

    def take_new_id(self, connection, data):
        """With its first packet after a move, the server tells a session's new connection id."""
        if self.sessions.get(connection):
            return
        for session in self.all_sessions:
            if not session.live() or not session.server.sender.opens(data):
                continue
            self.findings.check(session.renews, "connection", "another id, without a move")
            same_place = connection % layouts.PLACES == session.connection % layouts.PLACES
            self.findings.check(same_place, "connection", "after a move: one of another place")
            session.renews = False
            session.ids.append(connection)
            self.sessions[connection].append(session)

    def use(self, key, sequence, datagram):
        """No key seals twice with one nonce; only an ACCEPT is sent again, byte for byte."""
        before = self._used.setdefault((key, sequence), datagram)
        again = before is not datagram and not (sequence == 0 and before == datagram)
        self.findings.check(not again, "key_nonce", f"key and nonce of sequence {sequence} used again")

    def read_sent(self, sender, data):
        """Opens and reads what one of the two ends has sent: all of it has to be right."""
        name = layouts.NAMES[layouts.type_of(data)]
        self.findings.saw(f"{name} sent")
        expected = sender.last + 1
        sequence, message = sender.read(data)
        if not self.findings.check(message is not None, "seal", f"a {name} that does not open"):
            return None
        self.findings.check(sequence == expected, "sequence", f"{name}: {sequence} follows {expected - 1}")
        self.use(sender.chain.of(sequence), sequence, data)
        if sequence >= EPOCH_PACKETS:
            self.findings.saw(f"{name} of a later epoch")
        try:
            read = self.read_message(layouts.type_of(data), message)
            self.check_written(data, message)
            return read
        except Malformed as fault:
            self.findings.add("message", f"{name}: {fault}")
            return None

    @staticmethod
    def check_written(data, message):
        """Checks what a reader ignores, and a writer must do right nevertheless."""
        kind = layouts.type_of(data)
        if kind == layouts.INPUT:
            messages.check_input_size(message)
        elif kind in (layouts.DESYNC_REPORT, layouts.DESYNC_STATE):
            messages.check_view_part_zeros(message)

    def read_arrived(self, data, message):
        """What arrived may be anything: None where it is malformed."""
        try:
            return self.read_message(layouts.type_of(data), message)
        except Malformed:
            return None

    def check_size(self, data, kind):
        """What a datagram that one of the two ends has sent may measure."""
        low, high = {
            layouts.COOKIE: (layouts.COOKIE_BYTES, layouts.COOKIE_BYTES),
            layouts.REFUSE: (layouts.REFUSE_BYTES, layouts.PROVEN_REFUSE_BYTES),
            layouts.ACCEPT: (layouts.ACCEPT_HEAD_BYTES + 16, layouts.ACCEPT_MAX),
        }.get(kind, (layouts.SEALED_MIN, layouts.DATAGRAM_MAX))
        if kind in layouts.ASKS:
            low = layouts.ASK_BYTES
        return self.findings.check(
            low <= len(data) <= high, "size", f"{layouts.NAMES[kind]} of {len(data)} bytes"
        )
