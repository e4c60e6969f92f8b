"""Runs one peer for `go run ./bench/peers`: python driver.py MODULE SETTINGS.

Takes calls as lines of JSON and answers each with a line: how many seconds the peer's own call
took in this very process, and how many results it gave. The module's `Peer` is told the settings.
"""
import importlib
import json
import os
import sys
import time

answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # what a library prints is no answer


def say(answer):
    print(json.dumps(answer), file=answers, flush=True)


def main():
    peer = importlib.import_module(sys.argv[1]).Peer(json.loads(sys.argv[2]))
    say({"seconds": 0, "results": 0})
    for line in sys.stdin:
        call = json.loads(line)
        do = getattr(peer, call["do"])
        try:
            began = time.perf_counter()
            results = do(**call["with"])
            say({"seconds": time.perf_counter() - began, "results": results})
        except Exception as e:  # told to whoever asked
            say({"error": f"{type(e).__name__}: {e}"})


main()
