"""The page's part "Messages": each message by its fields, and the limits that make it one."""

import struct
from collections import namedtuple

import xxhash

from causes import CAUSES_NONE, read_causes
from compact import read_compact
from events import read_events
from flatbuffer import Bytes, Malformed, Number, Place, String, Struct, Vector, need, read_root

INPUTS_MAX = 64
BODIES_MAX = 72  # whole ones, in one snapshot
SEGMENT_MAX = 1_088
BASE_AGE_MAX = 60
TICK_MAX = 2**31
PART_BODIES = 44
PARTS_MAX = 6
VIEW_MAX = 256  # members
PLACE_MAX = 2**30 - 2**20
SPEED_MAX = 2**28
MAP_SEATS_MAX = 4_096
TICKET_BYTES = 135
PLAYER, CRATE, BULLET = 0, 1, 2
LEFT, STOPPING, TIMED_OUT, KICKED, TAKEN_OVER = 1, 2, 3, 4, 5


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


Input = namedtuple("Input", "aim move buttons look_back")
read_wire_input = unpacker("WireInput", "HBB", "aim move_buttons look_back", align=2, zeros=0)
read_input_head = unpacker("InputHead", "IHH", "mismatches first_tick events", align=4, zeros=0)
read_view_ack = unpacker("ViewAck", "HH", "tick receipt", align=2, zeros=0)
read_receipt = unpacker("Receipt", "H", "number", align=2, zeros=0)
read_entity = unpacker("Entity", "IiiiiBBB", "id x y vx vy kind move timer", align=4, zeros=1)
read_body = unpacker("Body", "iihhHBB", "x y vx vy number kind_timer move", align=4, zeros=0)
read_snapshot_head = unpacker(
    "SnapshotHead",
    "IHHBbBB",
    "view_hash tick input_tick base_age margin substituted newest_packet",
    align=4,
    zeros=0,
)
read_audit_head = unpacker(
    "AuditHead",
    "HHbBBBH",
    "tick input_tick margin substituted newest_packet run segment",
    align=2,
    zeros=0,
)
read_audit_ack = unpacker("AuditAck", "QHBB", "bits next run flags", align=8, zeros=4)
read_status = unpacker("LinkStatus", "III", "newest_packet packets_received late", align=4, zeros=0)
read_view_part_head = unpacker(
    "ViewPartHead", "IIIBBBB", "tick said made base_age part parts arrived", align=4, zeros=0
)
Entity = namedtuple("Entity", "id x y vx vy kind move timer")
InputMessage = namedtuple("InputMessage", "head inputs view audit")
Audit = namedtuple("Audit", "head bytes status")
Snapshot = namedtuple("Snapshot", "head receipt causes bodies status events")

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
INPUT_MESSAGE = [
    struct_field("head", read_input_head),
    Vector("inputs", 4, read_wire_input.align),
    struct_field("view", read_view_ack),
    struct_field("audit", read_audit_ack),
]
AUDIT = [
    struct_field("head", read_audit_head),
    Bytes("bytes"),
    struct_field("status", read_status),
]
SNAPSHOT = [
    struct_field("head", read_snapshot_head),
    struct_field("receipt", read_receipt),
    Bytes("causes"),
    Vector("bodies", 16, read_body.align),
    Vector("wide", 24, read_entity.align),
    struct_field("status", read_status),
    Bytes("events"),
]
VIEW_PART = [struct_field("head", read_view_part_head), Vector("bodies", 24, read_entity.align)]
DISCONNECT = [Number("reason", "B")]
PATH_CHECK = [Number("data", "Q")]


def read_input(data, at):
    wire = read_wire_input(data, at)
    return Input(wire.aim, wire.move_buttons & 15, wire.move_buttons >> 4, wire.look_back)


def check_input_zeros(data):
    """What a reader does not look at, and a writer leaves zero: of an InputMessage."""
    audit = read_compact(data, INPUT_MESSAGE[:3] + [Place(INPUT_MESSAGE[3])])["audit"]
    if audit is not None:
        check_zeros(data, audit, read_audit_ack)


def check_snapshot_zeros(data):
    for at in read_compact(data, SNAPSHOT)["wide"] or ():
        check_zeros(data, at, read_entity)


def check_view_part_zeros(data):
    for at in read_root(data, VIEW_PART)["bodies"] or ():
        check_zeros(data, at, read_entity)


def check_zeros(data, at, read):
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
    """The head, the inputs, the view it acknowledges, and what it says of an audit."""
    message = read_compact(data, INPUT_MESSAGE)
    present(message, "head", "inputs")
    places = message["inputs"]
    need(len(places) <= INPUTS_MAX, "too many inputs")
    inputs = [read_input(data, at) for at in places]
    return InputMessage(message["head"], inputs, message["view"], message["audit"])


def check_entity(entity):
    need(entity.kind in (PLAYER, CRATE, BULLET), "kind")
    need(entity.id >> 30 == entity.kind, "kind is not that of the id")
    need(max(abs(entity.x), abs(entity.y)) <= PLACE_MAX, "position")
    need(max(abs(entity.vx), abs(entity.vy)) <= SPEED_MAX, "velocity")
    need(entity.move <= 8, "move")
    return entity


def widened(body):
    """The entity that a Body is."""
    kind = body.kind_timer >> 6
    return Entity(
        kind << 30 | body.number, body.x, body.y, body.vx, body.vy, kind, body.move, body.kind_timer & 63
    )


def fits_body(entity):
    narrow = all(-(2**15) <= speed < 2**15 for speed in (entity.vx, entity.vy))
    return narrow and entity.timer <= 63 and entity.id & 0x3FFFFFFF <= 0xFFFF


def rises(entities):
    return all(a.id < b.id for a, b in zip(entities, entities[1:]))


def read_snapshot(data):
    message = read_compact(data, SNAPSHOT)
    present(message, "head", "receipt")
    head, receipt = message["head"], message["receipt"].number
    need(head.base_age <= BASE_AGE_MAX, "base_age")
    causes = read_causes(message["causes"] or b"", head.base_age)
    need(head.base_age > 0 or causes == CAUSES_NONE, "causes, and no base")
    narrow, wide = message["bodies"] or (), message["wide"] or ()
    need(len(narrow) + len(wide) <= BODIES_MAX, "too many bodies")
    narrow = [check_entity(widened(read_body(data, at))) for at in narrow]
    wide = [check_entity(Entity(*read_entity(data, at))) for at in wide]
    need(rises(narrow) and rises(wide), "bodies not sorted by id")
    bodies = sorted(narrow + wide)
    need(rises(bodies), "a body in both lists")
    return Snapshot(head, receipt, causes, bodies, message["status"], read_events(message["events"]))


def read_audit(data):
    message = read_root(data, AUDIT)
    present(message, "head", "bytes")
    need(1 <= len(message["bytes"]) <= SEGMENT_MAX, "bytes of a segment")
    return Audit(message["head"], bytes(message["bytes"]), message["status"])


def check_smallest(data):
    """A writer's: what fits a Body is not sent as an Entity."""
    for at in read_compact(data, SNAPSHOT)["wide"] or ():
        need(not fits_body(read_entity(data, at)), "an Entity that fits a Body")


def read_disconnect(data):
    reason = read_root(data, DISCONNECT)["reason"]
    need(LEFT <= reason <= TAKEN_OVER, f"reason {reason}")
    return reason


def read_path_check(data):
    return read_root(data, PATH_CHECK)["data"]


def read_view_part(data):
    """Of a DESYNC_REPORT or a DESYNC_STATE: the head and the bodies, of any values."""
    message = read_root(data, VIEW_PART)
    present(message, "head")
    head, places = message["head"], message["bodies"] or ()
    need(1 <= head.tick <= TICK_MAX, "tick")
    need(head.said != head.made, "a view that is right")
    need(head.base_age <= min(BASE_AGE_MAX, head.tick), "base_age")
    need(head.arrived < 1 << PARTS_MAX, "arrived")
    if head.parts == 0:
        need(head.part == 0 and not places, "a part of what is not remembered")
    else:
        need(head.part < head.parts <= PARTS_MAX, "part")
        last = head.part + 1 == head.parts
        fits = len(places) <= PART_BODIES if last else len(places) == PART_BODIES
        need(fits, f"{len(places)} bodies")
        need(places or head.parts == 1, "an empty last part")
        need(head.part * PART_BODIES + len(places) <= VIEW_MAX, "too many members")
    bodies = [Entity(*read_entity(data, at)) for at in places]
    need(rises(bodies), "bodies not sorted by id")
    return head, bodies


HASHED = struct.Struct("<IBiiiiBB")


def entity_hash(entity):
    hashed = HASHED.pack(
        entity.id,
        entity.kind,
        *(entity.x, entity.y, entity.vx, entity.vy),
        *(entity.move, entity.timer),
    )
    return xxhash.xxh3_64_intdigest(hashed, seed=entity.id)


def view_hash(entities):
    """Its low 32 bits, as they travel."""
    return sum(entity_hash(entity) for entity in entities) % 2**32
