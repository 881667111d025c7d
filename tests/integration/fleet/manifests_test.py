#!/usr/bin/python3
"""The manifests of docker/agones and docker/kubernetes, compared with the programs that they start.

    manifests_test.py PROGRAMS [unittest options]     PROGRAMS: the folder with tickbox-server and tickbox
"""

import sys

sys.dont_write_bytecode = True

import functools
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

try:
    import yaml  # noqa: F401
except ImportError:
    print("SKIPPED: this needs Debian's python3-yaml")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "agones"))

import manifests
import programs
from manifests import seconds, size
from programs import Server, eventually, http_get, tickbox
from side_car import SideCar

ALL = manifests.read_all()
CONTAINERS = [container for manifest in ALL for container in manifest.containers()]
WITH_PODS = [manifest for manifest in ALL if manifest.pod()]
SERVERS = [container for container in CONTAINERS if container.program() == "tickbox-server"]
with open(os.path.join(manifests.TOP, "FLEET.md"), encoding="utf-8") as page:
    PAGE = page.read()
SECRETS = dict(re.findall(r"create secret generic (\S+) --from-file=(\w+)=", PAGE))
JOBS = {each.command()[0]: each for each in CONTAINERS if each.manifest.kind == "Job"}
CLOSING_SECONDS = 20  # server/host/README.md, "The end"
LOOKUP_SECONDS = 30  # of a name of --public-address, at the start
ADMIN_TOKEN, METRICS_TOKEN, MATCHES_TOKEN = "a-token-of-the-test", "another-token-of-the-test", "one-more-of-the-test"
MATCHMAKER = os.path.join(manifests.TOP, "agones", "matchmaker.py")
GATEWAY = os.path.abspath(os.path.join(manifests.TOP, "..", "server", "gateway"))
NODE = shutil.which("node")
# Fields that the kubectl of Debian 12, of version 1.20, does not know yet.
NEWER_THAN_DEBIAN = {"completionMode", "backoffLimitPerIndex", "podFailurePolicy", "terminationGracePeriodSeconds"}


def only(kind, folder="agones", name="tickbox"):
    """The one of its kind; `name`: its name, if it has one."""
    found = [each for each in ALL if each.kind == kind and folder in each.path and (each.name or name) == name]
    assert len(found) == 1, f"{folder} has {len(found)} of {kind}"
    return found[0]


def selected_by(manifest):
    """The manifests whose pods its selector finds; None without a selector of pods."""
    selector = manifest.spec.get("selector") or manifest.spec.get("podSelector")
    if not selector:
        return None
    labels = selector.get("matchLabels", selector).items()
    return [each for each in WITH_PODS if labels <= each.pod()["metadata"]["labels"].items()]


def options_js(expression, *words):
    """What the gateway's reader of options says. It needs Node, and none of the gateway's packages."""
    if not NODE:
        raise unittest.SkipTest("this needs Debian's nodejs")
    script = f"const [file, ...words] = process.argv.slice(1), gateway = require(file); {expression}"
    shown = subprocess.run([NODE, "-p", script, os.path.join(GATEWAY, "options.js"), *words], capture_output=True,
                           text=True, check=False, timeout=60)
    assert shown.returncode == 0, f"{expression}: {shown.stderr}"
    return shown.stdout


@functools.lru_cache(maxsize=None)
def help_of(*words):
    if words == ("tickbox-gateway",):
        return options_js('gateway.parseOptions(["--help"]).help')
    if words == ("tickbox-matchmaker",):
        shown = subprocess.run([MATCHMAKER, "--help"], capture_output=True, text=True, check=False, timeout=60)
    else:
        shown = programs.run(*words, "--help")
    assert shown.returncode == 0, f"{words}: {shown.stderr}"
    return shown.stdout


def options_of(text):
    """The options of a help, with the lines about each."""
    parts = re.split(r"(?m)^  (?:-\w,)?(--[a-z-]+)", text)
    return {name: " ".join(about.split()) for name, about in zip(parts[1::2], parts[2::2])}


def port_of(container, option):
    about = options_of(help_of(container.program()))[option]
    return int(container.option(option, re.search(r"\(default: ([0-9]+)\)", about)[1]))


def ports_of(container):
    return {port_of(container, "--port"): "UDP", port_of(container, "--admin-port"): "TCP"}


def expanded(container, text, values):
    """`text` with what Kubernetes puts in place of $(NAME)."""
    def value(found):
        source = container.env[found[1]]["valueFrom"]["fieldRef"]["fieldPath"]
        return values[source]
    return re.sub(r"\$\(([A-Z_]+)\)", value, text)


def for_each(things):
    """Makes a test of each of these things."""
    def decorate(check):
        @functools.wraps(check)
        def test(self):
            self.assertGreater(len(things), 0)
            for thing in things:
                with self.subTest(str(getattr(thing, "manifest", thing))):
                    check(self, thing)
        return test
    return decorate


def is_part(wanted, got, path=""):
    """Returns the first place where `got` lacks something of `wanted`, or None."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            if key in NEWER_THAN_DEBIAN and key not in got:
                continue
            if value in ({}, []):
                continue
            if not isinstance(got, dict) or key not in got:
                return f"{path}.{key}"
            if found := is_part(value, got[key], f"{path}.{key}"):
                return found
        return None
    if isinstance(wanted, list):
        if len(wanted) != len(got):
            return path
        return next((found for i, each in enumerate(wanted) if (found := is_part(each, got[i], f"{path}[{i}]"))), None)
    return None if wanted == got else f"{path}: {got!r} is not {wanted!r}"


class ManifestsTest(unittest.TestCase):
    # --- the files by themselves ---

    @for_each(ALL)
    def test_each_file_has_a_comment_and_no_place_of_its_own(self, manifest):
        self.assertTrue(manifest.text.startswith("# "), "a comment at the head says what the file is")
        self.assertNotIn("\n---", manifest.text)
        self.assertNotIn("namespace", [key.split(":")[0].strip() for key in manifest.text.splitlines()])
        for container in manifest.containers():
            self.assertNotIn("/", container.image, "an image without a registry")
            self.assertIn(container.program(), ("tickbox-server", "tickbox", "tickbox-matchmaker", "tickbox-gateway"))

    @for_each(WITH_PODS)
    def test_kubectl_knows_every_field_of_the_pods(self, manifest):
        kubectl = shutil.which("kubectl")
        if not kubectl:
            self.skipTest("this needs Debian's kubernetes-client")
        document = manifest.document
        if manifest.kind == "Fleet":  # kubectl does not know Agones: its pods as those of a Pod
            document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"} | manifest.pod()["metadata"],
                        "spec": manifest.pod()["spec"]}
        # Without a cluster. It parses into its own types, which have no place for a field that it does not know.
        shown = subprocess.run([kubectl, "set", "image", "--local", "-f", "-", "*=same", "-o", "json"], check=False,
                               input=json.dumps(document), capture_output=True, text=True, timeout=60)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        known = json.loads(shown.stdout)
        pod = known if known["kind"] == "Pod" else known["spec"]["template"]
        for container, own in zip(pod["spec"]["containers"], manifest.containers()):
            self.assertEqual(container["image"], "same")
            container["image"] = own.image
        self.assertIsNone(is_part(document, known))

    # --- names within the manifests ---

    # Before the fix, the policy of one folder replaced that of the other.
    def test_both_folders_fit_into_one_namespace(self):
        names = [(each.kind, each.name) for each in ALL if each.name]
        self.assertEqual(len(set(names)), len(names), names)

    @for_each(ALL)
    def test_selectors_find_the_pods_of_one_folder(self, manifest):
        found = selected_by(manifest)
        if found is None:
            return
        if manifest.kind == "PodMonitor":  # the servers of both folders
            self.assertEqual(found, [each.manifest for each in SERVERS])
            for each in found:
                self.assertEqual(each.pod()["metadata"]["labels"][manifest.spec["jobLabel"]], "tickbox")
            return
        self.assertEqual([os.path.dirname(each.path) for each in found], [os.path.dirname(manifest.path)])
        for rule in manifest.spec.get("ingress", []):
            for labels in [peer["podSelector"]["matchLabels"] for peer in rule.get("from", []) if "podSelector" in peer]:
                is_own = labels in [each.pod()["metadata"]["labels"] for each in WITH_PODS]
                self.assertTrue(is_own or all(f"`{key}: {value}`" in PAGE for key, value in labels.items()), labels)

    def test_the_service_names_the_servers(self):
        servers, service = only("StatefulSet", "kubernetes"), only("Service", "kubernetes")
        self.assertEqual(servers.spec["serviceName"], service.name)
        self.assertEqual(service.spec["clusterIP"], "None")
        server, load = servers.containers()[0], JOBS["load"]
        first = f"{servers.name}-0.{service.name}"
        values = {"metadata.name": f"{servers.name}-0"}
        self.assertEqual(expanded(server, server.option("--admin-host"), values), first)
        ports = {each["name"]: each["port"] for each in service.spec["ports"]}
        self.assertEqual(load.args[1], f"{first}:{ports['game']}")
        self.assertEqual(load.option("--admin"), f"{first}:{ports['admin']}")
        # Each client of the load finds a seat.
        self.assertEqual(load.option("--rooms"), server.option("--rooms"))
        seats = int(server.option("--rooms")) * int(server.option("--max-clients"))
        self.assertLessEqual(int(load.option("--clients")), seats)

    def test_the_autoscaler_and_the_allocation_are_of_the_fleet(self):
        fleet, scaler, allocation = only("Fleet"), only("FleetAutoscaler"), only("GameServerAllocation")
        counters = fleet.spec["template"]["spec"]["counters"]
        self.assertEqual(scaler.spec["fleetName"], fleet.name)
        self.assertNotIn("replicas", fleet.spec, "each apply would undo the autoscaler")
        policy = scaler.spec["policy"]["counter"]
        self.assertTrue(0 < policy["bufferSize"] <= policy["minCapacity"] <= policy["maxCapacity"])
        self.assertEqual(policy["minCapacity"] % counters[policy["key"]]["capacity"], 0, "whole servers")
        named = [policy["key"], *allocation.spec["counters"]]
        named += [each["key"] for each in allocation.spec["priorities"] + fleet.spec["priorities"]]
        for selector in allocation.spec["selectors"]:
            self.assertEqual(selector["matchLabels"], {"agones.dev/fleet": fleet.name})
            named += selector["counters"]
        self.assertLessEqual(set(named), set(counters))

    def test_the_matchmaker_runs_as_its_account(self):
        pods, binding = only("Deployment", name="matchmaker"), only("RoleBinding", name="matchmaker")
        self.assertEqual(pods.pod()["spec"]["serviceAccountName"], only("ServiceAccount", name="matchmaker").name)
        self.assertEqual(binding.document["subjects"], [{"kind": "ServiceAccount", "name": "matchmaker"}])
        self.assertEqual((binding.document["roleRef"]["kind"], binding.document["roleRef"]["name"]),
                         ("Role", only("Role", name="matchmaker").name))
        self.assertEqual(pods.spec["replicas"], 1, "each fills a match of its own")
        container = pods.containers()[0]
        port = int(re.search(r"TCP port \((\d+)\)", help_of("tickbox-matchmaker"))[1])
        self.assertEqual(container.spec["ports"][0]["containerPort"], port)
        self.assertEqual(only("Service", name="matchmaker").spec["ports"][0]["port"], port)
        # Before the fix, each pod of the cluster could ask for the token of each player.
        policy = only("NetworkPolicy", name="matchmaker")
        self.assertEqual(selected_by(policy), [pods])
        self.assertEqual([(list(rule["from"][0]), rule["ports"]) for rule in policy.spec["ingress"]],
                         [(["podSelector"], [{"port": port, "protocol": "TCP"}])])
        # Before the fix, it issued tokens with a new key that the servers did not have yet.
        own, *others = [each.mount_of(each.option("--key-file"))[1]["secret"]["secretName"]
                        for each in (container, *SERVERS)]
        self.assertNotIn(own, others)
        self.assertEqual(container.option("--bind"), "0.0.0.0")
        with open(os.path.join(manifests.TOP, "agones", "Dockerfile"), encoding="utf-8") as file:
            self.assertIn("COPY matchmaker.py /\n", file.read())
        self.assertTrue(os.access(MATCHMAKER, os.X_OK))

    # Before the fix, the matchmaker and the load, which have keys, reached everything.
    @for_each(WITH_PODS)
    def test_a_pod_reaches_what_it_needs_alone(self, manifest):
        policies = [each for each in ALL if each.kind == "NetworkPolicy" and manifest in selected_by(each)]
        self.assertEqual([each.spec["policyTypes"] for each in policies], [["Ingress", "Egress"]])
        names, api = {("UDP", 53), ("TCP", 53)}, {("TCP", 443), ("TCP", 6443)}
        needed = {"Fleet": names | api, "matchmaker": names | api, "StatefulSet": set(), "tickbox-verify": set(),
                  "tickbox-load": names | {("UDP", 7777), ("TCP", 9180)}, "tickbox-gateway": {("UDP", 7777)}}
        rules = policies[0].spec["egress"]
        self.assertEqual({(port["protocol"], port["port"]) for rule in rules for port in rule["ports"]},
                         needed[manifest.kind if manifest.kind in needed else manifest.name])
        for rule in rules:
            ports = {port["port"] for port in rule["ports"]}
            servers = [{"podSelector": only("StatefulSet", "kubernetes").spec["selector"]}]
            system = [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "kube-system"}}}]
            if manifest.name == "tickbox-gateway":  # no label names the node of a server
                servers = None
            self.assertEqual(rule.get("to"), servers if ports & {7777, 9180} else system if 53 in ports else None)
        if manifest.kind == "Job":
            self.assertEqual(policies[0].spec["ingress"], [])

    # Before the fix, systemd gave up for good after five starts in 2.3 s, and the unit had no limit of memory.
    def test_the_unit_of_the_package_outlasts_a_drain_and_has_the_memory_of_the_page(self):
        folder = os.path.join(manifests.TOP, "package")
        with open(os.path.join(folder, "tickbox-server.service"), encoding="utf-8") as file:
            unit = dict(re.findall(r"(?m)^(\w+)=(.*)$", file.read()))
        with open(os.path.join(folder, "server.toml"), encoding="utf-8") as file:
            drain = seconds(re.search(r'(?m)^drain-time = "(\w+)"', file.read())[1])
        tries = int(unit["StartLimitBurst"]) * seconds(unit["RestartSec"])
        self.assertGreater(tries, 2 * (drain + CLOSING_SECONDS))
        self.assertGreater(seconds(unit["StartLimitIntervalSec"].replace("min", "m")), tries)
        room, client = map(int, re.search(r"a room takes ([0-9]+) KB, and a client in it ([0-9]+) KB", PAGE).groups())
        rooms = 1024  # of a server, at most: server/host/rooms/README.md
        self.assertGreater(size(unit["MemoryMax"] + "i"), 1.5 * rooms * (room + 16 * client) * 1000)
        self.assertGreater(int(unit["LimitNOFILE"]), 2 * rooms)

    # Before the fix, a part that verified recordings could change them all.
    def test_the_parts_change_no_recording(self):
        mounts = JOBS["replay"].spec["volumeMounts"]
        self.assertEqual({each["mountPath"]: (each.get("readOnly", False), each.get("subPath")) for each in mounts},
                         {"/recordings": (True, None), "/verified": (False, "verified")})

    @for_each(WITH_PODS)
    def test_every_claim_is_there_and_takes_all_pods(self, manifest):
        claims = {each.name: each for each in ALL if each.kind == "PersistentVolumeClaim"}
        for volume in manifest.pod()["spec"].get("volumes", []):
            if "persistentVolumeClaim" in volume:
                claim = claims[volume["persistentVolumeClaim"]["claimName"]]
                self.assertEqual(claim.spec["accessModes"], ["ReadWriteMany"], "the pods are on several nodes")

    # --- options, ports, paths and times ---

    @for_each(CONTAINERS)
    def test_options_and_variables_are_those_of_the_programs(self, container):
        text = help_of(container.program(), *container.command())
        options = options_of(text)
        for name, value in container.options():
            self.assertIn(name, options)
            takes_value = re.search(rf"(?m)^  (?:-\w,)?{name} [A-Z]", text) is not None
            self.assertEqual(takes_value, value is not None, name)
        variables = {found for about in options.values() for found in re.findall(r"\[(TICKBOX_[A-Z_]+)\]", about)}
        for name in container.env:
            if name.startswith("TICKBOX_"):
                self.assertIn(name, variables)
        used = set(re.findall(r"\$\(([A-Z_]+)\)", " ".join(container.args)))
        if container.manifest.spec.get("completionMode") == "Indexed":
            used.discard("JOB_COMPLETION_INDEX")
        self.assertLessEqual(used, set(container.env))
        self.assertLessEqual({name for name in container.env if not name.startswith("TICKBOX_")}, used)

    @for_each(SERVERS)
    def test_ports_are_those_of_the_options(self, container):
        ports = ports_of(container)
        spec = container.manifest.spec
        of_agones = spec["template"]["spec"]["ports"] if container.manifest.kind == "Fleet" else []
        listed = container.spec["ports"] + of_agones
        self.assertEqual({each["containerPort"]: each["protocol"] for each in listed}, ports)
        names = {each["name"]: each["containerPort"] for each in listed}
        self.assertEqual(names, {"game": port_of(container, "--port"), "admin": port_of(container, "--admin-port")})
        for address in [value for name, value in container.options() if name == "--public-address" and ":" in value]:
            game = next(each for each in listed if each["name"] == "game")
            self.assertEqual(int(address.rsplit(":", 1)[1]), game.get("hostPort", game["containerPort"]))
        for other in [each for each in ALL if container.manifest in (selected_by(each) or [])]:
            if other.kind == "Service":
                self.assertEqual({each["port"]: each["protocol"] for each in other.spec["ports"]}, ports)
                self.assertEqual({each["name"]: each["port"] for each in other.spec["ports"]}, names)
            if other.kind == "NetworkPolicy":
                self.assertEqual({port["port"]: port["protocol"] for rule in other.spec["ingress"]
                                  for port in rule["ports"]}, ports)
            if other.kind == "PodMonitor":
                self.assertEqual([each["port"] for each in other.spec["podMetricsEndpoints"]], ["admin"])

    # Agones names a node by its name in DNS, if it has one. Before the fix, such a server ended at its start.
    def test_a_server_that_looks_up_its_name_reaches_the_name_servers(self):
        self.assertEqual(only("Fleet").containers()[0].option("--public-address"), "agones")
        open_ports = {(port["protocol"], port["port"]) for rule in only("NetworkPolicy").spec["egress"]
                      for port in rule["ports"]}
        self.assertLessEqual({("UDP", 53), ("TCP", 53)}, open_ports)

    @for_each(SERVERS)
    def test_no_probe_ends_a_start_that_looks_up_names(self, container):
        probes = container.probes()
        if "livenessProbe" in probes:
            start = probes["startupProbe"]
            self.assertGreater(start["periodSeconds"] * start["failureThreshold"], LOOKUP_SECONDS + 10)

    @for_each(SERVERS)
    def test_kubernetes_waits_for_the_drain_and_the_files(self, container):
        grace = container.pod["spec"]["terminationGracePeriodSeconds"]
        self.assertGreater(grace, seconds(container.option("--drain-time")) + CLOSING_SECONDS)
        # A stuck server does not drain. Before the fix, it kept its pod for the time of a drain.
        if "livenessProbe" in container.probes():
            stuck = container.probes()["livenessProbe"]["terminationGracePeriodSeconds"]
            self.assertTrue(CLOSING_SECONDS < stuck < grace / 10, stuck)

    @for_each(CONTAINERS)
    def test_every_path_is_in_a_volume_of_its_kind(self, container):
        pod = container.pod["spec"]
        self.assertEqual({mount["name"] for mount in container.spec.get("volumeMounts", [])}, set(container.volumes()))
        for path in container.paths():
            if f"nCOPY . {path}\\n" in PAGE:  # in the image
                continue
            mount, volume = container.mount_of(path)
            if "secret" not in volume:
                continue
            self.assertTrue(mount["readOnly"])
            self.assertEqual(os.path.basename(path), SECRETS[volume["secret"]["secretName"]])
            self.assertEqual(volume["secret"]["defaultMode"], 0o440)
            self.assertEqual(pod["securityContext"]["fsGroup"], pod["securityContext"]["runAsUser"])
        for manifest in ALL:
            for endpoint in manifest.spec.get("podMetricsEndpoints", []):
                secret = endpoint["authorization"]["credentials"]
                self.assertEqual(SECRETS[secret["name"]], secret["key"])

    @for_each(SERVERS)
    def test_recordings_fit_their_volume(self, container):
        mount, volume = container.mount_of(container.option("--record"))
        self.assertFalse(mount.get("readOnly", False))
        is_claim = "spec" in volume
        room = volume["spec"]["resources"]["requests"]["storage"] if is_claim else volume["emptyDir"]["sizeLimit"]
        # The limit removes no file that is written, and each room has one. Before the fix, those of 20 rooms could be
        # larger than the volume, and the kubelet ended the pod with its players.
        fleet = container.manifest.kind == "Fleet"
        rooms = (container.manifest.spec["template"]["spec"]["counters"]["rooms"]["capacity"] if fleet
                 else int(container.option("--rooms")))
        # A file ends at an eighth of the limit, shared by the rooms that were open when its own was opened.
        limit = size(container.option("--record-max-bytes"))
        written = sum(limit / 8 / (n if fleet else rooms) for n in range(1, rooms + 1))
        self.assertLess(limit + written, size(room))

    @for_each(CONTAINERS)
    def test_containers_are_locked(self, container):
        pod = container.pod["spec"]
        self.assertEqual(container.spec["securityContext"], {
            "readOnlyRootFilesystem": True, "allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}})
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        self.assertEqual(pod["securityContext"]["runAsUser"], 65532, "the user of the image")
        self.assertIs(pod["enableServiceLinks"], False, "variables of Services would be options: TICKBOX_PORT")
        self.assertIn("memory", container.spec["resources"]["limits"])
        self.assertNotIn("cpu", container.spec["resources"]["limits"])

    # --- the gateway ---

    def test_the_gateway_reaches_the_servers_of_its_list_and_its_proxy_reaches_it(self):
        pods, service, policy = (only(kind, "kubernetes", "tickbox-gateway")
                                 for kind in ("Deployment", "Service", "NetworkPolicy"))
        container = pods.containers()[0]
        page, rtc = port_of(container, "--port"), port_of(container, "--rtc-port")
        self.assertEqual(container.spec["ports"], [
            {"name": "page", "containerPort": page, "protocol": "TCP"},
            {"name": "rtc", "containerPort": rtc, "hostPort": rtc, "protocol": "UDP"}])
        self.assertEqual(expanded(container, container.option("--public-address"), {"status.hostIP": "hostPort's"}),
                         "hostPort's")
        # Two gateways on a node would wait for the port without end.
        self.assertEqual(pods.spec["strategy"]["rollingUpdate"], {"maxSurge": 0, "maxUnavailable": 1})
        self.assertEqual((selected_by(service), service.spec["ports"]),
                         ([pods], [{"name": "page", "port": page, "protocol": "TCP"}]))
        label = re.search(r"kubectl label namespace \w+ (tickbox.dev/proxy)=(\w+)\n", PAGE)
        self.assertEqual(policy.spec["ingress"], [
            {"from": [{"namespaceSelector": {"matchLabels": {label[1]: label[2]}}}],
             "ports": [{"port": page, "protocol": "TCP"}]}, {"ports": [{"port": rtc, "protocol": "UDP"}]}])
        self.assertIn("--trust-proxy", container.args)
        self.assertIn(f"`{container.option('--origin')}/#server=", PAGE)
        self.assertIn(f"deployment/{pods.name} {port_of(container, '--figures-port')}`", PAGE)
        # It holds no key, and does not ask for those of the servers, which have them.
        self.assertIs(container.pod["spec"]["automountServiceAccountToken"], False)
        self.assertEqual([list(volume) for volume in container.volumes().values()], [["name", "configMap"]])
        self.assertTrue(all(server.option("--key-file") for server in SERVERS))
        # The list has an address for each server, as tokens name it.
        servers = only("StatefulSet", "kubernetes")
        with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
            file.write(self.list_of(container))
            file.flush()
            listed = json.loads(options_js("JSON.stringify(gateway.readServers(words[0]))", file.name))
        self.assertEqual(len({each["text"] for each in listed}), servers.spec["replicas"])
        game = next(each for each in servers.containers()[0].spec["ports"] if each["name"] == "game")
        self.assertEqual({each["port"] for each in listed}, {game["hostPort"]})
        self.assertEqual(policy.spec["egress"], [{"ports": [{"port": game["hostPort"], "protocol": "UDP"}]}])

    def list_of(self, container):
        """The text of the list, which is a key of a ConfigMap. The kubelet never writes a subPath again."""
        mount, volume = container.mount_of(container.option("--to-file"))
        self.assertNotIn("subPath", mount)
        config = only("ConfigMap", "kubernetes", volume["configMap"]["name"])
        return config.document["data"][os.path.relpath(container.option("--to-file"), mount["mountPath"])]

    def start_gateway(self, *words):
        """The real gateway on free ports, and what it says when it is ready."""
        if not NODE or not os.path.exists(os.path.join(GATEWAY, "node_modules", "ws")):
            self.skipTest("the gateway's packages are not installed; run tests/gateway/run.sh")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            ports = ["--port=0", "--figures-port=0", f"--rtc-port={probe.getsockname()[1]}"]
        gateway = Server(os.path.join(GATEWAY, "gateway.js"), "--json", *words, *ports, program=NODE)
        self.addCleanup(gateway.close)
        line = gateway.process.stdout.readline()
        self.assertTrue(line, gateway.lines)
        return gateway, json.loads(line)

    def test_the_gateway_gets_ready_reads_its_list_again_and_ends_in_time(self):
        container = only("Deployment", "kubernetes", "tickbox-gateway").containers()[0]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        page, path = (folder.name + container.option(option) for option in ("--files", "--to-file"))
        mounted = os.path.dirname(path)

        def write_list(text):  # as the kubelet does: a folder of its own, and a link to it that is replaced at once
            made = tempfile.mkdtemp(prefix="..", dir=mounted)
            with open(os.path.join(made, os.path.basename(path)), "w", encoding="utf-8") as file:
                file.write(text)
            os.symlink(os.path.basename(made), os.path.join(mounted, "..data_tmp"))
            os.rename(os.path.join(mounted, "..data_tmp"), os.path.join(mounted, "..data"))

        os.mkdir(page)
        os.mkdir(mounted)
        os.symlink(os.path.join("..data", os.path.basename(path)), path)
        with open(os.path.join(page, "index.html"), "w", encoding="ascii") as file:
            file.write("the page")
        write_list(self.list_of(container))
        words = [expanded(container, word, {"status.hostIP": "127.0.0.1"}) for word in container.args]
        gateway, ready = self.start_gateway(*[re.sub("(?<==)/", folder.name + "/", word) for word in words])
        address = "127.0.0.2:" + ready["address"].rsplit(":", 1)[1]  # that of the pod
        self.assertLessEqual({"startupProbe", "livenessProbe", "readinessProbe"}, set(container.probes()))
        for probe in container.probes().values():
            self.assertEqual(probe["httpGet"]["port"], "page")
            self.assertEqual(http_get(address, probe["httpGet"]["path"]), (200, "ok\n"))
        self.assertEqual(http_get(address, "/"), (200, "the page"))
        self.assertEqual(http_get(ready["figures"], "/metrics")[0], 200)
        self.assertNotIn("192.0.2.3", http_get(address, "/gateway")[1])
        write_list(self.list_of(container) + "192.0.2.3:7777\n")
        self.assertTrue(eventually(lambda: '"192.0.2.3:7777"' in http_get(address, "/gateway")[1]), gateway.lines)
        began = time.monotonic()
        gateway.process.terminate()
        self.assertEqual(gateway.end(), 0)
        self.assertLess(time.monotonic() - began, container.pod["spec"]["terminationGracePeriodSeconds"] / 2)
        self.assertEqual([line.split()[2] for line in gateway.lines],
                         ["ready", "strangers_allowed", "servers_reloaded", "stopping", "stopped"])

    def test_the_gateway_beside_one_server_asks_for_its_keys(self):
        command = re.search(r"(?m)^node server/gateway/gateway.js ((?:.*\\\n)*.*)$", PAGE)[1]
        words = shlex.split(command.replace("\\\n", ""))
        server = self.start(only("StatefulSet", "kubernetes").containers()[0])
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "metrics-token"), "w", encoding="ascii") as file:
                file.write(METRICS_TOKEN)
            others = {"page": folder, "metrics-token": file.name, "127.0.0.1:9180": f"127.0.0.1:{server.admin_port}"}
            gateway, ready = self.start_gateway(*[others.get(word, word) for word in words])
        self.assertEqual(ready["servers"], 1)
        gateway.process.terminate()
        self.assertEqual(gateway.end(), 0)
        self.assertNotIn("strangers_allowed", "".join(gateway.lines))

    # --- the server itself ---

    def start(self, container, side_car=None):
        """The real server with the arguments of the manifest. Only paths and ports are others."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        args = []
        for word in container.args:
            name, equals, value = word.partition("=")
            if value in container.paths():
                value = folder.name + value
                os.makedirs(os.path.dirname(value), exist_ok=True)
            values = {"status.hostIP": "127.0.0.1", "status.podIP": "127.0.0.2", "metadata.name": "tickbox-x7"}
            args.append(name + equals + expanded(container, value, values))
        self.keys = folder.name + container.option("--key-file")
        self.assertEqual(tickbox("token", "keygen", "--out", self.keys).returncode, 0)
        files = [self.keys]
        for option, token in (("--admin-token-file", ADMIN_TOKEN), ("--metrics-token-file", METRICS_TOKEN),
                              ("--matches-token-file", MATCHES_TOKEN)):
            files.append(folder.name + container.option(option))
            with open(files[-1], "w", encoding="ascii") as file:
                file.write(token + "\n")
        for path in files:
            os.chmod(path, 0o440)
        variables = {name: expanded(container, f"$({name})", {"metadata.name": "tickbox-x7"}) for name in container.env
                     if name.startswith("TICKBOX_")}
        if side_car:
            variables["AGONES_SDK_HTTP_PORT"] = str(side_car.port)
        server = Server(*args, **variables)
        self.addCleanup(server.close)
        return server.wait()

    def assert_probes_answer(self, container, server):
        # The kubelet and Prometheus name the address of the pod, which is not that of the loopback.
        address = f"127.0.0.2:{server.admin_port}"
        probes = container.probes()
        self.assertIn("readinessProbe", probes)
        for probe in probes.values():
            self.assertEqual(probe["httpGet"]["port"], "admin")
            self.assertEqual(http_get(address, probe["httpGet"]["path"])[0], 200)
        for manifest in ALL:
            for endpoint in manifest.spec.get("podMetricsEndpoints", []):
                self.assertEqual(http_get(address, endpoint["path"])[0], 401)
                for path, token in (("/v1/status", METRICS_TOKEN), ("/matches", METRICS_TOKEN),
                                    ("/metrics", MATCHES_TOKEN), ("/v1/status", MATCHES_TOKEN)):
                    self.assertEqual(http_get(address, path, token=token)[0], 401)
                self.assertEqual(http_get(address, "/matches", token=MATCHES_TOKEN)[0], 405, "a match is posted")
                self.assertEqual(http_get(address, "/v1/status?clients=0", token=METRICS_TOKEN)[0], 200, "load reads it")
                status, metrics = http_get(address, endpoint["path"], token=METRICS_TOKEN)
                self.assertEqual(status, 200)
        self.assertIn('name="tickbox-x7"', metrics)
        for manifest in ALL:
            for name in re.findall(r"\btickbox_[a-z_]+\b", manifest.text):
                self.assertIn(name, metrics)
        ended = programs.run("tickbox-server", "health", "--ready", "--admin", f"127.0.0.1:{server.admin_port}")
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def connect(self, server, named, *arguments):
        return tickbox("connect", f"127.0.0.1:{server.port}", "--seconds", "0.3", "--json", "--key-file", self.keys,
                       "--token-server", named, *arguments)

    def assert_quiet(self, server):
        warnings = {json.loads(line)["event"] for line in server.lines if '"level":"warning"' in line}
        self.assertLessEqual(warnings, {"admin_without_tls", "tick_overrun"})  # a busy machine makes ticks late

    def test_the_server_of_the_fleet_lives_a_life_of_agones(self):
        fleet, container = only("Fleet"), only("Fleet").containers()[0]
        spec = fleet.spec["template"]["spec"]
        side_car = SideCar({key: counter["capacity"] for key, counter in spec["counters"].items()},
                           {key: each["capacity"] for key, each in spec["lists"].items()},
                           ports=[7010 for _ in spec["ports"]])
        side_car.start()
        self.addCleanup(side_car.stop)
        server = self.start(container, side_car)
        self.assertTrue(eventually(lambda: side_car.state == "Ready"), side_car.states)
        self.assert_probes_answer(container, server)
        self.assertTrue(eventually(lambda: side_car.counters["rooms"]["count"] == 1))
        self.assertEqual(side_car.counters["players"]["capacity"], spec["counters"]["players"]["capacity"])
        # The players of all rooms are in the list, of which Agones takes 1,000 values.
        seats = spec["counters"]["rooms"]["capacity"] * int(container.option("--max-clients"))
        self.assertTrue(seats <= spec["lists"]["players"]["capacity"] <= 1000)
        allocation = only("GameServerAllocation")
        annotations = allocation.spec["metadata"]["annotations"]
        with open(os.path.join(manifests.TOP, "..", "server", "host", "fleet", "README.md"), encoding="utf-8") as file:
            known = set(re.findall(r"(?m)^\| `(tickbox.dev/\w+)` \|", file.read()))
        self.assertEqual(set(annotations), known, "Agones keeps those that an allocation leaves out")
        for key, action in allocation.spec["counters"].items():
            self.assertEqual(action, {"action": "Increment", "amount": 1})
        allocated = side_car.allocate(annotations, allocation.spec["counters"])
        self.assertTrue(eventually(lambda: "agones.dev/sdk-tickbox-rooms" in side_car.annotations))
        room = json.loads(side_car.annotations["agones.dev/sdk-tickbox-rooms"])[-1]
        self.assertEqual((room.get("error"), room["allocated"]), (None, allocated))
        played = self.connect(server, "127.0.0.1:7010")
        self.assertEqual(played.returncode, 0, played.stderr)
        server.process.terminate()
        self.assertEqual(server.end(), 0)
        self.assertEqual(side_car.missing() + side_car.violations, [])
        read = server.events("agones_allocated")[0]
        for name, value in annotations.items():
            self.assertEqual(read.get(name.removeprefix("tickbox.dev/"), ""), value)
        self.assert_quiet(server)

    def test_the_server_without_agones_gets_ready_and_admits_players(self):
        container = only("StatefulSet", "kubernetes").containers()[0]
        server = self.start(container)
        self.assert_probes_answer(container, server)
        for host, code in (("tickbox-x7.tickbox", 200), ("tickbox-x8.tickbox", 403)):
            address = f"127.0.0.1:{server.admin_port}"
            self.assertEqual(http_get(address, "/livez", host=f"{host}:{server.admin_port}")[0], code)
        for named, admitted in (("127.0.0.1:7777", True), ("127.0.0.2:7777", True), ("127.0.0.3:7777", False)):
            played = self.connect(server, named)
            self.assertEqual(played.returncode, 0 if admitted else 4, played.stderr)
        server.process.terminate()
        self.assertEqual(server.end(), 0)
        self.assert_quiet(server)


if __name__ == "__main__":
    programs.folder = sys.argv.pop(1)
    unittest.main(verbosity=1)
