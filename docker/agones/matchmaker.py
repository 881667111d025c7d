#!/usr/bin/python3
"""A matchmaker to start from: it gives players a place in a match on the Fleet of fleet.yaml.

    POST /match {"player": 7}   {"address": "192.0.2.1", "port": 7010, "room": 2, "token": "..."}

One match fills at a time, until it is full or older than --fill. Put it behind your login, never on the open network:
it believes the number of the player. 400 is bad input, and 503 with Retry-After means that there is no place now."""
import argparse
import http.server
import json
import signal
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

ALLOCATION = {  # as in allocation.yaml
    "apiVersion": "allocation.agones.dev/v1", "kind": "GameServerAllocation", "spec": {
        "scheduling": "Packed",
        "selectors": [{"matchLabels": {"agones.dev/fleet": "tickbox"}, "gameServerState": state,
                       "counters": {"rooms": {"minAvailable": 1}}} for state in ("Allocated", "Ready")],
        "priorities": [{"type": "Counter", "key": "rooms", "order": "Ascending"}],
        "counters": {"rooms": {"action": "Increment", "amount": 1}},
        "metadata": {"annotations": {"tickbox.dev/game": "arena", "tickbox.dev/map": "", "tickbox.dev/seed": ""}}}}
TIMEOUT, OPENING, TRIES, BODY_MAX = 5, 30, 3, 1000  # seconds for each answer and for a room, allocations, bytes


def takes_players(server):
    """Whether more players may go to a GameServer."""
    if server is None or server["status"]["state"] != "Allocated" or "deletionTimestamp" in server["metadata"]:
        return False
    return "agones.dev/sdk-tickbox-drains" not in server["metadata"]["annotations"]


class Matchmaker:
    def __init__(self, options):
        self.options, self.lock = options, threading.Lock()
        self.match = self.pending = None  # the match that fills; the allocation whose room does not open yet
        ca = options.account + "/ca.crt" if options.api.startswith("https:") else None
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=ca)))

    def account(self, name):
        """Reads a file of the account. Kubernetes replaces the token from time to time."""
        with open(f"{self.options.account}/{name}", encoding="utf-8") as file:
            return file.read().strip()

    def ask(self, group, resource, body=None):
        url = f"{self.options.api}/apis/{group}/v1/namespaces/{self.account('namespace')}/{resource}"
        request = urllib.request.Request(url, data=body and json.dumps(body).encode(), headers={
            "Authorization": "Bearer " + self.account("token"), "Content-Type": "application/json"})
        with self.opener.open(request, timeout=TIMEOUT) as answer:
            return json.load(answer)

    def game_server(self, name):
        """Returns a GameServer; None if it is gone. Any other failure says nothing about it."""
        try:
            return self.ask("agones.dev", f"gameservers/{name}")
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return None

    def allocate(self):
        status = self.ask("allocation.agones.dev", "gameserverallocations", ALLOCATION)["status"]
        if status["state"] != "Allocated":
            raise LookupError(f"no server is free: {status['state']}")
        return {"server": status["gameServerName"], "address": status["address"], "port": status["ports"][0]["port"],
                "allocated": status["metadata"]["annotations"]["agones.dev/last-allocated"],
                "until": time.monotonic() + OPENING}

    def room_of(self, pending):
        """Waits for what the server says of an allocation. Returns None if it will say nothing."""
        for _ in range(5 * TIMEOUT):
            server = self.game_server(pending["server"])
            if not takes_players(server):
                return None
            try:
                for room in json.loads((server["metadata"].get("annotations") or {}).get("agones.dev/sdk-tickbox-rooms", "[]")):
                    if room["allocated"] == pending["allocated"]:
                        if "error" in room or (type(room["room"]) is int and 0 < room["room"] < 2**32):
                            return room
                        raise ValueError(room)
            except (ValueError, KeyError, TypeError, RecursionError) as error:  # a server writes its annotations itself
                return {"error": f"its rooms cannot be read: {error!r}"}
            if time.monotonic() > pending["until"]:
                return None
            time.sleep(0.2)
        raise TimeoutError(f"{pending['server']} has not opened the room")

    def open_match(self):
        """Allocates a room that opens. After a failure the next call goes on with the same allocation, for its time."""
        for _ in range(TRIES):
            self.pending = self.pending or self.allocate()
            try:
                room = self.room_of(self.pending) or {"error": "the server is gone, drains or says nothing"}
            except Exception as error:  # whatever has failed, a server has its time and no more
                if time.monotonic() < self.pending["until"]:
                    raise
                room = {"error": repr(error)}
            pending, self.pending = self.pending, None
            if "error" not in room:
                now = time.monotonic()
                return pending | {"room": room["room"], "players": set(), "begun": now, "seen": now}
            log(f"refused server={pending['server']} reason={repr(room['error'])[:200]}")
            time.sleep(1)  # a server that drains gives up its free rooms meanwhile
        raise LookupError("no server has opened a room")

    def has_place(self, player):
        match, now = self.match, time.monotonic()
        if (match is None or now - match["begun"] > self.options.fill
                or len(match["players"] | {player}) > self.options.seats):
            return False
        if now - match["seen"] > 1:  # not at each join
            if not takes_players(self.game_server(match["server"])):
                return False
            match["seen"] = now
        return True

    def join(self, player):
        if not self.lock.acquire(timeout=TIMEOUT):
            raise TimeoutError("others wait for a match")
        try:
            if not self.has_place(player):
                self.match = self.open_match()
            match = self.match
            match["players"].add(player)
        finally:
            self.lock.release()
        host = f"[{match['address']}]" if ":" in match["address"] else match["address"]
        issued = subprocess.run(
            [self.options.tickbox, "token", "issue", "--key-file", self.options.key_file, "--client", str(player),
             "--server", f"{host}:{match['port']}", "--room", str(match["room"]), "--expires", "30s", "--out", "-"],
            timeout=TIMEOUT, capture_output=True, text=True, check=False)
        if issued.returncode != 0:
            raise RuntimeError(f"no token: {issued.stderr.strip()}")
        log(f"joined player={player} server={match['server']} room={match['room']}")
        return {key: match[key] for key in ("address", "port", "room")} | {"token": issued.stdout.strip()}


class Handler(http.server.BaseHTTPRequestHandler):
    timeout = TIMEOUT

    def do_POST(self):
        if self.path != "/match":
            return self.answer(404, {"error": "there is only POST /match"})
        try:
            length = min(max(0, int(self.headers["Content-Length"])), BODY_MAX)
            player = json.loads(self.rfile.read(length))["player"]
        except (ValueError, KeyError, TypeError, RecursionError):
            player = None
        if type(player) is not int or not 0 <= player < 2**64:
            return self.answer(400, {"error": 'the body is not like {"player": 7}'})
        try:
            return self.answer(200, self.server.matchmaker.join(player))
        except Exception as error:  # whatever has failed, the player may ask again
            log(f"failed player={player} reason={error!r}")
            return self.answer(503, {"error": "no place now, ask again"})

    def answer(self, status, document):
        text = json.dumps(document).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if status == 503:
            self.send_header("Retry-After", "2")
        self.end_headers()
        self.wfile.write(text)

    log_message = lambda *_: None  # log() says what is worth a line, and never a token


def log(text):
    print(text, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default, text in (
            ("--bind", "127.0.0.1", "address"), ("--port", 8080, "TCP port"),
            ("--key-file", "/keys/ring", "key file of the issuer"), ("--tickbox", "tickbox", "the program"),
            ("--seats", 16, "players of a match"), ("--fill", 60.0, "seconds, 30 below --close-when-empty of the servers"),
            ("--api", "https://kubernetes.default.svc", "the API server"),
            ("--account", "/var/run/secrets/kubernetes.io/serviceaccount", "folder with token, namespace and ca.crt")):
        parser.add_argument(name, default=default, type=type(default), help=f"{text} ({default})")
    options = parser.parse_args()
    http.server.ThreadingHTTPServer.request_queue_size = 256  # players who ask at once
    server = http.server.ThreadingHTTPServer((options.bind, options.port), Handler)
    server.matchmaker = Matchmaker(options)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    log(f"ready address={options.bind}:{server.server_address[1]}")
    server.serve_forever()


if __name__ == "__main__":
    main()
