"""The page's part "Messages": each message by its fields, and the limits that make it one."""

import struct
from collections import namedtuple

from compact import read_compact
from flatbuffer import Bytes, Number, Place, String, Struct, need, read_root

BASE_AGE_MAX = 60
TICK_MAX = 2**31
PART_BYTES = 1_088  # of a view
PARTS_MAX = 64  # of a view
INPUT_BYTES_MAX = 1_066
COMMAND_BYTES_MAX = 96
MAP_SEATS_MAX = 4_096
GENERATIONS = 2**18
GAME_NAME_MAX = 32
TICKET_BYTES = 135
LEFT, STOPPING, TIMED_OUT, KICKED, TAKEN_OVER, MATCH_ENDED = 1, 2, 3, 4, 5, 6
REFUSALS = OTHER_VERSION, OTHER_RULES, OTHER_MAP = 7, 8, 9


def unpacker(name, codes, fields, align):
    """Reads a struct to a named tuple."""
    layout = struct.Struct(f"<{codes}")
    record = namedtuple(name, fields)

    def read(data, at):
        return record._make(layout.unpack_from(data, at))

    read.layout = layout
    read.align = align
    return read


def struct_field(name, read):
    return Struct(name, read, read.layout, read.align)


read_input_head = unpacker("InputHead", "IHH", "mismatches first_tick events", align=4)
read_view_ack = unpacker("ViewAck", "HH", "tick receipt", align=2)
read_receipt = unpacker("Receipt", "H", "number", align=2)
read_snapshot_head = unpacker(
    "SnapshotHead",
    "IHHBbBB",
    "view_hash tick input_tick base_age margin substituted newest_packet",
    align=4,
)
read_status = unpacker("LinkStatus", "III", "newest_packet packets_received late", align=4)
read_command_ack = unpacker("CommandAck", "H", "newest", align=2)
read_view_part_head = unpacker(
    "ViewPartHead", "IIIBBBxQ", "tick said made base_age part parts arrived", align=8
)
Input = namedtuple("Input", "values look_back")
InputMessage = namedtuple("InputMessage", "head inputs view commands")
Snapshot = namedtuple("Snapshot", "head receipt content status events commands")
Event = namedtuple("Event", "number ago kind seat value")
ViewPart = namedtuple("ViewPart", "head bytes")

ACCEPT = [
    Number("player", "H"),
    Number("generation", "I"),
    Number("tick_rate", "H"),
    Number("tick", "I"),
    String("game"),
    Number("game_version", "I"),
    Number("game_hash", "Q"),
    Number("map_seats", "I"),
    Number("map_hash", "Q"),
    Number("shared_seed", "Q"),
    Number("boot", "Q"),
    Number("room", "I"),
    Bytes("ticket"),
]
INPUT_MESSAGE = [
    struct_field("head", read_input_head),
    Bytes("inputs"),
    struct_field("view", read_view_ack),
    Bytes("commands"),
]
SNAPSHOT = [
    struct_field("head", read_snapshot_head),
    struct_field("receipt", read_receipt),
    Bytes("content"),
    struct_field("status", read_status),
    Bytes("events"),
    struct_field("commands", read_command_ack),
]
VIEW_PART = [struct_field("head", read_view_part_head), Bytes("bytes")]
DISCONNECT = [Number("reason", "B")]
DRAIN = [Number("left_ms", "I"), String("token")]
PATH_CHECK = [Number("data", "Q")]


def check_view_part_zeros(data):
    head = read_root(data, [Place(VIEW_PART[0]), VIEW_PART[1]])["head"]
    need(data[head + 15] == 0, "bytes that have to be zero")


def present(values, *names):
    for name in names:
        need(values[name] is not None, f"{name} is absent")


def bytes_of(values, name):
    """The bytes of a field. A field without bytes must be absent."""
    value = values[name]
    need(value is None or value, f"{name} is present, and has no bytes")
    return bytes(value or b"")


def read_accept(data):
    accept = read_root(data, ACCEPT)
    present(accept, "game", "ticket")
    need(1 <= accept["map_seats"] <= MAP_SEATS_MAX, "map_seats")
    need(accept["player"] < accept["map_seats"], "player is no seat of the map")
    need(accept["generation"] < GENERATIONS, "generation")
    need(accept["tick_rate"] >= 1, "tick_rate")
    need(accept["tick"] <= TICK_MAX, "tick")
    need(1 <= len(accept["game"]) <= GAME_NAME_MAX, "game")
    need(len(accept["ticket"]) == TICKET_BYTES, "ticket")
    return accept


def read_input_message(data, views):
    """The head, the inputs, the view it acknowledges, and the commands."""
    message = read_compact(data, INPUT_MESSAGE)
    present(message, "head")
    content, commands = bytes_of(message, "inputs"), bytes_of(message, "commands")
    need(not (content or commands) or views is not None, "inputs of a game that is not known yet")
    inputs = [Input(values, look_back) for look_back, values in views.inputs(content)] if content else []
    commands = views.commands(commands) if commands else []
    return InputMessage(message["head"], inputs, message["view"], commands)


def read_snapshot(data, views):
    """Its content can be read only with its base."""
    message = read_compact(data, SNAPSHOT)
    present(message, "head", "receipt")
    need(views is not None, "a snapshot of a game that is not known yet")
    need(message["head"].base_age <= BASE_AGE_MAX, "base_age")
    content, events = bytes_of(message, "content"), bytes_of(message, "events")
    events = [Event(*each) for each in views.events(events)]
    receipt, status, commands = message["receipt"].number, message["status"], message["commands"]
    return Snapshot(message["head"], receipt, content, status, events, commands)


def check_input_size(data):
    """A writer sends no more inputs and commands than fit beside all else."""
    message = read_compact(data, INPUT_MESSAGE)
    need(len(message["inputs"] or b"") <= INPUT_BYTES_MAX, "more bytes of inputs than a message has")
    need(len(message["commands"] or b"") <= COMMAND_BYTES_MAX, "more bytes of commands than a message has")


def read_disconnect(data):
    reason = read_root(data, DISCONNECT)["reason"]
    need(LEFT <= reason <= OTHER_MAP, f"reason {reason}")
    return reason


def read_drain(data):
    return read_root(data, DRAIN)["left_ms"]


def read_path_check(data):
    return read_root(data, PATH_CHECK)["data"]


def check_piece(part, parts, size):
    need(part < parts, "part")
    last = part + 1 == parts
    need(1 <= size <= PART_BYTES if last else size == PART_BYTES, f"{size} bytes of a part")


def read_view_part(data):
    """Of a DESYNC_REPORT or a DESYNC_STATE: the head and the bytes."""
    message = read_root(data, VIEW_PART)
    present(message, "head")
    head, content = message["head"], bytes_of(message, "bytes")
    need(1 <= head.tick <= TICK_MAX, "tick")
    need(head.said != head.made, "a view that is right")
    need(head.base_age <= min(BASE_AGE_MAX, head.tick), "base_age")
    if head.parts == 0:
        need(head.part == 0 and not content, "a part of what is not remembered")
    else:
        need(head.parts <= PARTS_MAX, "parts")
        check_piece(head.part, head.parts, len(content))
    return ViewPart(head, content)
