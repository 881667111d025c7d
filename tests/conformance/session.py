"""A session as both of its ends and the reader know it: keys, numbers, addresses, and what each has said."""

import crypto
from budget import NS
from sequences import Receiver, Sender
from sent_views import SentViews
from desync_reports import ClientReports, ServerReports

ACCEPTED, PLAYING, ORPHANED, OVER = "accepted", "playing", "orphaned", "over"
VIEWS_HELD = 64  # ticks


CHECK_LIFE = 2 * NS
ROUND_TRIPS = 3
OLD_ADDRESS_SILENT = NS // 5


class PathCheck:
    """Whether a session's client is at a new address, or still at the session's."""

    def __init__(self, address, now):
        self.address = address  # the new one
        self.began = now
        self.expires = now + CHECK_LIFE
        self.moves = None  # ns: the session moves, unless its own address answers
        self.bytes_in = 0
        self.bytes_out = 0
        self.asked = {}  # by address: ns of the last CHALLENGE, and its data

    def answered(self, now):
        round_trip = now - self.began
        self.moves = now + max((ROUND_TRIPS - 1) * round_trip, OLD_ADDRESS_SILENT)
        self.expires = self.moves + CHECK_LIFE

    def asked_at(self, address):
        return self.asked.get(address, (None, None))[1]


class ServerEnd:
    """What the server is known to know."""

    def __init__(self, keys, address, now):
        self.state = ACCEPTED
        self.address = address
        self.heard = now
        self.check = None  # of its path
        self.next_check = 0  # ns: not before
        self.sender = Sender(keys.to_client, keys.cipher)
        self.receiver = Receiver(keys.to_server, keys.cipher)
        self.goodbyes = []  # reasons
        self.drained = None  # ns of the last DRAIN, and the end that it named
        self.inputs = None  # of a client that plays
        self.margin = (0, 0)  # of the newest packet with inputs: at least, at most
        self.sent = SentViews()
        self.reports = ServerReports()


class ClientEnd:
    """What the client is known to know."""

    def __init__(self, keys, connection):
        self.connection = connection  # the id of the newest packet that has come
        self.accepted = False
        self.over = False
        self.sender = Sender(keys.to_server, keys.cipher)
        self.receiver = Receiver(keys.to_client, keys.cipher)
        self.goodbyes = 0
        self.inputs = {}  # by tick, as they were sent first
        self.first_input = None  # tick
        self.newest_input = 0  # tick
        self.confirmed = 0  # the newest input_tick that has come
        self.heard = None  # tick of the newest snapshot that came
        self.views = set()  # ticks of those that it made
        self.events = 0  # number of the newest that has come, with all before it
        self.newest_right = None  # tick and receipt of the newest view that it made
        self.wrong = 0
        self.last_told = None  # tick and hash of the newest snapshot whose view it made
        self.reports = ClientReports()
        self.challenges = {}  # data of those not answered yet → ns
        self.last_input = None  # ns
        self.ahead = 0  # ticks from the room to its newest input, at last_input

    def view_is_right(self, tick, snapshot):
        """Takes a view that is later than all before."""
        self.newest_right = (tick, snapshot.receipt)
        self.last_told = (tick, snapshot.head.view_hash)
        self.views.add(tick)
        self.views.discard(tick - VIEWS_HELD)

    def view_is_wrong(self):
        """The view of the newest snapshot is wrong: the client holds no view any more."""
        tick, told = self.last_told
        self.last_told = None
        self.wrong += 1
        self.reports.wrong[tick] = told
        self.newest_right = None
        self.views = set()


class Keys:
    def __init__(self, to_server, to_client, cipher=crypto.CHACHA):
        self.to_server = to_server
        self.to_client = to_client
        self.cipher = cipher

    def session(self, client_nonce, server_nonce, secret, cipher):
        """`secret`: the server's."""
        parts = client_nonce, server_nonce, crypto.agreed(secret, client_nonce)
        keys = crypto.session_key(self.to_server, *parts), crypto.session_key(self.to_client, *parts)
        return Keys(*keys, cipher)

    def resume(self):
        return Keys(crypto.resume_key(self.to_server), crypto.resume_key(self.to_client))


class Session:
    def __init__(self, connection, keys, request, accept, datagram, address, now):
        self.ids = [connection]  # the last two connection ids
        self.renews = False  # it has moved, and its new id is not known yet
        self.keys = keys
        self.request = request
        self.accept = accept
        self.datagram = datagram  # the ACCEPT, as it was sent
        self.asked_from = address
        self.resume_keys = keys.resume()
        self.client_id = None  # of its seat, as the token said; None: of a token that should not have been accepted
        self.issued = 0  # ms since 1970: its token
        self.resumed_from = None  # the session whose ticket it came with, or whose seat its newer token takes over
        self.server = ServerEnd(keys, address, now)
        self.client = ClientEnd(keys, connection)

    @property
    def who(self):
        """The player in its seat."""
        return self.accept["generation"] << 12 | self.accept["player"]

    @property
    def connection(self):
        return self.ids[-1]

    def move(self, address):
        self.server.address = address
        self.ids = self.ids[-1:]
        self.renews = True

    def live(self):
        """Whether the server still has its keys."""
        return self.server.state in (ACCEPTED, PLAYING)
