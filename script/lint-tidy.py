#!/usr/bin/env python3
"""Runs clang-tidy over every source that the build knows, and remembers in build/lint which were clean.

A source is run again when it, a project header it includes (through others too), .clang-tidy, the way it is compiled, or
clang-tidy itself has changed."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
CLEAN = BUILD / "lint"
TIDY = "clang-tidy-19"
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.M)


def closure(source):
    """The source and every project file it includes."""
    seen, pending = set(), [source]
    while pending:
        path = pending.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_bytes()):
            for folder in (ROOT / "include", ROOT / "src", ROOT / "tests", path.parent):
                if (folder / name.decode()).is_file():
                    pending.append((folder / name.decode()).resolve())
                    break
    return sorted(seen)


def key_of(source, command, version):
    # The same in every checkout, so paths are taken from its root.
    digest = hashlib.sha256(version)
    digest.update(command.replace(str(ROOT), "").encode())
    for path in [*sorted(ROOT.rglob(".clang-tidy")), *closure(source)]:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def tidy(source):
    done = subprocess.run(
        [TIDY, "--quiet", "-p", BUILD, "--extra-arg=-Wno-unknown-warning-option", source], cwd=ROOT, capture_output=True, text=True, errors="replace"
    )
    return done.returncode == 0, done.stdout


def main():
    version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
    CLEAN.mkdir(parents=True, exist_ok=True)
    pending = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if source.is_relative_to(ROOT) and not source.is_relative_to(BUILD) and source.is_file():
            marker = CLEAN / key_of(source, entry["command"], version)
            if not marker.exists():
                pending[source] = marker
    said = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # The largest first, so that no core waits for one at the end.
        order = sorted(pending, key=lambda path: -path.stat().st_size)
        for source, (clean, output) in zip(order, pool.map(tidy, order)):
            if clean:
                pending[source].touch()
            # A header is seen by many sources; each of its findings is printed once.
            for block in re.split(r"(?m)^(?=/\S+:\d+:\d+: (?:warning|error))", output):
                block = block.replace(f"{ROOT}/", "").rstrip()
                if block and block not in said:
                    said.add(block)
                    print(block, flush=True)
            if not clean and not output.strip():
                print(f"{source.relative_to(ROOT)}:1: {TIDY} failed")
    return 1 if any(not marker.exists() for marker in pending.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
