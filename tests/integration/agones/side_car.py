"""A strict stand-in of the side car of Agones: its REST API, and the GameServer behind it.

Its statements are those of Agones' sdk.proto, of its REST page and of pkg/sdkserver. What a server must not do is a
violation; missing() says what it has not done. Faults are functions that a test sets.
"""

import http.server
import json
import queue
import socket
import threading
import time

BEFORE_READY = ("Starting", "Scheduled")
CALLS_A_SECOND = 20  # more is a loop without a pause
LIST_CHANGES_A_SECOND = 60
WRITE_TIME = 0.2  # seconds until Kubernetes has the changes of a list, which the side car gathers


class Fault:
    """What goes wrong with one request."""

    def __init__(self, status=200, before=0.0, after=0.0, lost=False):
        self.status = status  # other than 200: the request is not taken
        self.before = before  # seconds until it is taken
        self.after = after  # seconds from then until the answer
        self.lost = lost  # the connection is closed without an answer


class SideCar:
    """Listens once start() is called. `counters` and `lists`: those of the spec, with their capacity."""

    def __init__(self, counters=None, lists=None, address="127.0.0.1", ports=(7010,), unhealthy_after=15.0):
        self.lock = threading.RLock()
        self.state = "Scheduled"
        self.address = address
        self.ports = list(ports)
        self.counters = {key: {"count": 0, "capacity": most} for key, most in (counters or {}).items()}
        self.lists = {key: {"capacity": most, "values": []} for key, most in (lists or {}).items()}
        self.written = {key: [] for key in self.lists}  # the values that Kubernetes has
        self.annotations = {}
        self.version = 100
        self.calls = []  # (time, "POST /ready", body), when a request has come
        self.taken = []  # (time, "POST /ready", body), when it is taken
        self.violations = []
        self.states = [self.state]
        self.unhealthy_after = unhealthy_after
        self.last_ping = None
        self.fault = lambda call, number: Fault()
        self.events_of = lambda event: [event]  # what the watch sends in place of an event
        self.on_ready = lambda: None
        self.on_shutdown = lambda: None  # the kubelet's SIGTERM, a moment after the shutdown
        self.watches = []
        self.is_over = threading.Event()
        side_car = self

        class Handler(_Handler):
            owner = side_car

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler, bind_and_activate=False)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *arguments: None  # a client that no longer waits
        self.server.server_bind()
        self.port = self.server.server_address[1]

    def start(self):
        self.last_ping = time.monotonic()
        self.server.server_activate()
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        threading.Thread(target=self.watch_health, daemon=True).start()

    def stop(self):
        self.is_over.set()
        self.cut()
        threading.Thread(target=self.server.shutdown, daemon=True).start()
        self.server.server_close()

    # --- the GameServer ---

    def game_server(self):
        with self.lock:
            return {
                "object_meta": {"name": "tickbox-x7", "namespace": "default", "uid": "1234",
                                "resource_version": str(self.version), "generation": str(self.version),
                                "creation_timestamp": "1700000000", "deletion_timestamp": "0",
                                "annotations": dict(self.annotations), "labels": {}},
                "spec": {"health": {"disabled": False, "period_seconds": 5, "failure_threshold": 3,
                                    "initial_delay_seconds": 5}},
                "status": {"state": self.state, "address": self.address, "addresses": [],
                           "ports": [{"name": f"game{i}", "port": port} for i, port in enumerate(self.ports)],
                           "players": None,
                           "lists": {key: {"capacity": str(each["capacity"]), "values": list(self.written[key])}
                                     for key, each in self.lists.items()},
                           "counters": {key: {"count": str(counter["count"]), "capacity": str(counter["capacity"])}
                                        for key, counter in self.counters.items()}},
            }

    def change(self, **values):
        """Sets attributes, and sends the GameServer to the watches."""
        with self.lock:
            for name, value in values.items():
                setattr(self, name, value)
            if "state" in values:
                self.states.append(self.state)
            self.version += 1
            for event in self.events_of(self.game_server()):
                for watch in self.watches:
                    watch.put(event)

    def later(self, seconds, action):
        timer = threading.Timer(seconds, lambda: None if self.is_over.is_set() else action())
        timer.daemon = True
        timer.start()

    def become_ready(self):
        with self.lock:
            if self.state == "RequestReady":
                self.change(state="Ready")
                self.on_ready()

    def allocate(self, annotations=None, counters=()):
        """Allocates the server, as a GameServerAllocation does."""
        with self.lock:
            if self.state not in ("Ready", "Allocated"):
                raise AssertionError(f"a server that is {self.state} cannot be allocated")
            for key in counters:
                self.counters[key]["count"] += 1
            allocated = f"2026-11-28T10:00:{self.version:03}Z"
            self.change(state="Allocated",
                        annotations=self.annotations | (annotations or {}) | {"agones.dev/last-allocated": allocated})
            return allocated

    def watch_health(self):
        while not self.is_over.wait(0.05):
            with self.lock:
                is_late = time.monotonic() - self.last_ping > self.unhealthy_after
                if is_late and self.state not in ("Unhealthy", "Shutdown"):
                    self.change(state="Unhealthy")

    def cut(self, piece=b""):
        """Ends all watches, after a piece of a line."""
        with self.lock:
            for watch in self.watches:
                watch.put(piece)
                watch.put(None)

    # --- requests ---

    def violate(self, text):
        self.violations.append(text)

    def receive(self, call, body):
        """Records a request. Returns its fault."""
        with self.lock:
            now = time.monotonic()
            self.calls.append((now, call, body))
            newest = [call.endswith("Value") for at, call, _ in self.calls if now - at < 1]
            if newest.count(False) > CALLS_A_SECOND or newest.count(True) > LIST_CHANGES_A_SECOND:
                self.violate(f"{len(newest)} calls in a second, the last one {call}")
            number = sum(1 for _, each, _ in self.calls if each == call)
            return self.fault(call, number)

    def take(self, call, body):
        """Does what a request asks for. Returns status and answer."""
        with self.lock:
            if body is not None and not isinstance(body, dict):
                self.violate(f"{call}: the body is no object of JSON")
                return 400, {"code": 3, "message": "invalid"}
            self.taken.append((time.monotonic(), call, body))
            method, path = call.split()
            if call == "GET /gameserver":
                return 200, self.game_server()
            if call == "POST /health":
                self.last_ping = time.monotonic()
                return self.expect_empty(call, body)
            if call == "POST /ready":
                return self.take_ready(call, body)
            if call == "POST /shutdown":
                if self.state != "Shutdown":
                    self.change(state="Shutdown")
                    self.later(0.3, self.on_shutdown)
                return self.expect_empty(call, body)
            if call == "PUT /metadata/annotation":
                return self.take_annotation(call, body)
            if method == "PATCH" and path.startswith("/v1beta1/counters/"):
                return self.take_counter(path.rsplit("/", 1)[1], body)
            if path.startswith("/v1beta1/lists/"):
                key, _, change = path.rsplit("/", 1)[1].partition(":")
                if (method, change) in (("GET", ""), ("POST", "addValue"), ("POST", "removeValue")):
                    return self.take_list(key, change, body)
            self.violate(f"there is no {call}")
            return 404, {"code": 5, "message": "Not Found"}

    def expect_empty(self, call, body):
        if body != {}:
            self.violate(f"{call}: the body is not {{}}")
        return 200, {}

    def take_ready(self, call, body):
        # Agones takes an allocated server out of its match then, and a second request does nothing else.
        if self.state not in BEFORE_READY:
            self.violate(f"{call} of a server that is {self.state}")
        self.change(state="RequestReady")
        self.later(0.3, self.become_ready)
        return self.expect_empty(call, body)

    def take_annotation(self, call, body):
        if set(body) != {"key", "value"} or not all(isinstance(value, str) for value in body.values()):
            self.violate(f"{call}: {body}")
            return 400, {"code": 3, "message": "invalid"}
        self.change(annotations=self.annotations | {"agones.dev/sdk-" + body["key"]: body["value"]})
        return 200, {}

    def take_counter(self, key, body):
        for value in body.values():
            if not isinstance(value, str) or not value.isdigit():
                self.violate(f"counter {key}: {body} has a number of 64 bits that is no text")
        if not set(body) <= {"count", "capacity"}:
            self.violate(f"counter {key}: {body}")
        before = self.times(f"PATCH /v1beta1/counters/{key}")[:-1]
        if before and time.monotonic() - before[-1] < 0.5:
            self.violate(f"counter {key}: twice within half a second")
        if key not in self.counters:
            return 500, {"code": 2, "message": f"counter not found: {key}", "details": []}
        capacity = int(body.get("capacity", self.counters[key]["capacity"]))
        count = int(body.get("count", self.counters[key]["count"]))
        if count > capacity:
            return 500, {"code": 2, "message": "out of range. Count must be within range [0,Capacity]"}
        self.counters[key] = {"count": count, "capacity": capacity}
        self.change()
        return 200, {"name": key, "count": str(count), "capacity": str(capacity)}

    def take_list(self, key, change, body):
        if key not in self.lists:
            return 500, {"code": 2, "message": f"list not found: {key}", "details": []}
        values, capacity = self.lists[key]["values"], self.lists[key]["capacity"]
        if change:
            if set(body) != {"value"} or not isinstance(body["value"], str):
                self.violate(f"list {key}: {body}")
                return 400, {"code": 3, "message": "invalid"}
            adds, value = change == "addValue", body["value"]
            if adds and len(values) >= capacity:
                return 500, {"code": 2, "message": f"out of range. No available capacity. Current Capacity: {capacity}"}
            if (value in values) == adds:
                self.violate(f"list {key}: {change} of {value}, and it has {values}")
                return 500, {"code": 2, "message": "already exists" if adds else "not found"}
            (values.append if adds else values.remove)(value)
            self.later(WRITE_TIME, self.write_lists)
        return 200, {"name": key, "capacity": str(capacity), "values": list(values)}

    def write_lists(self):
        with self.lock:
            values = {key: list(each["values"]) for key, each in self.lists.items()}
            if values != self.written:
                self.change(written=values)

    # --- the list of calls that a server must have made ---

    def times(self, call):
        with self.lock:
            return [at for at, each, _ in self.taken if each == call]

    def missing(self):
        """Returns what a server has not done that has come to its end."""
        ready, shutdown, pings = (self.times("POST " + path) for path in ("/ready", "/shutdown", "/health"))
        missing = [call for call in ("POST /health", "POST /ready", "GET /watch/gameserver", "POST /shutdown")
                   if not self.times(call)]
        missing += [f"PATCH /v1beta1/counters/{key}" for key in self.counters
                    if not self.times(f"PATCH /v1beta1/counters/{key}")]
        missing += [f"GET /v1beta1/lists/{key}" for key in self.lists if not self.times(f"GET /v1beta1/lists/{key}")]
        if ready and shutdown and not ready[0] < shutdown[0]:
            missing.append("POST /ready before POST /shutdown")
        # Agones expects one each 5 s, and a machine may be busy for a while.
        gaps = [after - before for before, after in zip(pings, pings[1:] + shutdown[:1])]
        if gaps and max(gaps) > 5:
            missing.append(f"a ping for {max(gaps):.1f} s")
        return missing


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    owner = None

    def log_message(self, *arguments):
        pass

    def answer_request(self):
        side_car = self.owner
        call = f"{self.command} {self.path}"
        length = int(self.headers.get("Content-Length", 0))
        text = self.rfile.read(length)
        if self.command != "GET" and self.headers.get("Content-Type") != "application/json":
            side_car.violate(f"{call}: Content-Type is {self.headers.get('Content-Type')}")
        try:
            body = json.loads(text) if self.command != "GET" else None
        except ValueError:
            body = text
        fault = side_car.receive(call, body)
        time.sleep(fault.before)
        if fault.status != 200:
            return self.send_json(fault.status, {"code": 14, "message": "a fault of the test"})
        if call == "GET /watch/gameserver":
            return self.send_watch()
        status, answer = side_car.take(call, body)
        time.sleep(fault.after)
        if fault.lost:
            self.close_connection = True
            return None
        return self.send_json(status, answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer_request

    def send_json(self, status, answer):
        text = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def send_watch(self):
        side_car = self.owner
        events = queue.Queue()
        with side_car.lock:
            side_car.taken.append((time.monotonic(), "GET /watch/gameserver", None))
            events.put(side_car.game_server())
            side_car.watches.append(events)
        self.close_connection = True
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while (event := events.get()) is not None:
                line = event if isinstance(event, bytes) else json.dumps({"result": event}).encode() + b"\n"
                # In two chunks: a line may come in pieces.
                for piece in (line[:20], line[20:]):
                    if piece:
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                        self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
        finally:
            with side_car.lock:
                side_car.watches.remove(events)
