"""Runs the programs of a build."""

import ctypes
import http.client
import json
import os
import signal
import subprocess
import threading
import time

PATIENCE = 60  # seconds for anything that must happen
folder = None  # the programs, as set by the test


def eventually(condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def environment(**more):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("TICKBOX_")}
    return inherited | more


def start(program, *arguments, **options):
    """Starts a program that the kernel kills if this test is killed."""
    def end_with_the_test():
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG

    return subprocess.Popen([os.path.join(folder, program), *arguments], preexec_fn=end_with_the_test, **options)


def run(*words):
    return subprocess.run([os.path.join(folder, words[0]), *words[1:]], env=environment(), timeout=2 * PATIENCE,
                          capture_output=True, text=True, check=False)


def tickbox(*words):
    return run("tickbox", *words)


def http_get(address, path, host=None, token=None):
    """Returns status and text."""
    connection = http.client.HTTPConnection(*address.split(":"), timeout=PATIENCE)
    headers = {"Host": host or address} | ({"Authorization": "Bearer " + token} if token else {})
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


class Server:
    """A server with these arguments, on free ports. wait() reads its first line."""

    def __init__(self, *arguments, program="tickbox-server", **variables):
        self.process = start(
            program, *arguments,
            env=environment(TICKBOX_PORT="0", TICKBOX_ADMIN_PORT="0", TICKBOX_JSON="1", **variables),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stderr), daemon=True)
        self.reader.start()

    def wait(self):
        line = self.process.stdout.readline()
        if not line:
            self.reader.join(PATIENCE)
            raise AssertionError("the server did not get ready:\n" + "".join(self.lines))
        ready = json.loads(line)
        self.address, self.admin = ready["address"], ready["admin"]
        self.port = self.address.rsplit(":", 1)[1]
        self.admin_port = self.admin.rsplit(":", 1)[1]
        return self

    def events(self, name):
        """The lines of a JSON log with this event."""
        lines = [json.loads(line) for line in list(self.lines) if line.startswith("{")]
        return [line for line in lines if line.get("event") == name]

    def end(self):
        """Returns the exit code."""
        self.process.stdout.read()
        code = self.process.wait(PATIENCE)
        self.reader.join(PATIENCE)
        return code

    def close(self):
        self.process.kill()
        self.process.wait()
        self.reader.join(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()
