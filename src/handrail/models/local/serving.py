"""The other process: llama.cpp with one model, behind a socket that only this user can reach. Run as a file, by `engine` alone.

- It imports nothing of handrail and is told everything in one line of JSON, so that it starts fast.
- It says one line: that it is ready, or that it failed. After that it serves until its standard input ends, which it does too when whoever
  started it is killed.
- What llama.cpp says goes to standard error; its own handlers of signals stay in here.
"""

import importlib
import json
import os
import shutil
import sys
from pathlib import Path


def main() -> None:
    """Load, say so, serve."""
    xllamacpp = importlib.import_module("xllamacpp")  # it comes without types
    told = json.loads(sys.stdin.readline())
    params = xllamacpp.CommonParams()
    params.model.path = told["path"]
    params.hostnames = [told["socket"]]
    params.n_ctx = told["context"]
    params.n_parallel = 1
    params.cache_ram_mib = told["cache_megabytes"]
    params.fit_params = False
    params.warmup = False
    params.ui = False
    params.endpoint_slots = True
    params.verbosity = 1
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = told["threads"]
        cpu.poll = 0  # threads that wait in a loop for each other take a shared core from one another: measured 20 times slower
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        _say({"failed": str(error)})
        return
    _say({"ready": server.listening_address})
    sys.stdin.read()
    shutil.rmtree(Path(told["socket"]).parent, ignore_errors=True)
    os._exit(0)  # a request may be in the middle, and nobody waits for its end


def _say(what: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
