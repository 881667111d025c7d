"""The page's part "Causes": the bytes that say why bodies moved, in the one order that is accepted."""

from collections import namedtuple

from flatbuffer import need

AGO_ESCAPE = 15
AGO_RAY = 63
MOVES = 8

Causes = namedtuple("Causes", "inputs shots teleports exits")
InputCause = namedtuple("InputCause", "ago member move")
ShotCause = namedtuple("ShotCause", "ago member aim ray")
TeleportCause = namedtuple("TeleportCause", "ago member place")
CAUSES_NONE = Causes([], [], [], [])


class Bytes:
    """Taken from the front."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def u8(self):
        need(self.at < len(self.data), "causes end too early")
        self.at += 1
        return self.data[self.at - 1]

    def u16(self):
        return self.u8() | self.u8() << 8

    def rest(self):
        return list(self.data[self.at :])


def read_input(data):
    member, both = data.u8(), data.u8()
    ago, move = both >> 4, both & 15
    if ago == AGO_ESCAPE:
        ago += data.u8()
    need(move <= MOVES, "a move that there is not")
    return InputCause(ago, member, move)


def read_shot(data):
    member, both = data.u8(), data.u16()
    ago, aim = both >> 10, both & 1_023
    if ago == AGO_RAY:
        return ShotCause(data.u8(), member, aim, True)
    return ShotCause(ago, member, aim, False)


def read_teleport(data):
    member, ago, place = data.u8(), data.u8(), data.u16()
    return TeleportCause(ago, member, place)


def check_order(causes, base_age):
    """The older first, then by member; none twice, none before the base."""
    need(all(cause.ago < base_age for cause in causes), "a cause before the base")
    keys = [(-cause.ago, cause.member) for cause in causes]
    need(all(a < b for a, b in zip(keys, keys[1:])), "causes in another order")


def read_causes(data, base_age):
    if not data:
        return CAUSES_NONE
    data = Bytes(data)
    inputs, shots, teleports = data.u8(), data.u8(), data.u8()
    causes = Causes(
        [read_input(data) for _ in range(inputs)],
        [read_shot(data) for _ in range(shots)],
        [read_teleport(data) for _ in range(teleports)],
        data.rest(),
    )
    for each in causes[:3]:
        check_order(each, base_age)
    need(all(a < b for a, b in zip(causes.exits, causes.exits[1:])), "exits do not rise")
    need(causes != CAUSES_NONE, "bytes that say nothing")
    return causes
