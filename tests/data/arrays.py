"""Test cases with arrays: <folder>/index.json, and their bytes, each distinct array once, in <folder>/values.bin.

index.json: `arrays` is a list of [dtype, shape, offset into values.bin], little-endian; a case's `in` and `out` count
into it.
"""

import json
import pathlib


class Cases:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.rows = []
        self.blob = bytearray()
        self.offsets = {}
        self.arrays = {}

    def place(self, dtype, shape, data):
        """The number of an array with these little-endian bytes."""
        if data not in self.offsets:
            self.blob += b"\0" * (-len(self.blob) % 8)
            self.offsets[data] = len(self.blob)
            self.blob += data
        key = json.dumps([dtype, list(shape), self.offsets[data]], separators=(",", ":"))
        return self.arrays.setdefault(key, len(self.arrays))

    def add(self, **row):
        self.rows.append(row)

    def write(self, about):
        names = [row["name"] for row in self.rows]
        assert len(names) == len(set(names)), sorted(n for n in names if names.count(n) > 1)
        rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in self.rows)
        text = '{"about": ' + json.dumps(about) + ', "arrays": [\n' + ",\n".join(self.arrays) + '\n], "cases": [\n' + rows + "\n]}\n"
        (self.folder / "index.json").write_text(text)
        (self.folder / "values.bin").write_bytes(bytes(self.blob))
        print(len(self.rows), "cases", len(self.blob), "bytes of values", len(text), "of index")
