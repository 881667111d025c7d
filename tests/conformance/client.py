"""What clients send and take: the page's part "The client"."""

import crypto
import layouts
import messages
from game_views import INPUTS_MAX
from layouts import nearest_tick
from refusals import REASON_MAX
from world import NS

ASK_EVERY = NS // 4
GIVES_UP = 5 * NS
INPUT_EVERY_TICKS = 1.25  # the most between two, of a client that runs a little slower than the server
WAITS_WHEN_AHEAD = 12  # ticks; less is made up for by running slower
NEW_FOR = 30  # ticks, in which a client may wait for less: its first guess of how far ahead to run may be wrong
INPUTS_REPEATED = 2  # at least, while unconfirmed
SLACK = NS // 100  # a client looks at its clock now and then
GOODBYES = 3


class Attempt:
    """One attempt to come in, with one nonce."""

    def __init__(self, now):
        self.began = now
        self.sent = {}  # type → datagram
        self.last = {}  # type → ns
        self.cookies = {}  # cookie → ns
        self.newest_cookie = None
        self.answer = None  # ACCEPT or REFUSE


class Clients:
    def __init__(self, world):
        self.world = world
        self.findings = world.findings
        self.attempts = {}  # by nonce
        self.bound = set()  # (key, nonce): sessions that a client opened

    # What they send.

    def sent(self, now, address, data):
        kind = layouts.type_of(data)
        if not self.findings.check(
            kind in layouts.ASKS or kind in layouts.SEALED_TO_SERVER, "type", f"{kind} from a client"
        ):
            return
        if not self.world.check_size(data, kind):
            return
        if kind in layouts.ASKS:
            self.sent_request(now, data, kind)
        else:
            self.sent_packet(now, data, kind)

    def sent_request(self, now, data, kind):
        check, name = self.findings.check, layouts.NAMES[kind]
        self.findings.saw(f"{name} sent")
        request = layouts.read_request(data)
        check(request.protocol == layouts.PROTOCOL, "request", f"{name}: protocol {request.protocol}")
        check(request.schema == self.world.schema, "request", f"{name}: schema {request.schema:016x}")
        check(not any(request.zeros), "request", f"{name}: bytes that have to be zero")
        attempt = self.attempts.setdefault(request.nonce, Attempt(now))
        check(now - attempt.began <= GIVES_UP + SLACK, "request", f"{name} after 5 s without an answer")
        before = attempt.sent.get(kind)
        mixed = kind == layouts.RESUME and set(attempt.sent) - {kind}
        check(not mixed, "nonce", "a RESUME with the nonce of another attempt")
        check(attempt.answer is None, "request", f"{name} after its answer")
        if kind == layouts.CONNECT:
            self.sent_connect(attempt, request)
        elif kind == layouts.RESUME:
            self.sent_resume(attempt, request)
        if before is not None:
            same = before == data or layouts.read_request(before).cookie != request.cookie
            check(same, "request", f"{name} repeated, and not the same")
            early = before == data and now - attempt.last[kind] < ASK_EVERY - SLACK
            check(not early, "request", f"{name} repeated within 250 ms")
        attempt.sent[kind] = data
        attempt.last[kind] = now

    def sent_connect(self, attempt, request):
        check = self.findings.check
        check(request.cookie in attempt.cookies, "request", "a CONNECT with a cookie that has not come")
        check(request.cookie == attempt.newest_cookie, "request", "a CONNECT with an older cookie")
        token = self.world.tokens.get(request.credential)
        if check(token is not None, "token", "a CONNECT with a token that nobody handed out"):
            check(crypto.tag(token.to_server, request.clear) == request.tag, "tag", "CONNECT: tag")
        before = attempt.sent.get(layouts.CONNECT)
        same = before is None or before[57:468] == request.credential
        check(same, "request", "a CONNECT with another token than before")

    def sent_resume(self, attempt, request):
        check = self.findings.check
        asked = not any(request.cookie) or request.cookie in attempt.cookies
        check(asked, "request", "a RESUME with a cookie that has not come")
        session = self.world.by_ticket.get(request.credential)
        if not check(session is not None and session.client.accepted, "token", "a ticket that has not come"):
            return
        check(crypto.tag(session.resume_keys.to_server, request.clear) == request.tag, "tag", "RESUME: tag")
        session.client.over = True
        resumes = (s for s in self.world.all_sessions if s.request.type == layouts.RESUME)
        newer = [s for s in resumes if s.resumed_from is session and s.client.accepted]
        check(not newer, "request", "a RESUME with an older ticket than the client has")

    def sent_packet(self, now, data, kind):
        name = layouts.NAMES[kind]
        session = self.world.session_of(data, "client")
        if not self.findings.check(session, "stranger", f"a {name} of no session that was accepted"):
            return
        client = session.client
        read = self.world.read_sent(client.sender, data)
        if read is None:
            return
        newest = layouts.connection_of(data) == client.connection
        self.findings.check(newest, "connection", f"a {name} with another id than the newest that has come")
        self.findings.check(not client.over, "goodbye", f"a {name} of a session that is over for it")
        if kind == layouts.DISCONNECT:
            client.goodbyes += 1
            self.findings.saw(f"DISCONNECT of reason {read} by a client")
            self.findings.check(read in (messages.LEFT, *messages.REFUSALS), "goodbye", f"a client's of reason {read}")
            self.findings.check(client.goodbyes <= GOODBYES, "goodbye", "more than three")
            return
        self.findings.check(client.goodbyes == 0, "goodbye", f"a {name} after goodbye")
        forgotten = any(now - asked > SLACK for asked in client.challenges.values())
        self.findings.check(not forgotten, "challenge", f"a {name} before the RESPONSE that is due")
        if kind == layouts.DESYNC_REPORT:
            client.reports.sent(now, read, self.world)
        elif kind == layouts.RESPONSE:
            asked = client.challenges.pop(read, None)
            at_once = asked is not None and now - asked <= SLACK
            self.findings.check(at_once, "challenge", "a RESPONSE to nothing that was asked just now")
        else:
            ticks = (now - (client.last_input or now)) * session.accept["tick_rate"] / NS
            is_new = client.first_input is None or client.newest_input < client.first_input + NEW_FOR
            in_time = ticks <= INPUT_EVERY_TICKS or client.ahead > WAITS_WHEN_AHEAD or is_new
            self.findings.check(in_time, "inputs", f"none for {ticks:.1f} ticks")
            client.reports.input_since = True
            self.sent_inputs(session, read)
            client.last_input = now
            client.ahead = client.newest_input - (self.world.play.tick)

    def sent_inputs(self, session, message):
        check, client = self.findings.check, session.client
        inputs = message.inputs
        first = nearest_tick(message.head.first_tick, self.world.play.tick)
        last = first + len(inputs) - 1
        if inputs:
            if client.first_input is None:
                client.first_input = first
            unsent = client.newest_input + 1 if client.newest_input else first
            client.newest_input = max(client.newest_input, last)
            oldest = min(max(client.confirmed + 1, client.first_input), client.newest_input)
            latest = max(oldest, min(unsent, client.newest_input - INPUTS_REPEATED + 1))
            check(oldest <= first <= latest, "inputs", f"begin at {first}, not at {oldest} to {latest}")
            all_of_them = last == client.newest_input or len(inputs) == INPUTS_MAX
            check(all_of_them, "inputs", f"end at {last}, not at {client.newest_input}")
        for tick, each in enumerate(inputs, first):
            if client.inputs.setdefault(tick, each) != each:
                self.findings.add("inputs", f"the input for tick {tick} is another than before")
        self.check_acknowledged(client, message)

    def check_acknowledged(self, client, message):
        check, head = self.findings.check, message.head
        if head.mismatches == client.wrong + 1 and client.last_told is not None:
            self.findings.saw("view that came out wrong")
            client.view_is_wrong()
        said, newest = message.view and tuple(message.view), client.newest_right
        right = None if newest is None else (newest[0] % 2**16, newest[1])
        check(said == right, "acknowledged", f"view {said}, is {right}")
        check(head.events == client.events, "acknowledged", f"event {head.events}, is {client.events}")
        check(head.mismatches == client.wrong, "acknowledged", f"{head.mismatches} mismatches of {client.wrong}")

    # What they take.

    def arrived(self, now, address, data):
        kind = layouts.type_of(data)
        if kind in layouts.SEALED_TO_CLIENT and layouts.SEALED_MIN <= len(data) <= layouts.DATAGRAM_MAX:
            self.arrived_packet(now, data, kind)
        elif kind == layouts.COOKIE and len(data) == layouts.COOKIE_BYTES:
            attempt = self.attempts.get(data[1:33])
            if attempt is not None and attempt.answer is None:
                attempt.cookies[data[33:45]] = now
                attempt.newest_cookie = data[33:45]
        elif kind == layouts.REFUSE and len(data) == layouts.PROVEN_REFUSE_BYTES:
            attempt = self.attempts.get(data[1:33])
            if attempt is not None and attempt.answer is None and 1 <= data[33] <= REASON_MAX:
                attempt.answer = kind
        elif kind == layouts.ACCEPT and len(data) <= layouts.ACCEPT_MAX:
            self.arrived_accept(data)

    def arrived_accept(self, data):
        for session in self.world.all_sessions:
            attempt = self.attempts.get(session.request.nonce)
            if session.datagram == data and attempt is not None and attempt.answer is None:
                attempt.answer = layouts.ACCEPT
                session.client.accepted = True

    def arrived_packet(self, now, data, kind):
        session = self.world.session_of(data, "server")
        if session is None or not session.client.accepted:
            return
        client = session.client
        if client.over or client.goodbyes:
            return
        sequence, message = client.receiver.read(data)
        if message is None:
            self.findings.saw(f"{layouts.NAMES[kind]} dropped as {sequence} by a client")
            return
        if sequence == client.receiver.newest:
            client.connection = layouts.connection_of(data)
        read = self.world.read_arrived(data, message)
        if read is None:
            return
        if kind == layouts.DISCONNECT:
            client.over = True
        elif kind == layouts.CHALLENGE:
            client.challenges[read] = now
        elif kind == layouts.DRAIN:
            self.findings.saw("DRAIN taken")
        elif kind == layouts.DESYNC_STATE:
            self.findings.saw("DESYNC_STATE taken")
        else:
            self.arrived_snapshot(session, read)

    @staticmethod
    def arrived_snapshot(session, snapshot):
        """Takes the view that the client makes of it.

        Only `mismatches` tells whether a view made by stepping is right.
        """
        client, head = session.client, snapshot.head
        heard = session.accept["tick"] if client.heard is None else client.heard
        tick = nearest_tick(head.tick, heard)
        if tick > heard:
            client.heard = tick
            client.confirmed = max(client.confirmed, nearest_tick(head.input_tick, tick))
        for event in snapshot.events:
            if event.number == (client.events + 1) % 2**16:
                client.events = event.number
        newer = client.newest_right is None or tick > client.newest_right[0]
        if not newer or (head.base_age > 0 and tick - head.base_age not in client.views):
            return
        client.view_is_right(tick, snapshot)
