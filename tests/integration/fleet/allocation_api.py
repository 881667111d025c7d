"""A stand-in of the Kubernetes API: allocations of Agones, and one GameServer, that of a stand-in of the side car."""

import http.server
import json
import threading
import time

NAMESPACE = "games"
ALLOCATIONS = f"/apis/allocation.agones.dev/v1/namespaces/{NAMESPACE}/gameserverallocations"
SERVERS = f"/apis/agones.dev/v1/namespaces/{NAMESPACE}/gameservers/"


class AllocationApi:
    """Allocates the server of `side_car` while it has a free room. Faults are attributes that a test sets."""

    def __init__(self, side_car, token):
        self.side_car, self.token = side_car, token
        self.bodies = []  # of allocations
        self.looks = []  # at servers
        self.asked = set()  # (verb, group, resource)
        self.violations = []
        self.status = None  # answers each request of `failing`, if set
        self.failing = ("GET", "POST")
        self.delay = 0.0  # seconds before each answer
        self.is_gone = False  # there is no such server any more
        # Answers the next allocations in place of a server: {"room": 5}, {"error": "…"}, or an annotation as text.
        self.rooms = []
        api = self

        class Handler(_Handler):
            owner = api

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *arguments: None  # a client that no longer waits
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, method, path, headers, body):
        """Returns status and document."""
        if headers["Authorization"] != "Bearer " + self.token:
            return 401, {"kind": "Status"}
        group, resource = path.split("/")[2], path.split("/")[6]
        self.asked.add(({"GET": "get", "POST": "create"}[method], group, resource))
        time.sleep(self.delay)
        if self.status and method in self.failing:
            return self.status, {"kind": "Status"}
        game_server = self.side_car.game_server()
        name, annotations = game_server["object_meta"]["name"], game_server["object_meta"]["annotations"]
        if (method, path) == ("GET", SERVERS + name) and not self.is_gone:
            self.looks.append(path)
            return 200, {"metadata": {"name": name, "annotations": annotations},
                         "status": {"state": game_server["status"]["state"], "counters": self.side_car.counters}}
        if (method, path) == ("POST", ALLOCATIONS):
            return 201, json.loads(body) | {"status": self.allocate(json.loads(body))}
        if method == "GET" and path.startswith(SERVERS):
            return 404, {"kind": "Status"}
        self.violations.append(f"there is no {method} {path}")
        return 404, {"kind": "Status"}

    def allocate(self, body):
        self.bodies.append(body)
        side_car, spec = self.side_car, body["spec"]
        with side_car.lock:
            for selector in spec["selectors"]:
                free = {key: counter["capacity"] - counter["count"] for key, counter in side_car.counters.items()}
                if side_car.state == selector["gameServerState"] and not self.is_gone and all(
                        free[key] >= wanted["minAvailable"] for key, wanted in selector["counters"].items()):
                    allocated = side_car.allocate(spec["metadata"]["annotations"], spec["counters"])
                    if self.rooms:
                        room = self.rooms.pop(0)
                        said = room if isinstance(room, str) else json.dumps([{"allocated": allocated} | room])
                        side_car.change(annotations=side_car.annotations | {"agones.dev/sdk-tickbox-rooms": said})
                    found = side_car.game_server()
                    return {"state": "Allocated", "gameServerName": found["object_meta"]["name"],
                            "address": side_car.address, "ports": found["status"]["ports"],
                            "metadata": {"annotations": found["object_meta"]["annotations"]}}
        return {"state": "UnAllocated"}


class _Handler(http.server.BaseHTTPRequestHandler):
    owner = None

    def log_message(self, *arguments):
        pass

    def answer_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status, document = self.owner.answer(self.command, self.path, self.headers, body)
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer_request
