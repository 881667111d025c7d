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
import urllib.request

ALLOCATION = {  # as in allocation.yaml
    "apiVersion": "allocation.agones.dev/v1", "kind": "GameServerAllocation", "spec": {
        "scheduling": "Packed",
        "selectors": [{"matchLabels": {"agones.dev/fleet": "tickbox"}, "gameServerState": state,
                       "counters": {"rooms": {"minAvailable": 1}}} for state in ("Allocated", "Ready")],
        "priorities": [{"type": "Counter", "key": "rooms", "order": "Ascending"}],
        "counters": {"rooms": {"action": "Increment", "amount": 1}},
        "metadata": {"annotations": {"tickbox.dev/game": "arena"}}}}
TIMEOUT, BODY_MAX = 5, 1000  # seconds for each thing that it waits for, bytes


class Matchmaker:
    def __init__(self, options):
        self.options, self.lock, self.match = options, threading.Lock(), None
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

    def allocate(self):
        """Allocates a room, and waits until the server has opened it."""
        status = self.ask("allocation.agones.dev", "gameserverallocations", ALLOCATION)["status"]
        if status["state"] != "Allocated":
            raise LookupError(f"no server is free: {status['state']}")
        server, allocated = status["gameServerName"], status["metadata"]["annotations"]["agones.dev/last-allocated"]
        for _ in range(5 * TIMEOUT):
            annotations = self.ask("agones.dev", f"gameservers/{server}")["metadata"]["annotations"]
            for room in json.loads(annotations.get("agones.dev/sdk-tickbox-rooms", "[]")):
                if room["allocated"] == allocated:  # one that did not open has no number; the server logs why
                    return {"server": server, "address": status["address"], "port": status["ports"][0]["port"],
                            "room": room["room"], "players": set(), "begun": time.monotonic()}
            time.sleep(0.2)
        raise TimeoutError(f"{server} has not opened the room")

    def has_place(self, player):
        match = self.match
        if (match is None or time.monotonic() - match["begun"] > self.options.fill
                or len(match["players"] | {player}) > self.options.seats):
            return False
        try:
            return self.ask("agones.dev", f"gameservers/{match['server']}")["status"]["state"] == "Allocated"
        except urllib.error.HTTPError:
            return False  # the server is gone

    def join(self, player):
        if not self.lock.acquire(timeout=TIMEOUT):
            raise TimeoutError("others wait for a match")
        try:
            if not self.has_place(player):
                self.match = self.allocate()
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
            ("--key-file", "/keys/ring", "key file of the servers"), ("--tickbox", "tickbox", "the program"),
            ("--seats", 16, "players of a match"), ("--fill", 60.0, "seconds, below --exit-when-empty of the servers"),
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
