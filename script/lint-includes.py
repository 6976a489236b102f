#!/usr/bin/env python3
"""Checks who includes whom (docs/architecture.md, "Who may include whom").

A part is a folder of src/ with its public headers in include/quince/; each folder below backend/ is a part of its own. Every
quoted include names a file of the project; public headers include only each other and the standard library, use no
#if, and are all reached from quince/quince.h."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Each part may include itself, quince/error.h, and these.
MAY_INCLUDE = {
    "expr": set(),
    "egraph": set(),
    "graph": {"expr"},
    "kernel": {"expr"},
    "search": {"graph", "egraph", "kernel", "expr"},
    "backend": {"kernel", "graph", "expr"},  # the interface that every backend implements
    "backend/reference": {"backend", "kernel", "graph", "expr"},
    "backend/*": {"backend", "kernel", "expr"},
    "runtime": {"search", "backend", "backend/*", "kernel", "graph", "expr"},
    "nn": {"graph", "expr"},
    "io": {"graph", "expr"},
    "models": {"nn", "io", "graph", "expr"},
}
# May include everything, and nothing includes them.
TOPS = {"cli"}
GENERATED = {"quince_version.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')

findings = 0


def report(path, line, text):
    global findings
    findings += 1
    print(f"{path.relative_to(ROOT)}:{line}: {text}")


def part_of(path):
    """The part of a file under src/ or include/quince/; None for quince/error.h and the umbrella header."""
    folder = path.relative_to(ROOT).parent.parts[1 if path.is_relative_to(ROOT / "src") else 2 :]
    if len(folder) > 1 and folder[0] == "backend":
        return "/".join(folder[:2])
    return folder[0] if folder else None


def allowed(part, other):
    """Whether a file of one part may include one of another."""
    may = MAY_INCLUDE.get(part, MAY_INCLUDE["backend/*"])
    return other in may or (other.startswith("backend/") and "backend/*" in may)


def resolve(name, source):
    """The project file that a quoted include means."""
    for folder in (ROOT / "include", ROOT / "src", ROOT / "tests", source.parent):
        if (folder / name).is_file():
            return folder / name
    return None


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1] == '"', match[2]


def check_part(path):
    part = part_of(path)
    umbrella = path == ROOT / "include/quince/quince.h"
    if part is not None and part not in TOPS and part not in MAY_INCLUDE and not part.startswith("backend/"):
        report(path, 1, f"script/lint-includes.py knows no part '{part}'")
        return
    for number, quoted, name in includes(path):
        if not quoted or name in GENERATED:
            continue
        target = resolve(name, path)
        if target is None:
            report(path, number, f"there is no {name}")
            continue
        if target.is_relative_to(ROOT / "tests"):
            report(path, number, f"{name} belongs to the tests")
            continue
        other = part_of(target)
        if other is None:
            if name != "quince/error.h":
                report(path, number, f"{name} is for users of quince")
        elif umbrella or part in TOPS or other == part:
            continue
        elif part is None or not allowed(part, other):
            report(path, number, f"{part or path.name} may not include {other}")


def check_public(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else)\b", line):
            report(path, number, "a public header depends on no build flag")
    for number, quoted, name in includes(path):
        if quoted and not name.startswith("quince/"):
            report(path, number, f"a public header includes {name}, which is not public")
        elif not quoted and "." in name:
            report(path, number, f"a public header includes <{name}>, which is not the standard library")


def check_umbrella(headers):
    umbrella = ROOT / "include/quince/quince.h"
    reached, pending = set(), [umbrella]
    while pending:
        path = pending.pop()
        if path not in reached and path.is_file():
            reached.add(path)
            pending += [ROOT / "include" / name for _, quoted, name in includes(path) if quoted]
    for path in headers:
        if path not in reached:
            report(umbrella, 1, f"{path.relative_to(ROOT / 'include')} is not reached from here")


def main():
    headers = sorted((ROOT / "include/quince").rglob("*.h"))
    for path in [*headers, *sorted((ROOT / "src").rglob("*.h")), *sorted((ROOT / "src").rglob("*.cpp"))]:
        check_part(path)
    for path in headers:
        check_public(path)
    check_umbrella(headers)
    for folder in ("tests", "fuzz", "bench"):
        for path in sorted([*(ROOT / folder).rglob("*.h"), *(ROOT / folder).rglob("*.cpp")]):
            for number, quoted, name in includes(path):
                if quoted and name not in GENERATED and resolve(name, path) is None:
                    report(path, number, f"there is no {name}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
