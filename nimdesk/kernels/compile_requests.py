"""What runs in the process of ``nimdesk.compiler_process``: it compiles kernels, which stay on disk, when asked to.

A request is a line of the module, the name and the pickled signature of a kernel; the answer is ``done`` or ``failed``.
"""

import base64
import importlib
import os
import pickle
import queue
import signal
import sys
import threading


def serve(idle_s: float) -> None:
    """Answer what comes on standard input, until it ends or nothing has come for so long.

    The input ends with the program, however that came to its end: a compilation under way is dropped then.
    """
    # Ctrl-C in the terminal is for the program, which takes this process with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    while True:
        try:
            request = requests.get(timeout=idle_s)
        except queue.Empty:
            os._exit(0)  # a return would wait for the thread that reads
        answer = b"done\n" if _compile(request) else b"failed\n"
        try:
            sys.stdout.buffer.write(answer)
            sys.stdout.buffer.flush()
        except OSError:
            return


def _read(requests: queue.Queue[bytes]) -> None:
    for request in iter(sys.stdin.buffer.readline, b""):
        requests.put(request)
    os._exit(0)


def _compile(request: bytes) -> bool:
    try:
        module, function, signature = request.split()
        kernel = getattr(importlib.import_module(module.decode()), function.decode())
        kernel.compile(pickle.loads(base64.b64decode(signature)))
    except Exception:  # why is said where it is compiled then: in the program
        return False
    return True
