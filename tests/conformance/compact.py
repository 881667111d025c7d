"""The page's part "The compact form": a FlatBuffer's structs, counts and elements, and nothing else of it."""

from flatbuffer import Vector, need

MORE = 128  # in each byte of a number but the last
COUNT_MAX = 1_200  # no datagram holds more


def find_parts(data, fields):
    """Where the bytes of each field begin and end; None where it is absent."""
    need(data, "no mask")
    need(data[0] >> len(fields) == 0, "a field that the table does not have")
    present = [field if data[0] >> number & 1 else None for number, field in enumerate(fields)]
    parts, at = [None] * len(fields), 1
    for number, field in enumerate(present):
        if field is not None and not isinstance(field, Vector):
            parts[number], at = (at, at + field.layout.size), at + field.layout.size
    vectors = [number for number, field in enumerate(present) if isinstance(field, Vector)]
    sizes = []
    for number in vectors[:-1]:
        count, at = read_count(data, at)
        sizes.append(count * fields[number].size)
    for number, size in zip(vectors, sizes + [max(0, len(data) - at - sum(sizes))]):
        need(size % fields[number].size == 0, "no whole number of elements")
        parts[number], at = (at, at + size), at + size
    need(at == len(data), "bytes that are missing or left over")
    return parts


def read_count(data, at):
    value = shift = 0
    while True:
        need(at < len(data), "a number that does not end")
        byte, at = data[at], at + 1
        value |= byte % MORE << shift
        need(value <= COUNT_MAX, "a count that no datagram holds")
        if byte < MORE:
            need(byte > 0 or shift == 0, "a number that is not in its shortest form")
            return value, at
        shift += 7


def write_count(value):
    low = bytes([value % MORE | (MORE if value >= MORE else 0)])
    return low if value < MORE else low + write_count(value // MORE)


def read_compact(data, fields):
    """The fields by name, as read_root() has them of a FlatBuffer."""
    values = {}
    for field, part in zip(fields, find_parts(data, fields)):
        if part is None:
            values[field.name] = None
        elif isinstance(field, Vector):
            values[field.name] = field.elements(data, part[0], (part[1] - part[0]) // field.size)
        else:
            values[field.name] = field.read(data, part[0])
    return values


def altered(data, fields, changed):
    """The message with other bytes in the fields of these numbers; None: without the field."""
    parts = {n: data[slice(*part)] for n, part in enumerate(find_parts(data, fields)) if part is not None} | changed
    kept = sorted(n for n, part in parts.items() if part is not None)
    vectors = [n for n in kept if isinstance(fields[n], Vector)]
    counts = [write_count(len(parts[n]) // fields[n].size) for n in vectors[:-1]]
    structs = [parts[n] for n in kept if n not in vectors]
    return bytes([sum(1 << n for n in kept)]) + b"".join(structs + counts + [parts[n] for n in vectors])
