"""The page's part "Messages": each message by its fields, and the limits that make it one."""

import struct
from collections import namedtuple

import xxhash

from flatbuffer import Bytes, Malformed, Number, Place, String, Struct, Vector, read_root

INPUTS_MAX = 64
ENTITIES_PER_FRAGMENT = 39
FRAGMENTS_MAX = 4
MAP_SEATS_MAX = 4_096
TICKET_BYTES = 135
PLAYER, CRATE, BULLET = 0, 1, 2
LEFT, STOPPING, TIMED_OUT, KICKED, TAKEN_OVER = 1, 2, 3, 4, 5


def need(holds, what):
    if not holds:
        raise Malformed(what)


def unpacker(name, codes, fields, align, zeros):
    """Reads a struct to a named tuple, and not its last bytes, which are zeros."""
    layout = struct.Struct(f"<{codes}{zeros}x")
    record = namedtuple(name, fields)

    def read(data, at):
        return record._make(layout.unpack_from(data, at))

    read.layout = layout
    read.align = align
    read.zeros = zeros
    return read


def struct_field(name, read):
    return Struct(name, read, read.layout, read.align)


read_input = unpacker("Input", "HBB", "aim move buttons", align=2, zeros=0)
read_input_head = unpacker(
    "InputHead", "QIII", "ack_bits newest_snapshot first_tick mismatches", align=8, zeros=4
)
read_entity = unpacker(
    "Entity", "IiiiiHBBBB", "id x y vx vy aim kind move buttons timer", align=4, zeros=2
)
read_snapshot_head = unpacker(
    "SnapshotHead",
    "QIIIIHHHHhBBB",
    "view_hash tick input_tick newest_packet packets_received ack_delay view_size "
    "substituted late margin touched fragment fragments",
    align=8,
    zeros=3,
)

ACCEPT = [
    Number("player", "H"),
    Number("body", "I"),
    Number("tick_rate", "H"),
    Number("tick", "I"),
    String("rules"),
    Number("map_seats", "I"),
    Number("map_hash", "Q"),
    Number("boot", "Q"),
    Number("room", "I"),
    Bytes("ticket"),
]
INPUT_MESSAGE = [struct_field("head", read_input_head), Vector("inputs", 4, read_input.align)]
SNAPSHOT = [struct_field("head", read_snapshot_head), Vector("entities", 28, read_entity.align)]
DISCONNECT = [Number("reason", "B")]
PATH_CHECK = [Number("data", "Q")]


def check_zeros(data, fields, head, element):
    """What a reader does not look at, and a writer leaves zero."""
    head_at, elements = read_root(data, [Place(fields[0]), fields[1]]).values()
    for read, at in [(head, head_at), *((element, at) for at in elements)]:
        end = at + read.layout.size
        need(not any(data[end - read.zeros : end]), "bytes that have to be zero")


def present(values, *names):
    for name in names:
        need(values[name] is not None, f"{name} is absent")


def read_accept(data):
    accept = read_root(data, ACCEPT)
    present(accept, "rules", "ticket")
    need(1 <= accept["map_seats"] <= MAP_SEATS_MAX, "map_seats")
    need(accept["player"] < accept["map_seats"], "player is no seat of the map")
    need(accept["body"] >> 30 == PLAYER, "body is no player's")
    need(accept["body"] & 0xFFF == accept["player"], "body is of another seat")
    need(accept["tick_rate"] >= 1, "tick_rate")
    need(1 <= len(accept["rules"]) <= 64, "rules")
    need(len(accept["ticket"]) == TICKET_BYTES, "ticket")
    return accept


def read_input_message(data):
    """The head and the inputs."""
    message = read_root(data, INPUT_MESSAGE)
    present(message, "head", "inputs")
    head, places = message["head"], message["inputs"]
    need(len(places) <= INPUTS_MAX, "too many inputs")
    need(head.first_tick + len(places) <= 2**32, "ticks beyond the last")
    beyond = head.ack_bits >> min(head.newest_snapshot, 64)
    need(beyond == 0, "acknowledges ticks below 0")
    return head, [read_input(data, at) for at in places]


def check_entity(entity):
    need(entity.kind in (PLAYER, CRATE, BULLET), "kind")
    need(entity.id >> 30 == entity.kind, "kind is not that of the id")
    need(max(abs(entity.x), abs(entity.y)) <= 2**30, "position")
    need(max(abs(entity.vx), abs(entity.vy)) <= 2**28, "velocity")
    need(entity.aim <= 1_023 and entity.move <= 8 and entity.buttons <= 1, "aim, move or buttons")


def read_snapshot(data):
    """One fragment: its head and its entities."""
    message = read_root(data, SNAPSHOT)
    present(message, "head", "entities")
    head, places = message["head"], message["entities"]
    need(1 <= head.fragments <= FRAGMENTS_MAX, "fragments")
    need(head.fragment < head.fragments, "fragment")
    need(head.view_size <= ENTITIES_PER_FRAGMENT * head.fragments, "view_size")
    need(len(places) <= ENTITIES_PER_FRAGMENT, "too many entities")
    need(len(places) <= head.view_size, "more entities than the view has")
    need(head.fragments > 1 or len(places) == head.view_size, "an only fragment without the whole view")
    entities = [read_entity(data, at) for at in places]
    for entity in entities:
        check_entity(entity)
    need(all(a.id < b.id for a, b in zip(entities, entities[1:])), "not sorted by id")
    return head, entities


def read_disconnect(data):
    reason = read_root(data, DISCONNECT)["reason"]
    need(LEFT <= reason <= TAKEN_OVER, f"reason {reason}")
    return reason


def read_path_check(data):
    return read_root(data, PATH_CHECK)["data"]


HASHED = struct.Struct("<IBiiiiBBHB")


def entity_hash(entity):
    hashed = HASHED.pack(
        entity.id,
        entity.kind,
        *(entity.x, entity.y, entity.vx, entity.vy),
        *(entity.move, entity.buttons, entity.aim, entity.timer),
    )
    return xxhash.xxh3_64_intdigest(hashed, seed=entity.id)


def view_hash(entities):
    return sum(entity_hash(entity) for entity in entities) % 2**64
