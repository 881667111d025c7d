"""Reads the manifests of docker/agones and docker/kubernetes, more strictly than Kubernetes does."""

import glob
import os
import re

import yaml

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "docker")
FOLDERS = ("agones", "kubernetes")
SIZES = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


class StrictLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in a mapping."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if not isinstance(key, str) or keys.count(key) > 1:
                raise yaml.YAMLError(f"line {node.start_mark.line + 1}: the key {key!r} is twice there, or is no text")
        return super().construct_mapping(node, deep)


class Manifest:
    """An object, and the text of its file."""

    def __init__(self, path, text, document):
        self.path, self.text, self.document = path, text, document
        self.kind = self.document["kind"]
        self.spec = self.document.get("spec", {})
        self.name = self.document.get("metadata", {}).get("name")

    def __str__(self):
        return f"{self.path} {self.kind}"

    def pod(self):
        """The template of its pods, or None."""
        spec = self.spec["template"]["spec"] if self.kind == "Fleet" else self.spec
        return spec.get("template")

    def containers(self):
        pod = self.pod()
        return [Container(self, pod, each) for each in pod["spec"]["containers"]] if pod else []


class Container:
    """A container, beside the pod that it is in."""

    def __init__(self, manifest, pod, spec):
        self.manifest, self.pod, self.spec = manifest, pod, spec
        self.image = spec["image"]
        self.args = spec["args"]
        self.env = {each["name"]: each for each in spec.get("env", [])}

    def program(self):
        return self.image.split(":")[0]

    def command(self):
        """The words before the first option: `load` of `load HOST:PORT --clients=8`."""
        words = []
        for word in self.args:
            if not re.fullmatch(r"[a-z]+", word):
                break
            words.append(word)
        return words

    def options(self):
        """(name, value) of each option; a flag has no value."""
        return [(name, value if equals else None)
                for name, equals, value in (word.partition("=") for word in self.args if word.startswith("-"))]

    def option(self, name, default=None):
        return dict(self.options()).get(name, default)

    def paths(self):
        """The files and folders that its arguments name."""
        values = [value for _, value in self.options()] + [word for word in self.args if not word.startswith("-")]
        return [value for value in values if value and value.startswith("/")]

    def mount_of(self, path):
        """The mount that a path is in, with its volume."""
        for mount in self.spec.get("volumeMounts", []):
            if path == mount["mountPath"] or path.startswith(mount["mountPath"] + "/"):
                return mount, self.volumes()[mount["name"]]
        raise AssertionError(f"{self.manifest}: no mount has {path}")

    def volumes(self):
        claims = {each["metadata"]["name"]: each for each in self.manifest.spec.get("volumeClaimTemplates", [])}
        return claims | {each["name"]: each for each in self.pod["spec"].get("volumes", [])}

    def probes(self):
        return {name: probe for name, probe in self.spec.items() if name.endswith("Probe")}


def read_all():
    """Returns the object of each file, and each object of a List."""
    manifests = []
    for path in [path for folder in FOLDERS for path in sorted(glob.glob(os.path.join(TOP, folder, "*.yaml")))]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        document = yaml.load(text, StrictLoader)
        documents = document["items"] if document["kind"] == "List" else [document]
        manifests += [Manifest(os.path.relpath(path, os.path.dirname(TOP)), text, each) for each in documents]
    return manifests


def seconds(text):
    number, unit = re.fullmatch(r"([0-9]+)(s|m|h)", text).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


def size(text):
    number, unit = re.fullmatch(r"([0-9]+)([KMG]iB?)", text).groups()
    return int(number) * SIZES[unit]
