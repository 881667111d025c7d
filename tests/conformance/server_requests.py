"""What the server answers to strangers: once per request, never larger than it, and what the page says."""

from collections import defaultdict

import crypto
import layouts
from flatbuffer import Malformed
from messages import read_accept
from refusals import REASON_MAX, TOKEN_BEFORE_BOOT, TOKEN_EARLY, TOKEN_EXPIRED, TOKENS_FULL, UNPROVEN, Door
from session import OVER, Keys, Session

ROUNDED_SECONDS = {TOKEN_EXPIRED, TOKEN_BEFORE_BOOT, TOKEN_EARLY}


class Waiting:
    """A request that has arrived and has had no answer yet."""

    def __init__(self, request, owed, line):
        self.request = request
        self.owed = owed
        self.line = line


class ServerRequests:
    def __init__(self, world):
        self.world = world
        self.findings = world.findings
        self.door = Door(world)
        self.waiting = defaultdict(list)  # by address
        self.bytes_in = defaultdict(int)
        self.bytes_out = defaultdict(int)
        self.unanswered = []
        self.cookies_start = None  # the number of the server's first second

    def arrived(self, now, address, data):
        """Returns the name under which the request is dropped, or None."""
        self.bytes_in[address] += len(data)
        if len(data) != layouts.ASK_BYTES:
            return "too_short" if len(data) < layouts.ASK_BYTES else "too_long"
        request = layouts.read_request(data)
        owed = self.door.owed(request, address, now)
        if owed.answer is None:
            self.findings.saw(f"{layouts.NAMES[request.type]} dropped as {owed.dropped}")
            return owed.dropped
        self.waiting[address].append(Waiting(request, owed, self.findings.line))
        return None

    def settle(self):
        """A request that the next datagram finds unanswered stays so."""
        for waiting in self.waiting.values():
            self.unanswered += waiting
        self.waiting.clear()

    def sent(self, now, address, data, kind):
        name = layouts.NAMES[kind]
        self.findings.saw(f"{name} sent")
        self.bytes_out[address] += len(data)
        self.findings.check(
            self.bytes_out[address] <= self.bytes_in[address],
            "amplification",
            f"{self.bytes_out[address]} bytes to who sent {self.bytes_in[address]}",
        )
        if kind == layouts.ACCEPT:
            self.sent_accept(now, address, data)
            return
        answered = self.take(address, lambda waiting: waiting.request.nonce == data[1:33])
        if not self.findings.check(answered, "answer", f"a {name} that answers nothing"):
            return
        right = answered.owed.answer == kind
        if kind == layouts.COOKIE and self.door.may_ask_for_cookie(answered.request, address, now):
            self.findings.saw("COOKIE for a RESUME")
            right = True
        self.findings.check(right, "verdict", lambda: f"{name}, owed was {describe(answered.owed)}")
        if kind == layouts.COOKIE:
            self.sent_cookie(now, address, data)
        else:
            self.sent_refuse(data, answered.owed)

    def take(self, address, matches):
        for waiting in self.waiting[address]:
            if matches(waiting):
                self.waiting[address].remove(waiting)
                return waiting
        return None

    def sent_cookie(self, now, address, data):
        self.door.cookies[(address, data[1:33], data[33:45])] = now
        second = int.from_bytes(data[33:37], "little")
        start = second - (now - self.world.boot_ns) // 1_000_000_000
        self.cookies_start = start if self.cookies_start is None else self.cookies_start
        self.findings.check(start == self.cookies_start, "cookie", f"seconds from {start}, was {self.cookies_start}")

    def sent_refuse(self, data, owed):
        refusal = layouts.read_refuse(data)
        self.findings.saw(f"REFUSE of reason {refusal.reason}")
        if not self.findings.check(1 <= refusal.reason <= REASON_MAX, "refuse", f"reason {refusal.reason}"):
            return
        self.check_proof(refusal, owed)
        if owed.answer != layouts.REFUSE or refusal.reason == TOKENS_FULL:
            return
        self.findings.check(
            refusal.reason == owed.reason, "verdict", lambda: f"reason {refusal.reason}, owed was {describe(owed)}"
        )
        slack = 1 if owed.reason in ROUNDED_SECONDS else 0
        right = abs(refusal.have - owed.have) <= slack and refusal.limit == owed.limit
        self.findings.check(right, "refuse", lambda: f"{refusal.have}/{refusal.limit}, owed was {describe(owed)}")

    def check_proof(self, refusal, owed):
        """A server proves a refusal where it has opened the token or ticket, and only there."""
        owed_proof = b"" if refusal.reason in UNPROVEN else None
        if owed_proof is None and owed.keys is not None:
            owed_proof = crypto.tag(owed.keys.to_client, refusal.clear)
            self.findings.saw("REFUSE with proof")
        self.findings.check(refusal.proof == owed_proof, "refuse", f"the proof of reason {refusal.reason}")

    def sent_accept(self, now, address, data):
        again = self.take(address, lambda waiting: waiting.owed.session and waiting.owed.session.datagram == data)
        if again:
            self.findings.saw("ACCEPT sent again")
            return
        for waiting in self.waiting[address]:
            session = self.open_accept(now, address, data, waiting)
            if session is None:
                continue
            self.waiting[address].remove(waiting)
            owed_anew = waiting.owed.answer == layouts.ACCEPT and waiting.owed.session is None
            self.findings.check(
                owed_anew, "verdict", lambda: f"a new ACCEPT, owed was {describe(waiting.owed)}"
            )
            self.findings.saw(f"ACCEPT of a {layouts.NAMES[waiting.request.type]}")
            if session.keys.cipher == crypto.AES:
                self.findings.saw(f"ACCEPT of a {layouts.NAMES[waiting.request.type]} with AES")
            self.world.use(session.keys.to_client, 0, data)
            self.world.add(session)
            self.door.accepted(session, address)
            self.check_accept(session)
            return
        self.findings.add("seal", "an ACCEPT that opens for nobody who asked")

    def open_accept(self, now, address, data, waiting):
        """The session that an ACCEPT begins, if it answers this request."""
        keys = waiting.owed.keys or self.handed_out(waiting.request)
        if keys is None:
            return None
        connection = int.from_bytes(data[1:5], "little")
        secret = self.world.secrets.get(data[5:37])
        if not self.findings.check(secret, "nonce", "a server nonce whose secret the server has not drawn"):
            return None
        cipher = layouts.cipher_of(data)
        offered = waiting.request.ciphers & 1
        self.findings.check(cipher <= offered, "cipher", "an ACCEPT with a cipher that the client does not have")
        session_keys = keys.session(waiting.request.nonce, data[5:37], secret, cipher)
        head = data[: layouts.ACCEPT_HEAD_BYTES]
        message = crypto.unseal(session_keys.to_client, 0, head, data[len(head) :], cipher)
        if message is None:
            return None
        try:
            accept = read_accept(message)
        except Malformed as fault:
            self.findings.add("message", f"ACCEPT: {fault}")
            return None
        return Session(connection, session_keys, waiting.request, accept, data, address, now)

    def handed_out(self, request):
        """The keys of a token or ticket that should not have been accepted."""
        token = self.world.tokens.get(request.credential)
        if token is not None:
            return Keys(token.to_server, token.to_client)
        earlier = self.world.by_ticket.get(request.credential)
        return earlier.resume_keys if earlier is not None else None

    def check_accept(self, session):
        accept, earlier = session.accept, session.resumed_from
        check = self.findings.check
        check(accept["room"] == self.world.room, "accept", "another room")
        tick = self.world.play.tick
        check(accept["tick"] == tick, "accept", f"tick {accept['tick']} of {tick}")
        first = self.world.all_sessions[0].accept
        for name in ("tick_rate", "game", "game_version", "game_hash", "map_seats", "map_hash"):
            check(accept[name] == first[name], "accept", f"another {name} than the first client received")
        if earlier is None:
            others = (each for each in self.world.all_sessions if each is not session)
            held = {each.accept["player"] for each in others if each.server.state != OVER}
            check(accept["player"] not in held, "accept", "a seat that somebody has")
        check(accept["boot"] == self.door.boot, "accept", "another boot id")
        if self.world.views is not None:
            game = self.world.game
            right = accept["game"].decode() == game.name and accept["game_version"] == game.version
            check(right, "accept", "another game than the descriptor is of")
        check(accept["ticket"][0] == 1, "accept", "a ticket that does not begin with 1")
        boot = int.from_bytes(accept["ticket"][1:9], "little")
        check(boot == accept["boot"], "accept", "a ticket of another boot id")
        if earlier is not None:
            for name in ("player", "generation", "room"):
                check(accept[name] == earlier.accept[name], "accept", f"resumed with another {name}")


def describe(owed):
    if owed.answer is None:
        return owed.dropped
    if owed.answer == layouts.REFUSE:
        return f"REFUSE {owed.reason} ({owed.have}/{owed.limit})"
    if owed.answer == layouts.ACCEPT:
        return "the same ACCEPT again" if owed.session else "a new ACCEPT"
    return layouts.NAMES[owed.answer]
