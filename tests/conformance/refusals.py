"""Which answer the page gives to a HELLO, CONNECT or RESUME: its part "The server", in the order that it names."""

from collections import deque, namedtuple

import credentials
import crypto
import layouts
from session import ACCEPTED, ORPHANED, OVER, PLAYING, Keys
from world import NS

COOKIE_GOOD = 4 * NS
LOAD = 512  # RESUMEs without a cookie, since a rest; a server may ask the next one for a cookie
LOAD_WITHIN = 2 * NS
TAKEOVER_EVERY = 2 * NS
TOKEN_UNUSED, TOKEN_PENDING, TOKEN_CONSUMED = range(3)
(FULL, PROTOCOL, SCHEMA, DRAINING, KEY_UNKNOWN, TOKEN_FORGED, TOKEN_EXPIRED, TOKEN_BEFORE_BOOT) = range(1, 9)
(TOKEN_ELSEWHERE, TOKEN_ROOM, TOKEN_USED, TOKEN_TAKEN, TOKENS_FULL) = range(9, 14)
(RESTARTED, TICKET_FORGED, TICKET_OVER) = range(14, 17)
(DENIED, TOKEN_EARLY, TOKEN_LONG, OVERLOADED) = range(17, 21)  # no scene denies a client, or overloads the server
REASON_MAX = OVERLOADED
ISSUED_AHEAD_MAX = 5_000  # ms
TOKEN_LIFE_MAX = 600_000  # ms; the default of a server
UNPROVEN = (PROTOCOL, SCHEMA, KEY_UNKNOWN, TOKEN_FORGED, RESTARTED, TICKET_FORGED)

# What a request is owed. COOKIE, ACCEPT (with the session whose ACCEPT is sent again, or the keys of a new one),
# REFUSE (with the refusal), or nothing (with the name under which it is counted).
Owed = namedtuple("Owed", "answer session keys reason have limit dropped", defaults=(None,) * 6)


def refuse(reason, have=0, limit=0):
    return Owed(layouts.REFUSE, reason=reason, have=have, limit=limit)


def dropped(name):
    return Owed(None, dropped=name)


class TokenUse:
    """The state of a token that was accepted once."""

    def __init__(self, address, session):
        self.address = address
        self.nonce = session.request.nonce
        self.session = session  # the session that it led to
        self.state = TOKEN_PENDING


class Door:
    """Everything that the answer to a request depends on."""

    def __init__(self, world):
        self.world = world
        self.cookies = {}  # (address, nonce, cookie) → ns
        self.token_uses = {}  # by token id
        self.seats = {}  # by seat: the session whose ticket is good
        self.boot = None  # as the first ACCEPT told it
        self.newest_used = {}  # by client id: when its newest used token was issued
        self.taken_over = {}  # by client id: ns
        self.resumes = deque(maxlen=LOAD)  # ns of the last RESUMEs without a good cookie

    def seats_taken(self):
        live = {s.accept["player"] for s in self.world.all_sessions if s.server.state != OVER}
        return len(live)

    def owed(self, request, address, now):
        if request.protocol != layouts.PROTOCOL:
            return refuse(PROTOCOL, layouts.PROTOCOL, request.protocol)
        if request.schema != self.world.schema:
            return refuse(SCHEMA)
        if request.type == layouts.HELLO:
            return Owed(layouts.COOKIE)
        if request.type == layouts.CONNECT:
            return self.owed_to_connect(request, address, now)
        if not self.has_cookie(request, address, now):
            self.resumes.append(now)
        return self.owed_to_resume(request, address)

    def has_cookie(self, request, address, now):
        made = self.cookies.get((address, request.nonce, request.cookie))
        return made is not None and now - made <= COOKIE_GOOD

    def may_ask_for_cookie(self, request, address, now):
        """Whether a COOKIE may answer: to a RESUME without one, after many of them."""
        asked = request.type == layouts.RESUME and not self.has_cookie(request, address, now)
        return asked and len(self.resumes) == LOAD and now - self.resumes[0] < LOAD_WITHIN

    def same_again(self, request, address):
        """The session that this very request has made already and that has not begun."""
        for session in self.world.all_sessions:
            waits = session.server.state == ACCEPTED and session.asked_from == address
            same = session.request.type == request.type and session.request.credential == request.credential
            if waits and same and session.request.nonce == request.nonce:
                return Owed(layouts.ACCEPT, session=session)
        return None

    def owed_to_connect(self, request, address, now):
        if not self.has_cookie(request, address, now):
            return dropped("bad_cookie")
        again = self.same_again(request, address)
        if again:
            return again
        identity = credentials.key_id(request.credential)
        if identity not in self.world.ring:
            return refuse(KEY_UNKNOWN, identity)
        token = credentials.open_token(request.credential, self.world.ring)
        if token is None:
            return refuse(TOKEN_FORGED)
        if crypto.tag(token.to_server, request.clear) != request.tag:
            return dropped("forged")
        fault = self.token_fault(token, request, address, now)
        return (fault or Owed(layouts.ACCEPT))._replace(keys=Keys(token.to_server, token.to_client))

    def use_of(self, sealed):
        """How a token is used; None once the session for which it was pending was given up."""
        use = self.token_uses.get(credentials.token_id(sealed))
        given_up = use is not None and use.state == TOKEN_PENDING and use.session.server.state == OVER
        return None if given_up else use

    def token_fault(self, token, request, address, now):
        wall = self.world.wall_ms(now)
        use = self.use_of(request.credential)
        if wall >= token.expires:
            return refuse(TOKEN_EXPIRED, (wall - token.expires) // 1_000)
        if token.issued < self.world.boot_wall_ms:
            return refuse(TOKEN_BEFORE_BOOT, (self.world.boot_wall_ms - token.issued) // 1_000)
        if token.issued - wall > ISSUED_AHEAD_MAX:
            return refuse(TOKEN_EARLY, (token.issued - wall) // 1_000)
        if token.expires - token.issued > TOKEN_LIFE_MAX:
            return refuse(TOKEN_LONG, (token.expires - token.issued) // 1_000, TOKEN_LIFE_MAX // 1_000)
        if self.world.server not in token.servers:
            return refuse(TOKEN_ELSEWHERE)
        if token.room not in (0, self.world.room):
            return refuse(TOKEN_ROOM, token.room)
        if token.issued <= self.newest_used.get(token.client, -1):
            return refuse(TOKEN_USED)
        if use and use.address != address:
            return refuse(TOKEN_TAKEN)
        if self.world.draining:
            return refuse(DRAINING)
        begins_anew = use is not None and use.session.server.state == ACCEPTED
        holder = self.holder(token.client)
        if not begins_anew and holder is None and self.seats_taken() >= self.world.seats:
            return refuse(FULL, self.seats_taken(), self.world.seats)
        if holder is not None and now - self.taken_over.get(token.client, -TAKEOVER_EVERY) < TAKEOVER_EVERY:
            return dropped("rate_limited")
        waits = self.waiting_of(token.client)
        return refuse(TOKEN_USED) if any(each.issued > token.issued for each in waits) else None

    def holder(self, client):
        """The session that has the seat of a client id, and has begun."""
        mine = (each for each in self.seats.values() if each.client_id == client)
        return next((each for each in mine if each.server.state in (PLAYING, ORPHANED)), None)

    def waiting_of(self, client):
        """The sessions of a client id that have not begun."""
        return [s for s in self.world.all_sessions if s.client_id == client and s.server.state == ACCEPTED]

    def owed_to_resume(self, request, address):
        if credentials.ticket_boot(request.credential) != self.boot:
            return refuse(RESTARTED)
        session = self.world.by_ticket.get(request.credential)
        if session is None:
            return refuse(TICKET_FORGED)
        if crypto.tag(session.resume_keys.to_server, request.clear) != request.tag:
            return dropped("forged")
        fault = self.ticket_fault(session)
        if fault:
            return fault._replace(keys=session.resume_keys)
        return self.same_again(request, address) or Owed(layouts.ACCEPT, keys=session.resume_keys)

    def ticket_fault(self, session):
        if self.world.draining:
            return refuse(DRAINING)
        good = self.seats.get(session.accept["player"]) is session
        if not good or session.server.state not in (PLAYING, ORPHANED):
            return refuse(TICKET_OVER)
        return None

    def accepted(self, session, address):
        if self.boot is None:
            self.boot = session.accept["boot"]
        if session.request.type == layouts.CONNECT:
            self.token_uses[credentials.token_id(session.request.credential)] = TokenUse(address, session)
            token = self.token_of(session.request)
            if token is not None:
                session.client_id, session.issued = token.client, token.issued
                session.resumed_from = self.holder(token.client)
        else:
            if any(session.request.cookie):
                self.world.findings.saw("ACCEPT of a RESUME with a cookie")
            session.resumed_from = self.world.by_ticket[session.request.credential]
            session.client_id = session.resumed_from.client_id
        for each in self.waiting_of(session.client_id):
            if each is not session:
                each.server.state = OVER  # a seat has one pending session

    def token_of(self, request):
        """The token of a CONNECT, opened; None where it should not have been accepted."""
        has_key = credentials.key_id(request.credential) in self.world.ring
        return credentials.open_token(request.credential, self.world.ring) if has_key else None

    def proven(self, now, session):
        """The first packet under a session's keys has arrived."""
        if session.request.type == layouts.CONNECT:
            self.token_uses[credentials.token_id(session.request.credential)].state = TOKEN_CONSUMED
            self.newest_used[session.client_id] = session.issued
            if session.resumed_from is not None:
                self.taken_over[session.client_id] = now
                self.world.findings.saw("seat taken over by a newer token")
        self.seats[session.accept["player"]] = session
